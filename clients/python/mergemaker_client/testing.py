"""For a bot's own tests: whole matches in memory, single questions, and the questions of recorded matches.

    from mergemaker_client.testing import ask, play_match

    def test_it_beats_random() -> None:
        played = play_match([MyBot, "random", "random"], seed=7)
        assert played.faults == ()
        assert played.result.standings[0].place == 1

There is no network, and nothing waits: only the test moves time. The referee's own table judges the answers, so
faults, defaults and the record are those of a real match.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, assert_never

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import SEED_BYTES
from mergemaker_engine.events import Event, seen_by
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, parse_rules
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import Rules
from mergemaker_engine.shown import shown
from mergemaker_table import CLOCKS, ClockTerms, Setup, Table, Terms
from mergemaker_table.driving import Driver
from mergemaker_table.inputs import AnswerIndex, Joined
from mergemaker_table.outputs import (
    Accepted,
    Ask,
    Autopilot,
    Barrier,
    DefaultTaken,
    Ended,
    FollowUp,
    Output,
    PartRefused,
    Publish,
    Refused,
    Request,
    SeatsCommitted,
    Started,
    Tell,
    WriteLine,
)

from mergemaker_client.asking import Caller, turn_of
from mergemaker_client.bot import AnyBot, make_bot
from mergemaker_client.bots import parse
from mergemaker_client.errors import BotError
from mergemaker_client.factories import AnyKind, factory_of
from mergemaker_client.playing import BotFailed, OnError
from mergemaker_client.recorded import RecordedTurn, turns_of
from mergemaker_client.reporting import failure_note, failure_text, question_line
from mergemaker_client.turn import NO_CLOCK, NONCE_BYTES, Clock, MatchInfo, MatchResult, Standing, Turn

__all__ = ["Fault", "Played", "RecordedTurn", "ask", "play_match", "turns_of"]

Delay: TypeAlias = Callable[[Turn], int]
"""How many milliseconds a bot thinks about a question."""
FAILED: Final = "failed"
REFUSED: Final = "refused"
_NS_IN_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that went wrong with a bot."""

    seat: int
    decision: int | None
    """The number of the question to this seat; None if it was none."""
    kind: str
    """`failed` (it raised an error), `refused` (its answer does not count), or the cause of a default, as `default: timeout`."""
    text: str


@dataclass(frozen=True, slots=True)
class Played:
    """A played match."""

    result: MatchResult
    faults: tuple[Fault, ...]
    lines: tuple[bytes, ...]
    """The record, line by line."""

    @property
    def record(self) -> Record:
        """The record, to go through decision by decision."""
        return read_record(self.lines)


def play_match(
    bots: Sequence[AnyKind | str],
    rules: Rules | str = "renegade-classic",
    *,
    seed: int | bytes = 0,
    clock: ClockTerms | str = "none",
    delay: Delay | None = None,
    on_error: str = OnError.RAISE,
) -> Played:
    """Plays a match between bots, by seat: classes, functions, other factories, or built-in bots by name.

    Deal and chances come only from the seed. A bot that raises an error, or whose answer is refused, ends the match with
    `BotFailed`. With `on_error="default"` it is listed among the faults, and the match goes on as it would with a referee.
    """
    factories = [parse(bot) if isinstance(bot, str) else factory_of(bot) for bot in bots]
    names = tuple(bot if isinstance(bot, str) else getattr(bot, "__name__", type(bot).__name__) for bot in bots)
    setup = Setup(
        rules=parse_rules(rules) if isinstance(rules, str) else rules,
        bots=names,
        terms=Terms(_clock(clock)),
        mode=DealMode.PLAIN,
        match="test",
        promise=None,
        secrets=Secrets(_seed(seed)),
        software="mergemaker-client",
    )
    if on_error not in list(OnError):
        raise BotError("bad-setting", f"on_error is {' or '.join(OnError)}, not {shown(on_error)}")
    with Caller() as caller:
        return _Match(setup, [make_bot(factory) for factory in factories], caller, delay or _at_once, OnError(on_error)).play()


def _at_once(_: Turn) -> int:
    return 0


def _clock(clock: ClockTerms | str) -> ClockTerms:
    if isinstance(clock, ClockTerms):
        return clock
    if clock not in CLOCKS:
        raise BotError("bad-setting", f"a clock is one of {', '.join(CLOCKS)}, or ClockTerms, not {shown(clock)}")
    return CLOCKS[clock]


def _seed(seed: int | bytes) -> bytes:
    if isinstance(seed, bytes) and len(seed) == SEED_BYTES:
        return seed
    if type(seed) is int and 0 <= seed < 1 << 8 * SEED_BYTES:
        return seed.to_bytes(SEED_BYTES, "big")
    raise BotError("bad-setting", f"a seed is {SEED_BYTES} bytes, or a whole number that fits into them, not {shown(seed)}")


@dataclass(slots=True)
class _Seat:
    bot: AnyBot
    info: MatchInfo | None = None
    untold: list[Event] = field(default_factory=list)


class _Match:
    """A table, its bots, and its own time."""

    def __init__(self, setup: Setup, bots: Sequence[AnyBot], caller: Caller, delay: Delay, on_error: OnError) -> None:
        self._driver = Driver(Table(setup))
        self._setup = setup
        self._seats = [_Seat(bot) for bot in bots]
        self._caller = caller
        self._delay = delay
        self._on_error = on_error
        self._faults: list[Fault] = []
        self._result: MatchResult | None = None

    def play(self) -> Played:
        self._hear(self._driver.open())
        for seat in range(len(self._seats)):
            self._hear(self._driver.feed(Joined(seat)))
        while self._result is None:
            self._put()
        return Played(self._result, tuple(self._faults), tuple(self._driver.lines))

    def _hear(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            match output:
                case Started():
                    self._start(output)
                case Tell(seat, _, events):
                    self._seats[seat].untold += events
                case Refused():
                    self._refused(output)
                case DefaultTaken(seat, decision_id, cause, text):
                    if decision_id is not None:
                        self._faults.append(Fault(seat, decision_id, str(cause), text))
                case Ended():
                    self._end(output)
                case WriteLine() | Ask() | Barrier():
                    pass  # the driver keeps them
                case SeatsCommitted() | PartRefused() | Publish() | Accepted() | FollowUp() | Autopilot():
                    pass
                case _:
                    assert_never(output)
        if self._driver.barrier is not None:
            self._hear(self._driver.pass_barrier())

    def _start(self, started: Started) -> None:
        setup = self._setup
        terms = setup.terms.clock
        limited = terms.allowance_ms is not None
        clock = Clock(terms.name, terms.allowance_ms, terms.bank_ms if limited else None, terms.increment_ms)
        seat = self._seats[started.seat]
        seat.info = MatchInfo(setup.match, setup.rules, setup.seats, started.seat, setup.bots, started.nonce, clock)
        self._tell(started.seat, "on_start", seat.info)

    def _put(self) -> None:
        """Asks the bot the question, and lets it think for as long as the test says."""
        driver = self._driver
        asked = driver.hand()
        turn = self._turn(asked.seat, asked.request)
        until = driver.now_ns + self._delay(turn) * _NS_IN_MS
        answer, note = self._answer(asked, turn)
        while (wake := driver.table.wake_at_ns) is not None and wake <= until:
            self._hear(driver.wake())
            if driver.asked is not asked or self._result is not None:
                # The question was settled without the bot; its later answer is ignored.
                return
        self._hear(driver.answer(answer, note, max(until - driver.now_ns, 0)))
        if driver.asked is asked and self._result is None:
            # It was refused, and another answer is possible.
            self._hear(driver.answer())

    def _turn(self, number: int, request: Request) -> Turn:
        info = self._seats[number].info
        assert info is not None, "a seat that is asked has got its match"
        events = self._hand_over(number)
        turn = turn_of(info, request.decision_id, request.view, request.answers, events, request.events_seen)
        return replace(turn, time_left_ms=request.time_left_ms, bank_ms=request.bank_ms)

    def _hand_over(self, number: int) -> tuple[Event, ...]:
        seat = self._seats[number]
        events, seat.untold = tuple(seat.untold), []
        if events:
            self._tell(number, "on_events", events)
        return events

    def _answer(self, asked: Ask, turn: Turn) -> tuple[Action | AnswerIndex, str | None]:
        try:
            noted = self._caller.answer(self._seats[asked.seat].bot, turn)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is a fault of its own
            self._failed(asked.seat, f"the bot failed: {question_line(turn)}", error, turn)
            return AnswerIndex(asked.request.default_index), failure_note(error)
        assert not isinstance(noted.answer, int), "what is settled is an action"
        return noted.answer, noted.note or None

    def _tell(self, number: int, method: str, value: MatchInfo | tuple[Event, ...] | MatchResult) -> None:
        try:
            getattr(self._seats[number].bot, method)(value)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is a fault of its own
            self._failed(number, f"the bot failed in {method}", error, None)

    def _failed(self, seat: int, what: str, error: Exception, turn: Turn | None) -> None:
        text = failure_text(what, error, turn)
        self._faults.append(Fault(seat, turn.number if turn else None, FAILED, text))
        if self._on_error is OnError.RAISE:
            raise BotFailed("bot-failed", text) from error

    def _refused(self, refused: Refused) -> None:
        refusal = refused.refusal
        rule = f" [{refusal.rule}]" if refusal.rule else ""
        text = f"the answer of seat {refused.seat} to decision {refused.decision_id} was refused: {refusal.text}{rule}"
        self._faults.append(Fault(refused.seat, refused.decision_id, REFUSED, text))
        if self._on_error is OnError.RAISE:
            raise BotFailed(refusal.reason, text)

    def _end(self, ended: Ended) -> None:
        for number in range(len(self._seats)):
            self._hand_over(number)
        why = str(ended.why) if ended.why is not Ending.VOIDED else ended.voided_because or "voided"
        standings = tuple(
            Standing(each.seat, each.bot, each.cash or 0, each.place or 0, str(each.status)) for each in ended.standings
        )
        result = self._result = MatchResult(why, standings if ended.why is not Ending.VOIDED else ())
        for number in range(len(self._seats)):
            self._tell(number, "on_end", result)


def ask(bot: AnyKind | str, position: str | Game, *, nonce: bytes = bytes(NONCE_BYTES)) -> Action:
    """Asks a new bot the open question of a position, and returns its answer; an illegal answer is an error.

    A position is a game, or a text as `mergemaker_engine.position_text` writes it. Missing parts have their usual values.
    """
    game = parse_position(position) if isinstance(position, str) else position
    decision = game.decision
    if decision is None:
        raise BotError("game-over", "the game of this position is over: nobody is asked anything")
    made = make_bot(parse(bot) if isinstance(bot, str) else factory_of(bot))
    seat = decision.seat
    names = tuple(f"seat {number}" for number in range(game.seats))
    match = MatchInfo("position", game.rules, game.seats, seat, names, nonce, NO_CLOCK)
    events = seen_by(seat, game.start_events)
    made.on_start(match)
    made.on_events(events)
    turn = turn_of(match, 1, game.view(seat), game.legal(), events, len(events))
    with Caller() as caller:
        answer = caller.answer(made, turn).answer
    assert not isinstance(answer, int), "what is settled is an action"
    game.copy().apply(answer)
    return answer
