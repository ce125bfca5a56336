"""A referee of a few lines for the client's tests: one gRPC service, matches without a clock, and faults that a test plans.

The client has seat 0 of every match; all other seats take the default.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NoReturn

import grpc
from mergemaker.v1 import match_pb2, referee_pb2, referee_pb2_grpc
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_engine.bounds import answer_bounds
from mergemaker_engine.deal import Deal, derived_seed
from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.defaults import default_answer
from mergemaker_engine.effects import choice_effects
from mergemaker_engine.errors import EngineError
from mergemaker_engine.events import Event, seen_by
from mergemaker_engine.game import Game
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import Status
from mergemaker_engine.record.standings import Standing
from mergemaker_engine.rules import Rules, preset
from mergemaker_wire.actions import action_from_message
from mergemaker_wire.answers import answers_to_message, effect_to_message
from mergemaker_wire.enums import DEAL_MODES
from mergemaker_wire.events import event_to_message
from mergemaker_wire.matches import standing_to_message
from mergemaker_wire.rules import rules_to_message
from mergemaker_wire.views import view_to_message

from mergemaker_testkit.toy_deal import ToyDeal

TOKEN: Final = "mms_the-seat"  # noqa: S105 - nobody else takes it
SEAT: Final = 0
NONCE: Final = bytes(range(32))
_THREADS_MAX: Final = 8
_SETTLE_LIMIT_S: Final = 20
_STOP_GRACE_S: Final = 0.1


class ToyMatch:
    """One match from the view of the client's seat."""

    def __init__(self, match: str, rules: Rules, seats: int, seed: bytes, mode: DealMode) -> None:
        self.id: Final = match
        self.deal: Final = ToyDeal(match, seats, seed, mode)
        self._rules: Final = rules
        self._seats: Final = seats
        self.decision_id = 0
        self.answers: list[tuple[int, str]] = []
        """The answers: decision and note."""
        self.refusals = 0
        self.seen: list[Event] = []
        self.started = False
        self.ended = False
        if mode is not DealMode.JOINT:
            self.begin()

    def begin(self) -> None:
        """Deals, and plays up to the first question."""
        self.game = Game(self._rules, self._seats, Deal.from_seed(self.deal.seed))
        self._note(self.game.start_events)
        self._go_on()

    def _note(self, events: tuple[Event, ...]) -> None:
        self.seen += seen_by(SEAT, events)

    def _go_on(self) -> None:
        """Plays up to the next question for the client's seat."""
        game = self.game
        while (decision := game.decision) is not None:
            if decision.seat == SEAT and (len(game.legal()) > 1 or isinstance(decision, ChooseReply)):
                self.decision_id += 1
                return
            self._note(game.apply(default_answer(game)[1]))

    def answer(self, answer: referee_pb2.Answer) -> str:
        """Takes an answer; returns the reason of a refusal, or nothing."""
        if answer.decision != self.decision_id:
            return "stale-decision"
        legal = self.game.legal()
        try:
            action = legal[answer.index] if answer.WhichOneof("choice") == "index" else action_from_message(answer.action)
            events = self.game.apply(action)
        except EngineError as error:
            self.refusals += 1
            return error.reason
        self.answers.append((answer.decision, answer.note))
        self._note(events)
        self._go_on()
        return ""

    def offered(self) -> PlayResponse:
        return PlayResponse(
            match=self.id,
            match_offered=referee_pb2.MatchOffered(
                seat=SEAT,
                seats=self._seats,
                rules=rules_to_message(self._rules),
                clock=match_pb2.ClockTerms(name="none"),
                faults=match_pb2.FaultTerms(refusals_max=3, defaults_max=5),
                deal_mode=DEAL_MODES.numbers[self.deal.mode],
                commitment=self.deal.commitment,
                promise_match=self.id,
            ),
        )

    def start(self) -> PlayResponse:
        bots = [match_pb2.SeatBot(name=name) for name in ("client", *["default"] * (self.game.seats - 1))]
        view = view_to_message(self.game.view(SEAT), len(self.seen))
        return PlayResponse(match=self.id, match_started=referee_pb2.MatchStarted(bots=bots, nonce=NONCE, view=view))

    def news(self, behind: int) -> PlayResponse:
        """The new events, and the open decision or the end."""
        events = [event_to_message(event, behind + place) for place, event in enumerate(self.seen[behind:], start=1)]
        response = PlayResponse(match=self.id, events=events)
        game = self.game
        if game.decision is not None:
            view = game.view(SEAT)
            effects = choice_effects(view)
            response.decision.CopyFrom(
                referee_pb2.Decision(
                    id=self.decision_id,
                    view=view_to_message(view, len(self.seen)),
                    answers=answers_to_message(answer_bounds(game)),
                    default_index=default_answer(game)[0],
                    effects=[effect_to_message(effect) for effect in effects],
                    time_left_ms=60_000,
                )
            )
        else:
            self.ended = True
            result = game.result
            assert result is not None
            standings = [
                standing_to_message(
                    Standing(
                        seat=seat, bot=f"bot {seat}", cash=cash, place=result.places[seat], status=Status.FINISHED, faults={}
                    )
                )
                for seat, cash in enumerate(result.cash)
            ]
            ended = referee_pb2.MatchEnded(ending=match_pb2.ENDING_DECLARED, standings=standings, proof=self.deal.proof())
            response.match_ended.CopyFrom(ended)
        return response


@dataclass(kw_only=True)
class Plan:
    """The toy's instructions."""

    matches: int = 1
    seats: int = 2
    rules: Rules = field(default_factory=lambda: preset("renegade-classic"))
    token: str = TOKEN
    drop_unanswered: set[int] = field(default_factory=set)
    """Answers, counted from 1, at which the stream drops before the toy looks at them."""
    drop_unacknowledged: set[int] = field(default_factory=set)
    """Answers that the toy applies before the stream drops without a response."""
    forget_sessions: bool = False
    """Whether it knows no resume token."""
    take_over: bool = False
    """Whether a goodbye replaces the first acknowledgement."""
    ping: bool = False
    """Whether a ping follows each decision."""
    abort_with: tuple[grpc.StatusCode, str] | None = None
    """The status with which every stream ends at once."""
    settle_when: threading.Event | None = None
    """Once it is set, the open decision gets its default, once, without an answer."""
    mode: DealMode = DealMode.PLAIN
    """Where the seed of each deal comes from."""
    distort: Callable[[PlayResponse], object] = lambda _: None
    """Changes each response before it goes out: this is how the toy lies."""
    on_request: Callable[[PlayRequest], None] = lambda _: None
    """Called with each request."""


class ToyReferee(referee_pb2_grpc.RefereeServiceServicer):
    """The service. It keeps its state after a stream ends."""

    def __init__(self, plan: Plan) -> None:
        self.plan: Final = plan
        self.port = 0
        self.heard: list[PlayRequest] = []
        self.metadata: list[dict[str, str]] = []
        self.streams = 0
        self.matches: Final = [
            ToyMatch(f"toy-{number}", plan.rules, plan.seats, derived_seed(bytes(32), "toy", number), plan.mode)
            for number in range(plan.matches)
        ]
        self._answers = 0
        self._token = ""

    @property
    def target(self) -> str:
        """Its address."""
        return f"grpc://127.0.0.1:{self.port}"

    def Play(  # noqa: N802 - the generated name
        self, request_iterator: Iterator[PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[PlayResponse]:
        for response in self._said(request_iterator, context):
            self.plan.distort(response)
            yield response

    def _said(self, request_iterator: Iterator[PlayRequest], context: grpc.ServicerContext) -> Iterator[PlayResponse]:
        self.streams += 1
        self.metadata.append({str(key): str(value) for key, value in context.invocation_metadata()})
        if self.plan.abort_with:
            context.abort(*self.plan.abort_with)
        if self.metadata[-1].get("authorization") != f"Bearer {self.plan.token}":
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "unknown-token: nobody has this token")
        requests = self._listened(request_iterator)
        hello = next(requests).hello
        is_known = bool(self._token) and hello.resume.resume_token == self._token and not self.plan.forget_sessions
        self._token = f"mmr_resume-{self.streams}"
        welcome = referee_pb2.Welcome(
            protocol=1, session="toy", resume_token=self._token, limits=referee_pb2.Limits(matches_max=4), resumed=is_known
        )
        yield PlayResponse(welcome=welcome)
        if is_known:
            seen = {match.match: match.last_event for match in hello.resume.seen}
            for match in self.matches:
                if match.started and not match.ended:
                    yield match.offered()
                    yield match.start()
                    yield match.news(seen.get(match.id, 0))
        for request in requests:
            yield from self._responses(request, context)
            if self.plan.settle_when is not None and request.HasField("answer"):
                yield from self._settled(self.plan.settle_when)

    def _listened(self, requests: Iterator[PlayRequest]) -> Iterator[PlayRequest]:
        for request in requests:
            self.heard.append(request)
            self.plan.on_request(request)
            yield request

    def _responses(self, request: PlayRequest, context: grpc.ServicerContext) -> Iterator[PlayResponse]:
        match request.WhichOneof("kind"):
            case "take_seat":
                yield from self._seat(request)
            case "answer":
                yield from self._answered(request, context)
            case "seat_ready":
                yield self._match(request).deal.committed(request.seat_ready.commitment)
            case "seat_reveal":
                found = self._match(request)
                found.deal.reveal(request.seat_reveal.part)
                found.begin()
                yield found.start()
                yield found.news(0)
            case _:
                return
        if self.plan.ping:
            yield PlayResponse(ping=referee_pb2.Ping(id=7))

    def _seat(self, request: PlayRequest) -> Iterator[PlayResponse]:
        free = [match for match in self.matches if (match.id == request.match if request.match else not match.started)]
        if not free or free[0].ended:
            problem = referee_pb2.Problem(reason="no-match", text="there is no match for this token")
            yield PlayResponse(
                match=request.match, request_refused=referee_pb2.RequestRefused(request="take_seat", problem=problem)
            )
            return
        free[0].started = True
        yield free[0].offered()
        if self.plan.mode is DealMode.JOINT:
            return  # it continues after the seat reveals its part
        yield free[0].start()
        yield free[0].news(0)

    def _match(self, request: PlayRequest) -> ToyMatch:
        return next(match for match in self.matches if match.id == request.match)

    def _answered(self, request: PlayRequest, context: grpc.ServicerContext) -> Iterator[PlayResponse]:
        self._answers += 1
        if self._answers in self.plan.drop_unanswered:
            self._drop(context)
        found = self._match(request)
        seen = len(found.seen)
        refused = found.answer(request.answer)
        if self._answers in self.plan.drop_unacknowledged:
            self._drop(context)
        if self.plan.take_over:
            text = "another process has it"
            yield PlayResponse(goodbye=referee_pb2.Goodbye(reason="taken-over", text=text, reconnect=False))
            context.abort(grpc.StatusCode.ABORTED, text)
        if refused:
            problem = referee_pb2.Problem(reason=refused, text="it cannot be", rule="PLC-1")
            is_open = request.answer.decision == found.decision_id
            yield PlayResponse(
                match=found.id,
                answer_refused=referee_pb2.AnswerRefused(
                    decision=request.answer.decision, problem=problem, refusals_left=2 if is_open else None
                ),
            )
            return
        accepted = referee_pb2.AnswerAccepted(decision=request.answer.decision)
        yield PlayResponse(match=found.id, answer_accepted=accepted)
        yield found.news(seen)

    def _settled(self, when: threading.Event) -> Iterator[PlayResponse]:
        """Waits until the bot thinks, and takes the default for it."""
        when.wait(_SETTLE_LIMIT_S)
        self.plan.settle_when = None
        match = self.matches[0]
        seen, number = len(match.seen), match.decision_id
        match.answer(referee_pb2.Answer(decision=number, index=default_answer(match.game)[0]))
        taken = referee_pb2.DefaultTaken(decision=number, cause=match_pb2.FAULT_CAUSE_TIMEOUT, text="late", defaults_left=4)
        yield PlayResponse(match=match.id, default_taken=taken)
        yield match.news(seen)

    def _drop(self, context: grpc.ServicerContext) -> NoReturn:
        context.abort(grpc.StatusCode.UNAVAILABLE, "the toy dropped the stream")
        raise AssertionError("abort raises")


@contextmanager
def toy_referee(plan: Plan | None = None, port: int = 0) -> Iterator[ToyReferee]:
    """A toy that listens on loopback."""
    toy = ToyReferee(plan or Plan())
    server = grpc.server(
        ThreadPoolExecutor(_THREADS_MAX),
        options=[("grpc.so_reuseport", 0), ("grpc.http2.min_ping_interval_without_data_ms", 500)],
    )
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(toy, server)
    toy.port = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield toy
    finally:
        server.stop(_STOP_GRACE_S).wait()
