"""A game: what is asked, what the legal answers are, and what then happens."""

from collections.abc import Sequence
from typing import Final, Self

from mergemaker_engine.actions import CODES, CODES_WITHOUT_POWERS, Action, code_of
from mergemaker_engine.board import SQUARES
from mergemaker_engine.board_svg import board_svg
from mergemaker_engine.buying import answer_purchase, purchase_options
from mergemaker_engine.deal import Deal
from mergemaker_engine.decisions import (
    ChooseDisposal,
    ChoosePurchase,
    ChooseTile,
    Decision,
)
from mergemaker_engine.disposal import answer_disposal, disposal_options
from mergemaker_engine.ending import places_of
from mergemaker_engine.errors import IllegalAction, SetupError
from mergemaker_engine.events import EndReason, Event
from mergemaker_engine.placing import answer_tile, tile_options
from mergemaker_engine.positions import position_text, rules_text
from mergemaker_engine.rarer import rarer_options, take_rarer_answer
from mergemaker_engine.rules import Rules, check_rules
from mergemaker_engine.shown import shown
from mergemaker_engine.state import PARTS, Log, State
from mergemaker_engine.tables import Tables, tables_for
from mergemaker_engine.turn import advance, set_up
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.values import dataclass
from mergemaker_engine.views import View, public_view_of, view_of
from mergemaker_engine.wording import step_text

_DECISIONS: Final = frozenset(Decision.__args__)


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended."""

    reason: EndReason
    cash: tuple[int, ...]
    """The money of each seat."""
    places: tuple[int, ...]
    """The place of each seat: 1 is best, and equal money shares a place (END-3)."""


class Game(State):
    """One game of Acquire, made from rules, a number of seats and a deal.

    `decision` is the open question. `legal()` lists every answer to it. `apply(action)` takes one of them and
    returns what then happened. `start_events` is what happened before the first question.

    Games are equal if they continue alike. `print(game)` shows the position as `parse_position` reads it.
    """

    __slots__ = ("_start_events",)

    _start_events: tuple[Event, ...] | None

    def __new__(cls, *_: object, **__: object) -> Self:
        """An empty game, also where compiled code would call `__init__` at once: `copy` fills it."""
        return object.__new__(cls)

    def __init__(self, rules: Rules, seats: Unchecked[int], deal: Unchecked[Deal]) -> None:
        check_rules(rules)
        tables = tables_for(rules, seats)
        _check_deal(deal)
        super().__init__(tables, deal)
        set_up(self, None)
        self._start_events = None

    @property
    def start_events(self) -> tuple[Event, ...]:
        """What happened before the first question.

        It follows from rules, seats and deal, and is computed on first use.
        """
        if self._start_events is None:
            events: list[Event] = []
            set_up(State(self.tables, self.deal), events)
            self._start_events = tuple(events)
        return self._start_events

    @property
    def rules(self) -> Rules:
        """The rules of this game."""
        return self.tables.rules

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.tables.seats

    @property
    def decision(self) -> Decision | None:
        """Who is asked what; None when the game is over."""
        if not self.agenda:
            return None
        step = self.agenda[-1]
        assert type(step) in _DECISIONS, step
        return step  # type: ignore[return-value]  # as asserted

    @property
    def result(self) -> Result | None:
        """How the game ended; None while it goes on."""
        if self.reason is None:
            return None
        return Result(self.reason, tuple(self.cash), places_of(self.cash))

    @classmethod
    def from_state(cls, tables: Tables, deal: Deal) -> "Game":
        """A game in which nothing has been set up yet.

        `notation` and `determinise` build positions from it.
        """
        game = Game.__new__(Game)
        State.__init__(game, tables, deal)
        game.begin_in_position(())
        return game

    def begin_in_position(self, events: tuple[Event, ...] | None) -> None:
        """Sets what happened between a position that was built and its first question."""
        self._start_events = events

    def copy(self) -> "Game":
        """An equal game that shares nothing mutable with this one."""
        twin = Game.__new__(Game)
        self.copy_into(twin)
        twin.begin_in_position(self._start_events)
        return twin

    def __copy__(self) -> "Game":
        return self.copy()

    def __deepcopy__(self, memo: object) -> "Game":
        # What a copy shares with this game is immutable.
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return Game._restored, (*(getattr(self, part) for part in PARTS), self._start_events)

    @classmethod
    def _restored(cls, *parts: object) -> "Game":
        """The game that was pickled."""
        game = Game.__new__(Game)
        for name, part in zip((*PARTS, "_start_events"), parts, strict=True):
            setattr(game, name, part)
        return game

    def __eq__(self, other: object) -> bool:
        """Whether both games continue alike: equal rules, and the same position."""
        if not isinstance(other, Game):
            return NotImplemented
        return self._standing() == other._standing()

    __hash__ = None  # type: ignore[assignment]  # a game is mutable

    def _standing(self) -> tuple[object, ...]:
        """What a position's text contains. Everything else follows from it, or no longer matters."""
        deal = self.deal
        return (
            (self.rules, self.seats, self.turn, self.seat, self.reason, self.agenda),
            (self.board, self.hands, sorted(self.aside), deal.cells[self.drawn :]),
            (self.cash, self.shares, self.powers_used),
            (self.declared, self.power_used, self.moved, self.idle),
            (deal.market_seed, self.market_draws, deal.market_tiles[self.market_draws :]),
        )

    def __str__(self) -> str:
        return position_text(self)

    def __repr__(self) -> str:
        now = step_text(self.agenda[-1], self.rules) if self.agenda else f"over: {self.reason}"
        return f"<Game {rules_text(self.rules)}, {self.seats} seats, turn {self.turn}: {now}>"

    def _repr_svg_(self) -> str:
        """The board, as notebooks show it."""
        return board_svg(self.public_view())

    def legal(self) -> Sequence[Action]:
        """Every answer to the open decision, in the documented order; empty when the game is over."""
        if not self.agenda:
            return ()
        step = self.agenda[-1]
        if type(step) is ChooseTile:
            return tile_options(self, step)
        if type(step) is ChoosePurchase:
            return purchase_options(self, step)
        if type(step) is ChooseDisposal:
            return disposal_options(self, step)
        return rarer_options(self, step)

    def apply(self, action: Unchecked[Action]) -> tuple[Event, ...]:
        """Takes an answer to the open decision. Returns what happened, up to the next decision or the end.

        Anything else than `legal()` lists raises an `EngineError` that says why, and changes nothing.
        """
        log: list[Event] = []
        self.take(action, log)
        return tuple(log)

    def take(self, action: Unchecked[Action], log: Log) -> None:
        """Does what `apply` does, and adds the events to a list, if there is one."""
        if not self.agenda:
            raise IllegalAction("game-over", "the game is over, and nothing is asked any more", "END-3")
        step = self.agenda[-1]
        if type(step) is ChooseTile:
            answer_tile(self, step, action, log)
        elif type(step) is ChoosePurchase:
            answer_purchase(self, step, action, log)
        elif type(step) is ChooseDisposal:
            answer_disposal(self, step, action, log)
        else:
            take_rarer_answer(self, step, action, log)
        if type(self.agenda[-1] if self.agenda else None) is not ChoosePurchase:
            advance(self, log)

    def view(self, seat: Unchecked[int]) -> View:
        """What a seat may know (VIS-1, VIS-3)."""
        return view_of(self, seat)

    def public_view(self) -> View:
        """What everybody may know."""
        return public_view_of(self)

    def legal_mask(self) -> bytes:
        """One byte for each action code, 1 if that action is legal now. There are 818 codes, 2,219 with special powers."""
        mask = bytearray(CODES if self.tables.powers else CODES_WITHOUT_POWERS)
        for action in self.legal():
            mask[code_of(action)] = 1
        return bytes(mask)


def _check_deal(deal: object) -> None:
    """Refuses anything but a deal of all tiles (SET-1)."""
    if not isinstance(deal, Deal):
        raise SetupError("bad-order", f"a game is dealt from a Deal, such as Deal.from_seed(bytes(32)), not from {shown(deal)}")
    if len(deal.cells) != SQUARES:
        raise SetupError(
            "bad-order",
            f"a game begins with all {SQUARES} tiles in the pile, and this deal has {len(deal.cells)}: add the others, "
            "or say in a position where they lie (parse_position)",
            "SET-1",
        )
