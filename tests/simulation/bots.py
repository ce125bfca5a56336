"""Bots in virtual time. They use the Python client's own `Conversation`; a `Manner` says how they think and fail."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from mergemaker.v1 import actions_pb2, referee_pb2
from mergemaker_client.outputs import Again, Ask, Begin, Close, End, Output, Send
from mergemaker_client.protocol import Conversation
from mergemaker_client.reconnecting import Backoff, Patience
from mergemaker_client.wishes import EventMode, Wishes

from .network import Network
from .streams import Stream
from .ways import NO_WAY, Way
from .world import MS, World

_PATIENT: Final = Patience(first_contact_ms_max=10**9, give_up_ms=10**9)
"""Bots reconnect as long as the world lasts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a bot gets it."""

    match: str
    seat: int
    decision: referee_pb2.Decision
    nonce: bytes
    """The seat's nonce, from which bots derive repeatable chances."""


Chooser: TypeAlias = Callable[[Asked], "actions_pb2.Action | int"]
Thinker: TypeAlias = Callable[[Asked], "int | None"]
"""How long a bot thinks, in nanoseconds; None: it never answers."""


def at_once(asked: Asked) -> int:  # noqa: ARG001 - the question does not matter
    """Takes no time to think."""
    return 0


def first_answer(asked: Asked) -> int:  # noqa: ARG001 - the question does not matter
    """Gives the first of all legal answers."""
    return 0


def by_view(asked: Asked) -> int:
    """Any legal answer, from the seat's nonce and what it may know alone: a repeated match is played the same way."""
    view = asked.decision.view
    chance = Random(f"{asked.nonce.hex()}/{view.last_event}/{view.asked.WhichOneof('kind')}")  # noqa: S311 - repeatable
    return chance.randrange(min(asked.decision.answers.count, 200))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a bot plays."""

    choose: Chooser = by_view
    think: Thinker = at_once
    events: EventMode = EventMode.HELD
    matches: int | None = 1
    """None: all that it can play."""
    matches_at_once: int = 1
    evict: bool = False
    way: Way = NO_WAY


class SimBot:
    """One bot's process: connects, plays, and reconnects when its stream breaks. Subclasses misbehave."""

    def __init__(self, world: World, network: Network, name: str, token: str, manner: Manner) -> None:
        self.world: Final = world
        self.network: Final = network
        self.name: Final = name
        self.token: Final = token
        self.manner: Final = manner
        self.chance: Final = world.chance(f"bot/{name}")
        self.stream: Stream | None = None
        self.is_over = False
        """Whether it has played all its matches, or has given up."""
        self.is_dead = False
        self.ended_with: dict[str, referee_pb2.MatchEnded] = {}
        self._parts = world.chance(f"parts/{name}")
        self._begun: Final[dict[str, tuple[int, bytes]]] = {}
        self._start_anew()

    def _start_anew(self) -> None:
        manner = self.manner
        wishes = Wishes(
            name=self.name,
            library="simulated",
            events=manner.events,
            matches=manner.matches,
            matches_at_once=manner.matches_at_once,
            evict=manner.evict,
        )
        self.conversation = Conversation(wishes, lambda: self._parts.randbytes(32))
        self._backoff = Backoff(_PATIENT, self.chance.random, self.world.now_ns // MS)
        self._begun.clear()

    # --- streams ---

    def connect(self) -> None:
        """Opens a stream and says Hello."""
        if self.is_dead or self.is_over:
            return
        self._backoff.opened(self.world.now_ns // MS)
        self.stream = self.network.play(self.token, _Ear(self), self.manner.way)
        self.say(self.hello())

    def hello(self) -> referee_pb2.PlayRequest:
        """The first request of a stream."""
        return self.conversation.hello()

    def say(self, request: referee_pb2.PlayRequest) -> None:
        """Sends a request."""
        if self.stream is not None:
            self.stream.say(request.SerializeToString())

    def came(self, response: referee_pb2.PlayResponse) -> None:
        """Handles a response."""
        was_welcome = self.conversation.is_welcome
        self.follow(self.conversation.received(response))
        if self.conversation.is_welcome and not was_welcome:
            self._backoff.welcomed()

    def ended(self, code: str, text: str) -> None:
        """Handles a stream's end."""
        next_step = self.conversation.broke(code, text)
        if isinstance(next_step, Again):
            wait = self._backoff.wait_ms(self.world.now_ns // MS, next_step.least_ms, is_playing=self.conversation.is_playing)
            if wait is not None:
                self.world.after(wait * MS, self._reconnect, self.stream)
                return
        self.is_over = True

    def _reconnect(self, before: Stream | None) -> None:
        if self.stream is before:
            self.connect()

    def die(self, back_after_ns: int | None = None, noticed_after_ns: int | None = None) -> None:
        """The process dies and forgets everything; perhaps it is started again."""
        if self.stream is not None:
            self.stream.drop(noticed_after_ns)
        self.stream = None
        self.is_dead = True
        if back_after_ns is not None:
            self.world.after(back_after_ns, self.rise)

    def rise(self) -> None:
        """The process starts again."""
        if self.is_dead:
            self.is_dead = False
            self._start_anew()
            self.connect()

    # --- what the conversation wants done ---

    def follow(self, outputs: list[Output]) -> None:
        """Does what the conversation asks for."""
        for output in outputs:
            match output:
                case Send(request):
                    self.say(request)
                case Begin(match, offered, started):
                    self._begun[match] = offered.seat, started.nonce
                case Ask(match, decision):
                    seat, nonce = self._begun[match]
                    self.asked(Asked(match, seat, decision, nonce))
                case End(match, ended):
                    self.ended_with[match] = ended
                case Close():
                    self.is_over = True
                    if self.stream is not None:
                        self.stream.leave()
                case _:
                    pass

    def asked(self, asked: Asked) -> None:
        """Handles a question."""
        thinks = self.manner.think(asked)
        if thinks is not None:
            self.world.after(thinks, self.answer, self.conversation, asked)

    def answer(self, conversation: Conversation, asked: Asked) -> None:
        """Answers after thinking."""
        if conversation is self.conversation and not self.is_dead:
            self.follow(conversation.answered(asked.match, asked.decision.id, self.manner.choose(asked), self.note()))

    def note(self) -> str:
        """The note with an answer."""
        return ""


class _Ear:
    """One stream's end, so that what an old stream delivers is not taken for the new one's."""

    def __init__(self, bot: SimBot) -> None:
        self._bot: Final = bot
        self._stream: Stream | None = None

    def _is_mine(self) -> bool:
        # The first response arrives after the bot has the stream.
        self._stream = self._stream or self._bot.stream
        return self._bot.stream is self._stream and not self._bot.is_dead

    def came(self, response: bytes) -> None:
        if self._is_mine():
            self._bot.came(referee_pb2.PlayResponse.FromString(response))

    def ended(self, code: str, text: str) -> None:
        if self._is_mine():
            self._bot.ended(code, text)
