"""Checks a client's Hello and its answers."""

from collections.abc import Iterable
from typing import Final

from mergemaker.v1 import referee_pb2
from mergemaker_wire.actions import action_from_message
from mergemaker_wire.errors import WireError

from mergemaker_tools.conformance.cases import Claim
from mergemaker_tools.conformance.dialogues import Question
from mergemaker_tools.conformance.talk import MATCHES_MAX, CaseFailed, Match, Session

NAME_CHARACTERS_MAX: Final = 64
PROTOCOL: Final = 1
BOT: Final = "Conny Ünder-Test"
"""The name that every client gets as MERGEMAKER_BOT."""


def check_hello(hello: referee_pb2.Hello, authorization: str, token: str) -> None:
    """Fails if a Hello does not say what every Hello must say."""
    if authorization != f"Bearer {token}":
        raise CaseFailed(f"the stream's metadata have authorization: {authorization!r}, expected is Bearer and MERGEMAKER_TOKEN")
    if PROTOCOL not in [each or 1 for each in hello.protocols or (1,)]:
        raise CaseFailed(f"Hello.protocols is {list(hello.protocols)}, expected is {PROTOCOL} among them")
    if hello.bot_name != BOT:
        raise CaseFailed(f"Hello.bot_name is {hello.bot_name!r}, expected is MERGEMAKER_BOT, {BOT!r}")
    if not hello.library:
        raise CaseFailed("Hello.library is empty, expected is the library's name and version")
    for name in ("bot_version", "library"):
        text = getattr(hello, name)
        if len(text) > NAME_CHARACTERS_MAX or not text.isprintable():
            raise CaseFailed(f"Hello.{name} is {text!r}, expected are up to {NAME_CHARACTERS_MAX} characters that can be printed")
    if hello.event_mode not in (0, 1, 2):
        raise CaseFailed(f"Hello.event_mode is {hello.event_mode}, which this protocol does not have")
    if hello.matches_max > MATCHES_MAX:
        raise CaseFailed(f"Hello.matches_max is {hello.matches_max}, expected is 0 to {MATCHES_MAX}")


def check_resume(hello: referee_pb2.Hello, session: Session, matches: Iterable[Match], *, expected: bool) -> dict[str, int]:
    """Checks what a Hello says of the earlier session; returns the last event that the client saw, by match."""
    if not expected:
        if hello.HasField("resume"):
            raise CaseFailed("Hello.resume is set, though no Welcome came before")
        return {}
    if not hello.HasField("resume"):
        raise CaseFailed("Hello.resume is not set, though a Welcome came before")
    if hello.resume.resume_token != session.tokens[-1]:
        which = "an old Welcome's" if hello.resume.resume_token in session.tokens else "no Welcome's"
        raise CaseFailed(f"Hello.resume.resume_token is {which}, expected is that of the newest")
    seen = {each.match: each.last_event for each in hello.resume.seen}
    for match in matches:
        if match.begun and not match.over and not match.confirmed <= seen.get(match.name, 0) <= match.told:
            raise CaseFailed(
                f"Hello.resume.seen says {seen.get(match.name, 0)} of the match {match.name}, "
                f"expected is the number of the last event that came: {_span(match.confirmed, match.told)}"
            )
    return seen


def _span(low: int, high: int) -> str:
    return str(high) if low == high else f"{low} to {high}"


def index_of(answer: referee_pb2.Answer, question: Question) -> int | None:
    """The index of a legal answer. None for an offer that is given as an action: there are too many to search."""
    count = len(question.answers)
    if answer.WhichOneof("choice") == "index":
        if answer.index >= count:
            raise CaseFailed(f"the answer is the index {answer.index}; there are answers 0 to {count - 1}")
        return answer.index
    if answer.WhichOneof("choice") is None:
        raise CaseFailed("the answer holds neither an action nor an index")
    try:
        action = action_from_message(answer.action)
    except WireError as error:
        raise CaseFailed(f"the action cannot be read ({error.reason}): {error}") from error
    if action not in question.answers:
        raise CaseFailed("the action is not among the legal answers")
    return None if question.kind == "choose_offer" else question.answers.index(action)


def check_answer(answer: referee_pb2.Answer, question: Question, claim: Claim, *, wanted: str = "") -> None:
    """Checks that an answer is legal. An example bot must give the one that is written down, or the default if that is wanted."""
    decision = question.response.decision
    if answer.decision != decision.id:
        raise CaseFailed(f"the answer names decision {answer.decision}; decision {decision.id} is open")
    index = index_of(answer, question)
    if claim is Claim.ANY:
        return
    right = decision.default_index if wanted == "default" else question.expected[claim]
    if index != right and (index is not None or action_from_message(answer.action) != question.answers[right]):
        what = "the default" if wanted == "default" else f"what {claim} answers"
        came = "another offer" if index is None else f"{index}"
        raise CaseFailed(f"the answer to decision {decision.id} ({question.kind}) is number {came}, expected is {right}, {what}")
