"""Verifying a record: a game played by the rules, on the promised deal, with the result that the record gives."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from mergemaker_engine.audit import audit
from mergemaker_engine.buying import only_nothing
from mergemaker_engine.decisions import ChoosePurchase, ChooseReply, PurchaseTerms
from mergemaker_engine.defaults import default_answer
from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.events import Event, HandShown, TilePlaced, TilesSetAside
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import OF_NO_ACCOUNT, Ledger
from mergemaker_engine.record.digest import Digester
from mergemaker_engine.record.lines import (
    DEFAULT_OF,
    DEFAULTS,
    STATUS_OF,
    AnsweredBy,
    DecisionLine,
    Ending,
    EndLine,
    Incident,
    PlayIncident,
    Status,
)
from mergemaker_engine.record.origin import check_fork, check_promise, deal_line
from mergemaker_engine.record.reading import Record, answered, read_record, wrong
from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass
from mergemaker_engine.wording import action_text, exact_action_text

_OF_INCIDENTS: Final = frozenset(DEFAULT_OF.values())
"""The defaults that only an incident causes."""
_OF_NO_MONEY: Final = OF_NO_ACCOUNT | {HandShown, TilePlaced, TilesSetAside}
"""Events that the books of money and shares do not need: shown tiles are not looked up here."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A verified record."""

    record: Record
    game: Game
    """The game at its end."""
    decisions: int


def verify(chunks: Iterable[bytes], *, with_audit: bool = False) -> Verified:
    """Checks everything that a record says. A `RecordError` names the first line that is wrong.

    `with_audit` also recomputes every invariant after each decision.
    """
    record = read_record(chunks)
    if record.end is None:
        raise RecordError("unfinished", "the record has no end line: the match is running, or was broken off", line=record.lines)
    if record.deal is None and record.end.why is not Ending.VOIDED:
        raise RecordError("no-deal", "the match has a result, and no line says that its deal was made", line=record.lines)
    _check_voided(record, record.end)
    check_fork(record)
    check_promise(record, record.end)
    game = record.start()
    digester = Digester()
    if record.deal is not None and (digest := digester.digest(game)) != record.deal.digest:
        raise RecordError("digest", f"after the deal the state has the digest {digest}", line=deal_line(record))
    checker = _Checker(game, digester, with_audit=with_audit)
    decisions = 0
    for line_number, line in record.entries:
        if isinstance(line, DecisionLine):
            try:
                checker.check(line)
            except EngineError as error:
                raise wrong(error, line_number) from error
            decisions += 1
        elif line.seat is not None and line.what in STATUS_OF:
            checker.owed[line.seat] = DEFAULT_OF.get(line.what)
    try:
        _check_end(record, record.end, game)
    except EngineError as error:
        raise wrong(error, record.lines) from error
    return Verified(record, game, decisions)


def _check_voided(record: Record, end: EndLine) -> None:
    """Checks that the end line and the incident `voided` say the same."""
    is_told = any(isinstance(line, Incident) and line.what == PlayIncident.VOIDED for _, line in record.entries)
    if is_told and end.why is not Ending.VOIDED:
        raise RecordError("voided", f"an incident says that the match was voided, and the end line, {end.why}", line=record.lines)
    if end.why is Ending.VOIDED and not is_told:
        raise RecordError(
            "voided", "a voided match has the incident 'voided' before its end, and this one has none", line=record.lines
        )


def _is_not_asked(game: Game) -> bool:
    """Whether only one answer is possible, so nobody is asked (TBL-3). Replies are always asked, to keep holdings secret."""
    decision = game.decision
    if type(decision) is ChoosePurchase and decision.terms is PurchaseTerms.USUAL:
        # Lists of purchases are the longest, so they are not made for this.
        return only_nothing(game, decision)
    return len(game.legal()) == 1 and type(decision) is not ChooseReply


class _Checker:
    """Replays the decisions of a record, and keeps books of what is announced."""

    def __init__(self, game: Game, digester: Digester, *, with_audit: bool) -> None:
        self._game = game
        self._digester = digester
        self._audits = with_audit
        self._books = Ledger(game.seats)
        self._compared: tuple[list[int], list[int]] = ([], [])
        """The game's cash and shares when they were last compared with the books."""
        self.owed: Final[list[AnsweredBy | None]] = [None] * game.seats
        """By seat: the default that gives all its answers since an incident; None while the seat is asked."""
        for event in game.start_events:
            self._books.observe(event)

    def check(self, line: DecisionLine) -> None:
        game = self._game
        single = _is_not_asked(game)
        # Sets of words of an enumeration are slow.
        is_default = line.by is not AnsweredBy.BOT and line.by is not AnsweredBy.AUTOMATIC
        default = default_answer(game)[1] if is_default and game.decision is not None else None
        _, answer, events = answered(game, line)
        exact = exact_action_text(line.answer, game.rules)
        if line.answer != exact:
            raise RecordError("answer-text", f"the text of this answer is {exact!r}, not {shown(line.answer)}")
        if single != (line.by is AnsweredBy.AUTOMATIC):
            which = "one answer, so it is not asked" if single else "several answers, so somebody gives one"
            raise RecordError("by", f"this decision has {which}; it is not given by {str(line.by)!r}", "TBL-3")
        if not single:
            self._check_default(line)
        if default is not None and answer != default:
            said = action_text(default, game.rules)
            raise RecordError("default", f"the default of this decision is {said!r}, not {line.answer!r}")
        digest = self._digester.digest(game)
        if digest != line.digest:
            raise RecordError("digest", f"after this decision the state has the digest {digest}, not {line.digest}")
        moved = self._observe(events) or (game.cash, game.shares) != self._compared
        if moved and not self._books_agree():
            raise RecordError("books", "money and shares are not what the announced payments, purchases and trades make them")
        faults = audit(game) if self._audits else ()
        if faults:
            raise RecordError("audit", "; ".join(faults))

    def _check_default(self, line: DecisionLine) -> None:
        owed = self.owed[line.seat]
        if (line.by if line.by in _OF_INCIDENTS else None) is owed:
            return
        if owed is None:
            raise RecordError("by", f"no incident before this decision says why seat {line.seat} is answered by {str(line.by)!r}")
        raise RecordError(
            "by", f"since its incident seat {line.seat} is answered by {str(owed)!r} alone, not by {str(line.by)!r}"
        )

    def _observe(self, events: Iterable[Event]) -> bool:
        """Enters events into the books. Returns whether any of them belongs there."""
        found = False
        for event in events:
            if type(event) not in _OF_NO_MONEY:
                self._books.observe(event)
                found = True
        return found

    def _books_agree(self) -> bool:
        game, books = self._game, self._books
        seats = game.tables.seats
        self._compared = game.cash[:], game.shares[:]
        # At the end the game sells all stock, which the books need not follow.
        return game.cash == books.cash and (
            game.reason is not None or [game.shares[seat::seats] for seat in range(seats)] == books.shares
        )


def _check_end(record: Record, end: EndLine, game: Game) -> None:
    """Checks that the game is over as the end line says, with this money and these places."""
    causes: list[Counter[str]] = [Counter() for _ in range(record.header.seats)]
    for line in record.decisions:
        if line.by in DEFAULTS:
            causes[line.seat][str(line.by)] += 1
    if [dict(found) for found in causes] != [dict(said) for said in end.faults]:
        raise RecordError("faults", "the faults of each seat are its decisions answered by default, counted by cause")
    _check_statuses(record, end)
    if end.why is Ending.VOIDED:
        return
    result = game.result
    if result is None:
        raise RecordError("not-over", "the game goes on after the last decision, and the end line gives a result", "END-3")
    if str(result.reason) != str(end.why):
        raise RecordError("result", f"the game ended because it was {result.reason}, not {end.why}")
    if (result.cash, result.places) != (end.cash, end.places):
        raise RecordError("result", f"the money at the end is {list(result.cash)} and the places are {list(result.places)}")


def _check_statuses(record: Record, end: EndLine) -> None:
    """Checks each seat's status against the last incident of the play that is about the seat."""
    expected = [Status.FINISHED] * record.header.seats
    for _, line in record.entries:
        if isinstance(line, Incident) and line.seat is not None and line.what in STATUS_OF:
            expected[line.seat] = STATUS_OF[line.what]
    if tuple(expected) != end.statuses:
        raise RecordError("statuses", f"by the incidents of the play the statuses are {', '.join(expected)}")
