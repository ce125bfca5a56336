"""Reading a record: its lines, and its game, decision by decision."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import Deal
from mergemaker_engine.decisions import Decision
from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.keeping import KEPT_BYTES_MAX, Budget, slim
from mergemaker_engine.record.lines import DealLine, DecisionLine, EndLine, Header, Incident, Parent, PlayIncident
from mergemaker_engine.record.receipts import Receipt, receipt_of
from mergemaker_engine.record.splitting import whole_lines
from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass
from mergemaker_engine.views import View
from mergemaker_engine.wording import parse_action, question_text


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a record."""

    number: int
    """Counted from 1."""
    before: Game
    """The game before the answer. It belongs to this step alone, so you may play on with it."""
    decision: Decision
    answer: Action
    events: tuple[Event, ...]
    """What happened after the answer."""
    line: DecisionLine
    line_number: int
    incidents: tuple[Incident, ...]
    """The incidents between the previous decision and this one."""

    @property
    def seat(self) -> int:
        """The seat that was asked."""
        return self.decision.seat

    @property
    def legal(self) -> Sequence[Action]:
        """Every legal answer, in the documented order."""
        return self.before.legal()

    @property
    def mask(self) -> bytes:
        """One byte for each action code, 1 if it was legal."""
        return self.before.legal_mask()

    def view(self, seat: int) -> View:
        """What a seat knew when the decision was asked."""
        return self.before.view(seat)


@dataclass(frozen=True, slots=True)
class Record:
    """The lines of a record, in order. `steps()` replays them."""

    header: Header
    deal: DealLine | None
    """None if the record breaks off before the deal."""
    entries: tuple[tuple[int, DecisionLine | Incident], ...]
    """Decisions and incidents, each with the number of its line."""
    end: EndLine | None
    """None for a match that has not ended."""
    lines: int
    chains: Chains
    """Both hashes after the last line."""

    @property
    def receipt(self) -> Receipt | None:
        """What to keep of it; None for a match that has not ended."""
        return None if self.end is None else receipt_of(self.header.match, self.chains)

    @property
    def decisions(self) -> tuple[DecisionLine, ...]:
        """The decisions alone."""
        return tuple(line for _, line in self.entries if isinstance(line, DecisionLine))

    def start(self, seed: bytes | None = None) -> Game:
        """The game before its first decision.

        The record of an unfinished match does not contain its seed; pass the seed if you know it.
        """
        if seed is None:
            if self.end is None:
                raise RecordError("unfinished", "the match has not ended, so its seed is not in the record: it cannot be played")
            seed = self.end.seed
        return Game(self.header.rules, self.header.seats, Deal.from_seed(seed))

    def steps(self, seed: bytes | None = None) -> Iterator[Step]:
        """Every decision, in order, each with its own game."""
        game = self.start(seed)
        told: list[Incident] = []
        for line_number, line in self.entries:
            if isinstance(line, Incident):
                told.append(line)
                continue
            before = game.copy()
            try:
                decision, answer, events = answered(game, line)
            except EngineError as error:
                raise wrong(error, line_number) from error
            yield Step(line.number, before, decision, answer, events, line, line_number, tuple(told))
            told = []


def wrong(error: EngineError, line_number: int) -> RecordError:
    """An error of the engine, as an error in a line of the record."""
    if isinstance(error, RecordError):
        return error.at(line_number)
    return RecordError(error.reason, error.message, error.rule, line_number)


def answered(game: Game, line: DecisionLine) -> tuple[Decision, Action, tuple[Event, ...]]:
    """Checks that a line says what the game asks, and applies the line's answer."""
    decision = game.decision
    if decision is None:
        raise RecordError("game-over", "the game is over before this decision", "END-3")
    asked = question_text(decision, game.rules)
    if line.seat != decision.seat or line.asked != asked:
        raise RecordError("asked-otherwise", f"seat {decision.seat} is asked {asked}, not seat {line.seat} {shown(line.asked)}")
    answer = parse_action(line.answer, game.rules)
    return decision, answer, game.apply(answer)


def read_record(chunks: Iterable[bytes], *, torn_end: bool = False, kept_bytes_max: int | None = KEPT_BYTES_MAX) -> Record:
    """The record in these bytes, with its chains checked. With `torn_end`, an incomplete last line is ignored.

    Ignore it only to resume a match after a crash: then nobody was told about that line. `kept_bytes_max` limits the memory
    that the record takes; None is for a program's own files.
    """
    builder = _Builder(kept_bytes_max)
    lines = whole_lines(chunks)
    while True:
        try:
            text = next(lines)
        except StopIteration:
            break
        except RecordError as error:
            if error.reason == "torn" and torn_end:
                break
            raise
        line_number = builder.chains.lines + 1
        try:
            builder.add(text)
        except EngineError as error:
            raise wrong(error, line_number) from error
    return builder.record()


class _Builder:
    """Builds a record, line by line."""

    def __init__(self, kept_bytes_max: int | None) -> None:
        self.chains = Chains()
        self._budget = Budget(kept_bytes_max)
        self._header: Header | None = None
        self._deal: DealLine | None = None
        self._entries: list[tuple[int, DecisionLine | Incident]] = []
        self._end: EndLine | None = None
        self._decisions = 0
        self._parent: Parent | None = None
        self._is_voided = False
        self._between: list[bytes] = []
        """For a fork: the hashes `game` after the deal or the last decision, and after each incident of the play since."""

    def add(self, text: bytes) -> None:
        if self._end is not None:
            raise RecordError("misplaced", "the end line is the last, and this line comes after it")
        line = self.chains.open(text)
        if self._is_voided and not isinstance(line, EndLine) and not (isinstance(line, Incident) and not line.of_play):
            raise RecordError("misplaced", "the match was voided before this line, and only its end comes after that")
        if isinstance(line, DecisionLine):
            self._add_decision(line)
        else:
            self._add_rarer(line)
        if self._parent is not None and not isinstance(line, EndLine):
            self._keep_hash(line)

    def _add_rarer(self, line: Header | DealLine | Incident | EndLine) -> None:
        match line:
            case Header():
                self._header = line
                self._parent = line.parent
            case DealLine():
                if self._deal is not None:
                    raise RecordError("misplaced", "there is one deal line, and this is a second one")
                self._deal = line
            case Incident():
                if line.what == PlayIncident.PLAYS_AGAIN:
                    self._check_plays_again(line)
                elif line.what == PlayIncident.VOIDED:
                    self._is_voided = True
                self._keep(line)
            case EndLine():
                self._end = line
                # A fork may end before its first own decision.
                if self._parent and self._deal and self._parent.decision == self._decisions + 1:
                    self._check_parents_hash(self._parent)
            case _:
                assert_never(line)

    def _add_decision(self, line: DecisionLine) -> None:
        if self._deal is None:
            raise RecordError("misplaced", "the deal line comes before the first decision")
        self._decisions += 1
        if line.number != self._decisions:
            raise RecordError("bad-number", f"this is decision {self._decisions}, not {line.number}")
        if self._parent and self._parent.decision == line.number:
            self._check_parents_hash(self._parent)
        self._keep(line)

    def _keep(self, line: DecisionLine | Incident) -> None:
        kept = slim(line)
        self._budget.take(kept)
        self._entries.append((self.chains.lines, kept))

    def _check_parents_hash(self, parent: Parent) -> None:
        """Nothing marks where the parent's lines end, so this is after the last one that can be the parent's."""
        if parent.game not in map(hash_text, self._between):
            raise RecordError(
                "parent",
                f"before decision {parent.decision} the parent's hash 'game' is {hash_text(self._between[0])}, not {parent.game}",
            )

    def _check_plays_again(self, line: Incident) -> None:
        """A fork's bots play from its own first decision on, or, those of its parent, from an earlier one on."""
        is_where_a_fork_begins = self._parent and self._deal and self._decisions < self._parent.decision
        if not is_where_a_fork_begins or line.seat is None:
            raise RecordError(
                "misplaced", f"a seat {line.what} where a fork begins: after the deal, before its first own decision"
            )

    def _keep_hash(self, line: Header | DealLine | DecisionLine | Incident | EndLine) -> None:
        """Nothing marks where the parent's lines end, and there may be incidents of the play on both sides."""
        if isinstance(line, DealLine | DecisionLine):
            self._between = []
        elif not (isinstance(line, Incident) and line.of_play):
            return
        self._between.append(self.chains.game)

    def record(self) -> Record:
        if self._header is None:
            raise RecordError("empty", "there is nothing in it; a record begins with a header line")
        return Record(self._header, self._deal, tuple(self._entries), self._end, self.chains.lines, self.chains)
