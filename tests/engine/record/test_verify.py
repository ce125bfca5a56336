"""What `verify` finds in records with correct chains that are wrong in one point."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.record import verifying
from mergemaker_engine.record.commitments import WITHHELD, DealMode
from mergemaker_engine.record.lines import (
    AnsweredBy,
    DealLine,
    DecisionLine,
    Ending,
    EndLine,
    Header,
    Incident,
    Line,
    Parent,
    Status,
)
from mergemaker_engine.record.reading import answered, read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_engine.wording import action_text
from mergemaker_testkit.recorded import (
    MATCH,
    forged,
    game_hash_before,
    of_kind,
    opened,
    parts_in,
    recorded_match,
    sealed,
    seat_parts,
)

CLASSIC: Final = preset("renegade-classic")
SEED: Final = bytes(range(32))
SEATS: Final = 3
DECISIONS: Final = 30
Change = Callable[[list[Line]], object]


@cache
def _whole() -> tuple[Line, ...]:
    return tuple(opened(recorded_match(CLASSIC, SEATS, SEED)))


@cache
def _cut(mode: DealMode = DealMode.SERVER, withheld: tuple[int, ...] = ()) -> tuple[Line, ...]:
    return tuple(opened(recorded_match(CLASSIC, SEATS, SEED, mode, withheld=withheld, decisions=DECISIONS)))


def _refusal(texts: Sequence[bytes], *, with_audit: bool = False) -> tuple[str, int | None]:
    with pytest.raises(RecordError) as refusal:
        verify(texts, with_audit=with_audit)
    return refusal.value.reason, refusal.value.line


def _first(lines: Sequence[Line], start: str, *, by: AnsweredBy | None = None, after: int = 0) -> int:
    """The place of the first decision whose question begins like this."""
    return next(
        at
        for at, line in enumerate(lines)
        if at > after and isinstance(line, DecisionLine) and line.asked.startswith(start) and by in (None, line.by)
    )


def _set(lines: list[Line], at: int, **changes: Any) -> None:  # whatever the members are
    lines[at] = replace(lines[at], **changes)


# --- what is right ---


@pytest.mark.parametrize("name", PRESETS)
def test_a_match_by_the_rules_is_right(name: str) -> None:
    texts = recorded_match(PRESETS[name], SEATS, SEED, decisions=None if name == "renegade-tycoon" else 40)
    found = verify(texts)
    assert found.decisions == len(texts) - 3
    assert (found.game.result is not None) == (name == "renegade-tycoon")
    assert (found.record.lines, len(found.record.decisions)) == (len(texts), found.decisions)
    assert found.record.header.rules == PRESETS[name]


def test_the_audit_finds_nothing_in_a_match_by_the_rules() -> None:
    found = verify(recorded_match(CLASSIC, SEATS, SEED), with_audit=True)
    assert found.game.result is not None
    assert found.decisions == found.record.chains.lines - 3


@pytest.mark.parametrize("mode", DealMode)
@pytest.mark.parametrize("withheld", [(), (1,), (0, 1, 2)])
def test_deals_of_every_mode_are_right(mode: DealMode, withheld: tuple[int, ...]) -> None:
    verify(sealed(_cut(mode, withheld)))


def test_a_seat_that_never_committed_counts_as_one_that_withheld() -> None:
    lines = list(_cut(DealMode.JOINT, (1,)))
    deal = of_kind(lines[1], DealLine)
    lines[1] = replace(deal, seat_commitments=(deal.seat_commitments[0], None, deal.seat_commitments[2]))
    verify(sealed(lines))


def test_incidents_may_stand_anywhere_between_header_and_end() -> None:
    lines = list(_cut())
    for at in (1, 1, 5, len(lines) + 2):
        lines.insert(at, Incident(what="paused"))
    verify(sealed(lines))


def test_defaults_are_counted_by_cause_in_any_order() -> None:
    lines = list(_cut())
    causes = (AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED, AnsweredBy.ILLEGAL, AnsweredBy.TIMEOUT, AnsweredBy.PROTOCOL)
    faults: list[dict[str, int]] = [{} for _ in range(SEATS)]
    at = 0
    for cause in causes:
        at = _first(lines, "ChooseTile", by=AnsweredBy.BOT, after=at)
        _set(lines, at, by=cause)
        counted = faults[of_kind(lines[at], DecisionLine).seat]
        counted[str(cause)] = counted.get(str(cause), 0) + 1
    _set(lines, -1, faults=tuple(faults))
    verify(sealed(lines))


def test_a_match_may_be_voided_when_its_game_is_over() -> None:
    lines = list(_whole())
    _set(lines, -1, why=Ending.VOIDED, cash=None, places=None)
    assert verify(sealed(lines)).game.result is not None


def test_a_fork_keeps_the_commitment_of_its_parent() -> None:
    lines = list(_cut())
    _set(lines, 0, match="m-2", parent=Parent(MATCH, 4, game_hash_before(lines, 4)))
    verify(sealed(lines))


@pytest.mark.parametrize("where", range(3))
def test_a_fork_may_have_incidents_of_the_play_on_both_sides_of_where_it_begins(where: int) -> None:
    lines = list(_cut())
    at = 4 + 1
    said = [Incident(what="autopilot", seat=1), Incident(what="plays again", seat=1)]
    lines[at:at] = said
    hashed = [*lines[: at + where], *lines[at + len(said) :]]
    _set(lines, 0, match="m-2", parent=Parent(MATCH, 4, game_hash_before(hashed, 4)))
    verify(sealed(lines))


def test_a_seat_that_plays_again_is_asked_and_finishes() -> None:
    lines = list(_cut())
    _set(lines, 0, match="m-2", parent=Parent(MATCH, 9, game_hash_before(lines, 9)))
    found = verify(sealed(lines)).record
    seat = next(line.seat for line in found.decisions[8:] if line.by is AnsweredBy.BOT)
    at = 9 + 1
    lines[at:at] = [Incident(what="resigned", seat=seat)]
    _set(lines, 0, parent=Parent(MATCH, 9, game_hash_before(lines, 9)))
    with pytest.raises(RecordError, match=f"since its incident seat {seat} is answered by 'default: resigned' alone"):
        verify(sealed(lines))
    lines.insert(at + 1, Incident(what="plays again", seat=seat))
    verify(sealed(lines))


@pytest.mark.parametrize(
    ("before", "parent", "seat"), [(5, 4, 0), (4, None, 0), (4, 4, None)], ids=["behind it", "no fork", "no seat"]
)
def test_a_seat_plays_again_only_where_a_fork_begins(before: int, parent: int | None, seat: int | None) -> None:
    lines = list(_cut())
    if parent:
        _set(lines, 0, match="m-2", parent=Parent(MATCH, parent, game_hash_before(lines, parent)))
    at = before + 1
    lines.insert(at, Incident(what="plays again", seat=seat))
    with pytest.raises(RecordError) as refusal:
        verify(sealed(lines))
    assert (refusal.value.reason, refusal.value.line) == ("misplaced", at + 1)


def test_a_match_may_be_voided_before_its_deal() -> None:
    lines = list(_cut())
    found = verify(sealed([lines[0], Incident(what="voided", why="nobody came"), lines[-1]]))
    assert found.decisions == 0


def _retired(lines: list[Line], seat: int, what: str, before: int) -> None:
    """From there on the seat is not asked. Defaults answer its decisions that were not automatic, and are counted."""
    by = AnsweredBy(f"default: {what}")
    count = 0
    for at, line in enumerate(lines):
        if at >= before and isinstance(line, DecisionLine) and line.seat == seat and line.by is not AnsweredBy.AUTOMATIC:
            lines[at] = replace(line, by=by)
            count += 1
    end = of_kind(lines[-1], EndLine)
    faults = [dict(found) for found in end.faults]
    statuses = list(end.statuses)
    faults[seat] = {str(by): count}
    statuses[seat] = Status(what)
    lines[-1] = replace(end, faults=tuple(faults), statuses=tuple(statuses))
    lines.insert(before, Incident(what=what, seat=seat))


@pytest.mark.parametrize("what", ["autopilot", "never joined", "resigned"])
def test_a_status_is_that_of_the_last_incident_of_the_play(what: str) -> None:
    lines = list(_cut())
    _retired(lines, 1, what, 2)
    lines[2:2] = [Incident(what="resigned", seat=1), Incident(what="resigned")]
    lines.insert(5, Incident(what="paused", seat=1))
    verify(sealed(lines))


@pytest.mark.parametrize("by", [AnsweredBy.AUTOPILOT, AnsweredBy.NEVER_JOINED, AnsweredBy.RESIGNED])
def test_a_seat_is_given_up_only_behind_its_incident(by: AnsweredBy) -> None:
    what = by.removeprefix("default: ")
    lines = list(_cut())
    seat = of_kind(lines[TILE], DecisionLine).seat
    _retired(lines, seat, what, TILE)
    verify(sealed(lines))
    incident = lines.pop(TILE)
    assert _refusal(sealed(lines)) == ("by", TILE + 1)
    lines.insert(TILE, replace(of_kind(incident, Incident), seat=(seat + 1) % SEATS))
    assert _refusal(sealed(lines)) == ("by", TILE + 2)


@pytest.mark.parametrize("by", [AnsweredBy.BOT, AnsweredBy.TIMEOUT, AnsweredBy.AUTOPILOT])
def test_behind_its_incident_a_seat_has_that_default_alone(by: AnsweredBy) -> None:
    lines = list(_cut())
    _retired(lines, of_kind(lines[TILE], DecisionLine).seat, "resigned", TILE)
    _set(lines, TILE + 1, by=by)
    assert _refusal(sealed(lines)) == ("by", TILE + 2)
    with pytest.raises(RecordError, match="'default: resigned' alone"):
        verify(sealed(lines))


def test_what_is_unknown_in_run_is_passed_over() -> None:
    parts = [parts_in(text) for text in sealed(_cut())]
    for _, run in parts:
        run["weather"] = {"rain": [1, None]}
    verify(forged(parts))


# --- what is wrong: what is changed, the line that is named, counted from the end if below zero, and the reason ---


def _another_answer(lines: list[Line], at: int) -> str:
    """Another legal answer to that decision."""
    seed = of_kind(lines[-1], EndLine).seed
    step = next(step for step in read_record(sealed(lines)).steps(seed) if step.line_number == at + 1)
    return action_text(next(answer for answer in step.legal if answer != step.answer), CLASSIC)


TILE: Final = _first(_cut(), "ChooseTile", by=AnsweredBy.BOT, after=8)
SINGLE: Final = _first(_cut(), "Choose", by=AnsweredBy.AUTOMATIC)
PURCHASE: Final = _first(_cut(), "ChoosePurchase", by=AnsweredBy.BOT)


def _played_again(lines: list[Line], at: int, to: int) -> None:
    _set(lines, at, answer=of_kind(lines[to], DecisionLine).answer)


def _without_a_deal(lines: list[Line]) -> None:
    del lines[1:-1]
    _set(lines, -1, why=Ending.STUCK, cash=(0,) * 3, places=(1,) * 3)


def _status(lines: list[Line], status: Status) -> None:
    _set(lines, -1, statuses=(Status.FINISHED, status, Status.FINISHED))


def _resigned(lines: list[Line], seat: int) -> None:
    lines.insert(-1, Incident(what="resigned", seat=seat))
    _status(lines, Status.RESIGNED)


def _promised(lines: list[Line], **changes: Any) -> None:  # whatever the members are
    promise = of_kind(lines[0], Header).promise
    assert promise is not None
    _set(lines, 0, promise=replace(promise, **changes))


def _numbered(lines: list[Line]) -> None:
    """Counts the decisions anew."""
    number = 0
    for at, line in enumerate(lines):
        if isinstance(line, DecisionLine):
            number += 1
            lines[at] = replace(line, number=number)


def _moved(lines: list[Line], at: int, to: int) -> None:
    lines.insert(to, lines.pop(at))


def _next_seat(lines: list[Line], at: int) -> None:
    _set(lines, at, seat=(of_kind(lines[at], DecisionLine).seat + 1) % SEATS)


def _changed_about(lines: list[Line], at: int) -> None:
    _moved(lines, at, at + 1)
    _numbered(lines)


def _one_more(lines: list[Line], by: AnsweredBy) -> None:
    lines.insert(-1, replace(of_kind(lines[-2], DecisionLine), number=len(lines) - 2, by=by))


def _left_out(lines: list[Line], at: int) -> None:
    del lines[at]
    _numbered(lines)


WRONG: Final[tuple[tuple[str, Change, int, str], ...]] = (
    ("a tile that lies on the board", lambda lines: _played_again(lines, TILE, 2), TILE + 1, "not-your-tile"),
    ("stopping before it is possible", lambda lines: _set(lines, TILE, answer="stop"), TILE + 1, "cannot-stop"),
    ("too many shares", lambda lines: _set(lines, PURCHASE, answer="buy 4 Tower"), PURCHASE + 1, "too-many-shares"),
    ("an answer to another question", lambda lines: _set(lines, TILE, answer="buy nothing"), TILE + 1, "wrong-kind"),
    ("an answer that says nothing", lambda lines: _set(lines, TILE, answer="5E, please"), TILE + 1, "bad-action"),
    ("an answer that no position accepts", lambda lines: _set(lines, PURCHASE, answer="buy 9 Tower"), PURCHASE + 1, "malformed"),
    ("no answer", lambda lines: _set(lines, TILE, answer=""), TILE + 1, "bad-action"),
    ("another answer", lambda lines: _set(lines, TILE, answer=_another_answer(lines, TILE)), TILE + 1, "digest"),
    ("another seat", lambda lines: _next_seat(lines, TILE), TILE + 1, "asked-otherwise"),
    ("another question", lambda lines: _set(lines, TILE, asked="ChoosePurchase"), TILE + 1, "asked-otherwise"),
    ("usual fields", lambda lines: _set(lines, TILE, asked="ChooseTile number=1"), TILE + 1, "asked-otherwise"),
    ("a question that is none", lambda lines: _set(lines, TILE, asked=""), TILE + 1, "asked-otherwise"),
    ("another digest", lambda lines: _set(lines, TILE, digest="A" * 22), TILE + 1, "digest"),
    ("the digest before", lambda lines: _set(lines, 2, digest=of_kind(lines[1], DealLine).digest), 3, "digest"),
    ("another digest of the deal", lambda lines: _set(lines, 1, digest="A" * 22), 2, "digest"),
    ("nobody asked, and there was a choice", lambda lines: _set(lines, TILE, by=AnsweredBy.AUTOMATIC), TILE + 1, "by"),
    ("a bot, and there was no choice", lambda lines: _set(lines, SINGLE, by=AnsweredBy.BOT), SINGLE + 1, "by"),
    ("a default, and there was no choice", lambda lines: _set(lines, SINGLE, by=AnsweredBy.TIMEOUT), SINGLE + 1, "by"),
    ("a default that is not counted", lambda lines: _set(lines, TILE, by=AnsweredBy.TIMEOUT), -1, "faults"),
    ("a fault that was none", lambda lines: _set(lines, -1, faults=({}, {"default: illegal": 1}, {})), -1, "faults"),
    ("a decision left out", lambda lines: _left_out(lines, TILE), TILE + 1, "asked-otherwise"),
    ("two decisions changed about", lambda lines: _changed_about(lines, TILE), TILE + 1, "asked-otherwise"),
    ("a number left out", lambda lines: lines.pop(TILE), TILE + 1, "bad-number"),
    ("a number twice", lambda lines: lines.insert(TILE, lines[TILE]), TILE + 2, "bad-number"),
    ("numbers from two on", lambda lines: _set(lines, 2, number=2), 3, "bad-number"),
    ("a decision before the deal", lambda lines: _moved(lines, 1, 2), 2, "misplaced"),
    ("no deal, and decisions", lambda lines: lines.pop(1), 2, "misplaced"),
    ("a second deal", lambda lines: lines.insert(5, lines[1]), 6, "misplaced"),
    ("a second deal at once", lambda lines: lines.insert(2, lines[1]), 3, "misplaced"),
    ("a second end", lambda lines: lines.append(lines[-1]), len(_cut()) + 1, "misplaced"),
    ("an incident behind the end", lambda lines: lines.append(Incident(what="paused")), len(_cut()) + 1, "misplaced"),
    ("an end before the last decision", lambda lines: _moved(lines, -1, -1), -1, "misplaced"),
    ("no end", lambda lines: lines.pop(), -1, "unfinished"),
    ("nothing but a header", lambda lines: lines.__delitem__(slice(1, None)), 1, "unfinished"),
    ("a result without a deal", _without_a_deal, 2, "no-deal"),
    ("a status for no reason", lambda lines: _status(lines, Status.RESIGNED), -1, "statuses"),
    ("a status that is left out", lambda lines: lines.insert(-1, Incident(what="resigned", seat=1)), -1, "statuses"),
    ("a status of another seat", lambda lines: _resigned(lines, 2), -1, "statuses"),
    ("a false parent", lambda lines: _set(lines, 0, match="m-2", parent=Parent(MATCH, 4, "A" * 22)), 6, "parent"),
    ("a game that goes on", lambda lines: _set(lines, -1, why=Ending.STUCK, cash=(0,) * 3, places=(1,) * 3), -1, "not-over"),
    ("a commitment for another match", lambda lines: _promised(lines, match="m-2"), 1, "commitment"),
    ("another match", lambda lines: _set(lines, 0, match="m-2"), 1, "commitment"),
    ("another commitment", lambda lines: _promised(lines, commitment=bytes(32)), -1, "commitment"),
    ("another nonce", lambda lines: _set(lines, -1, nonce=bytes(32)), -1, "commitment"),
    ("another seed of the server", lambda lines: _set(lines, -1, server_seed=bytes(32)), -1, "commitment"),
    ("another seed of the deal", lambda lines: _set(lines, -1, seed=bytes(32)), -1, "commitment"),
    ("no nonce", lambda lines: _set(lines, -1, nonce=None), -1, "commitment"),
    ("no seed of the server", lambda lines: _set(lines, -1, server_seed=None), -1, "commitment"),
)  # fmt: skip


@pytest.mark.parametrize("with_audit", [False, True], ids=["", "with audit"])
@pytest.mark.parametrize(("change", "line", "reason"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_found_in_its_line(change: Change, line: int, reason: str, with_audit: bool) -> None:
    lines = list(_cut())
    change(lines)
    expected = line if line > 0 else len(lines) + 1 + line
    assert _refusal(sealed(lines), with_audit=with_audit) == (reason, expected)


WRONG_AT_THE_END: Final[tuple[tuple[str, Change, int, str], ...]] = (
    ("another sum", lambda lines: _set(lines, -1, cash=(0, *of_kind(lines[-1], EndLine).cash[1:])), -1, "result"),  # type: ignore[index]
    ("another place", lambda lines: _set(lines, -1, places=of_kind(lines[-1], EndLine).places[::-1]), -1, "result"),  # type: ignore[index]
    ("another reason", lambda lines: _set(lines, -1, why=Ending.STUCK), -1, "result"),
    ("the last decision left out", lambda lines: lines.pop(-2), -1, "not-over"),
    ("a decision after the last", lambda lines: _one_more(lines, AnsweredBy.BOT), -2, "game-over"),
    ("a decision after the last that nobody made", lambda lines: _one_more(lines, AnsweredBy.AUTOMATIC), -2, "game-over"),
)


@pytest.mark.parametrize(
    ("change", "line", "reason"), [row[1:] for row in WRONG_AT_THE_END], ids=[row[0] for row in WRONG_AT_THE_END]
)
def test_what_is_wrong_with_a_result_is_found(change: Change, line: int, reason: str) -> None:
    lines = list(_whole())
    change(lines)
    assert _refusal(sealed(lines)) == (reason, len(lines) + 1 + line)


def _with_part(lines: list[Line], seat: int, part: bytes | None, name: str) -> None:
    parts = list(getattr(lines[1], name))
    parts[seat] = part
    _set(lines, 1, **{name: tuple(parts)})


WRONG_JOINT: Final[tuple[tuple[str, Change, int], ...]] = (
    ("another part than committed to", lambda lines: _with_part(lines, 1, bytes(32), "contributions"), 2),
    ("another's part", lambda lines: _with_part(lines, 1, seat_parts(SEED, SEATS)[0], "contributions"), 2),
    ("another commitment", lambda lines: _with_part(lines, 2, bytes(32), "seat_commitments"), 2),
    ("a part without a commitment", lambda lines: _with_part(lines, 0, None, "seat_commitments"), 2),
    ("a part withheld that counted", lambda lines: _with_part(lines, 0, None, "contributions"), -1),
    ("zeros that were not revealed", lambda lines: _with_part(lines, 0, WITHHELD, "contributions"), 2),
    ("no commitments of the seats", lambda lines: _set(lines, 1, seat_commitments=(), contributions=()), 2),
    ("the server's seed alone", lambda lines: _set(lines, -1, seed=SEED), -1),
)


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize(("change", "line"), [row[1:] for row in WRONG_JOINT], ids=[row[0] for row in WRONG_JOINT])
def test_in_joint_mode_every_part_is_the_one_committed_to(change: Change, line: int) -> None:
    lines = list(_cut(DealMode.JOINT))
    change(lines)
    assert _refusal(sealed(lines)) == ("commitment", line if line > 0 else len(lines))


def test_the_deals_line_is_found_behind_incidents() -> None:
    for mode, change in ((DealMode.SERVER, {"digest": "A" * 22}), (DealMode.JOINT, {"contributions": (bytes(32),) * 3})):
        lines = list(_cut(mode))
        _set(lines, 1, **change)
        lines[1:1] = [Incident(what="paused"), Incident(what="never joined", seat=1)]
        lines.insert(6, Incident(what="paused"))
        assert _refusal(sealed(lines))[1] == 4


def test_in_plain_mode_the_seed_is_still_the_deals() -> None:
    lines = list(_cut(DealMode.PLAIN))
    _set(lines, -1, seed=bytes(32))
    assert _refusal(sealed(lines)) == ("digest", 2)


def test_a_deal_of_another_seed_is_found_though_it_is_played_rightly() -> None:
    # The whole match was played on a seed other than the one promised.
    promised = of_kind(_cut()[0], Header).promise
    other = opened(recorded_match(CLASSIC, SEATS, bytes(32), DealMode.PLAIN, decisions=DECISIONS))
    _set(other, 0, mode=DealMode.SERVER, promise=promised)
    end = of_kind(_cut()[-1], EndLine)
    _set(other, -1, server_seed=end.server_seed, nonce=end.nonce)
    assert _refusal(sealed(other)) == ("commitment", len(other))


def test_a_reply_is_asked_though_one_answer_is_possible() -> None:
    rules = preset("reference-trading")
    lines = opened(recorded_match(rules, SEATS, SEED, decisions=120))
    record = read_record(sealed(lines))
    single = [step for step in record.steps() if step.line.asked.startswith("ChooseReply") and len(step.legal) == 1]
    assert single, "another seed is needed"
    verify(sealed(lines))
    _set(lines, single[0].line_number - 1, by=AnsweredBy.AUTOMATIC)
    assert _refusal(sealed(lines)) == ("by", single[0].line_number)


@pytest.mark.parametrize("cut", [1, 2, 40, 100])
def test_a_torn_record_is_said_to_be_torn(cut: int) -> None:
    texts = sealed(_cut())
    assert _refusal([b"".join(texts)[:-cut]]) == ("torn", len(texts))


def test_the_first_wrong_line_is_named_and_no_later_one() -> None:
    lines = list(_cut())
    for at in (PURCHASE, TILE):
        _set(lines, at, digest="A" * 22)
    _set(lines, -1, faults=({}, {"default: illegal": 1}, {}))
    assert _refusal(sealed(lines)) == ("digest", min(PURCHASE, TILE) + 1)


def test_an_error_says_its_line_its_rule_and_what_was_expected() -> None:
    lines = list(_cut())
    _set(lines, SINGLE, by=AnsweredBy.BOT)
    with pytest.raises(RecordError, match=rf"^line {SINGLE + 1}: this decision has one answer.*\[TBL-3: ") as refusal:
        verify(sealed(lines))
    assert refusal.value.rule == "TBL-3"
    assert str(refusal.value).count("TBL-3") == 1


# --- an engine that is wrong itself ---


def test_books_that_differ_from_the_game_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ledger, "observe", lambda _ledger, _event: None)
    reason, line = _refusal(sealed(_cut()))
    assert reason == "books"
    assert line is not None
    assert of_kind(_cut()[line - 1], DecisionLine).asked.startswith(("ChooseFounded", "ChoosePurchase", "ChooseTile"))


def test_money_and_shares_that_move_without_an_event_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "answered", lambda game, line: (*answered(game, line)[:2], ()))
    reason, line = _refusal(sealed(_cut()))
    assert reason == "books"
    assert line is not None
    assert of_kind(_cut()[line - 1], DecisionLine).asked.startswith(("ChooseFounded", "ChoosePurchase"))


def test_what_the_audit_finds_is_told_where_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "audit", lambda _game: ("one fault", "another"))
    verify(sealed(_cut()))
    assert _refusal(sealed(_cut()), with_audit=True) == ("audit", 3)
    with pytest.raises(RecordError, match="one fault; another"):
        verify(sealed(_cut()), with_audit=True)
