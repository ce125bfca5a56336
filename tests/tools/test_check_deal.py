"""The checker of deals in another language: its findings in golden records, whole and damaged, and in the test vectors."""

import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path

import mergemaker_engine
import pytest
from mergemaker_engine.deal import Deal
from mergemaker_engine.wording import square_name
from toy_checkout import CHECKOUT, COMMAND_LIMIT_S

CHECKER = CHECKOUT / "tools" / "project" / "check_deal.mjs"
VECTORS = Path(mergemaker_engine.__file__).with_name("deal_vectors.json")
GOLDEN = sorted((CHECKOUT / "tests" / "golden").glob("*.jsonl.gz"))
REQUIRED = "MERGEMAKER_REQUIRE_NODE"

Lines = list[dict[str, object]]


def check(*words: str | Path) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"there is no node on the PATH, and {REQUIRED} is set")
        pytest.skip("needs node on the PATH, which this machine has not")
    command = [node, str(CHECKER), *map(str, words)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=COMMAND_LIMIT_S, check=False)


def lines_of(name: str) -> Lines:
    text = gzip.decompress((CHECKOUT / "tests" / "golden" / f"{name}.jsonl.gz").read_bytes())
    return [json.loads(line) for line in text.splitlines()]


def part(lines: Lines, kind: str, *names: str) -> dict[str, object]:
    """An object in the line of this kind."""
    found = next(line for line in lines if line["kind"] == kind)
    for name in names:
        inner = found[name]
        assert isinstance(inner, dict)
        found = inner
    return found


def flipped(text: object) -> str:
    assert isinstance(text, str)
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def write(path: Path, lines: Lines) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def test_the_checker_finds_every_golden_promise_kept_and_the_order_of_the_engine() -> None:
    done = check("--json", *GOLDEN)
    assert (done.returncode, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    expected = []
    for path in GOLDEN:
        lines = lines_of(path.name.removesuffix(".jsonl.gz"))
        seed = part(lines, "end")["seed"]
        assert isinstance(seed, str)
        tiles = [square_name(square) for square in Deal.from_seed(bytes.fromhex(seed)).order]
        expected.append({"deal": part(lines, "header")["deal"], "tiles": tiles})
    assert found == expected
    assert {one["deal"] for one in found} == {"server", "joint", "plain"}


def test_the_checker_reads_a_plain_record_and_prints_its_tiles(tmp_path: Path) -> None:
    done = check(write(tmp_path / "a.jsonl", lines_of("classic-2-market")))
    assert done.returncode == 0
    assert " ok server " in done.stdout
    assert len(done.stdout.split(" ok server ")[1].split()) == 108


# The changed digit of each record, and the checker's message.
CHANGES = (
    ("classic-2-market", ("end",), "seed", "another seed than the end line's"),
    ("classic-2-market", ("end", "run"), "server_seed", "not what the commitment was made of"),
    ("classic-2-market", ("end", "run"), "nonce", "not what the commitment was made of"),
    ("classic-2-market", ("header", "run", "promise"), "commitment", "not what the commitment was made of"),
    ("classic-2-market", ("header", "run"), "match", "made for another match"),
    ("classic-2-fork", ("header", "run", "promise"), "match", "not what the commitment was made of"),
    ("classic-2-fork", ("end", "run"), "nonce", "not what the commitment was made of"),
    ("tycoon-4-joint", ("end",), "seed", "another seed than the end line's"),
    ("tycoon-4-joint", ("end", "run"), "nonce", "not what the commitment was made of"),
)
# In tycoon-3-withheld seat 0 withheld its part, seat 1 revealed one, and seat 2 committed to none.
PARTS = (
    ("contributions", 1, flipped, "seat 1 revealed another part than it had committed to"),
    ("contributions", 0, lambda _: "11" * 32, "seat 0 revealed another part than it had committed to"),
    ("contributions", 2, lambda _: "11" * 32, "seat 2 revealed another part than it had committed to"),
    ("contributions", 1, lambda _: None, "another seed than the end line's"),
    ("seat_commitments", 1, flipped, "seat 1 revealed another part than it had committed to"),
    ("seat_commitments", 1, lambda _: None, "seat 1 revealed another part than it had committed to"),
)


def refused(complaints: dict[Path, str]) -> None:
    """One run over damaged records: each is refused, with its own complaint. Starting node takes most of the time."""
    done = check(*complaints)
    assert (done.returncode, done.stdout) == (1, "")
    said = done.stderr.splitlines()
    assert len(said) == len(complaints)
    for (path, complaint), line in zip(complaints.items(), said, strict=True):
        assert line.startswith(f"{path}: ")
        assert complaint in line


def test_the_checker_refuses_every_record_in_which_one_digit_was_changed(tmp_path: Path) -> None:
    complaints = {}
    for number, (name, place, member, complaint) in enumerate(CHANGES):
        lines = lines_of(name)
        within = part(lines, *place)
        within[member] = flipped(within[member])
        complaints[write(tmp_path / f"{number}.jsonl", lines)] = complaint
    refused(complaints)


def test_the_checker_refuses_every_part_of_a_seed_that_is_not_the_seats(tmp_path: Path) -> None:
    complaints = {}
    for number, (member, seat, change, complaint) in enumerate(PARTS):
        lines = lines_of("tycoon-3-withheld")
        parts = part(lines, "deal", "run")[member]
        assert isinstance(parts, list)
        parts[seat] = change(parts[seat])
        complaints[write(tmp_path / f"{number}.jsonl", lines)] = complaint
    refused(complaints)


def test_the_checker_refuses_what_is_missing(tmp_path: Path) -> None:
    lines = lines_of("tycoon-4-joint")
    running = write(tmp_path / "running.jsonl", lines[:-1])
    del part(lines, "deal", "run")["contributions"]
    partless = write(tmp_path / "partless.jsonl", lines)
    del part(lines, "header", "run")["promise"]
    unpromised = write(tmp_path / "unpromised.jsonl", lines)
    packed = tmp_path / "cut.jsonl.gz"
    packed.write_bytes(GOLDEN[0].read_bytes()[:-100])
    refused(
        {
            running: "no record of a match that has ended",
            partless: "each seat has its part of the seed",
            unpromised: "the header has no promise",
            packed: "unexpected end of file",
        }
    )


def test_the_checker_agrees_with_the_test_vectors_and_notices_a_wrong_one(tmp_path: Path) -> None:
    assert check("--vectors", VECTORS).returncode == 0
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    tiles = vectors["orders"][1]["tiles"]
    tiles[0], tiles[1] = tiles[1], tiles[0]
    changed = tmp_path / "vectors.json"
    changed.write_text(json.dumps(vectors), encoding="utf-8")
    done = check("--vectors", changed)
    assert done.returncode == 1
    assert "another order from the seed ffff" in done.stderr


@pytest.mark.parametrize("words", [(), ("--other",), ("no-such-file.jsonl",), ("--vectors",)])
def test_the_checker_says_what_is_wrong_with_its_words(words: tuple[str, ...]) -> None:
    done = check(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("check_deal.mjs: ")


def test_without_node_these_tests_are_skipped_unless_it_is_required(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs node"):
        check()
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match="no node on the PATH"):
        check()
