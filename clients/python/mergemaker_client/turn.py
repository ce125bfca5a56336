"""What a bot sees: the match, and a turn, which is one question with everything needed to answer it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Generic, Protocol, Self  # noqa: TID251 - type checkers must not see `__getattr__`

from mergemaker_engine.actions import PLACE, Action, Buy, Place
from mergemaker_engine.board import CHAINS
from mergemaker_engine.deal import Chances
from mergemaker_engine.decisions import ChoosePurchase, ChooseTile, Decision
from mergemaker_engine.effects import EffectKind, TileEffect
from mergemaker_engine.events import Event
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.rules import Rules
from mergemaker_engine.shown import shown
from mergemaker_engine.views import View
from typing_extensions import TypeVar

from mergemaker_client.errors import BotError
from mergemaker_client.holdings import tops_of_others
from mergemaker_client.problems import FalseDeal

NONCE_BYTES: Final = 32
CHANCE_LABEL: Final = b"mergemaker bot chance 1"
"""The beginning of the preimage of a turn's chances."""
_CHANCE_STREAM: Final = "bot"
_EVENT_NUMBER_BYTES: Final = 8
_DECLARING: Final = (Place, Buy)
"""What the end may be declared with, of what always can be answered without."""

DecisionT_co = TypeVar("DecisionT_co", bound=Decision, default=Decision, covariant=True)
"""The kind of question; any, where a turn does not say which."""
ActionT_co = TypeVar("ActionT_co", bound=Action, default=Action, covariant=True)
"""The kinds of actions that answer it."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a seat has. None means no limit."""

    name: str
    allowance_ms: int | None
    """Free for each decision."""
    bank_ms: int | None
    """For the whole match, once the allowance is used up."""
    increment_ms: int = 0
    """Added to the bank with each answer."""


NO_CLOCK: Final = Clock("none", None, None)


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """What a bot knows of its match before the first tile."""

    match: str
    """The match's id."""
    rules: Rules
    seats: int
    seat: int
    """The bot's own seat."""
    bots: tuple[str, ...]
    """The names of the bots, by seat."""
    nonce: bytes
    """32 bytes for this seat: the source of a repeatable bot's chances."""
    clock: Clock = NO_CLOCK

    def __post_init__(self) -> None:
        """Refuses a nonce of another length, which would give other chances than the documented ones."""
        if type(self.nonce) is not bytes or len(self.nonce) != NONCE_BYTES:
            raise BotError("bad-nonce", f"a nonce is {NONCE_BYTES} bytes, not {shown(self.nonce)}")


@dataclass(frozen=True, slots=True)
class Standing:
    """One seat's result."""

    seat: int
    bot: str
    cash: int
    place: int
    """1 is best; equal money shares a place."""
    status: str
    """`finished`, or what happened before that."""


class DealFinding(StrEnum):
    """Whether the deal was the one that the referee had promised before the first tile."""

    PROVEN = "proven"
    """Promise, seed, and every tile that the seat saw agree."""
    IN_PART = "proven in part"
    """What this process saw agrees, but it did not see everything, for example after a restart of the bot."""
    NOT_PROMISED = "not promised"
    """Nothing was promised, as for a repeated deal; the tiles agree with the revealed seed."""
    NOT_RELEASED = "not released"
    """The referee reveals the seed later, or not to bots."""
    FALSE = "false"
    """They do not agree: `MatchResult.problem` says why."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match's result."""

    why: str
    """`declared` or `stuck` as in the rules, or why it was given up."""
    standings: tuple[Standing, ...]
    """By seat; empty for a match that was given up."""
    deal: DealFinding = DealFinding.NOT_RELEASED
    """Whether the deal was the one promised."""
    problem: FalseDeal | None = None
    """If it was not: the contradiction, with a stable `reason`."""
    receipt: Receipt | None = None
    """What to keep: `mergemaker verify --receipt` compares the record with its text. None if the referee sent none."""


@dataclass(frozen=True, slots=True)
class TileChoice:
    """A tile that can be placed: the answer that places it, and its effect."""

    action: Place
    effect: TileEffect

    @property
    def kind(self) -> EffectKind:
        """Whether it stays alone, grows a chain, founds one, or merges several."""
        return self.effect.kind

    @property
    def chains(self) -> tuple[int, ...]:
        """The chain that grows, or all that are merged, ascending."""
        return self.effect.chains


def chance_seed(nonce: bytes, events_seen: int, kind: str) -> bytes:
    """The seed of a turn's chances.

    It is the SHA-256 of: the label `mergemaker bot chance 1` in ASCII; the 32 bytes of the nonce; the number of the last event
    seen as 8 bytes, the most significant first; the name of the kind of decision, such as `ChooseTile`, in ASCII.
    """
    return sha256(CHANCE_LABEL + nonce + events_seen.to_bytes(_EVENT_NUMBER_BYTES, "big") + kind.encode("ascii")).digest()


class Sight(Protocol):
    """What the asked seat may know of the game, worked out at the first look."""

    @property
    def view(self) -> View:
        """The seat's view."""

    @property
    def effects(self) -> tuple[TileEffect, ...]:
        """For `ChooseTile`: the effect of each tile that can be placed."""


class News(Protocol):
    """Where the events of a match are kept, as by its table."""

    def events_since(self, seat: int, number: int) -> tuple[Event, ...]:
        """What a seat may know of what happened after event `number`."""


class _Seeing:
    """A turn whose view and events are looked up when the bot looks at them."""

    __slots__ = ("news", "sight", "told")

    sight: Sight
    """Where the view comes from; a turn that was made with its view has none, and nothing of what follows."""
    news: News
    told: int
    """How many events the seat had been told before."""


@dataclass(frozen=True, slots=True)
class Turn(_Seeing, Generic[DecisionT_co, ActionT_co]):
    """One question to a bot: the question, the legal answers, and what the seat knows.

    A method of a bot gets the turn of its kind, such as `DisposalTurn`, so that a type checker knows `turn.decision.survivor`.
    """

    match: MatchInfo
    number: int
    """The decision's id: it counts the questions to this seat."""
    view: View
    decision: DecisionT_co
    answers: Sequence[ActionT_co]
    """Every legal answer, in the documented order. Offers are generated on access: there are millions."""
    default: ActionT_co
    """The referee's choice if no answer comes."""
    effects: tuple[TileEffect, ...]
    """For `ChooseTile`: the effect of each tile that can be placed. Empty for other decisions."""
    events: tuple[Event, ...]
    """Events since the bot was last asked."""
    events_seen: int
    """The number of the last event that was sent to this seat."""
    time_left_ms: int | None = None
    """The time for this answer, bank included; None without a limit."""
    bank_ms: int | None = None
    """The bank's part of that time."""
    chance: Chances = field(init=False, repr=False, compare=False)
    """Chances that repeat: they depend only on nonce, last event seen and kind of decision (`chance_seed`)."""

    @classmethod
    def seeing(  # noqa: PLR0913 - the fields of a turn
        cls,
        sight: Sight,
        news: News,
        told: int,
        *,
        match: MatchInfo,
        number: int,
        decision: DecisionT_co,  # type: ignore[misc]  # as in the constructor
        answers: Sequence[ActionT_co],
        default: ActionT_co,  # type: ignore[misc]  # likewise
        events_seen: int,
        time_left_ms: int | None,
        bank_ms: int | None,
    ) -> Self:
        """A turn whose view, effects and events are looked up when the bot first looks at them."""
        turn = cls.__new__(cls)
        put = object.__setattr__
        put(turn, "sight", sight)
        put(turn, "news", news)
        put(turn, "told", told)
        put(turn, "match", match)
        put(turn, "number", number)
        put(turn, "decision", decision)
        put(turn, "answers", answers)
        put(turn, "default", default)
        put(turn, "events_seen", events_seen)
        put(turn, "time_left_ms", time_left_ms)
        put(turn, "bank_ms", bank_ms)
        return turn

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Works out, at the first look, a value that has not been set: not every bot looks at all of them."""
            find = _FOUND_LATER.get(name)
            if find is None:
                raise AttributeError(f"a turn has no {name!r}", name=name, obj=self)
            value = find(self)
            object.__setattr__(self, name, value)
            return value

    @property
    def seat(self) -> int:
        """The bot's own seat."""
        return self.match.seat

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the chains, by number."""
        return self.match.rules.chain_names

    @property
    def cash(self) -> int:
        """The bot's own cash."""
        own = self.view.cash[self.seat]
        assert own is not None, "a seat's own cash is never hidden"
        return own

    @property
    def mine(self) -> tuple[int, ...]:
        """The bot's own shares, by chain."""
        own = self.view.shares[self.seat]
        assert own is not None, "a seat's own shares are never hidden"
        return own

    def chain(self, chain: int | str) -> int:
        """The number of a chain, given its name or its number."""
        if type(chain) is int and 0 <= chain < CHAINS:
            return chain
        if isinstance(chain, str) and chain in self.names:
            return self.names.index(chain)
        raise BotError("no-such-chain", f"a chain is one of {', '.join(self.names)}, or 0 to {CHAINS - 1}, not {shown(chain)}")

    def price(self, chain: int | str) -> int:
        """The current price of a chain's share; 0 while the chain is not on the board."""
        return self.view.prices[self.chain(chain)]

    def lead(self, chain: int | str) -> int:
        """The number of shares of a chain that the seat has more than any other seat; negative if it is behind.

        If the rules hide what others hold, this is a guess: one of them has two thirds of it.
        """
        number = self.chain(chain)
        return self.mine[number] - tops_of_others(self.view, self.seat)[number][0]

    @property
    def may_declare(self) -> bool:
        """Whether this answer may declare the end (END-1, END-2)."""
        kind = type(self.decision)
        if kind is not ChooseTile and kind is not ChoosePurchase:
            return False
        # If it may, each tile and each purchase is listed with it, too, and after the same without it.
        for answer in reversed(self.answers):
            if isinstance(answer, _DECLARING):
                return bool(answer.declare)
        return False

    @property
    def tiles(self) -> tuple[TileChoice, ...]:
        """The tiles that can be placed, with the effect of each."""
        return tuple([TileChoice(PLACE[effect.square], effect) for effect in self.effects])

    def buy(self, shares: Mapping[str, int] | Mapping[int, int], *, declare: bool = False) -> Buy:
        """A purchase of these numbers of shares by chain, `{"Tower": 2}`; with `declare`, the end is declared first."""
        counts = [0] * CHAINS
        for chain, count in shares.items():
            counts[self.chain(chain)] += count
        return Buy(tuple(counts), declare)


def _chance(turn: Turn) -> Chances:
    return Chances(chance_seed(turn.match.nonce, turn.events_seen, type(turn.decision).__name__), _CHANCE_STREAM)


_FOUND_LATER: Final[dict[str, Callable[[Turn], object]]] = {
    "chance": _chance,
    "events": lambda turn: turn.news.events_since(turn.seat, turn.told)[: turn.events_seen - turn.told],
    "view": lambda turn: turn.sight.view,
    "effects": lambda turn: turn.sight.effects,
}
"""By name: what is worked out at the first look."""
