"""What `verify` accepts, and what it finds in a record with correct chains and one thing wrong."""

from dataclasses import replace
from typing import Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import (
    AnsweredBy,
    DealLine,
    DecisionLine,
    Ending,
    EndLine,
    Incident,
    Line,
    Parent,
    Status,
)
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS
from mergemaker_testkit.altered_records import (
    CLASSIC,
    SEATS,
    SEED,
    alter,
    default_match,
    first_decision,
    refusal_of,
    short_match,
    whole_match,
)
from mergemaker_testkit.recorded import (
    MATCH,
    VOIDED,
    forged,
    game_hash_before,
    of_kind,
    parts_in,
    recorded_match,
    sealed,
)

# --- what is right ---


@pytest.mark.parametrize("name", PRESETS)
def test_a_match_by_the_rules_is_right(name: str) -> None:
    texts = recorded_match(PRESETS[name], SEATS, SEED, decisions=None if name == "renegade-tycoon" else 40)
    found = verify(texts)
    assert found.decisions == len(texts) - (3 if name == "renegade-tycoon" else 4)
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
    verify(sealed(short_match(mode, withheld)))


def test_a_seat_that_never_committed_counts_as_withholding() -> None:
    lines = list(short_match(DealMode.JOINT, (1,)))
    deal = of_kind(lines[1], DealLine)
    lines[1] = replace(deal, seat_commitments=(deal.seat_commitments[0], None, deal.seat_commitments[2]))
    verify(sealed(lines))


def test_incidents_may_stand_anywhere_between_header_and_end() -> None:
    lines = list(short_match())
    for at in (1, 1, 5, len(lines) + 2):
        lines.insert(at, Incident(what="paused"))
    verify(sealed(lines))


def test_defaults_are_counted_by_cause_in_any_order() -> None:
    lines = list(default_match())
    causes = (AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED, AnsweredBy.ILLEGAL, AnsweredBy.TIMEOUT, AnsweredBy.PROTOCOL)
    faults: list[dict[str, int]] = [{} for _ in range(SEATS)]
    at = 0
    for cause in causes:
        at = first_decision(lines, "ChooseTile", by=AnsweredBy.BOT, after=at)
        alter(lines, at, by=cause)
        counted = faults[of_kind(lines[at], DecisionLine).seat]
        counted[str(cause)] = counted.get(str(cause), 0) + 1
    alter(lines, -1, faults=tuple(faults))
    verify(sealed(lines))


def test_a_match_may_be_voided_after_its_game_is_over() -> None:
    lines = list(whole_match())
    alter(lines, -1, why=Ending.VOIDED, cash=None, places=None)
    lines.insert(-1, VOIDED)
    assert verify(sealed(lines)).game.result is not None


def test_a_fork_keeps_the_commitment_of_its_parent() -> None:
    lines = list(short_match())
    alter(lines, 0, match="m-2", parent=Parent(MATCH, 4, game_hash_before(lines, 4)))
    verify(sealed(lines))


@pytest.mark.parametrize("where", range(3))
def test_a_fork_may_have_incidents_of_the_play_before_and_after_its_beginning(where: int) -> None:
    lines = list(short_match())
    at = 4 + 1
    said = [Incident(what="autopilot", seat=1), Incident(what="plays again", seat=1)]
    lines[at:at] = said
    hashed = [*lines[: at + where], *lines[at + len(said) :]]
    alter(lines, 0, match="m-2", parent=Parent(MATCH, 4, game_hash_before(hashed, 4)))
    verify(sealed(lines))


def test_a_seat_that_plays_again_is_asked_and_finishes() -> None:
    lines = list(short_match())
    alter(lines, 0, match="m-2", parent=Parent(MATCH, 9, game_hash_before(lines, 9)))
    found = verify(sealed(lines)).record
    seat = next(line.seat for line in found.decisions[8:] if line.by is AnsweredBy.BOT)
    at = 9 + 1
    lines[at:at] = [Incident(what="resigned", seat=seat)]
    alter(lines, 0, parent=Parent(MATCH, 9, game_hash_before(lines, 9)))
    with pytest.raises(RecordError, match=f"since its incident seat {seat} is answered by 'default: resigned' alone"):
        verify(sealed(lines))
    lines.insert(at + 1, Incident(what="plays again", seat=seat))
    verify(sealed(lines))


@pytest.mark.parametrize(
    ("before", "parent", "seat"), [(5, 4, 0), (4, None, 0), (4, 4, None)], ids=["after it", "no fork", "no seat"]
)
def test_a_seat_plays_again_only_where_a_fork_begins(before: int, parent: int | None, seat: int | None) -> None:
    lines = list(short_match())
    if parent:
        alter(lines, 0, match="m-2", parent=Parent(MATCH, parent, game_hash_before(lines, parent)))
    at = before + 1
    lines.insert(at, Incident(what="plays again", seat=seat))
    with pytest.raises(RecordError) as refusal:
        verify(sealed(lines))
    assert (refusal.value.reason, refusal.value.line) == ("misplaced", at + 1)


def test_a_match_may_be_voided_before_its_deal() -> None:
    lines = list(short_match())
    found = verify(sealed([lines[0], Incident(what="voided", why="nobody came"), lines[-1]]))
    assert found.decisions == 0


def _retired(lines: list[Line], seat: int, what: str, before: int) -> None:
    """From there on the seat is not asked. Defaults answer its decisions, except automatic ones, and are counted."""
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
def test_a_status_comes_from_the_last_incident_of_the_play(what: str) -> None:
    lines = list(default_match())
    _retired(lines, 1, what, 2)
    lines[2:2] = [Incident(what="resigned", seat=1), Incident(what="resigned")]
    lines.insert(5, Incident(what="paused", seat=1))
    verify(sealed(lines))


@pytest.mark.parametrize("by", [AnsweredBy.AUTOPILOT, AnsweredBy.NEVER_JOINED, AnsweredBy.RESIGNED])
def test_a_seat_is_given_up_only_after_its_incident(by: AnsweredBy) -> None:
    what = by.removeprefix("default: ")
    lines = list(default_match())
    seat = of_kind(lines[TILE], DecisionLine).seat
    _retired(lines, seat, what, TILE)
    verify(sealed(lines))
    incident = lines.pop(TILE)
    assert refusal_of(sealed(lines)) == ("by", TILE + 1)
    lines.insert(TILE, replace(of_kind(incident, Incident), seat=(seat + 1) % SEATS))
    assert refusal_of(sealed(lines)) == ("by", TILE + 2)


@pytest.mark.parametrize("by", [AnsweredBy.BOT, AnsweredBy.TIMEOUT, AnsweredBy.AUTOPILOT])
def test_after_its_incident_a_seat_has_only_that_default(by: AnsweredBy) -> None:
    lines = list(default_match())
    _retired(lines, of_kind(lines[TILE], DecisionLine).seat, "resigned", TILE)
    alter(lines, TILE + 1, by=by)
    assert refusal_of(sealed(lines)) == ("by", TILE + 2)
    with pytest.raises(RecordError, match="'default: resigned' alone"):
        verify(sealed(lines))


def test_unknown_members_of_run_are_ignored() -> None:
    parts = [parts_in(text) for text in sealed(short_match())]
    for _, run in parts:
        run["weather"] = {"rain": [1, None]}
    verify(forged(parts))


# --- what is wrong: the change, the line that is named (counted from the end if below zero), and the reason ---


TILE: Final = first_decision(default_match(), "ChooseTile", by=AnsweredBy.BOT, after=8)
