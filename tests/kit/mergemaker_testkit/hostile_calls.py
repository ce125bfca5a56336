"""Calls everything that is public in engine, table and wire, once rightly, and then with each argument replaced by what is wrong.

`python -X dev -m mergemaker_testkit.hostile_calls` prints a line for each call and what came of it. CI compares the lines of
the pure build with those of the compiled one. New public names and fields are found; a test says which name lacks a right call.
"""

import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeAlias

import mergemaker_engine
import mergemaker_table
import mergemaker_wire
from mergemaker_engine.actions import OfferTrade, Place, TradePair, action_of_code
from mergemaker_engine.bounds import answer_bounds
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import DrawTiles
from mergemaker_engine.effects import tile_effects
from mergemaker_engine.errors import EngineError, IllegalAction, refusal_of
from mergemaker_engine.events import EndReason, TilePlaced
from mergemaker_engine.game import Game, Result
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.record.lines import AnsweredBy, Status
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.standings import Standing
from mergemaker_engine.rules import preset
from mergemaker_table import CLOCKS, FaultTerms, Table, Terms
from mergemaker_table.evidence import NOT_HELD_UP
from mergemaker_table.inputs import Joined, Tick, Void
from mergemaker_wire import SeatBot, WireError

from mergemaker_testkit.asked_positions import POSITIONS, asked_game
from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup

ROOMS: Final = (mergemaker_engine, mergemaker_table, mergemaker_wire)
SEED: Final = bytes(32)
CLASSIC: Final = preset("renegade-classic")
SHOWN_MAX: Final = 300

Call: TypeAlias = tuple[Callable[..., object], tuple[object, ...]]


class Whole(int):
    """A subclass of int."""

    __slots__ = ()


class Name(str):
    """A subclass of str."""

    __slots__ = ()


class Refuses:
    """Raises whatever is asked of it."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        return "Refuses()"

    __hash__ = None  # type: ignore[assignment]  # cannot be hashed, as many values of users


HOSTILE: Final[tuple[Callable[[], object], ...]] = (
    lambda: None,
    lambda: True,
    lambda: -1,
    lambda: 2**62,
    lambda: 2**200,
    lambda: 1.0,
    lambda: float("nan"),
    lambda: Whole(1),
    lambda: "1",
    lambda: Name("1"),
    lambda: b"1",
    lambda: bytearray(32),
    lambda: (),
    list,
    lambda: [1, 0, 0, 0, 0, 0, 0],
    lambda: (True,) * 7,
    dict,
    lambda: int,
    Refuses,
)


def _game() -> Game:
    return asked_game("tile")


def _table() -> Table:
    return Table(table_setup(CLASSIC, 3))


def _opened() -> Table:
    table = Table(table_setup(CLASSIC, 3))
    table.open(0)
    return table


def _ended() -> Table:
    table = _opened()
    table.feed(Void("the operator wants it"), 5)
    return table


PLACED: Final = TilePlaced(0, 3)
STANDING: Final = Standing(seat=0, bot="a", place=1, cash=6_000, status=Status.FINISHED, faults={AnsweredBy.TIMEOUT: 1})
REFUSAL: Final = refusal_of(IllegalAction("game-over", "the game is over", "END-3"))


def _message(name: str, *arguments: object) -> object:
    """What `…_to_message` makes of these arguments."""
    return getattr(mergemaker_wire, f"{name}_to_message")(*arguments)


def _bounds() -> object:
    game = asked_game("purchase")
    return answer_bounds(game, game.legal())


def _recovered() -> tuple[object, ...]:
    setup = table_setup(CLASSIC, 3)
    driver = TableDriver(Table(setup), [random_player] * 3)
    driver.play()
    return read_record(driver.lines[:9]), setup.secrets


# What a right call is given; a method, first of all its object.
RIGHT: Final[Mapping[str, Callable[[], tuple[object, ...]]]] = {
    "action_of_code": lambda: (3,),
    "code_of": lambda: (Place(3),),
    "audit": lambda: (_game(),),
    "board_svg": lambda: (_game().public_view(), 3),
    "Chances": lambda: (SEED, "label"),
    "Chances.below": lambda: (Chances(SEED, "label"), 6),
    "Chances.below_small": lambda: (Chances(SEED, "label"), 6),
    "Chances.shuffled": lambda: (Chances(SEED, "label"), (1, 2, 3)),
    "Deal": lambda: (range(108), SEED, [3]),
    "Deal.from_seed": lambda: (SEED,),
    "Deal.market_index": lambda: (Deal.from_seed(SEED), 0, 50),
    "determinise": lambda: (_game().view(0), Chances(SEED, "label"), None),
    "audience": lambda: (PLACED,),
    "seen_by": lambda: (0, (PLACED,)),
    "Game": lambda: (CLASSIC, 3, Deal.from_seed(SEED)),
    "Game.apply": lambda: (_game(), Place(52)),
    "Game.begin_in_position": lambda: (_game(), ()),
    "Game.copy": lambda: (_game(),),
    "Game.copy_into": lambda: (_game(), _game()),
    "Game.from_state": lambda: (_game().tables, Deal.from_seed(SEED)),
    "Game.legal": lambda: (_game(),),
    "Game.legal_mask": lambda: (_game(),),
    "Game.public_view": lambda: (_game(),),
    "Game.take": lambda: (_game(), Place(52), []),
    "Game.view": lambda: (_game(), 0),
    "Ledger": lambda: (3,),
    "Ledger.copy": lambda: (Ledger(3),),
    "Ledger.known_tiles": lambda: (Ledger(3), 0),
    "Ledger.observe": lambda: (Ledger(3), PLACED),
    "parse_position": lambda: (POSITIONS["tile"],),
    "position_text": lambda: (_game(),),
    "play_out": lambda: (_game(), Chances(SEED, "label")),
    "preset": lambda: ("renegade-classic",),
    "Rules.fingerprint": lambda: (CLASSIC,),
    "Rules.knobs": lambda: (CLASSIC,),
    "Rules.newer_knobs": lambda: (CLASSIC,),
    "Rules.tier": lambda: (CLASSIC, 0),
    "Rules.with_knobs": lambda: (CLASSIC, {"assets": "hidden"}),
    "Rules.written_knobs": lambda: (CLASSIC,),
    "action_text": lambda: (Place(3), CLASSIC),
    "event_text": lambda: (PLACED, CLASSIC),
    "parse_action": lambda: ("5E", CLASSIC),
    "Setup.header": lambda: (table_setup(CLASSIC, 3),),
    "Setup.of_record": lambda: (table_setup(CLASSIC, 3).header(), table_setup(CLASSIC, 3).secrets),
    "Setup.seat_nonce": lambda: (table_setup(CLASSIC, 3), 1),
    "Table": lambda: (table_setup(CLASSIC, 3), None, None),
    "Table.events_since": lambda: (_opened(), 0, 0),
    "Table.feed": lambda: (_opened(), Tick(), 5, NOT_HELD_UP),
    "Table.fold": lambda: (_ended(),),
    "Table.open": lambda: (Table(table_setup(CLASSIC, 3)), 0, NOT_HELD_UP),
    "Table.public_events_since": lambda: (_opened(), 0),
    "Table.public_snapshot": lambda: (_opened(),),
    "Table.recovered": _recovered,
    "Table.snapshot": lambda: (_opened(), 0, 5),
    "Table.stood_still": lambda: (_opened(), 5, 6),
    "Terms.from_plain": lambda: (Terms(CLOCKS["fast"]).plain(),),
    "Terms.plain": lambda: (Terms(CLOCKS["fast"]),),
    "refusal_of": lambda: (IllegalAction("game-over", "over", "END-3"),),
    "action_to_message": lambda: (Place(3),),
    "action_from_message": lambda: (_message("action", Place(3)),),
    "answers_to_message": lambda: (_bounds(), None),
    "answers_from_message": lambda: (_message("answers", _bounds()),),
    "effect_to_message": lambda: (tile_effects(_game().view(0))[0],),
    "effect_from_message": lambda: (_message("effect", tile_effects(_game().view(0))[0]),),
    "effects_from_messages": lambda: ([_message("effect", tile_effects(_game().view(0))[0])],),
    "decision_to_message": lambda: (_game().decision,),
    "decision_from_message": lambda: (_message("decision", _game().decision),),
    "step_to_message": lambda: (DrawTiles(),),
    "step_from_message": lambda: (_message("step", DrawTiles()),),
    "event_to_message": lambda: (PLACED, 1),
    "event_from_message": lambda: (_message("event", PLACED),),
    "refusal_to_message": lambda: (REFUSAL,),
    "refusal_from_message": lambda: (_message("refusal", REFUSAL),),
    "standing_to_message": lambda: (STANDING,),
    "standing_from_message": lambda: (_message("standing", STANDING),),
    "rules_to_message": lambda: (CLASSIC,),
    "rules_from_message": lambda: (_message("rules", CLASSIC),),
    "view_to_message": lambda: (_game().view(0), 3),
    "view_from_message": lambda: (_message("view", _game().view(0)), CLASSIC),
}


def public_names() -> Iterator[tuple[str, Callable[..., object]]]:
    """Functions, methods, and classes that are no values: what `RIGHT` must have a call of."""
    for room in ROOMS:
        for name, thing in vars(room).items():
            if name.startswith("_") or not callable(thing) or getattr(thing, "__module__", "").startswith("typing"):
                continue
            if not inspect.isclass(thing):
                yield name, thing
            elif not issubclass(thing, (BaseException, enum.Enum)):
                if not is_dataclass(thing):
                    yield name, thing
                for method, function in inspect.getmembers(thing, callable):
                    if not method.startswith("_"):
                        yield f"{name}.{method}", function


def _is_of_an_object(name: str) -> bool:
    """Whether a call's first argument is the object of the method."""
    kind, _, method = name.partition(".")
    return bool(method) and type(RIGHT[name]()[0]).__name__ == kind


def values() -> Iterator[Any]:
    """A value of each kind of action, decision, event and input that some games have, and of the other public classes."""
    found: dict[type, object] = {}
    values: list[object] = [STANDING, REFUSAL, SeatBot("a"), CLASSIC, FaultTerms(), CLOCKS["fast"], Terms(CLOCKS["fast"])]
    values += [table_setup(CLASSIC, 3), Joined(0), TradePair(1, 2), Result(EndReason.DECLARED, (1, 2), (2, 1))]
    values += [OfferTrade(1, (1, *(0,) * 6), 0, (0,) * 7, 100), *map(action_of_code, (3, 216, 576, 816))]
    for name in POSITIONS:
        game = asked_game(name)
        values += [game.view(0), game.decision, *game.legal()[:2], *game.agenda, *game.start_events]
        while game.decision is not None:
            values += [game.decision, *game.apply(game.legal()[-1])]
    for value in values:
        found.setdefault(type(value), value)
    for kind in sorted(found, key=lambda kind: f"{kind.__module__}.{kind.__name__}"):
        if is_dataclass(kind):
            yield found[kind]


def outcome_of(call: Callable[..., object], *arguments: object, **named: object) -> str:
    """A result, or a refusal in our words. How Python refuses a wrong type in its own words differs between the builds."""
    try:
        result = call(*arguments, **named)
    except (EngineError, WireError) as error:
        return f"{type(error).__name__} {error.reason}: {error}".replace("\n", " ")
    except Exception:  # noqa: BLE001 - whatever hostile arguments bring about
        return "Python refuses"
    return f"accepted {_shown(result)}"


def _shown(value: object) -> str:
    try:
        text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    except Exception:  # noqa: BLE001 - a value that was made of hostile ones
        text = "no text"
    return f"{type(value).__name__} {text[:SHOWN_MAX]}".replace("\n", " ")


def outcomes() -> Iterator[tuple[str, str]]:
    """Each call by its name, and what came of it."""
    for name, function in public_names():
        yield f"{name}: rightly", outcome_of(function, *RIGHT[name]())
        for at in range(_is_of_an_object(name), len(RIGHT[name]())):
            for number, hostile in enumerate(HOSTILE):
                given = [*RIGHT[name]()]
                given[at] = hostile()
                yield f"{name}: argument {at} is {HOSTILE_NAMES[number]}", outcome_of(function, *given)
    for value in values():
        yield from _of_value(value)


def _of_value(value: Any) -> Iterator[tuple[str, str]]:
    kind = type(value)
    parts = {part.name: getattr(value, part.name) for part in fields(kind) if part.init}
    yield f"{kind.__name__}: rightly", outcome_of(kind, **parts)
    for name, part in parts.items():
        for number, hostile in enumerate(HOSTILE):
            yield f"{kind.__name__}: {name} is {HOSTILE_NAMES[number]}", outcome_of(kind, **parts | {name: hostile()})
        yield f"{kind.__name__}: {name} is set", outcome_of(setattr, value, name, part)
        yield f"{kind.__name__}: {name} is deleted", outcome_of(delattr, value, name)
    yield f"{kind.__name__}: a new name is set", outcome_of(setattr, value, "no_such_name", 1)


HOSTILE_NAMES: Final = tuple(f"{type(hostile()).__name__} {hostile()!r}" for hostile in HOSTILE)


def main() -> None:
    """Prints all outcomes."""
    for name, outcome in outcomes():
        sys.stdout.write(f"{name} -> {outcome}\n")


if __name__ == "__main__":
    main()
