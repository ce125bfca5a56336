"""The client's side of a stream, driven by a test: messages of a referee, and what comes out."""

from typing import TypeVar

from mergemaker.v1 import answers_pb2, events_pb2, match_pb2, questions_pb2, referee_pb2, view_pb2
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_client.outputs import Output, Send
from mergemaker_client.protocol import Conversation
from mergemaker_client.wishes import Wishes

MATCH = "m-1"
FIRST, SECOND = "resume-1", "resume-2"
PART = bytes(range(32))
COMMITMENT = bytes(32)

Kind = TypeVar("Kind")


def conversation(wishes: Wishes | None = None) -> Conversation:
    """A new conversation, whose part of a joint deal is known."""
    return Conversation(wishes or Wishes(), lambda: PART)


def welcome(token: str = FIRST, *, resumed: bool = False, matches_max: int = 4) -> PlayResponse:
    """The referee's first message."""
    limits = referee_pb2.Limits(matches_max=matches_max)
    return PlayResponse(welcome=referee_pb2.Welcome(protocol=1, resume_token=token, limits=limits, resumed=resumed))


def offered(match: str = MATCH, mode: match_pb2.DealMode.ValueType = match_pb2.DEAL_MODE_SERVER) -> PlayResponse:
    """A seat in a match."""
    offer = referee_pb2.MatchOffered(seat=2, seats=4, deal_mode=mode, commitment=COMMITMENT)
    return PlayResponse(match=match, match_offered=offer)


def started(match: str = MATCH) -> PlayResponse:
    """A match's beginning."""
    return PlayResponse(
        match=match, match_started=referee_pb2.MatchStarted(bots=[match_pb2.SeatBot(name=name) for name in "abcd"])
    )


def events(*numbers: int) -> list[events_pb2.Event]:
    """Events that begin turns, with these numbers in their match."""
    return [events_pb2.Event(number=number, turn_began=events_pb2.TurnBegan(seat=1, turn=number)) for number in numbers]


def question(number: int = 1, default: int = 3) -> referee_pb2.Decision:
    """A decision about a tile."""
    asked = questions_pb2.Question(seat=2, choose_tile=questions_pb2.ChooseTile(number=1, most=1))
    answers = answers_pb2.LegalAnswers(count=5, listed=answers_pb2.ListedAnswers())
    return referee_pb2.Decision(id=number, view=view_pb2.View(asked=asked), answers=answers, default_index=default)


def asked(number: int = 1) -> PlayResponse:
    """A question to the bot in its match."""
    return PlayResponse(match=MATCH, decision=question(number))


def accepted(number: int) -> PlayResponse:
    """The acknowledgement of an answer."""
    return PlayResponse(match=MATCH, answer_accepted=referee_pb2.AnswerAccepted(decision=number))


def refused(number: int, left: int | None) -> PlayResponse:
    """The refusal of an answer, with the number of tries left."""
    problem = referee_pb2.Problem(reason="dead-tile", text="it would merge two safe chains", rule="PLC-7")
    answer = referee_pb2.AnswerRefused(decision=number, problem=problem, refusals_left=left)
    return PlayResponse(match=MATCH, answer_refused=answer)


def ended(match: str = MATCH) -> PlayResponse:
    """A match's end."""
    return PlayResponse(match=match, match_ended=referee_pb2.MatchEnded(ending=match_pb2.ENDING_DECLARED))


def no_seat(match: str = "", reason: str = "no-match") -> PlayResponse:
    """The refusal of a seat."""
    problem = referee_pb2.Problem(reason=reason, text="there is none")
    return PlayResponse(match=match, request_refused=referee_pb2.RequestRefused(request="take_seat", problem=problem))


def only(kind: type[Kind], outputs: list[Output]) -> list[Kind]:
    """The outputs of one kind."""
    return [output for output in outputs if isinstance(output, kind)]


def requests(outputs: list[Output]) -> list[PlayRequest]:
    """The requests to the referee."""
    return [output.request for output in only(Send, outputs)]


def in_match(wishes: Wishes | None = None) -> Conversation:
    """A conversation whose match has begun."""
    talk = conversation(wishes)
    talk.hello()
    for response in (welcome(), offered(), started()):
        talk.received(response)
    return talk
