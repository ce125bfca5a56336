"""What `verify` finds in records with one thing wrong."""

from collections.abc import Callable
from dataclasses import replace
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
from mergemaker_engine.rules import preset
from mergemaker_engine.wording import action_text
from mergemaker_testkit.altered_records import (
    CLASSIC,
    DECISIONS,
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
    game_hash_before,
    of_kind,
    opened,
    recorded_match,
    sealed,
    seat_parts,
)

TILE: Final = first_decision(short_match(), "ChooseTile", by=AnsweredBy.BOT, after=8)
Change = Callable[[list[Line]], object]


def _another_answer(lines: list[Line], at: int) -> str:
    """Another legal answer to the decision."""
    seed = of_kind(lines[-1], EndLine).seed
    step = next(step for step in read_record(sealed(lines)).steps(seed) if step.line_number == at + 1)
    return action_text(next(answer for answer in step.legal if answer != step.answer), CLASSIC)


SINGLE: Final = first_decision(short_match(), "Choose", by=AnsweredBy.AUTOMATIC)
PURCHASE: Final = first_decision(short_match(), "ChoosePurchase", by=AnsweredBy.BOT)


def _played_again(lines: list[Line], at: int, to: int) -> None:
    alter(lines, at, answer=of_kind(lines[to], DecisionLine).answer)


def _without_a_deal(lines: list[Line]) -> None:
    del lines[1:-1]
    alter(lines, -1, why=Ending.STUCK, cash=(0,) * 3, places=(1,) * 3)


def _status(lines: list[Line], status: Status) -> None:
    alter(lines, -1, statuses=(Status.FINISHED, status, Status.FINISHED))


def _resigned(lines: list[Line], seat: int) -> None:
    lines.insert(-2, Incident(what="resigned", seat=seat))
    _status(lines, Status.RESIGNED)


def _ended(lines: list[Line]) -> list[Line]:
    alter(lines, -1, why=Ending.STUCK, cash=(0,) * 3, places=(1,) * 3)
    return lines


def _one_resigned(lines: list[Line], at: int) -> None:
    lines.insert(at, Incident(what="resigned", seat=1))


def _forked(lines: list[Line], decision: int, match: str = "m-2", parent: str = MATCH, game: str = "") -> list[Line]:
    """Makes it a fork that begins there."""
    alter(lines, 0, match=match, parent=Parent(parent, decision, game or game_hash_before(lines[:-2], decision)))
    return lines


def _insert(lines: list[Line], at: int, *more: Line) -> None:
    lines[at:at] = more


def _promised(lines: list[Line], **changes: Any) -> None:  # whatever the members are
    promise = of_kind(lines[0], Header).promise
    assert promise is not None
    alter(lines, 0, promise=replace(promise, **changes))


def _numbered(lines: list[Line]) -> None:
    """Numbers the decisions again."""
    number = 0
    for at, line in enumerate(lines):
        if isinstance(line, DecisionLine):
            number += 1
            lines[at] = replace(line, number=number)


def _moved(lines: list[Line], at: int, to: int) -> None:
    lines.insert(to, lines.pop(at))


def _next_seat(lines: list[Line], at: int) -> None:
    alter(lines, at, seat=(of_kind(lines[at], DecisionLine).seat + 1) % SEATS)


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
    ("stopping before it is possible", lambda lines: alter(lines, TILE, answer="stop"), TILE + 1, "cannot-stop"),
    ("too many shares", lambda lines: alter(lines, PURCHASE, answer="buy 4 Tower"), PURCHASE + 1, "too-many-shares"),
    ("an answer to another question", lambda lines: alter(lines, TILE, answer="buy nothing"), TILE + 1, "wrong-kind"),
    ("an answer that says nothing", lambda lines: alter(lines, TILE, answer="5E, please"), TILE + 1, "bad-action"),
    ("an answer that no position accepts", lambda lines: alter(lines, PURCHASE, answer="buy 9 Tower"), PURCHASE + 1, "malformed"),
    ("no answer", lambda lines: alter(lines, TILE, answer=""), TILE + 1, "bad-action"),
    ("another answer", lambda lines: alter(lines, TILE, answer=_another_answer(lines, TILE)), TILE + 1, "digest"),
    ("another seat", lambda lines: _next_seat(lines, TILE), TILE + 1, "asked-otherwise"),
    ("another question", lambda lines: alter(lines, TILE, asked="ChoosePurchase"), TILE + 1, "asked-otherwise"),
    ("usual fields", lambda lines: alter(lines, TILE, asked="ChooseTile number=1"), TILE + 1, "asked-otherwise"),
    ("a question that is none", lambda lines: alter(lines, TILE, asked=""), TILE + 1, "asked-otherwise"),
    ("another digest", lambda lines: alter(lines, TILE, digest="A" * 22), TILE + 1, "digest"),
    ("the digest before", lambda lines: alter(lines, 2, digest=of_kind(lines[1], DealLine).digest), 3, "digest"),
    ("another digest of the deal", lambda lines: alter(lines, 1, digest="A" * 22), 2, "digest"),
    ("nobody asked, and there was a choice", lambda lines: alter(lines, TILE, by=AnsweredBy.AUTOMATIC), TILE + 1, "by"),
    ("a bot, and there was no choice", lambda lines: alter(lines, SINGLE, by=AnsweredBy.BOT), SINGLE + 1, "by"),
    ("a default, and there was no choice", lambda lines: alter(lines, SINGLE, by=AnsweredBy.TIMEOUT), SINGLE + 1, "by"),
    ("a default that is not counted", lambda lines: alter(lines, TILE, by=AnsweredBy.TIMEOUT), -1, "faults"),
    ("a fault that was none", lambda lines: alter(lines, -1, faults=({}, {"default: illegal": 1}, {})), -1, "faults"),
    ("a decision left out", lambda lines: _left_out(lines, TILE), TILE + 1, "asked-otherwise"),
    ("two decisions changed about", lambda lines: _changed_about(lines, TILE), TILE + 1, "asked-otherwise"),
    ("a number left out", lambda lines: lines.pop(TILE), TILE + 1, "bad-number"),
    ("a number twice", lambda lines: lines.insert(TILE, lines[TILE]), TILE + 2, "bad-number"),
    ("numbers from two on", lambda lines: alter(lines, 2, number=2), 3, "bad-number"),
    ("a decision before the deal", lambda lines: _moved(lines, 1, 2), 2, "misplaced"),
    ("no deal, and decisions", lambda lines: lines.pop(1), 2, "misplaced"),
    ("a second deal", lambda lines: lines.insert(5, lines[1]), 6, "misplaced"),
    ("a second deal at once", lambda lines: lines.insert(2, lines[1]), 3, "misplaced"),
    ("a second end", lambda lines: lines.append(lines[-1]), len(short_match()) + 1, "misplaced"),
    ("an incident after the end", lambda lines: lines.append(Incident(what="paused")), len(short_match()) + 1, "misplaced"),
    ("an end before the last decision", lambda lines: _moved(lines, -1, -1), -1, "misplaced"),
    ("no end", lambda lines: lines.pop(), -1, "unfinished"),
    ("nothing but a header", lambda lines: lines.__delitem__(slice(1, None)), 1, "unfinished"),
    ("a result without a deal", _without_a_deal, 2, "no-deal"),
    ("a status for no reason", lambda lines: _status(lines, Status.RESIGNED), -1, "statuses"),
    ("a status that is left out", lambda lines: lines.insert(-2, Incident(what="resigned", seat=1)), -1, "statuses"),
    ("a status of another seat", lambda lines: _resigned(lines, 2), -1, "statuses"),
    ("a false parent", lambda lines: alter(lines, 0, match="m-2", parent=Parent(MATCH, 4, "A" * 22)), 6, "parent"),
    ("a game that goes on", lambda lines: _ended(lines).pop(-2), -1, "not-over"),
    ("an ordinary end of a match that was voided", _ended, -1, "voided"),
    ("a voided match without its incident", lambda lines: lines.pop(-2), -1, "voided"),
    ("a decision after the match was voided", lambda lines: _moved(lines, -2, TILE), TILE + 2, "misplaced"),
    ("a deal after the match was voided", lambda lines: _moved(lines, -2, 1), 3, "misplaced"),
    ("an incident of the play after the match was voided", lambda lines: _one_resigned(lines, -1), -2, "misplaced"),
    ("voided twice", lambda lines: lines.insert(-1, lines[-2]), -2, "misplaced"),
    ("a commitment for another match", lambda lines: _promised(lines, match="m-2"), 1, "commitment"),
    ("another match", lambda lines: alter(lines, 0, match="m-2"), 1, "commitment"),
    ("another commitment", lambda lines: _promised(lines, commitment=bytes(32)), -1, "commitment"),
    ("another nonce", lambda lines: alter(lines, -1, nonce=bytes(32)), -1, "commitment"),
    ("another seed of the server", lambda lines: alter(lines, -1, server_seed=bytes(32)), -1, "commitment"),
    ("another seed of the deal", lambda lines: alter(lines, -1, seed=bytes(32)), -1, "commitment"),
    ("no nonce", lambda lines: alter(lines, -1, nonce=None), -1, "commitment"),
    ("no seed of the server", lambda lines: alter(lines, -1, server_seed=None), -1, "commitment"),
    ("its own parent", lambda lines: _forked(lines, 4, match=MATCH), 1, "parent"),
    ("a parent with more decisions than there are", lambda lines: _forked(lines, DECISIONS + 2), 1, "parent"),
    ("a false parent, and nothing after its lines", lambda lines: _forked(lines, DECISIONS + 1, game="A" * 22), -1, "parent"),
    ("a fork with a promise of its own", lambda lines: _forked(lines, 4, match=MATCH, parent="m-0"), 1, "commitment"),
    ("the place of a fork in a match that is none", lambda lines: lines.insert(6, Incident(what="forked")), 7, "parent"),
    ("the place of a fork too early", lambda lines: _forked(lines, 4).insert(4, Incident(what="forked")), 5, "parent"),
    ("the place of a fork too late", lambda lines: _forked(lines, 4).insert(6, Incident(what="forked")), 7, "parent"),
    ("the place of a fork twice", lambda lines: _insert(_forked(lines, 4), 5, *[Incident(what="forked")] * 2), 7, "parent"),
    ("the place of a fork before the deal", lambda lines: _forked(lines, 1).insert(1, Incident(what="forked")), 2, "parent"),
)  # fmt: skip


@pytest.mark.parametrize("with_audit", [False, True], ids=["", "with audit"])
@pytest.mark.parametrize(("change", "line", "reason"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_found_in_its_line(change: Change, line: int, reason: str, with_audit: bool) -> None:
    lines = list(short_match())
    change(lines)
    expected = line if line > 0 else len(lines) + 1 + line
    assert refusal_of(sealed(lines), with_audit=with_audit) == (reason, expected)


WRONG_AT_THE_END: Final[tuple[tuple[str, Change, int, str], ...]] = (
    ("another sum", lambda lines: alter(lines, -1, cash=(0, *of_kind(lines[-1], EndLine).cash[1:])), -1, "result"),  # type: ignore[index]
    ("another place", lambda lines: alter(lines, -1, places=of_kind(lines[-1], EndLine).places[::-1]), -1, "result"),  # type: ignore[index]
    ("another reason", lambda lines: alter(lines, -1, why=Ending.STUCK), -1, "result"),
    ("the last decision left out", lambda lines: lines.pop(-2), -1, "not-over"),
    ("a decision after the last", lambda lines: _one_more(lines, AnsweredBy.BOT), -2, "game-over"),
    ("a decision after the last that nobody made", lambda lines: _one_more(lines, AnsweredBy.AUTOMATIC), -2, "game-over"),
)


@pytest.mark.parametrize(
    ("change", "line", "reason"), [row[1:] for row in WRONG_AT_THE_END], ids=[row[0] for row in WRONG_AT_THE_END]
)
def test_what_is_wrong_with_a_result_is_found(change: Change, line: int, reason: str) -> None:
    lines = list(whole_match())
    change(lines)
    assert refusal_of(sealed(lines)) == (reason, len(lines) + 1 + line)


def _with_part(lines: list[Line], seat: int, part: bytes | None, name: str) -> None:
    parts = list(getattr(lines[1], name))
    parts[seat] = part
    alter(lines, 1, **{name: tuple(parts)})


WRONG_JOINT: Final[tuple[tuple[str, Change, int], ...]] = (
    ("another part than committed to", lambda lines: _with_part(lines, 1, bytes(32), "contributions"), 2),
    ("another's part", lambda lines: _with_part(lines, 1, seat_parts(SEED, SEATS)[0], "contributions"), 2),
    ("another commitment", lambda lines: _with_part(lines, 2, bytes(32), "seat_commitments"), 2),
    ("a part without a commitment", lambda lines: _with_part(lines, 0, None, "seat_commitments"), 2),
    ("a part withheld that counted", lambda lines: _with_part(lines, 0, None, "contributions"), -1),
    ("zeros that were not revealed", lambda lines: _with_part(lines, 0, WITHHELD, "contributions"), 2),
    ("no commitments of the seats", lambda lines: alter(lines, 1, seat_commitments=(), contributions=()), 2),
    ("the server's seed alone", lambda lines: alter(lines, -1, seed=SEED), -1),
)


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize(("change", "line"), [row[1:] for row in WRONG_JOINT], ids=[row[0] for row in WRONG_JOINT])
def test_in_joint_mode_every_part_is_the_one_committed_to(change: Change, line: int) -> None:
    lines = list(short_match(DealMode.JOINT))
    change(lines)
    assert refusal_of(sealed(lines)) == ("commitment", line if line > 0 else len(lines))


def test_the_deals_line_is_found_after_incidents() -> None:
    for mode, change in ((DealMode.SERVER, {"digest": "A" * 22}), (DealMode.JOINT, {"contributions": (bytes(32),) * 3})):
        lines = list(short_match(mode))
        alter(lines, 1, **change)
        lines[1:1] = [Incident(what="paused"), Incident(what="never joined", seat=1)]
        lines.insert(6, Incident(what="paused"))
        assert refusal_of(sealed(lines))[1] == 4


@pytest.mark.parametrize("secret", ["server_seed", "nonce"])
def test_a_plain_deal_has_no_secrets(secret: str) -> None:
    lines = list(short_match(DealMode.PLAIN))
    alter(lines, -1, **{secret: bytes(32)})
    assert refusal_of(sealed(lines)) == ("commitment", len(lines))


@pytest.mark.parametrize(("mode", "wrong"), [(DealMode.SERVER, "nonce"), (DealMode.JOINT, "seed"), (DealMode.PLAIN, "nonce")])
def test_the_promise_of_a_match_that_was_voided_before_its_deal_is_checked(mode: DealMode, wrong: str) -> None:
    whole = short_match(mode, tuple(range(SEATS)))
    lines = [whole[0], *whole[-2:]]
    assert verify(sealed(lines)).decisions == 0
    alter(lines, -1, **{wrong: bytes(32)})
    assert refusal_of(sealed(lines)) == ("commitment", 3)


@pytest.mark.parametrize("kind", ["ChooseTile", "ChoosePurchase", "ChooseFounded"])
def test_only_the_default_is_taken_by_default(kind: str) -> None:
    lines = list(default_match())
    at = first_decision(lines, kind, by=AnsweredBy.BOT)
    alter(lines, at, by=AnsweredBy.TIMEOUT)
    assert refusal_of(sealed(lines)) == ("faults", len(lines))
    alter(lines, at, answer=_another_answer(lines, at))
    assert refusal_of(sealed(lines)) == ("default", at + 1)


def test_in_plain_mode_the_seed_is_still_the_deals() -> None:
    lines = list(short_match(DealMode.PLAIN))
    alter(lines, -1, seed=bytes(32))
    assert refusal_of(sealed(lines)) == ("digest", 2)


def test_a_deal_of_another_seed_is_found_although_play_follows_the_rules() -> None:
    # The whole match was played with another seed than the promised one.
    promised = of_kind(short_match()[0], Header).promise
    other = opened(recorded_match(CLASSIC, SEATS, bytes(32), DealMode.PLAIN, decisions=DECISIONS))
    alter(other, 0, mode=DealMode.SERVER, promise=promised)
    end = of_kind(short_match()[-1], EndLine)
    alter(other, -1, server_seed=end.server_seed, nonce=end.nonce)
    assert refusal_of(sealed(other)) == ("commitment", len(other))


def test_a_reply_is_asked_although_only_one_answer_is_possible() -> None:
    rules = preset("reference-trading")
    lines = opened(recorded_match(rules, SEATS, SEED, decisions=120))
    record = read_record(sealed(lines))
    single = [step for step in record.steps() if step.line.asked.startswith("ChooseReply") and len(step.legal) == 1]
    assert single, "another seed is needed"
    verify(sealed(lines))
    alter(lines, single[0].line_number - 1, by=AnsweredBy.AUTOMATIC)
    assert refusal_of(sealed(lines)) == ("by", single[0].line_number)


@pytest.mark.parametrize("cut", [1, 2, 40, 100])
def test_a_torn_record_is_reported_as_torn(cut: int) -> None:
    texts = sealed(short_match())
    assert refusal_of([b"".join(texts)[:-cut]]) == ("torn", len(texts))


def test_the_first_wrong_line_is_named_and_no_later_one() -> None:
    lines = list(short_match())
    for at in (PURCHASE, TILE):
        alter(lines, at, digest="A" * 22)
    alter(lines, -1, faults=({}, {"default: illegal": 1}, {}))
    assert refusal_of(sealed(lines)) == ("digest", min(PURCHASE, TILE) + 1)


def test_an_error_names_its_line_its_rule_and_what_was_expected() -> None:
    lines = list(short_match())
    alter(lines, SINGLE, by=AnsweredBy.BOT)
    with pytest.raises(RecordError, match=rf"^line {SINGLE + 1}: this decision has one answer.*\[TBL-3: ") as refusal:
        verify(sealed(lines))
    assert refusal.value.rule == "TBL-3"
    assert str(refusal.value).count("TBL-3") == 1


# --- an engine that is wrong itself ---


def test_books_that_differ_from_the_game_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ledger, "observe", lambda _ledger, _event: None)
    reason, line = refusal_of(sealed(short_match()))
    assert reason == "books"
    assert line is not None
    assert of_kind(short_match()[line - 1], DecisionLine).asked.startswith(("ChooseFounded", "ChoosePurchase", "ChooseTile"))


@pytest.mark.pure
def test_money_and_shares_that_move_without_an_event_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "answered", lambda game, line: (*answered(game, line)[:2], ()))
    reason, line = refusal_of(sealed(short_match()))
    assert reason == "books"
    assert line is not None
    assert of_kind(short_match()[line - 1], DecisionLine).asked.startswith(("ChooseFounded", "ChoosePurchase"))


@pytest.mark.pure
def test_the_audit_reports_what_it_finds_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "audit", lambda _game: ("one fault", "another"))
    verify(sealed(short_match()))
    assert refusal_of(sealed(short_match()), with_audit=True) == ("audit", 3)
    with pytest.raises(RecordError, match="one fault; another"):
        verify(sealed(short_match()), with_audit=True)
