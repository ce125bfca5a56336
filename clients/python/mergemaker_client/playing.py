"""A bot's matches: passes what comes to the bot for that match, and the bot's answers back."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol

from mergemaker.v1 import referee_pb2
from mergemaker_engine.errors import EngineError
from mergemaker_engine.events import Event
from mergemaker_engine.wording import action_text
from mergemaker_wire.actions import action_to_message
from mergemaker_wire.errors import WireError

from mergemaker_client.bot import AnyBot, AsyncBot, Bot, BotFactory, make_bot, settled
from mergemaker_client.deal_check import Witness, check_deal
from mergemaker_client.errors import BotError
from mergemaker_client.outputs import Ask, Begin, Decline, End, Notice, Tell
from mergemaker_client.problems import FalseDeal
from mergemaker_client.protocol import Choice
from mergemaker_client.reading import events_of, match_info, result_of, turn_of
from mergemaker_client.reporting import failure_note, failure_text, question_line
from mergemaker_client.turn import DealFinding, MatchInfo, MatchResult, Turn

NANOSECONDS_IN_MS: Final = 1_000_000


class OnError(StrEnum):
    """What happens if a bot fails or its answer is refused."""

    DEFAULT = "default"
    """It is reported, the default is sent, and the match goes on."""
    RAISE = "raise"
    """It is reported, and the bot's process ends."""


class BotFailed(BotError):
    """A bot failed, and failures stop it. The bot's own error is the cause."""


class Answerer(Protocol):
    """Takes a bot's answers."""

    def __call__(self, match: str, decision: int, choice: Choice, note: str = "") -> None:
        """Takes one answer."""


@dataclass(slots=True)
class _Seat:
    """One match of a bot."""

    bot: AnyBot
    info: MatchInfo
    untold: list[Event] = field(default_factory=list)
    """Events since the bot was last asked."""
    witness: Witness = field(default_factory=Witness)
    """What it saw of the tiles."""
    problem: FalseDeal | None = None
    """The error that revealed, before the end, that the deal cannot be the one promised."""


class Player:
    """Plays each match with its own bot.

    It knows no threads and no loops: its driver calls the bot for an answer, and may wait for it or not.
    """

    def __init__(
        self,
        factory: BotFactory,
        answer: Answerer,
        on_error: OnError,
        report: Callable[[str], None],
        note: Callable[[str, FalseDeal], None] | None = None,
    ) -> None:
        self._factory = factory
        self._note = note
        """Called with a false deal and its match."""
        self._answer = answer
        self._on_error = on_error
        self._report = report
        self._seats: dict[str, _Seat] = {}
        self._spare: AnyBot | None = make_bot(factory)
        """The first bot is made at once, so that a bot that cannot be made is reported before anybody waits for it."""
        self.is_async: Final = isinstance(self._spare, AsyncBot)
        self.results: Final[list[MatchResult]] = []

    def notice(self, output: Notice) -> None:
        """Passes on what the author should read."""
        self._report(f"match {output.match}: {output.text}" if output.match else output.text)

    def begin(self, output: Begin) -> None:
        """Makes the bot of a match, and passes the match to it."""
        try:
            info = match_info(output.match, output.offered, output.started)
        except (WireError, EngineError, BotError) as error:
            self._report(f"match {output.match}: it cannot be read, so its defaults are sent: {error}")
            return
        seat = _Seat(self._made(output.match), info)
        self._seats[output.match] = seat
        self._tell(seat, "on_start", info)

    def _made(self, match: str) -> AnyBot:
        bot, self._spare = self._spare, None
        if bot is not None:
            return bot
        try:
            bot = make_bot(self._factory)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is for the author to read
            self._failed(f"match {match}: the bot cannot be made, so its defaults are sent", error, None)
            return AsyncBot() if self.is_async else Bot()
        if isinstance(bot, AsyncBot) is not self.is_async:
            raise BotError(
                "mixed-bots", "a factory makes either a Bot or an AsyncBot for every match, not now the one, now the other"
            )
        return bot

    def tell(self, output: Tell) -> None:
        """Passes events to a bot."""
        seat = self._seats.get(output.match)
        if seat is None:
            return
        events: tuple[Event, ...] = ()
        try:
            events = events_of(output.events)
        except WireError as error:
            self._report(f"match {output.match}: events that cannot be read are skipped: {error}")
        try:
            seat.witness.saw([event.number for event in output.events], events)
        except FalseDeal as problem:
            if seat.problem is None:
                seat.problem = problem
                self._false_deal(output.match, seat, problem)
        seat.untold.extend(events)
        self._tell(seat, "on_events", events)

    def turn(self, output: Ask, came_ns: int, now_ns: int) -> tuple[AnyBot, Turn] | None:
        """The question to a bot. None if it cannot be read; then its default has been sent."""
        seat = self._seats.get(output.match)
        message = output.decision
        if seat is None:
            self._answer(output.match, message.id, message.default_index)
            return None
        events, seat.untold = seat.untold, []
        try:
            return seat.bot, turn_of(seat.info, message, events, (now_ns - came_ns) // NANOSECONDS_IN_MS)
        except (WireError, EngineError) as error:
            self._report(f"match {output.match}, decision {message.id} cannot be read: {error}; its default is sent")
            self._answer(output.match, message.id, message.default_index)
            return None

    def returned(self, output: Ask, turn: Turn, answer: object) -> None:
        """Takes a bot's return value."""
        try:
            action, note = settled(turn, answer)
        except Exception as error:  # noqa: BLE001 - whatever a bot's answer raises is for the author to read
            self.raised(output, turn, error)
            return
        self._answer(output.match, turn.number, action_to_message(action), note)

    def raised(self, output: Ask, turn: Turn, error: Exception) -> None:
        """Takes a bot's error: reports it, and sends the default at once, with a note."""
        default = action_text(turn.default, turn.match.rules)
        what = f"the bot failed: {question_line(turn)}; answered its default: {default}"
        # The report comes first: one who hears of the note then finds the report in the log.
        self._report(failure_text(what, error, turn))
        self._answer(output.match, turn.number, output.decision.default_index, failure_note(error))
        self._stop_for(what, error)

    def declined(self, output: Decline) -> None:
        """Handles a refused answer."""
        self._report(f"match {output.match}: {output.text}")
        if self._on_error is OnError.RAISE:
            raise BotFailed(output.problem.reason, output.text)

    def end(self, output: End) -> None:
        """Passes a match's result to its bot."""
        seat = self._seats.pop(output.match, None)
        try:
            result = result_of(output.match, output.ended)
        except WireError as error:
            result = MatchResult(f"ended, but its standings cannot be read: {error}", ())
        result = self._with_finding(output, seat, result)
        self.results.append(result)
        self._report(f"match {output.match} is over: {_outcome(result, output.promise.offered)}")
        if seat is not None:
            self._tell(seat, "on_end", result)
        if result.problem is not None and self._on_error is OnError.RAISE:
            raise result.problem

    def _with_finding(self, output: End, seat: _Seat | None, result: MatchResult) -> MatchResult:
        """The result, and whether the deal was the one promised."""
        problem = seat.problem if seat else None
        if problem is None:
            proof = output.ended.proof if output.ended.HasField("proof") else None
            try:
                return replace(result, deal=check_deal(output.promise, proof, seat.witness if seat else None))
            except FalseDeal as found:
                problem = found
                self._false_deal(output.match, seat, problem)
        return replace(result, deal=DealFinding.FALSE, problem=problem)

    def _false_deal(self, match: str, seat: _Seat | None, problem: FalseDeal) -> None:
        """Reports, everywhere that somebody may look, that a deal is not the one promised."""
        self._report(
            f"match {match}: THE DEAL IS NOT THE ONE THAT WAS PROMISED ({problem.reason}): {problem}; "
            "keep this text, and ask the operator of the referee"
        )
        if self._note is not None:
            self._note(match, problem)
        if seat is not None:
            self._tell(seat, "on_false_deal", problem)

    def _tell(self, seat: _Seat, method: str, value: MatchInfo | tuple[Event, ...] | MatchResult | FalseDeal) -> None:
        try:
            getattr(seat.bot, method)(value)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is for the author to read
            self._failed(f"match {seat.info.match}: the bot failed in {method}", error, None)

    def _failed(self, what: str, error: Exception, turn: Turn | None) -> None:
        self._report(failure_text(what, error, turn))
        self._stop_for(what, error)

    def _stop_for(self, what: str, error: Exception) -> None:
        if self._on_error is OnError.RAISE:
            raise BotFailed("bot-failed", what) from error


def _outcome(result: MatchResult, offered: referee_pb2.MatchOffered) -> str:
    own = [standing for standing in result.standings if standing.seat == offered.seat]
    place = f"; place {own[0].place} of {len(result.standings)} with ${own[0].cash:,}, {own[0].status}" if own else ""
    receipt = "" if result.receipt is None else f"; receipt {result.receipt}"
    return f"{result.why}{place}{receipt}"
