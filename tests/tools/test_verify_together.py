"""`mergemaker verify` with several records: a row for each, and contradictions between records that are right on their own."""

import gzip
import json
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import FORKED, DecisionLine, Header, Incident, Line, Parent
from mergemaker_engine.rules import preset
from mergemaker_table.record_checks import TermsFound
from mergemaker_testkit.recorded import MATCH, VOIDED, game_hash_before, of_kind, opened, recorded_match, renamed, sealed
from mergemaker_tools.records.checking import Row
from mergemaker_tools.records.contradictions import Comparison

from tests.tools.conftest import Run

CLASSIC: Final = preset("renegade-classic")
SEED: Final = bytes(range(32))
DECISIONS: Final = 20
BEGINS: Final = 9


@cache
def _lines(seed: bytes = SEED, mode: DealMode = DealMode.SERVER) -> tuple[Line, ...]:
    return tuple(opened(recorded_match(CLASSIC, 3, seed, mode, decisions=DECISIONS)))


def _fork(lines: Iterable[Line], match: str = "m-2", decision: int = BEGINS, parent: str = MATCH) -> list[Line]:
    """A fork that plays on like its parent."""
    whole = list(lines)
    at = next(at for at, line in enumerate(whole) if isinstance(line, DecisionLine) and line.number == decision)
    origin = Parent(parent, decision, game_hash_before(whole, decision))
    whole[0] = replace(of_kind(whole[0], Header), match=match, parent=origin)
    return [*whole[:at], Incident(what=FORKED), *whole[at:]]


def _noted(lines: Iterable[Line]) -> list[Line]:
    """The same play with other notes."""
    return [replace(line, note="another") if isinstance(line, DecisionLine) else line for line in lines]


def _write(folder: Path, **records: Iterable[Line]) -> None:
    for name, lines in records.items():
        (folder / f"{name}.jsonl").write_bytes(b"".join(sealed(lines)))


# --- a row for each record ---


def test_each_good_record_has_a_row(run: Callable[..., Run], tmp_path: Path) -> None:
    whole = opened(recorded_match(CLASSIC, 3, bytes(32), DealMode.PLAIN))
    _write(tmp_path, a=_lines(), b=_fork(_lines()), c=renamed(whole, "m-3"))
    (tmp_path / "d.jsonl").write_bytes(b"x")
    checked = run("verify", ".", "--rows")
    rows = [line.split("\t") for line in checked.out.splitlines()]
    assert rows[0] == ["path", "match", "line", "game", "deal", "ended", "fingerprint", "fork of"]
    print_ = CLASSIC.fingerprint()
    assert [[row[at] for at in (0, 1, 4, 5, 6, 7)] for row in rows[1:4]] == [
        ["a.jsonl", "m-1", "server", "voided", print_, "-"],
        ["b.jsonl", "m-2", "server", "voided", print_, f"m-1@{BEGINS}"],
        ["c.jsonl", "m-3", "plain", "declared", print_, "-"],
    ]
    for name, row in zip("abc", rows[1:4], strict=True):
        end = json.loads((tmp_path / f"{name}.jsonl").read_bytes().splitlines()[-1])
        assert row[2:4] == [end["line"], end["game"]]
    assert checked.out.splitlines()[4:] == [
        "d.jsonl: line 1: a record begins with b'{\"kind\":\"header\",', not b'x' (no-record)",
        "4 records: 3 good, 1 bad (2 voided, 1 plain, 1 forked)",
    ]


def test_a_document_has_the_rows(run: Callable[..., Run], tmp_path: Path) -> None:
    _write(tmp_path, a=_lines(), b=_fork(_lines()))
    document = json.loads(run("verify", ".", "--json").out)
    first, second = document["rows"]
    assert {*first} == {"path", "match", "line", "game", "deal", "ended", "fingerprint", "parent", "terms"}
    assert (first["path"], first["match"], first["parent"], first["terms"]) == ("a.jsonl", "m-1", None, "none")
    parent = {"match": "m-1", "decision": BEGINS, "game": game_hash_before(_lines(), BEGINS)}
    assert (second["parent"], second["ended"]) == (parent, "voided")
    assert [document[name] for name in ("good", "voided", "forked", "plain")] == [2, 2, 1, 0]


def test_a_clock_with_unknown_terms_is_reported(run: Callable[..., Run], tmp_path: Path) -> None:
    header, *rest = _lines()
    _write(tmp_path, a=[replace(of_kind(header, Header), clock={"sand_ms": 5}), *rest])
    out = run("verify", "a.jsonl").out
    assert out == "1 record: 1 good (1 voided, 1 with unknown clock terms)\n"


# --- what agrees ---


def test_equal_copies_of_a_record_are_no_contradiction(run: Callable[..., Run], tmp_path: Path) -> None:
    _write(tmp_path, a=_lines())
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress((tmp_path / "a.jsonl").read_bytes()))
    checked = run("verify", ".")
    assert (checked.status, checked.out) == (0, "2 records: 2 good (2 voided, 1 copied)\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_forks_and_their_parents_agree_in_any_order(run: Callable[..., Run], tmp_path: Path, jobs: str) -> None:
    second = _fork(_lines(), "m-3", 5)
    deeper = _fork(_fork(_lines(), "m-3", 5), "m-4", 12, parent="m-3")
    deeper.remove(Incident(what=FORKED))
    _write(tmp_path, z=_lines(), b=_fork(_lines()), c=second, a=deeper)
    checked = run("verify", ".", "--jobs", jobs)
    assert (checked.status, checked.out) == (0, "4 records: 4 good (4 voided, 3 forked)\n")


def test_a_plain_seed_may_be_played_again(run: Callable[..., Run], tmp_path: Path) -> None:
    plain = _lines(mode=DealMode.PLAIN)
    _write(tmp_path, a=plain, b=renamed(plain, "m-2"), c=renamed(_lines(), "m-3"))
    assert run("verify", ".").status == 0


def _of_block(lines: Iterable[Line], block: str) -> list[Line]:
    header, *rest = lines
    return [replace(of_kind(header, Header), more={"block": block}), *rest]


def test_matches_of_one_block_share_a_seed(run: Callable[..., Run], tmp_path: Path) -> None:
    second = _of_block(renamed(_lines(), "m-2", OTHER), "cup-7")
    _write(tmp_path, a=_of_block(_lines(), "cup-7"), b=second, c=_fork(second, "m-3", parent="m-2"))
    checked = run("verify", ".")
    assert (checked.status, checked.out) == (0, "3 records: 3 good (3 voided, 1 forked)\n")


def test_a_fork_whose_parent_is_elsewhere_is_good(run: Callable[..., Run], tmp_path: Path) -> None:
    _write(tmp_path, a=_fork(_lines()), b=renamed(_lines(bytes(32)), "m-5", bytes(32)))
    assert run("verify", ".").status == 0


# --- contradictions ---

OTHER: Final = bytes(32)
CONTRADICTIONS: Final[dict[str, tuple[Callable[[], dict[str, list[Line]]], str, str]]] = {
    "one match, two records": (
        lambda: {"a": list(_lines()), "b": _noted(_lines())},
        "two-records",
        "a.jsonl is a record of this match, too, and has another hash 'line'",
    ),
    "one seed, two matches": (
        lambda: {"a": list(_lines()), "b": renamed(_lines(), "m-2", OTHER)},
        "one-seed",
        "a.jsonl has the same server_seed",
    ),
    "one seed, two blocks": (
        lambda: {"a": _of_block(_lines(), "cup-7"), "b": _of_block(renamed(_lines(), "m-2", OTHER), "cup-8")},
        "one-seed",
        "a.jsonl has the same server_seed",
    ),
    "one nonce in a block": (
        lambda: {"a": _of_block(_lines(OTHER), "cup-7"), "b": _of_block(renamed(_lines(), "m-2"), "cup-7")},
        "one-seed",
        "a.jsonl has the same nonce",
    ),
    "one nonce, two matches": (
        lambda: {"a": list(_lines()), "b": renamed(_lines(OTHER), "m-2")},
        "one-seed",
        "a.jsonl has the same nonce",
    ),
    "a fork of another play": (
        lambda: {"a": _replayed(), "b": _fork(_lines())},
        "parent",
        f"before decision {BEGINS} its parent a.jsonl has the hash 'game' ",
    ),
    "a fork of another promise": (
        lambda: {"a": renamed(_lines(), MATCH, OTHER), "b": _fork(renamed(_lines(), "m-0", bytes([1]) * 32))},
        "one-seed",
        "a.jsonl has the same server_seed under another commitment, which matches share only with forks: ",
    ),
    "a fork of another deal": (
        lambda: {"a": list(_lines(mode=DealMode.PLAIN)), "b": _fork(_lines(OTHER, DealMode.PLAIN))},
        "parent",
        "its parent a.jsonl has another seed or another promise",
    ),
    "a fork of a decision that its parent has not": (
        lambda: {"a": _shorter(), "b": _fork(_lines(), decision=BEGINS)},
        "parent",
        f"its parent a.jsonl has no decision {BEGINS}",
    ),
}


def _replayed() -> list[Line]:
    """The same match as far as the answers go, with an incident of the play before one of them."""
    lines = list(_lines())
    lines.insert(5, Incident(what="resigned"))
    return lines


def _shorter() -> list[Line]:
    """The same match, voided earlier."""
    lines = list(_lines())
    return [*lines[: BEGINS + 1], VOIDED, lines[-1]]


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_a_contradiction_between_records_is_reported(run: Callable[..., Run], tmp_path: Path, what: str) -> None:
    make, reason, text = CONTRADICTIONS[what]
    records = make()
    _write(tmp_path, **records)
    for name in records:
        assert run("verify", f"{name}.jsonl").status == 0
    checked = run("verify", ".")
    line, summary = checked.out.splitlines()
    assert checked.status == 1
    assert line.startswith(f"b.jsonl: {text}")
    assert line.endswith(f"({reason})")
    assert summary.startswith("2 records: 1 good, 1 contradicting (")
    (found,) = json.loads(run("verify", ".", "--json").out)["not_good"]
    assert (found["path"], found["state"], found["line"], found["reason"]) == ("b.jsonl", "contradicting", None, reason)


def test_a_parent_that_has_disappeared_is_reported(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, a=_lines(), b=_fork(_lines()))
    parents = Comparison.parents

    def late(comparison: Comparison) -> object:
        (tmp_path / "a.jsonl").unlink()
        return parents(comparison)

    monkeypatch.setattr(Comparison, "parents", late)
    line = run("verify", ".", "--jobs", "1").out.splitlines()[0]
    assert line == "b.jsonl: its parent a.jsonl cannot be read any more: No such file or directory (parent)"


KEPT_BYTES_MAX: Final = 1_200
"""For each record of a folder, with its path."""


def test_little_is_kept_of_each_record() -> None:
    count = 2_000
    tracemalloc.start()
    try:
        comparison = Comparison()
        for number in range(count):
            secret = number.to_bytes(16, "big") * 2
            row = Row(
                match=f"20261118-164849-{number:012x}",
                line=f"{number:043}",
                game=f"{number:043}",
                deal="server",
                ended="declared",
                fingerprint=f"{number:032}",
                parent=Parent(f"20261118-164849-{number - 1:012x}", 57, f"{number:022}"),
                terms=TermsFound.CHECKED,
                commitment=secret,
                server_seed=secret,
                nonce=(number + count).to_bytes(16, "big") * 2,
                seed=secret,
            )
            assert comparison.add(Path(f"records/20261118/{number}.jsonl"), row) is None
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < count * KEPT_BYTES_MAX
