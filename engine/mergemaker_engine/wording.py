"""The text of squares, decisions, actions and events, as in `VOCABULARY.md`. Actions are also read back."""

import re
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias, assert_never

from mergemaker_engine import actions
from mergemaker_engine.actions import Action
from mergemaker_engine.board import CHAINS, SQUARE_NAMES, SQUARE_OF_NAME, SQUARES
from mergemaker_engine.decisions import Decision, Step
from mergemaker_engine.errors import MalformedAction, NotationError
from mergemaker_engine.events import Event
from mergemaker_engine.rules import Rules, check_rules
from mergemaker_engine.shown import shown

Names: TypeAlias = tuple[str, ...]
"""The names of the chains, in chain order. Texts need nothing else of the rules."""
_FieldValue: TypeAlias = int | StrEnum | tuple[int, ...] | None
"""What a field of a decision, step or event holds."""

_TEXTS_KEPT_MAX: Final = 16_384
"""How many texts are cached: most recur again and again."""

# The meaning of fields of decisions, steps and events, by name. Other fields are written as they are.
_CHAIN_FIELDS: Final = frozenset({"chain", "acquired", "survivor", "give", "take", "chains", "waiting"})
_SQUARE_FIELDS: Final = frozenset({"square", "squares"})
# Fields that a step needs for itself. A decision's text leaves them out.
_UNSPOKEN: Final = frozenset({"square", "chains", "give_shares", "give_cash", "take_shares", "take_cash"})


def square_name(square: int) -> str:
    """The name of a square: `9F`."""
    if type(square) is not int or not 0 <= square < SQUARES:
        raise NotationError("bad-square", f"squares are numbered from 0 to {SQUARES - 1}; there is no square {shown(square)}")
    return SQUARE_NAMES[square]


def parse_square(text: str) -> int:
    """The square with this name."""
    square = SQUARE_OF_NAME.get(text) if isinstance(text, str) else None
    if square is None:
        raise NotationError(
            "bad-square", f"a square is a number from 1 to 12 and a letter from A to I, as in 9F, not {shown(text)}"
        )
    return square


def parse_chain(text: str, rules: Rules) -> int:
    """The number of a chain, by its name or its first letter."""
    check_rules(rules)
    return _chain_named(text, rules.chain_names)


def _chain_named(text: str, names: Names) -> int:
    for chain, name in enumerate(names):
        if text in (name, name[0]):
            return chain
    raise NotationError("bad-chain", f"these rules have the chains {', '.join(names)}, not {shown(text)}")


def _value_text(name: str, value: _FieldValue, names: Names) -> str:
    if isinstance(value, tuple):
        return ",".join(_value_text(name, item, names) for item in value) or "-"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name in _CHAIN_FIELDS:
        return names[value]
    if isinstance(value, int) and name in _SQUARE_FIELDS:
        return square_name(value)
    return str(value)


def _no_step(step: object) -> NotationError:
    return NotationError("bad-step", f"a step of an agenda, a decision or an event has this text, not {shown(step)}")


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _step_text(step: Step | Event, names: Names) -> str:
    return _text_of_fields(step, names, frozenset())


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _decision_text(decision: Decision, names: Names) -> str:
    return _text_of_fields(decision, names, _UNSPOKEN)


def _text_of_fields(step: Step | Event, names: Names, unspoken: frozenset[str]) -> str:
    words = [
        f"{name}={_value_text(name, getattr(step, name), names)}" for name in _FIELD_NAMES[type(step)] if name not in unspoken
    ]
    return " ".join([type(step).__name__, *words])


# By kind of decision: usual values of fields. A question's text has a field only if its value differs.
_USUAL_VALUES: Final[dict[type, tuple[tuple[str, object], ...]]] = {
    kind: tuple((part.name, part.default) for part in fields(kind) if part.name != "seat" and part.name not in _UNSPOKEN)
    for kind in Decision.__args__
}
_FIELD_NAMES: Final[dict[type, tuple[str, ...]]] = {
    kind: tuple(part.name for part in fields(kind)) for kind in (*Step.__args__, *Event.__args__)
}


def step_text(step: Step | Event, rules: Rules) -> str:
    """A step, decision or event with all its fields."""
    check_rules(rules)
    if type(step) not in _FIELD_NAMES:
        raise _no_step(step)
    return _step_text(step, rules.chain_names)


def event_text(event: Event, rules: Rules) -> str:
    """An event, as in `TilePlaced seat=0 square=5C`."""
    return step_text(event, rules)


def question_text(decision: Decision, rules: Rules) -> str:
    """A decision as in a record: `ChooseTile`. It leaves out the seat, and fields with their usual value."""
    check_rules(rules)
    return _question_text(decision, rules.chain_names)


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _question_text(decision: Decision, names: Names) -> str:
    words = [
        f"{name}={_value_text(name, getattr(decision, name), names)}"
        for name, default in _USUAL_VALUES[type(decision)]
        if getattr(decision, name) != default
    ]
    return " ".join([type(decision).__name__, *words])


def decision_text(decision: Decision, rules: Rules) -> str:
    """A decision, as in `ChooseTile seat=0 number=1 most=1`."""
    check_rules(rules)
    if type(decision) not in _FIELD_NAMES:
        raise _no_step(decision)
    return _decision_text(decision, rules.chain_names)


def shares_text(shares: Sequence[int], rules: Rules) -> str:
    """Counts of shares by chain, as in `2 Tower 1 Luxor`; empty for none."""
    return _shares_text(tuple(shares), rules.chain_names)


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _shares_text(shares: tuple[int, ...], names: Names) -> str:
    return " ".join([f"{count} {name}" for count, name in zip(shares, names, strict=True) if count])


def _side_text(shares: Sequence[int], cash: int, names: Names) -> str:
    return " ".join(part for part in (_shares_text(tuple(shares), names), f"${cash}" if cash else "") if part)


def action_text(action: Action, rules: Rules) -> str:
    """An action, as in `5C end` or `sell 2 trade 4`."""
    check_rules(rules)
    if not isinstance(action, Action):
        raise MalformedAction("malformed", f"an action has a text, and {shown(action)} is none")
    return words_of_action(action, rules.chain_names)


def words_of_action(action: Action, names: Names) -> str:
    """The text of an action, which is not checked, with these names for the chains."""
    match action:
        case actions.Place(square=square, declare=declare):
            return square_name(square) + (" end" if declare else "")
        case actions.Buy(shares=shares, declare=declare):
            return f"buy {_shares_text(shares, names) or 'nothing'}" + (" end" if declare else "")
        case actions.Dispose(sell=sell, trade=trade):
            return f"sell {sell} trade {trade}"
        case actions.NameFounded(chain=chain):
            return f"found {names[chain]}"
        case actions.NameSurvivor(chain=chain):
            return f"survivor {names[chain]}"
        case actions.NameAcquired(chain=chain):
            return f"acquire {names[chain]}"
        case actions.UsePower(power=power):
            return f"power {power}" if power else "no power"
        case actions.TradePair(give=give, take=take):
            return f"swap 2 {names[give]} for 1 {names[take]}"
        case actions.OfferTrade():
            given = _side_text(action.give_shares, action.give_cash, names)
            asked = _side_text(action.take_shares, action.take_cash, names)
            return f"offer seat {action.partner}: {given} for {asked}"
        case (
            actions.Exchange()
            | actions.StopPlay()
            | actions.EndPlacing()
            | actions.EndTrading()
            | actions.NoOffer()
            | actions.Reply()
        ):
            return _FIXED_TEXTS[action]
        case _:
            assert_never(action)


_FIXED_TEXTS: Final[dict[Action, str]] = {
    actions.STOP: "stop",
    actions.ENOUGH_TILES: "enough tiles",
    actions.KEEP_DEAD: "no exchange",
    actions.EXCHANGE_DEAD: "exchange",
    actions.NO_POWER: "no power",
    actions.ENOUGH_SWAPS: "enough swaps",
    actions.NO_OFFER: "no offer",
    actions.DECLINE: "decline",
    actions.ACCEPT: "accept",
}
_ACTION_OF_TEXT: Final = {text: action for action, text in _FIXED_TEXTS.items()}


def _parse_shares(text: str, names: Names) -> tuple[int, ...]:
    """Counts by chain from `2 Tower 1 Luxor`."""
    words = text.split()
    counts = [0] * CHAINS
    for count, name in zip(words[::2], words[1::2], strict=True):
        chain = _chain_named(name, names)
        if counts[chain]:
            raise NotationError("bad-action", f"{name} stands twice in {text!r}")
        counts[chain] = int(count)
    return tuple(counts)


def _parse_side(text: str, names: Names) -> tuple[tuple[int, ...], int]:
    shares, _, cash = text.partition("$")
    return _parse_shares(shares, names), int(cash) if cash else 0


def _parse_offer(match: re.Match[str], names: Names) -> Action:
    give_shares, give_cash = _parse_side(match["given"], names)
    take_shares, take_cash = _parse_side(match["asked"], names)
    return actions.OfferTrade(int(match["partner"]), give_shares, give_cash, take_shares, take_cash)


_COUNT: Final = "[0-9]{1,6}"
_SHARES: Final = f"{_COUNT} [A-Z][a-z]*(?: {_COUNT} [A-Z][a-z]*)*"
_SIDE: Final = f"(?:{_SHARES}(?: [$]{_COUNT})?|[$]{_COUNT})"

_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Names], Action]], ...]] = (
    (
        re.compile("(?P<square>[0-9]{1,2}[A-I])(?P<end> end)?"),
        lambda match, _: actions.Place(parse_square(match["square"]), declare=bool(match["end"])),
    ),
    (
        re.compile(f"buy (?P<shares>nothing|{_SHARES})(?P<end> end)?"),
        lambda match, names: actions.Buy(
            _parse_shares("" if match["shares"] == "nothing" else match["shares"], names), declare=bool(match["end"])
        ),
    ),
    (
        re.compile(f"sell (?P<sell>{_COUNT}) trade (?P<trade>{_COUNT})"),
        lambda match, _: actions.Dispose(int(match["sell"]), int(match["trade"])),
    ),
    (
        re.compile("found (?P<chain>[A-Za-z]+)"),
        lambda match, names: actions.NameFounded(_chain_named(match["chain"], names)),
    ),
    (
        re.compile("survivor (?P<chain>[A-Za-z]+)"),
        lambda match, names: actions.NameSurvivor(_chain_named(match["chain"], names)),
    ),
    (
        re.compile("acquire (?P<chain>[A-Za-z]+)"),
        lambda match, names: actions.NameAcquired(_chain_named(match["chain"], names)),
    ),
    (
        re.compile("swap 2 (?P<give>[A-Za-z]+) for 1 (?P<take>[A-Za-z]+)"),
        lambda match, names: actions.TradePair(_chain_named(match["give"], names), _chain_named(match["take"], names)),
    ),
    (
        re.compile(f"power (?P<power>{'|'.join(actions.POWERS)})"),
        lambda match, _: actions.UsePower(actions.Power(match["power"])),
    ),
    (re.compile(f"offer seat (?P<partner>[0-9]): (?P<given>{_SIDE}) for (?P<asked>{_SIDE})"), _parse_offer),
)


def parse_action(text: str, rules: Rules) -> Action:
    """The action that a text stands for. A chain may be written as its first letter."""
    check_rules(rules)
    if isinstance(text, str):
        return _parsed(text, rules.chain_names)
    raise _no_action(text)


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _parsed(text: str, names: Names) -> Action:
    fixed = _ACTION_OF_TEXT.get(text)
    if fixed is not None:
        return fixed
    for form, read in _FORMS:
        match = form.fullmatch(text)
        if match:
            return read(match, names)
    raise _no_action(text)


def exact_action_text(text: str, rules: Rules) -> str:
    """The one text of the action that a text stands for: the text itself, unless it was written in some other way."""
    return _exact_text(text, rules.chain_names)


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _exact_text(text: str, names: Names) -> str:
    return words_of_action(_parsed(text, names), names)


def _no_action(text: object) -> NotationError:
    return NotationError(
        "bad-action",
        f"{shown(text)} is no action; actions are written as in: 5C · 5C end · stop · found Tower · sell 2 trade 4 · "
        "buy 2 Tower 1 Luxor · buy nothing",
    )


_STEP_KINDS: Final = {kind.__name__: kind for kind in Step.__args__}


def parse_step(text: str, rules: Rules) -> Step:
    """The step that `step_text` wrote."""
    check_rules(rules)
    name, *parts = text.split() if isinstance(text, str) and text.strip() else [""]
    kind = _STEP_KINDS.get(name)
    if kind is None:
        raise NotationError("bad-step", f"there is no step {shown(name or text)}; steps are {', '.join(_STEP_KINDS)}")
    given = [part.partition("=")[::2] for part in parts]
    expected = [part.name for part in fields(kind)]
    if [field for field, _ in given] != expected:
        raise NotationError("bad-step", f"{name} has the fields {', '.join(expected) or 'none'}, not {shown(text)}")
    values = {part.name: _parse_value(part, value, rules) for part, (_, value) in zip(fields(kind), given, strict=True)}
    step: Step = kind(**values)
    return step


def _parse_value(part: Field[object], text: str, rules: Rules) -> object:
    """The value of a step's field; the field's type says whether it is a word, a list or a single item."""
    if isinstance(part.type, type) and issubclass(part.type, StrEnum):
        if text not in list(part.type):
            raise NotationError("bad-step", f"{part.name} cannot be {shown(text)}; it is one of {', '.join(part.type)}")
        return part.type(text)
    if part.type is not int:
        return () if text == "-" else tuple(_parse_item(part.name, item, rules) for item in text.split(","))
    return _parse_item(part.name, text, rules)


def _parse_item(name: str, text: str, rules: Rules) -> int:
    if name in _CHAIN_FIELDS:
        return parse_chain(text, rules)
    if name in _SQUARE_FIELDS:
        return parse_square(text)
    if not re.fullmatch(_COUNT, text):
        raise NotationError("bad-step", f"{name} cannot be {shown(text)}; it is a whole number of at most six digits")
    return int(text)
