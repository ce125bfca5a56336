"""Bots that send impossible requests."""

from collections.abc import Callable
from typing import Final

from mergemaker.v1 import actions_pb2, referee_pb2

from tests.chaos.broken_bot import Broken
from tests.chaos.broken_talk import Talk

GARBAGE: Final = b"\xff\xff\xff\xff\x00not a message"


def answers_each(answer: Callable[[Talk, referee_pb2.Decision], None]) -> Callable[[Broken], None]:
    """Answers each question wrongly, and again after the refusal."""

    def plays(bot: Broken) -> None:
        talk = bot.seated()
        asked: referee_pb2.Decision | None = None
        while not talk.is_over:
            response = talk.next()
            if response.HasField("decision"):
                asked = response.decision
            if asked is not None and (response.HasField("decision") or response.HasField("answer_refused")):
                if not response.HasField("decision") and not response.answer_refused.refusals_left:
                    continue
                answer(talk, asked)

    return plays


def _places_what_it_does_not_have(talk: Talk, decision: referee_pb2.Decision) -> None:
    square = next(each for each in range(108) if each not in decision.view.hand)
    place = actions_pb2.Action(place=actions_pb2.Place(square=square))
    talk.send(referee_pb2.PlayRequest(match=talk.match, answer=referee_pb2.Answer(decision=decision.id, action=place)))


def _chooses_nothing(talk: Talk, decision: referee_pb2.Decision) -> None:
    talk.send(referee_pb2.PlayRequest(match=talk.match, answer=referee_pb2.Answer(decision=decision.id)))


def answers_once(answer: Callable[[Talk, referee_pb2.Decision], None]) -> Callable[[Broken], None]:
    """Gives each question one invalid answer, and nothing more."""

    def plays(bot: Broken) -> None:
        talk = bot.seated()
        for decision in talk.decisions():
            answer(talk, decision)

    return plays


def sends_while_asked(*requests: bytes) -> Callable[[Broken], None]:
    def plays(bot: Broken) -> None:
        talk, _ = bot.asked()
        for request in requests:
            talk.send(request)
        talk.listen()

    return plays


def garbage_for_a_hello(bot: Broken) -> None:
    talk = bot.open()
    talk.send(GARBAGE)
    talk.listen()


def garbage_for_a_seat(bot: Broken) -> None:
    talk = bot.open()
    talk.hello()
    talk.until("welcome")
    talk.send(GARBAGE)
    talk.listen()


def half_a_message() -> bytes:
    whole = referee_pb2.PlayRequest(match="0123456789ab", answer=referee_pb2.Answer(decision=1, index=0, note="half of this"))
    data = whole.SerializeToString()
    return data[: len(data) // 2]
