"""Two games that a seat cannot tell apart; the engine alone plays them side by side, as long as that holds.

Both have the same deal, except for tiles that the seat cannot see. All other seats give the same answers in both worlds, as
far as the seat could see; if somebody is asked in only one world, nobody sees the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from mergemaker_engine.actions import Action, Place
from mergemaker_engine.board import SQUARES, squares_of
from mergemaker_engine.deal import Deal
from mergemaker_engine.decisions import ChooseExchange, ChooseReply, ChooseTile
from mergemaker_engine.events import Event, audience
from mergemaker_engine.game import Game
from mergemaker_engine.playout import declares_end
from mergemaker_engine.rules import PRESETS, Rules
from mergemaker_engine.trading import Offers

NEARLY_NONE: Final = 2
"""With this few playable tiles, there is nearly no choice."""
TRIED_MAX: Final = 12
"""Answers to try until one looks the same in both worlds."""
DECISIONS_MAX: Final = 1_500


class Leak(AssertionError):
    """A seat could tell two worlds apart when it should not."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What both worlds play, and which tiles differ."""

    number: int
    rules: Rules
    seats: int
    observer: int
    orders: tuple[tuple[int, ...], tuple[int, ...]]
    """The deals of both worlds."""
    plan: tuple[Action, ...]
    """The answers in the first world, as long as they look the same in the other."""


@dataclass(slots=True)
class Script:
    """The answers of one world's bots, by seat and in order, whenever they are asked."""

    answers: dict[int, list[Action]]


@dataclass(frozen=True, slots=True)
class Twins:
    """The course of two worlds as long as the observer could not tell them apart."""

    setting: Setting
    scripts: tuple[Script, Script]
    seen: int
    """How many events the observer saw until then; they are the same in both."""
    public: int
    """How many everybody saw."""
    asked_in_one: int
    """How often somebody else was asked in only one world."""


def setting_of(number: int) -> Setting:
    """The setting of a pair: presets in turn, the rest at random."""
    chance = Random(f"twins/{number}")  # noqa: S311 - repeatable
    name = list(PRESETS)[number % len(PRESETS)]
    rules = PRESETS[name]
    if chance.random() < 0.4:
        rules = rules.with_knobs({"assets": "hidden" if rules.assets == "open" else "open"})
    seats = chance.randint(3, 5) if name == "renegade-tycoon" else chance.choice((2, 2, 3, 4, 5))
    observer = chance.randrange(seats)
    order = tuple(chance.sample(range(SQUARES), SQUARES))
    plan, places = _planned(rules, seats, observer, order, chance)
    return Setting(number, rules, seats, observer, (order, _swapped(order, *chance.choice(places))), tuple(plan))


def _planned(
    rules: Rules, seats: int, observer: int, order: tuple[int, ...], chance: Random
) -> tuple[list[Action], list[tuple[int, int]]]:
    """One world by itself, and two tiles to exchange: one that somebody else could have placed, and one that nobody had yet.

    It prefers tiles of hands that leave nearly no choice: then the worlds differ in who is asked.
    """
    game = Game(rules, seats, Deal(order))
    plan: list[Action] = []
    tight: list[tuple[int, int]] = []
    wide: list[tuple[int, int]] = []
    while game.decision is not None and len(plan) < DECISIONS_MAX:
        decision = game.decision
        answers = _shy(game)
        action = chance.choice(answers)
        placed = action.square if type(action) is Place else None
        kept = [square for square in squares_of(game.hands[decision.seat]) if square != placed]
        if decision.seat != observer and kept and game.drawn < SQUARES:
            pair = order.index(chance.choice(kept)), chance.randrange(game.drawn, SQUARES)
            is_tight = type(decision) is ChooseExchange or (type(decision) is ChooseTile and len(game.legal()) <= NEARLY_NONE)
            (tight if is_tight else wide).append(pair)
        plan.append(action)
        game.apply(action)
    return plan, tight or wide


def _shy(game: Game) -> list[Action]:
    """The answers that do not declare the end: games continue until hands are hard to play."""
    legal = game.legal()
    if isinstance(legal, Offers):
        return [legal[0]]
    return [action for action in legal if not declares_end(action)] or list(legal)


def _swapped(order: tuple[int, ...], here: int, there: int) -> tuple[int, ...]:
    other = list(order)
    other[here], other[there] = other[there], other[here]
    return tuple(other)


@dataclass(slots=True)
class _World:
    """One of the two games."""

    game: Game
    observer: int
    script: Script
    seen: list[Event] = field(default_factory=list)
    given: list[Action] = field(default_factory=list)
    """All answers, also those that nobody asked for."""

    def visible(self, events: Sequence[Event]) -> list[Event]:
        return [event for event in events if audience(event) in (None, self.observer)]

    @property
    def is_asked(self) -> bool:
        """Whether the seat is asked the open decision (TBL-3)."""
        return len(self.game.legal()) > 1 or type(self.game.decision) is ChooseReply

    def would_show(self, action: Action) -> list[Event]:
        return self.visible(self.game.copy().apply(action))

    def give(self, action: Action) -> None:
        decision = self.game.decision
        assert decision is not None
        if self.is_asked:
            self.script.answers[decision.seat].append(action)
        self.given.append(action)
        self.seen += self.visible(self.game.apply(action))


def twins_of(setting: Setting) -> Twins:
    """Plays both worlds as long as they are the same for the observer."""
    return _Pair(setting).play()


class _Pair:
    def __init__(self, setting: Setting) -> None:
        self._setting: Final = setting
        self._chance: Final = Random(f"answers/{setting.number}")  # noqa: S311 - repeatable
        self._asked_in_one = 0
        self._worlds: Final = tuple(self._world(order) for order in setting.orders)

    def _world(self, order: tuple[int, ...]) -> _World:
        setting = self._setting
        game = Game(setting.rules, setting.seats, Deal(order))
        world = _World(game, setting.observer, Script({seat: [] for seat in range(setting.seats)}))
        world.seen += world.visible(game.start_events)
        return world

    def play(self) -> Twins:
        one, other = self._worlds
        if one.seen != other.seen:
            raise Leak(f"pair {self._setting.number}: the observer sees another start")
        for _ in range(DECISIONS_MAX):
            if not self._step(one, other):
                break
        seen = min(len(one.seen), len(other.seen))
        public = sum(audience(event) is None for event in one.seen[:seen])
        return Twins(self._setting, (one.script, other.script), seen, public, self._asked_in_one)

    def _step(self, one: _World, other: _World) -> bool:
        """Continues in both, or in one of them; False if the observer may learn a difference now, or all is over.

        Between two answers, one world may have shown more than the other, which asks somebody in between.
        """
        mine, theirs = one.game.decision, other.game.decision
        if len(one.seen) != len(other.seen):
            behind, ahead = (one, other) if len(one.seen) < len(other.seen) else (other, one)
            return self._alone(behind, ahead)
        if mine is None or theirs is None:
            return False
        if mine == theirs:
            return self._observed(one, other) if mine.seat == self._setting.observer else self._both(one, other)
        return self._alone(one, other) or self._alone(other, one)

    def _observed(self, one: _World, other: _World) -> bool:
        """The observer is asked: its view and legal answers are the same, or somebody has leaked something."""
        seat = self._setting.observer
        if one.game.view(seat) != other.game.view(seat):
            raise Leak(f"pair {self._setting.number}: two views differ after the same events")
        answers = _shy(one.game)
        if answers != _shy(other.game):
            raise Leak(f"pair {self._setting.number}: the observer may answer otherwise after the same events")
        action = next(iter(self._planned(one, answers)), self._chance.choice(answers))
        if not _go_together(one.would_show(action), other.would_show(action)):
            return False
        one.give(action)
        other.give(action)
        return True

    def _both(self, one: _World, other: _World) -> bool:
        theirs = set(_shy(other.game))
        both = [action for action in _shy(one.game) if action in theirs]
        for action in (*self._planned(one, both), *self._chance.sample(both, min(len(both), TRIED_MAX))):
            if _go_together(one.would_show(action), other.would_show(action)):
                self._asked_in_one += one.is_asked != other.is_asked
                one.give(action)
                other.give(action)
                return True
        return False

    def _planned(self, one: _World, possible: Sequence[Action]) -> list[Action]:
        """The next answer of the plan, while the first world follows it."""
        plan = self._setting.plan
        given = len(one.given)
        is_on_plan = given < len(plan) and plan[given] in possible and one.given == list(plan[:given])
        return [plan[given]] if is_on_plan else []

    def _alone(self, world: _World, other: _World) -> bool:
        """Somebody is asked in this world only: the answer that shows what the other world has shown, or nothing at all."""
        decision = world.game.decision
        if decision is None or decision.seat == self._setting.observer:
            return False
        shown = other.seen[len(world.seen) :]
        for action in _shy(world.game):
            after = world.game.copy()
            shows = world.visible(after.apply(action))
            is_level = len(shows) < len(shown) or after.decision == other.game.decision
            if is_level and shows == shown[: len(shows)]:
                self._asked_in_one += world.is_asked
                world.give(action)
                return True
        return False


def _go_together(one: list[Event], other: list[Event]) -> bool:
    """Whether nothing shown differs, though one may continue where the other stops."""
    return all(mine == theirs for mine, theirs in zip(one, other, strict=False))
