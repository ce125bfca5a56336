"""The client's side of a stream, without I/O: messages go in, and actions to take come out.

A `Conversation` outlives its streams. It knows the session and, for each match, the last event, the question and the
answer. Its driver opens a stream and sends `hello()`, passes on every response (`received`), every answer of the bot
(`answered`) and every break (`broke`), and carries out the outputs in order. It keeps messages as they came: their users
read what is in them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from mergemaker.v1 import actions_pb2, events_pb2, match_pb2, referee_pb2
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_engine.record.public_log import HASH_BYTES, Head
from mergemaker_engine.rules import KNOB_SINCE

from mergemaker_client.deal_check import Promise
from mergemaker_client.evidence import asked_by, default_text, evidence_text, problem_text
from mergemaker_client.outputs import Again, Ask, Begin, Close, Decline, End, Notice, Output, Over, Send, Tell
from mergemaker_client.problems import RefusedByReferee
from mergemaker_client.progress import MatchTalk, Progress
from mergemaker_client.statuses import ALIVE, DISPLACED, FINAL, TAKEN_OVER, advice, taken_over
from mergemaker_client.wishes import EventMode, Wishes

PROTOCOL: Final = 1
"""The version of the protocol that this client speaks."""
CAPABILITIES: Final = ("joint-deal",)
"""What this client does beyond what every client does."""
KNOB_PREFIX: Final = "knob:"
UNKNOWN_REQUIREMENT: Final = "unknown-requirement"
NAME_CHARACTERS_MAX: Final = 64
_OF_THE_DEAL: Final = frozenset({"seat_ready", "seat_reveal"})
"""Requests that contribute a seat's part to the deal."""

_EVENT_MODES: Final = {
    EventMode.HELD: referee_pb2.EVENT_MODE_HELD,
    EventMode.IMMEDIATE: referee_pb2.EVENT_MODE_IMMEDIATE,
}

_Handler: TypeAlias = Callable[[list[Output], str, Any], None]
Choice: TypeAlias = actions_pb2.Action | int
"""An answer: an action, or an index into the legal answers."""


def unknown_requirement(offered: referee_pb2.MatchOffered) -> str | None:
    """What a match requires that is unknown here, such as a knob of its rules; None if everything is known."""
    required = [*offered.requires, *(f"{KNOB_PREFIX}{name}" for name in offered.rules.newer_knobs)]
    known = {*CAPABILITIES, *(f"{KNOB_PREFIX}{name}" for name in KNOB_SINCE)}
    return next((name[:NAME_CHARACTERS_MAX] for name in required if name not in known), None)


class Conversation:
    """One bot's conversation with one referee, over as many streams as it takes."""

    def __init__(self, wishes: Wishes, fresh_part: Callable[[], bytes]) -> None:
        self._wishes = wishes
        self._fresh_part = fresh_part
        self._resume_token = ""
        self._is_welcome = False
        self._limit = 1
        """How many matches at once the referee allows."""
        self._goodbye: referee_pb2.Goodbye | None = None
        self._closing: Close | None = None
        self._progress = Progress()
        self._handlers: Final[dict[str, _Handler]] = {
            "welcome": self._welcome,
            "match_offered": self._match_offered,
            "seats_committed": self._seats_committed,
            "match_started": self._match_started,
            "answer_accepted": self._answer_accepted,
            "answer_refused": self._answer_refused,
            "default_taken": self._default_taken,
            "events": self._events,
            "decision": self._decision,
            "match_ended": self._match_ended,
            "request_refused": self._request_refused,
            "ping": self._ping,
            "goodbye": self._say_goodbye,
        }

    @property
    def is_welcome(self) -> bool:
        """Whether the stream's Hello was answered."""
        return self._is_welcome

    @property
    def is_playing(self) -> bool:
        """Whether a match goes on."""
        return bool(self._progress.matches)

    @property
    def is_closed(self) -> bool:
        """Whether everything is done."""
        return self._closing is not None

    def hello(self) -> PlayRequest:
        """The first request of a new stream."""
        self._is_welcome = False
        self._goodbye = None
        wishes = self._wishes
        request = PlayRequest()
        hello = request.hello
        hello.protocols.append(PROTOCOL)
        hello.capabilities.extend(CAPABILITIES)
        hello.bot_name = wishes.name
        hello.bot_version = wishes.version
        hello.library = wishes.library
        hello.event_mode = _EVENT_MODES[wishes.events]
        hello.matches_max = wishes.matches_at_once
        hello.evict = wishes.evict
        if self._resume_token:
            hello.resume.resume_token = self._resume_token
            for match in self._progress.matches.values():
                hello.resume.seen.add(match=match.id, last_event=match.last_event)
        return request

    def received(self, response: PlayResponse) -> list[Output]:
        """Takes a response. Reads its fields in their order, and skips unknown ones."""
        outputs: list[Output] = []
        about = response.match
        for descriptor, value in response.ListFields():
            handler = self._handlers.get(descriptor.name)
            if handler is not None:
                handler(outputs, about, value)
        self._close_if_done(outputs)
        return outputs

    def answered(self, about: str, decision: int, choice: Choice, note: str = "") -> list[Output]:
        """Takes the bot's answer. Drops it if its time is over, and keeps it while there is no stream."""
        match = self._progress.matches.get(about)
        if match is None or not self.is_open(about, decision) or match.answer is not None:
            return []
        return self._answer(match, choice, note)

    def is_open(self, about: str, decision: int) -> bool:
        """Whether an answer to a question still counts: it is the last question, and was not settled without the bot."""
        match = self._progress.matches.get(about)
        return match is not None and match.decision is not None and match.decision.id == decision and match.is_open

    def broke(self, code: str, text: str) -> Again | Over:
        """Takes the end of a stream: the name of its status, and its text."""
        self._is_welcome = False
        if self._closing is not None:
            return Over(self._closing.problem)
        goodbye = self._goodbye
        if code == ALIVE and self._resume_token:
            # The live session may be our own: the referee has not noticed its end yet.
            return Again(0)
        if code == DISPLACED or (goodbye and goodbye.reason == TAKEN_OVER):
            return Over(taken_over())
        is_done = not self._progress.matches and self._progress.played > 0
        if is_done and goodbye and not goodbye.reconnect:
            return Over(None)
        if code in FINAL:
            reason = goodbye.reason if goodbye else code.lower().replace("_", "-")
            return Over(RefusedByReferee(reason, advice(code, goodbye.text if goodbye else text)))
        if goodbye and not goodbye.reconnect:
            return Over(RefusedByReferee(goodbye.reason, f"the referee ended the stream for good: {goodbye.text}"))
        if is_done and code == "OK":
            return Over(None)
        return Again(goodbye.reconnect_after_ms if goodbye else 0)

    # The possible contents of a response, in the order of its fields.

    def _welcome(self, outputs: list[Output], _: str, welcome: referee_pb2.Welcome) -> None:
        was_known = bool(self._resume_token)
        self._is_welcome = True
        self._resume_token = welcome.resume_token
        self._limit = max(1, welcome.limits.matches_max)
        progress = self._progress
        progress.waiting = 0
        head = Head(welcome.log_head.entries, welcome.log_head.hash)
        if len(head.hash) == HASH_BYTES:
            outputs.append(Notice(f"the referee's public log: head {head}"))
        if was_known and not welcome.resumed:
            outputs.append(Notice("the referee no longer knows the session: the seats are claimed again"))
            for match in progress.matches.values():
                request = PlayRequest(match=match.id)
                request.take_seat.seat = match.promise.offered.seat
                outputs.append(Send(request))
        self._take_seats(outputs)

    def _match_offered(self, outputs: list[Output], about: str, offered: referee_pb2.MatchOffered) -> None:
        progress = self._progress
        if about in progress.over:
            # A seat's own token brings the same match again, to show its result: there is no other.
            progress.waiting = max(0, progress.waiting - 1)
            progress.refusal = RefusedByReferee("match-over", f"the match {about} is over, and there is no other for this token")
            return
        match = progress.matches.get(about)
        if match is None and (unknown := unknown_requirement(offered)) is not None:
            self._decline(outputs, about, unknown)
            return
        if match is None:
            match = progress.matches[about] = MatchTalk(about, Promise(about, offered))
            progress.waiting = max(0, progress.waiting - 1)
        promise = match.promise
        promise.shown_again(offered)
        if promise.is_joint and promise.is_made and not match.begun:
            promise.part = promise.part or self._fresh_part()
            request = PlayRequest(match=about)
            request.seat_ready.commitment = promise.own_commitment()
            outputs.append(Send(request))

    def _seats_committed(self, outputs: list[Output], about: str, committed: referee_pb2.SeatsCommitted) -> None:
        match = self._progress.matches.get(about)
        if match is not None and match.promise.part:
            promise = match.promise
            if promise.seats is not None and promise.seats != tuple(committed.commitments):
                promise.is_changed = True
            promise.seats = promise.seats or tuple(committed.commitments)
            promise.is_revealed = True
            request = PlayRequest(match=about)
            request.seat_reveal.part = promise.part
            outputs.append(Send(request))

    def _match_started(self, outputs: list[Output], about: str, started: referee_pb2.MatchStarted) -> None:
        match = self._progress.matches.get(about)
        if match is not None and not match.begun:
            match.begun = True
            outputs.append(Begin(about, match.promise.offered, started))

    def _answer_accepted(self, _: list[Output], about: str, accepted: referee_pb2.AnswerAccepted) -> None:
        match = self._progress.matches.get(about)
        if match is not None and match.decision is not None and match.decision.id == accepted.decision:
            match.is_open = False

    def _answer_refused(self, outputs: list[Output], about: str, refused: referee_pb2.AnswerRefused) -> None:
        match = self._progress.matches.get(about)
        problem = refused.problem
        said = f"the answer to decision {refused.decision} was refused {problem_text(problem)}"
        said += f"; {evidence_text(refused.evidence)}" if refused.HasField("evidence") else asked_by(problem.trace)
        decision = match.decision if match else None
        if match is None or decision is None or decision.id != refused.decision or not refused.HasField("refusals_left"):
            outputs.append(Notice(said, about))
            return
        outputs.append(Decline(about, decision, problem, said))
        if refused.refusals_left and match.is_open and not match.fell_back:
            match.fell_back = True
            outputs.extend(self._answer(match, decision.default_index, ""))

    def _default_taken(self, outputs: list[Output], about: str, taken: referee_pb2.DefaultTaken) -> None:
        match = self._progress.matches.get(about)
        if match is not None and match.decision is not None and match.decision.id == taken.decision:
            match.is_open = False
        if match is not None:
            match.told_defaults.add(taken.decision)
        outputs.append(Notice(default_text(taken), about))

    def _events(self, outputs: list[Output], about: str, events: Sequence[events_pb2.Event]) -> None:
        match = self._progress.matches.get(about)
        if match is None:
            return
        last = match.last_event
        # After a resume, events may come again that were seen before.
        fresh = [event for event in events if event.number > last] if events[0].number <= last else list(events)
        if fresh:
            match.last_event = fresh[-1].number
            outputs.append(Tell(about, fresh))

    def _decision(self, outputs: list[Output], about: str, decision: referee_pb2.Decision) -> None:
        match = self._progress.matches.get(about)
        if match is None or (match.decision is not None and decision.id < match.decision.id):
            return
        if match.decision is not None and decision.id == match.decision.id:
            # The question comes again after a resume. The bot still thinks about it, or its answer may never have arrived.
            if match.answer is not None:
                match.is_open = True
                outputs.append(Send(match.answer))
            return
        match.decision = decision
        match.answer = None
        match.is_open = True
        match.fell_back = False
        if decision.view.asked.WhichOneof("kind") is None or decision.answers.WhichOneof("kind") is None:
            outputs.append(
                Notice(f"decision {decision.id} is of a kind that only a newer client knows: answered its default", about)
            )
            outputs.extend(self._answer(match, decision.default_index, ""))
        else:
            outputs.append(Ask(about, decision))

    def _match_ended(self, outputs: list[Output], about: str, ended: referee_pb2.MatchEnded) -> None:
        progress = self._progress
        match = progress.matches.pop(about, None)
        if match is None:
            return
        progress.played += 1
        progress.over.add(about)
        progress.refusal = None
        # It learns now of the defaults that were taken for it while it was away.
        untold = [taken for taken in ended.defaults if taken.decision not in match.told_defaults]
        outputs.extend(Notice(default_text(taken), about) for taken in untold)
        if ended.HasField("voided"):
            outputs.append(Notice(f"the match was voided; {evidence_text(ended.voided)}", about))
        outputs.append(End(about, ended, match.promise))
        self._take_seats(outputs)

    def _request_refused(self, outputs: list[Output], about: str, refused: referee_pb2.RequestRefused) -> None:
        problem = refused.problem
        said = f"{refused.request} was refused {problem_text(problem)}{asked_by(problem.trace)}"
        progress = self._progress
        if refused.request != "take_seat":
            match = progress.matches.get(about)
            if match is not None and refused.request in _OF_THE_DEAL:
                match.promise.is_refused = True
            outputs.append(Notice(said, about))
            return
        refusal = RefusedByReferee(problem.reason, f"the referee gives no seat {problem_text(problem)}{asked_by(problem.trace)}")
        match = progress.matches.pop(about, None) if about else None
        if match is not None:
            # The seat was claimed after the session was lost, and is lost, too.
            progress.played += 1
            ended = referee_pb2.MatchEnded(ending=match_pb2.ENDING_VOIDED, text=said)
            outputs.extend([Notice(said, about), End(about, ended, match.promise)])
        else:
            progress.waiting = max(0, progress.waiting - 1)
        progress.refusal = refusal

    def _ping(self, outputs: list[Output], _: str, ping: referee_pb2.Ping) -> None:
        request = PlayRequest()
        request.pong.id = ping.id
        outputs.append(Send(request))

    def _say_goodbye(self, outputs: list[Output], _: str, goodbye: referee_pb2.Goodbye) -> None:
        self._goodbye = goodbye
        outputs.append(Notice(f"the referee ends the stream ({goodbye.reason}): {goodbye.text}{asked_by(goodbye.trace)}"))

    # Consequences.

    def _decline(self, outputs: list[Output], about: str, unknown: str) -> None:
        """Gives a seat back: this library cannot play its match."""
        progress = self._progress
        progress.waiting = max(0, progress.waiting - 1)
        text = f"the match requires {unknown!r}, which this library does not know: a newer one may know it"
        progress.unknown = RefusedByReferee(UNKNOWN_REQUIREMENT, f"the seat was declined: {text}")
        outputs.append(Notice(f"{text}; the seat is declined", about))
        request = PlayRequest(match=about)
        request.decline_seat.reason = UNKNOWN_REQUIREMENT
        request.decline_seat.text = text
        outputs.append(Send(request))
        if about not in progress.declined:
            progress.declined.add(about)
            self._take_seats(outputs)

    def _answer(self, match: MatchTalk, choice: Choice, note: str) -> list[Output]:
        assert match.decision is not None, "what is answered was asked"
        request = PlayRequest(match=match.id)
        answer = request.answer
        answer.decision = match.decision.id
        if isinstance(choice, int):
            answer.index = choice
        else:
            answer.action.CopyFrom(choice)
        answer.note = note
        match.answer = request
        return [Send(request)] if self._is_welcome else []

    def _take_seats(self, outputs: list[Output]) -> None:
        """Asks for as many seats as are wanted and allowed at once."""
        progress = self._progress
        if progress.refusal is not None:
            return
        taken = len(progress.matches) + progress.waiting
        room = min(self._wishes.matches_at_once, self._limit) - taken
        if self._wishes.matches is not None:
            room = min(room, self._wishes.matches - progress.played - taken)
        for _ in range(room):
            progress.waiting += 1
            request = PlayRequest()
            request.take_seat.SetInParent()
            outputs.append(Send(request))

    def _close_if_done(self, outputs: list[Output]) -> None:
        progress = self._progress
        if progress.matches or progress.waiting or self._closing or not self._is_welcome:
            return
        self._closing = Close(None if progress.played else progress.unknown or progress.refusal)
        outputs.append(self._closing)
