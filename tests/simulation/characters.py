"""How bots misbehave at random: a seat's habits (`Habits`), and the bot that has them (`WildBot`).

Its habits alone decide what it may be blamed for: the checks compare the record with `may_be_blamed_for`.
"""

from dataclasses import dataclass
from typing import Final

from mergemaker.v1 import actions_pb2, referee_pb2
from mergemaker_client.outputs import Again
from mergemaker_engine.record.lines import AnsweredBy

from .bots import Asked, Manner, SimBot, by_view
from .network import Network
from .world import MS, S, World

WRONG_TIMES_MAX: Final = 4
"""Wrong answers at one decision: three of them lead to the default."""
SILENCES_NS: Final = (-MS, -1, 0, 1, MS)
"""By how much an answer misses the moment when its time is up."""
BACK_BEFORE_NS: Final = 25 * MS
"""A bot that was cut off returns this long before the last moment: short delays of ours, there and back, are its own risk."""
AWAY_NS_MAX: Final = 30 * S
"""On a slow clock, it returns far sooner than it must."""
ODD: Final = "nowhere"
"""A match that does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """A bot's habits. A fraction is the chance of a habit at one decision."""

    name: str
    comes_after_ns: int | None = 0
    """When its process is started; None: never."""
    thinks_ns: int = 0
    """At most, far below any allowance."""
    spends: float = 0
    """Thinks so long that its bank pays a part."""
    silent: float = 0
    late: float = 0
    """Answers close to the moment when its time is up."""
    wrong: float = 0
    doubles: float = 0
    """Repeats requests, answers past or future questions, and asks for odd things."""
    breaks: float = 0
    stands_still: float = 0
    freezes: float = 0
    """Reads nothing for a while."""
    dies: float = 0
    dies_for_good: bool = False
    resigns: float = 0
    raves: float = 0
    """Sends bytes that are no request."""
    is_cut_off: float = 0
    """Its connection breaks through no fault of its own; it returns in time, though the referee may be held up then."""
    is_displaced: float = 0
    """Another process of the same bot takes its place."""
    pongs: bool = True
    is_forgetful: bool = False
    """Reconnects with a used resume token."""
    withholds: str = ""
    """In joint mode: the request that it never sends."""

    @property
    def is_gone_at_times(self) -> bool:
        """Whether its connection may be gone during a question, through its own doing or bad luck."""
        return bool(self.breaks or self.stands_still or self.freezes or self.dies or self.raves or not self.pongs)

    @property
    def stays(self) -> bool:
        """Whether it stays from the beginning to the end, except for breaks through no fault of its own."""
        return self.comes_after_ns == 0 and not self.is_gone_at_times

    @property
    def may_be_blamed_for(self) -> frozenset[AnsweredBy]:
        """The faults that its defaults may name; none for a good bot."""
        causes: set[AnsweredBy] = set()
        if self.silent or self.late:
            causes |= {AnsweredBy.TIMEOUT}
        if self.is_gone_at_times:
            causes |= {AnsweredBy.TIMEOUT, AnsweredBy.DISCONNECTED}
        if self.wrong:
            causes |= {AnsweredBy.ILLEGAL, AnsweredBy.PROTOCOL}
        if causes:
            causes |= {AnsweredBy.AUTOPILOT}
        if self.resigns:
            causes |= {AnsweredBy.RESIGNED}
        if self.comes_after_ns is None or self.comes_after_ns > S or self.withholds or self.is_gone_at_times:
            causes |= {AnsweredBy.NEVER_JOINED}
        return frozenset(causes)


GOOD: Final = Habits(name="good")
"""Answers at once, and correctly."""

CUT_OFF: Final = Habits(name="cut off", is_cut_off=0.15)
"""Replaces some good ones."""

CHARACTERS: Final = (
    Habits(name="quick", thinks_ns=40 * MS),
    Habits(name="spender", spends=0.4),
    Habits(name="silent", silent=0.15),
    Habits(name="mute", silent=1),
    Habits(name="late", late=0.5),
    Habits(name="wrong", wrong=0.3),
    Habits(name="wrong and late", wrong=0.2, late=0.2),
    Habits(name="chatty", doubles=0.5, thinks_ns=5 * MS),
    Habits(name="reconnecting", breaks=0.15, thinks_ns=20 * MS),
    Habits(name="forgetful", breaks=0.15, is_forgetful=True),
    Habits(name="standing still", stands_still=0.05),
    Habits(name="slow reader", freezes=0.05),
    Habits(name="dying", dies=0.1),
    Habits(name="dying for good", dies=0.1, dies_for_good=True),
    Habits(name="resigning", resigns=0.05),
    Habits(name="raving", raves=0.1),
    Habits(name="displaced", is_displaced=0.05),
    Habits(name="without pongs", pongs=False, thinks_ns=40 * MS),
    Habits(name="never there", comes_after_ns=None),
    Habits(name="too late", comes_after_ns=40 * S),
    Habits(name="keeps its promise back", withholds="seat_ready"),
    Habits(name="keeps its part back", withholds="seat_reveal"),
)


class WildBot(SimBot):
    """A bot with habits. Each of its answers has a unique note, which identifies it in the record."""

    def __init__(self, world: World, network: Network, name: str, token: str, manner: Manner, habits: Habits) -> None:
        super().__init__(world, network, name, token, manner)
        self.habits: Final = habits
        self.twin: WildBot | None = None
        """The bot that took its place."""
        self.still_waits = False
        """Whether it was still waiting for something when all bots left, at the end of the run."""
        self.resigned: Final[set[str]] = set()
        self._back_at_ns: int | None = None
        """When it returns after it was cut off."""
        self._notes = 0
        self._tokens: Final[list[str]] = []

    # --- what it sends and receives ---

    def say(self, request: referee_pb2.PlayRequest) -> None:
        """Sends a request, unless its habits withhold it."""
        kind = request.WhichOneof("kind")
        if kind == self.habits.withholds or (kind == "pong" and not self.habits.pongs):
            return
        if kind == "answer" and not request.answer.note:
            self._notes += 1
            request.answer.note = f"{self.name}/{self._notes}"
        super().say(request)

    def hello(self) -> referee_pb2.PlayRequest:
        """The first request of a stream; a forgetful bot sometimes sends an old token."""
        request = super().hello()
        if self.habits.is_forgetful and len(self._tokens) > 1 and self.chance.random() < 0.5:
            request.hello.resume.resume_token = self.chance.choice(self._tokens[:-1])
            request.hello.evict = True
        return request

    def came(self, response: referee_pb2.PlayResponse) -> None:
        """Handles a response. A bot that is wrong on purpose does not fall back to the default."""
        if response.HasField("welcome"):
            self._tokens.append(response.welcome.resume_token)
        if self.habits.wrong:
            response.ClearField("answer_refused")
        super().came(response)

    # --- what it does with a question ---

    def asked(self, asked: Asked) -> None:
        """Handles a question."""
        habits, chance = self.habits, self.chance
        if chance.random() < habits.silent:
            return
        if chance.random() < habits.resigns:
            self.resigned.add(asked.match)
            self.say(referee_pb2.PlayRequest(match=asked.match, resign=referee_pb2.Resign()))
        if chance.random() < habits.wrong:
            for _ in range(chance.randint(1, WRONG_TIMES_MAX)):
                self.say(referee_pb2.PlayRequest(match=asked.match, answer=self._wrong(asked)))
        if chance.random() < habits.doubles:
            self._chatter(asked)
        self._meet_with_troubles()
        if habits.is_cut_off and chance.random() < habits.is_cut_off:
            self._be_cut_off(asked)
        self.world.after(self._thinking_ns(asked), self.answer, self.conversation, asked)

    def _thinking_ns(self, asked: Asked) -> int:
        habits, chance, decision = self.habits, self.chance, asked.decision
        if chance.random() < habits.late and decision.HasField("time_left_ms"):
            way = self.manner.way
            thinks = decision.time_left_ms * MS - way.there_ns - way.back_ns + chance.choice(SILENCES_NS)
            if chance.random() < 0.3:
                self._hold_up_about(thinks)
            return max(0, thinks)
        if chance.random() < habits.spends and decision.HasField("time_left_ms"):
            allowance_ms = max(0, decision.time_left_ms - decision.bank_ms)
            beyond_ms = chance.randint(0, decision.bank_ms // 10)
            way = self.manner.way
            # It may exceed its allowance, but never its bank: the way costs time, too.
            if (decision.bank_ms - beyond_ms) * MS > way.there_ns + way.back_ns + 2 * way.jitter_ns:
                return (allowance_ms + beyond_ms) * MS
        return chance.randint(0, habits.thinks_ns) if habits.thinks_ns else 0

    def _hold_up_about(self, after_ns: int) -> None:
        """Bad luck: the referee's transport is held up just when the answer arrives."""
        transport = self.network.transport
        if transport is not None and after_ns > MS:
            hold_up, stamps_too = self.chance.randint(1, 50) * MS, self.chance.random() < 0.3
            self.world.after(after_ns - MS // 2, lambda: transport.hold_up(hold_up, stamps_too=stamps_too))

    def _be_cut_off(self, asked: Asked) -> None:
        """Loses its connection during a question, if it can return in time; returns, sometimes at the last moment."""
        if self.stream is None or not asked.decision.HasField("time_left_ms"):
            return
        way = self.manner.way
        there_and_back = way.there_ns + way.back_ns + 2 * way.jitter_ns
        # The question came one way late; after the return, it is asked, answered and perhaps asked again.
        last = min(asked.decision.time_left_ms * MS - 4 * there_and_back - BACK_BEFORE_NS, AWAY_NS_MAX)
        if last > 0:
            self._back_at_ns = self.world.now_ns + self.chance.choice((0, last // 2, last, last))
            self.stream.break_off(None)

    def ended(self, code: str, text: str) -> None:
        """Handles a stream's end; a bot that was cut off returns at its own time."""
        back_at, self._back_at_ns = self._back_at_ns, None
        if back_at is None or not isinstance(self.conversation.broke(code, text), Again):
            super().ended(code, text)
            return
        after = max(0, back_at - self.world.now_ns)
        self.world.after(after, self._reconnect, self.stream)
        transport = self.network.transport
        if transport is not None and self.chance.random() < 0.7:
            hold_up = self.chance.randint(1, 300) * MS
            heard = max(0, after + self.manner.way.back_ns - MS // 2)
            self.world.after(heard, lambda: transport.hold_up(hold_up, stamps_too=False))

    def _wrong(self, asked: Asked) -> referee_pb2.Answer:
        decision = asked.decision.id
        match self.chance.randrange(4):
            case 0:
                return referee_pb2.Answer(decision=decision, index=asked.decision.answers.count + self.chance.randrange(9))
            case 1:
                square = self.chance.choice([each for each in range(108) if each not in asked.decision.view.hand])
                return referee_pb2.Answer(decision=decision, action=actions_pb2.Action(place=actions_pb2.Place(square=square)))
            case 2:
                return referee_pb2.Answer(decision=decision, index=0, note="x" * 1_025)
            case _:
                return referee_pb2.Answer(decision=decision)

    def _chatter(self, asked: Asked) -> None:
        """Any requests that it should not send, but may."""
        chance, match = self.chance, asked.match
        decision = asked.decision.id
        odd = (
            referee_pb2.PlayRequest(match=match, answer=referee_pb2.Answer(decision=max(1, decision - 1), index=0)),
            referee_pb2.PlayRequest(match=match, answer=referee_pb2.Answer(decision=decision + 1, index=0)),
            referee_pb2.PlayRequest(match=ODD, answer=referee_pb2.Answer(decision=decision, index=0)),
            referee_pb2.PlayRequest(match=ODD, resign=referee_pb2.Resign()),
            referee_pb2.PlayRequest(match=match, seat_ready=referee_pb2.SeatReady(commitment=bytes(32))),
            referee_pb2.PlayRequest(match=match, seat_reveal=referee_pb2.SeatReveal(part=bytes(32))),
            referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=7)),
            referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=chance.randrange(9))),
            referee_pb2.PlayRequest(match=match),
        )
        for request in chance.sample(odd, 3):
            self.say(request)

    def _meet_with_troubles(self) -> None:
        habits, chance, stream = self.habits, self.chance, self.stream
        if stream is None:
            return
        if chance.random() < habits.breaks:
            stream.break_off(chance.choice((None, None, 12 * S)))
        if chance.random() < habits.stands_still:
            stream.stand_still(chance.choice((200 * MS, 3 * S, 14 * S, 20 * S)))
        if chance.random() < habits.freezes:
            stream.freeze(chance.choice((300 * MS, 4 * S, 30 * S)))
        if chance.random() < habits.raves:
            stream.say(chance.choice((b"\xff", b"\x08", bytes(70_000), b"")))
        if chance.random() < habits.dies:
            back = None if habits.dies_for_good else chance.choice((0, 300 * MS, 5 * S, 20 * S))
            self.die(back, chance.choice((None, None, 0, 12 * S)))
        if chance.random() < habits.is_displaced and self.twin is None:
            self.twin = WildBot(self.world, self.network, f"{self.name}+", self.token, self.manner, GOOD)
            self.twin.connect()

    def answer(self, conversation: object, asked: Asked) -> None:
        """Answers after thinking."""
        if conversation is not self.conversation or self.is_dead:
            return
        self.follow(self.conversation.answered(asked.match, asked.decision.id, self.manner.choose(asked)))
        if self.chance.random() < self.habits.doubles:
            again = referee_pb2.Answer(decision=asked.decision.id, index=0)
            self.say(referee_pb2.PlayRequest(match=asked.match, answer=again))


def any_answer(asked: Asked) -> actions_pb2.Action | int:
    """Any legal answer, from what the seat may know alone; listed ones now and then as an action."""
    index = by_view(asked)
    listed = asked.decision.answers.listed.actions
    return listed[index] if index % 2 and index < len(listed) else index
