"""`mergemaker replay RECORD@N`: decision N as it was asked, at any width, and matches that broke off."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker_engine.record.lines import Header, Parent
from mergemaker_engine.record.reading import Step, read_record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.wording import action_text, parse_action, square_name
from mergemaker_referee.records.secrets_file import secrets_path, write_secrets
from mergemaker_testkit.recorded import game_hash_before, of_kind, opened, sealed
from mergemaker_testkit.replayed import SEED, match_of
from mergemaker_testkit.watched_replay import after, rows_of, story_of
from mergemaker_tools.replaying.player import Page, begin
from mergemaker_tools.replaying.story import tell

from tests.tools.conftest import Run

FORKED_AT = 57


def _steps(lines: Sequence[bytes]) -> list[Step]:
    return list(read_record(lines).steps())


def _first(lines: Sequence[bytes], kind: str) -> Step:
    """The first question of this kind after `FORKED_AT`."""
    return next(step for step in _steps(lines) if step.number > FORKED_AT and step.line.asked.startswith(kind))


def _tiles(shown: str) -> dict[str, str]:
    """What each tile would do, by its name."""
    (block,) = re.findall(r"^tiles     (.*?)^\S", shown, re.MULTILINE | re.DOTALL)
    return dict(line.strip().split(" ", 1) for line in str(block).splitlines())


# --- as it was asked ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ChooseTile", "ChoosePurchase", "ChooseDisposal", "ChooseFounded"])
def test_the_position_before_the_decision_is_shown_with_every_legal_answer(
    run: Callable[..., Run], written: Callable[..., str], kind: str
) -> None:
    lines = match_of()
    step = _first(lines, kind)
    shown = run("replay", f"{written(lines)}@{step.number}", "--text")
    assert (shown.status, shown.err) == (0, "")
    said = " ".join(shown.out.split())
    rules = step.before.rules
    answers = [action_text(answer, rules) for answer in step.legal]
    assert f"legal {len(answers)} answers: {', '.join(answers)}" in said
    assert f"answered {step.line.answer} [bot]" in said
    board = "".join(row[3:39].replace(" ", "") for row in shown.out.splitlines()[2:11])
    assert board.count(".") == 108 - sum(map(bool, step.before.public_view().board))
    for seat in range(4):
        hand = " ".join(map(square_name, step.view(seat).hand))
        assert re.search(rf"^[> ] {seat} .*  {hand}$", shown.out, re.MULTILINE)


def test_it_says_what_each_tile_would_do(run: Callable[..., Run], written: Callable[..., str]) -> None:
    lines = match_of()
    path = written(lines)
    kinds = set()
    for step in _steps(lines):
        if step.line.asked != "ChooseTile" or step.number % 3:
            continue
        told = _tiles(run("replay", f"{path}@{step.number}", "--text").out)
        assert list(told) == [action_text(answer, step.before.rules) for answer in step.legal if " " not in str(answer)[1:-1]]
        for tile, says in told.items():
            game = step.before.copy()
            events = " ".join(map(str, game.apply(parse_action(tile, game.rules))))
            kind = says.split()[0]
            kinds.add(kind)
            assert ("ChainGrew" in events) == (kind == "grows"), says
            assert ("MergerBegan" in events) == (kind == "merges"), says
    assert kinds == {"stands", "grows", "founds", "merges"}


def test_fork_and_shadow_use_the_same_number(run: Callable[..., Run], written: Callable[..., str]) -> None:
    lines = match_of("renegade-classic", 3)
    step = _first(lines, "ChooseTile")
    place = f"{written(lines)}@{step.number}"
    asked = json.loads(run("replay", place, "--json").out)["asked"]
    assert (asked["number"], asked["seat"], asked["asked"]) == (step.number, step.seat, step.line.asked)
    assert asked["state"]["turn"] == step.before.turn
    assert asked["legal"]["answers"] == [action_text(answer, step.before.rules) for answer in step.legal]
    assert asked["legal"]["count"] == len(step.legal)
    assert len(asked["legal"]["effects"]) <= len(step.legal)
    shadowed = json.loads(run("shadow", place, "--seat", str(step.seat), "greedy", "--json").out)
    assert shadowed["first"] == step.number
    random = "mergemaker_client.bots.random_bot:RandomBot"
    forked = json.loads(run("fork", place, "--others", random, "--clock", "none", "--json").out)
    again = _steps(Path(forked["record"]).read_bytes().splitlines(keepends=True))[forked["decision"] - 1]
    assert (again.number, again.line.asked, again.legal) == (step.number, step.line.asked, step.legal)
    assert again.before == step.before


def test_offers_are_shown_by_their_bounds(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of("reference-trading", 3))
    document = json.loads(run("replay", path, "--json").out)
    number = next(one["number"] for one in document["decisions"] if one["asked"].startswith("ChooseOffer"))
    shown = run("replay", f"{path}@{number}", "--text").out
    assert re.search(
        r"^legal     [\d,]{9,} answers: no offer, and offers to seat \d, \d that\s+give\s+at most", shown, re.MULTILINE
    )
    legal = json.loads(run("replay", f"{path}@{number}", "--json").out)["asked"]["legal"]
    assert legal["answers"] is None
    assert set(legal["offers"]) == {"partners", "shares", "cash"}


def test_the_question_of_another_seat_is_not_shown(run: Callable[..., Run], written: Callable[..., str]) -> None:
    lines = match_of("avalon-hill", 3)
    step = _first(lines, "ChooseTile")
    place = f"{written(lines)}@{step.number}"
    other = str((step.seat + 1) % 3)
    shown = run("replay", place, "--text", "--seat", other)
    assert f"asked     seat {step.seat}; seat {other} did not know what\n" in shown.out
    assert "legal" not in shown.out
    hand = " ".join(map(square_name, step.view(step.seat).hand))
    assert hand not in shown.out
    asked = json.loads(run("replay", place, "--json", "--seat", other).out)["asked"]
    assert (asked["asked"], asked["legal"]) == (None, None)
    assert "legal" in run("replay", place, "--text", "--seat", str(step.seat)).out


def test_the_set_up_is_number_0(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of())
    assert "\nset-up    seat 0 starts with " in run("replay", f"{path}@0", "--text").out
    assert json.loads(run("replay", f"{path}@0", "--json").out)["asked"] is None
    assert json.loads(run("replay", path, "--json").out)["asked"] is None


@pytest.mark.parametrize("columns", [None, "40", "60", "80", "100", "140"])
def test_texts_fit_the_terminal(
    run: Callable[..., Run], written: Callable[..., str], monkeypatch: pytest.MonkeyPatch, columns: str | None
) -> None:
    path = written(match_of("avalon-hill-powers", 6))
    if columns is None:
        monkeypatch.delenv("COLUMNS")
    else:
        monkeypatch.setenv("COLUMNS", columns)
    last = _steps(match_of("avalon-hill-powers", 6))[-1].number
    for place in (path, f"{path}@1", f"{path}@{last // 2}", f"{path}@{last}"):
        shown = run("replay", place, "--text")
        assert max(map(len, shown.out.splitlines())) <= int(columns or 80)
        for seat in range(6):
            assert place == path or re.search(rf"^[> ] {seat} random", shown.out, re.MULTILINE)
        assert place == path or len(re.findall(r"\b\d+[A-I]\b", shown.out)) > 6 * 4
    assert "powers used: " in shown.out


# --- on the whole screen ------------------------------------------------------------------------------------


def test_the_screen_turns_to_the_question_and_back() -> None:
    story = story_of()
    step = _first(match_of(), "ChoosePurchase")
    opened_there = begin(story, step.number, None, Page.ASKED)
    asked = rows_of(opened_there)
    assert any(row.startswith(f"asked     seat {step.seat} (random {step.seat}): ChoosePurchase") for row in asked)
    assert any(row.startswith("legal     ") for row in asked)
    assert asked != rows_of(after(opened_there, "a")) == rows_of(begin(story, step.number, None))
    assert rows_of(after(opened_there, "a", "a")) == asked
    assert rows_of(after(opened_there, "right"))[0].startswith(f"decision {step.number + 1} of ")
    large = rows_of(opened_there, (80, 60))
    scrolled = rows_of(after(opened_there, "down", "down"))
    start = next(at for at, row in enumerate(large) if row.startswith("asked "))
    assert scrolled[start] == large[start + 2]
    assert after(opened_there, "q").leaving


def test_the_screen_names_the_fork_and_the_powers_used() -> None:
    first, *rest = opened(match_of("avalon-hill-powers", 3))
    header = of_kind(first, Header)
    parent = Parent("m-0", FORKED_AT, game_hash_before([first, *rest], FORKED_AT))
    story = tell(read_record(sealed([replace(header, parent=parent), *rest])))
    rows = rows_of(begin(story, FORKED_AT - 1, None))
    assert any(row.startswith(f"fork of m-0 from decision {FORKED_AT}; this decision is repeated") for row in rows)
    at = next(number for number in range(FORKED_AT, story.last) if any(story.game_at(number).powers_used))
    used = {seat: story.game_at(at).public_view().powers_used[seat] for seat in range(3)}
    for player in (begin(story, at, None), begin(story, at + 1, None, Page.ASKED)):
        text = " ".join(" ".join(rows_of(player)).split())
        assert f"fork of m-0 from decision {FORKED_AT} · powers used: " in text
        for seat, powers in used.items():
            assert not powers or f"seat {seat} {' '.join(powers)}" in text
    details = rows_of(after(begin(story, at, None), "d"), (80, 60))
    assert f"fork      of match m-0, from decision {FORKED_AT} on" in details
    assert any(row.startswith("powers    seat ") for row in details)
    assert not any("powers used" in row or "fork" in row for row in rows_of(begin(story_of(), 40, None)))


# --- broken off ---------------------------------------------------------------------------------------------


@pytest.fixture
def broken(written: Callable[..., str]) -> Path:
    """A match that broke off after some decisions, with its secrets beside it."""
    path = Path(written([*match_of()[:60], b'{"kind":"deci']))
    write_secrets(path, Secrets(SEED, SEED, bytes(32)))
    return path


def test_a_broken_match_is_played_with_its_secrets(run: Callable[..., Run], broken: Path) -> None:
    whole = json.loads(run("replay", str(broken), "--json").out)
    assert len(whole["decisions"]) == 58
    assert (whole["end"], whole["decisions"][-1]["number"]) == (None, 58)
    for arguments, said in (
        (("--text",), "result: none: the match is running, or was broken off"),
        (("--stats",), "ended: none: the match is running, or was broken off"),
        (("@58", "--text"), "result    none: the match is running, or was broken off"),
        (("@20", "--text"), "\nlegal     "),
    ):
        shown = run("replay", str(broken), *arguments)
        assert shown.status == 0
        assert said in shown.out.replace("was\nbroken", "was broken")
        assert shown.err == f"{broken} has no end line: it is played with the secrets beside it, as far as it goes\n"
    assert json.loads(run("replay", str(broken), "--stats", "--json").out)["money"] is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "its secrets are not beside it"),
        (b"{}", "match.jsonl.secrets is not a file of secrets"),
        (b"\xff", "match.jsonl.secrets is not a file of secrets"),
        (json.dumps({"seed": "00" * 32, "server_seed": None, "nonce": None}).encode(), "the seed deals another game"),
    ],
)
def test_without_its_true_secrets_it_is_not_played(
    run: Callable[..., Run], broken: Path, content: bytes | None, said: str
) -> None:
    secrets = secrets_path(broken)
    secrets.unlink()
    if content is not None:
        secrets.write_bytes(content)
    refused = run("replay", str(broken), "--json")
    assert (refused.status, refused.out) == (1, "")
    assert said in refused.err


def test_secrets_that_cannot_be_read_are_named(run: Callable[..., Run], broken: Path) -> None:
    secrets = secrets_path(broken)
    secrets.unlink()
    secrets.mkdir()
    refused = run("replay", str(broken), "--text")
    assert refused.status == 1
    assert f"{secrets} cannot be read: " in refused.err


def test_a_match_without_a_deal_has_nothing_to_show(run: Callable[..., Run], broken: Path) -> None:
    broken.write_bytes(match_of()[0])
    refused = run("replay", str(broken), "--json")
    assert refused.status == 1
    assert "ends before the deal" in refused.err
