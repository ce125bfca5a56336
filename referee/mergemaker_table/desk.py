"""What all parts of a table share: the seats, the record, and the batch of outputs that they collect."""

from collections.abc import Iterator, Sequence
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import Deal
from mergemaker_engine.errors import Refusal
from mergemaker_engine.events import PRIVATE, Event, audience
from mergemaker_engine.game import Game, Result
from mergemaker_engine.record.lines import STATUS_OF, AnsweredBy, Ending, Incident, PlayIncident
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.values import dataclass

from mergemaker_table.clock import in_ns, whole_ms
from mergemaker_table.disguise import Disguise
from mergemaker_table.evidence import EVIDENCE, NOT_HELD_UP, AtFault, Evidence, HeldUp, Verdict, trace_of
from mergemaker_table.inputs import Answered
from mergemaker_table.outputs import (
    Accepted,
    Ask,
    Autopilot,
    Barrier,
    Ended,
    FollowUp,
    Output,
    PartRefused,
    Publish,
    RefusalReason,
    Refused,
    Tell,
    WriteLine,
)
from mergemaker_table.run_members import VERSION, versions_run
from mergemaker_table.seats import Seat
from mergemaker_table.setup import Setup
from mergemaker_table.timeline import Timeline
from mergemaker_table.verdicts import FAULT

JOINED: Final = "joined"
DISCONNECTED: Final = "disconnected"
TAKEN_OVER: Final = "taken over"
DECLINED: Final = "declined"
"""The incidents of coming and going. The last one is about a seat that was given back before the deal."""
CONNECTION_LINES_MAX: Final = 200
"""The most lines of a record about one seat's coming and going. A seat may come and go more often; that is not written."""
WHY_CHARACTERS_MAX: Final = 300
"""The most of an outside text that goes into the record."""

_LAST: Final = (Ask, FollowUp, Barrier, Ended)


def line_text(text: str) -> str:
    """An outside text as a line can hold it: cut short, and without anything that has no UTF-8 form."""
    cut = text if len(text) <= WHY_CHARACTERS_MAX else text[: WHY_CHARACTERS_MAX - 1] + "…"
    return cut.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class Folded:
    """What is kept of a game, beside the answers."""

    deal: Deal
    turn: int


class Desk:
    """The seats and the record of one match. `batch` returns what was written, said and announced since the last batch."""

    __slots__ = (
        "_folded",
        "_has_news",
        "_last",
        "_lines",
        "_public_told",
        "_said",
        "_start_ns",
        "answers",
        "contributions",
        "disguise",
        "ended",
        "game",
        "held_up",
        "in_process",
        "public_events",
        "scribe",
        "seats",
        "secrets",
        "setup",
    )

    def __init__(self, setup: Setup, scribe: Scribe, disguise: Disguise | None = None, *, in_process: bool = False) -> None:
        self.disguise: Final = disguise
        """How long automatic answers wait; None: not at all."""
        self.in_process: Final = in_process
        """Whether the driver itself calls the bots."""
        self.setup: Final = setup
        self.scribe: Final = scribe
        self.seats: Final = tuple(
            Seat(number, bot, setup.terms.clock, bot_id)
            for number, (bot, bot_id) in enumerate(zip(setup.bots, setup.bot_ids or ("",) * setup.seats, strict=True))
        )
        self.secrets: Secrets = setup.secrets
        self.contributions: tuple[bytes | None, ...] = ()
        self.game: Game | None = None
        """None before the deal, and while it is folded."""
        self.answers: list[Action] = []
        """All answers so far: with rules and deal, the game and its events follow from them."""
        self._folded: Folded | None = None
        self.ended: Ended | None = None
        self.held_up: HeldUp = NOT_HELD_UP
        """How long the loops around the table have been held up so far."""
        self.public_events: list[Event] = []
        self._public_told = 0
        self._has_news = False
        """Whether something may have been announced since the last batch."""
        self._start_ns = 0
        self._lines: list[Output] = []
        self._said: list[Output] = []
        self._last: list[Output] = []

    def is_break_ours(self, now_ns: int) -> bool:
        """Whether a connection that breaks now may have broken because the referee stood still."""
        return now_ns < self.held_up.breaks_until_ns

    def start_watch(self, now_ns: int, at_ms: int = 0) -> None:
        """Sets how much of the match has passed by now."""
        self._start_ns = now_ns - in_ns(at_ms)

    def at_ms(self, now_ns: int) -> int:
        """How much of the match has passed."""
        return whole_ms(now_ns - self._start_ns)

    def write(self, line: bytes) -> None:
        """Adds a line of the record to the batch."""
        self._lines.append(WriteLine(line))

    def incident(self, what: str, now_ns: int, seat: Seat | None = None, why: str | None = None, **run: object) -> None:
        """Writes an incident."""
        number = None if seat is None else seat.number
        reason = None if why is None else line_text(why)
        self.write(self.scribe.incident(Incident(what=what, seat=number, why=reason, run={"at_ms": self.at_ms(now_ns), **run})))

    def connection_incident(
        self,
        what: str,
        now_ns: int,
        seat: Seat,
        why: str | None = None,
        evidence: Evidence | None = None,
        *,
        trace: str = "",
        version: str = "",
    ) -> None:
        """Writes that a seat came or went, up to a limit; `trace` names the stream."""
        run: dict[str, object] = {name: value for name, value in (("trace", trace), (VERSION, version)) if value}
        if evidence is not None:
            run[EVIDENCE] = evidence.plain()
        if seat.connection_lines < CONNECTION_LINES_MAX:
            seat.connection_lines += 1
            self.incident(what, now_ns, seat, why, **run)

    def retire(
        self,
        seat: Seat,
        incident: PlayIncident,
        now_ns: int,
        why: str | None = None,
        evidence: Evidence | None = None,
        declined: str | None = None,
    ) -> None:
        """From now on the seat gets the defaults. The record says why, and `run.declined` what the bot said."""
        run: dict[str, object] = {} if evidence is None else {EVIDENCE: evidence.plain()}
        if declined is not None:
            run[DECLINED] = declined
        self.incident(incident, now_ns, seat, why, **run)
        seat.retire(STATUS_OF[incident], self.scribe.decisions + 1)
        seat.untold = evidence
        self.say(Autopilot(seat.number, seat.status))

    def timeline(self, now_ns: int, seat: Seat, decision_id: int | None = None) -> Timeline:
        """A timeline that begins now."""
        return Timeline((self.setup.match, seat.number, decision_id), now_ns, self.held_up, seat.clock.bank_ms)

    def bare_evidence(self, verdict: Verdict, seat: Seat | None = None) -> Evidence:
        """The evidence if nothing was asked."""
        match = self.setup.match
        return Evidence(verdict=verdict, trace=match if seat is None else trace_of(match, seat.number))

    def ask(self, asked: Ask) -> None:
        """Adds a question to the batch."""
        self._last.append(asked)

    def say(self, output: Output) -> None:
        """Adds an output to the batch. Questions and the end come after the events that they rest on."""
        (self._last if isinstance(output, _LAST) else self._said).append(output)

    def accept(self, given: Answered) -> None:
        """Says that an answer counts, if its bot is not the driver's own."""
        if not self.in_process:
            self.say(Accepted(given.seat, given.decision_id))

    def refuse_answer(
        self, given: Answered, reason: RefusalReason, text: str, overrun_ms: int | None = None, evidence: Evidence | None = None
    ) -> None:
        """Says that an answer does not count: it is not for the open decision, or it came too late."""
        refusal = Refusal(reason, text, trace=trace_of(self.setup.match, given.seat, given.decision_id))
        self.say(Refused(given.seat, given.decision_id, refusal, overrun_ms=overrun_ms, evidence=evidence))

    def say_default(self, seat: Seat, decision_id: int | None, by: AnsweredBy, text: str, evidence: Evidence | None) -> None:
        """Says that a default was taken for a seat."""
        self.say(seat.default_taken(decision_id, by, text, evidence, self.setup.terms.faults.defaults_max))

    def refuse_part(self, seat: int, reason: RefusalReason, text: str) -> None:
        """Joint mode: says that a commitment or a part does not count."""
        self.say(PartRefused(seat, Refusal(reason, text, trace=trace_of(self.setup.match, seat))))

    def announce(self, events: Sequence[Event]) -> None:
        """Adds events to what everybody, or one seat, may know."""
        self._has_news = True
        if PRIVATE.isdisjoint(map(type, events)):
            self.public_events += events
            for seat in self.seats:
                seat.events += events
            return
        only = [audience(event) for event in events]
        public = [event for event, seat in zip(events, only, strict=True) if seat is None]
        self.public_events += public
        for seat in self.seats:
            number = seat.number
            if number in only:
                seat.events += [event for event, other in zip(events, only, strict=True) if other is None or other == number]
            else:
                seat.events += public

    def mark_told(self) -> None:
        """Marks everything that was announced so far as sent."""
        self._public_told = len(self.public_events)
        for seat in self.seats:
            seat.told = len(seat.events)

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; 0 before the deal."""
        if self._folded is not None:
            return self._folded.turn
        return 0 if self.game is None else self.game.turn

    def fold(self) -> None:
        """Forgets the game and its events. `unfold` plays the game again."""
        game = self.game
        if game is None:
            return
        self._folded = Folded(game.deal, game.turn)
        self.game = None
        self.public_events = []
        for seat in self.seats:
            seat.events = []

    def unfold(self) -> None:
        """Brings the game and its events back, if they are folded."""
        folded = self._folded
        if folded is None:
            return
        self._folded = None
        game = self.game = Game(self.setup.rules, self.setup.seats, folded.deal)
        self.announce(game.start_events)
        for answer in self.answers:
            self.announce(game.apply(answer))
        self.mark_told()

    def batch(self) -> tuple[Output, ...]:
        """The batch: lines first, then what was said, what happened, and what is asked."""
        if not (self._has_news or self._lines or self._said or self._last):
            return ()
        whole = [*self._lines, *self._said]
        if not self.in_process:
            whole += self._news()
        whole += self._last
        self._lines, self._said, self._last = [], [], []
        self._has_news = False
        return tuple(whole)

    def _news(self) -> Iterator[Output]:
        """What happened since the last batch, for each seat and for the public."""
        for seat in self.seats:
            events, told = seat.events, seat.told
            if len(events) > told:
                yield Tell(seat.number, told + 1, tuple(events[told:]))
                seat.told = len(events)
        if len(self.public_events) > self._public_told:
            yield Publish(self._public_told + 1, tuple(self.public_events[self._public_told :]))
            self._public_told = len(self.public_events)

    def void(self, verdict: Verdict, now_ns: int, waiting: Timeline | None = None) -> None:
        """Ends the match without a result: nobody loses. The record says what the match was waiting for."""
        evidence = self.bare_evidence(verdict) if waiting is None else waiting.evidence(verdict, self.held_up)
        self.incident(PlayIncident.VOIDED, now_ns, None, verdict.text, **{EVIDENCE: evidence.plain()})
        self.end_voided(line_text(verdict.text), evidence, now_ns)

    def end_voided(self, why: str, evidence: Evidence | None, now_ns: int) -> None:
        """Writes the end of a match that its record calls voided."""
        verdict = Verdict(AtFault.REFEREE, FAULT, why) if evidence is None else evidence.verdict
        # Everybody gets this, so it has nothing private to one seat.
        self._finish(None, why, now_ns, self.bare_evidence(verdict))

    def end(self, result: Result, now_ns: int) -> None:
        """Ends the match with the result of its game."""
        self._finish(result, None, now_ns)

    def _finish(self, result: Result | None, voided_because: str | None, now_ns: int, evidence: Evidence | None = None) -> None:
        # A match that is voided before its deal has no game. Its end line still has a seed.
        game = self.game or Game(self.setup.rules, self.setup.seats, Deal.from_seed(self.secrets.seed))
        statuses = [seat.status for seat in self.seats]
        run: dict[str, object] = {"at_ms": self.at_ms(now_ns), **versions_run([seat.version for seat in self.seats])}
        self.write(self.scribe.end(game, self.secrets, statuses, run, voided=result is None))
        standings = [
            seat.standing(result.places[seat.number], result.cash[seat.number]) if result else seat.standing(None, None)
            for seat in self.seats
        ]
        self.ended = Ended(
            standings=tuple(standings),
            why=Ending(str(result.reason)) if result else Ending.VOIDED,
            voided_because=voided_because,
            secrets=self.secrets,
            contributions=self.contributions,
            defaults=tuple(tuple(seat.defaults) for seat in self.seats),
            evidence=evidence,
            receipt=self.scribe.receipt(self.setup.match),
        )
        self.say(self.ended)
