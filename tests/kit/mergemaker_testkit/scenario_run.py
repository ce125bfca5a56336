"""Plays scenarios on the engine and compares the results with what they say.

After every answer, the runner audits the whole game, and writes its position, reads it back and writes it again;
every answer then offered must be accepted. A refused answer must leave the position as it was.

What `now` can check, with `-` for none:

    now cash 0 6000               what a seat has
    now shares 0 T3 L2            all of a seat's shares
    now hand 0 1A 2B              all of a seat's tiles
    now powers 0 take-five        the powers that a seat has used
    now market T22 L0             the shares left of the named chains
    now size T5 L0                the tiles of the named chains
    now at 5B Tower               what is on a square: a chain, 'independent' or 'empty'
    now pile 12                   how many tiles are left
    now aside 1A 2B               all tiles out of the game
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import takewhile, zip_longest
from typing import Final

from mergemaker_engine.audit import audit
from mergemaker_engine.deal import Deal
from mergemaker_engine.errors import EngineError, MalformedAction, NotationError
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.notation import (
    action_text,
    decision_text,
    event_text,
    parse_action,
    parse_position,
    parse_rules,
    parse_square,
    position_text,
)

from mergemaker_testkit.scenario import (
    ANY_EVENTS,
    MALFORMED,
    Answer,
    Ask,
    Legal,
    Now,
    Refused,
    Scenario,
    ScenarioError,
    Start,
    Step,
)

_SQUARES: Final = 108
_SHARES: Final = 25
_ANSWERS_LISTED_MAX: Final = 20_000
_ANSWERS_TRIED_MAX: Final = 200
_NOBODY: Final = "nobody"
_NONE: Final = "-"
_SEAT_PARTS: Final = frozenset({"cash", "tiles", "shares", "powers"})


def scripted_deal(order: Sequence[int], shown: Sequence[str]) -> Deal:
    """A deal whose market draws show these tiles."""
    return Deal(order, market_tiles=[parse_square(name) for name in shown])


def run(scenario: Scenario) -> None:
    """Plays a scenario; raises AssertionError with file and line if a result differs."""
    first = scenario.steps[0]
    if isinstance(first, Refused) and not first.text:
        _expect_setup_refused(scenario, first)
        return
    game = _begin(scenario)
    top = f"{scenario.file}:{scenario.line}"
    _check_sound(game, top)
    for step in scenario.steps:
        where = f"{scenario.file}:{step.line}"
        _take(game, step, where)
        if isinstance(step, Answer):
            _check_sound(game, where)
    named = len(scenario.draws)
    drawn = int(_Position(game).lines.get("market-draws", "0"))
    assert drawn == named, f"{top}: 'draws' names {named} tiles, {drawn} were drawn for the market"


def _begin(scenario: Scenario) -> Game:
    if scenario.deal is not None:
        return _dealt(scenario)
    game = parse_position(scenario.position)
    game.deal = scripted_deal(game.deal.order, scenario.draws)
    return game


def _dealt(scenario: Scenario) -> Game:
    """A game from its very beginning: the position has only the rules and the number of seats."""
    head = dict(line.split(maxsplit=1) for line in scenario.position.splitlines())
    if head.keys() != {"rules", "seats"} or scenario.deal is None:
        raise ScenarioError(f"{scenario.file}:{scenario.line}: beside 'deal' stand rules and seats only")
    named = [parse_square(name) for name in scenario.deal if name != "rest"]
    rest = [square for square in range(_SQUARES) if square not in named]
    order = named + rest if scenario.deal[-1] == "rest" else named
    return Game(parse_rules(head["rules"]), int(head["seats"]), scripted_deal(order, scenario.draws))


def _expect_setup_refused(scenario: Scenario, step: Refused) -> None:
    _check_cause(_refusal(lambda: _begin(scenario)), step, f"{scenario.file}:{step.line}")


def _check_sound(game: Game, where: str) -> None:
    wrong = audit(game)
    assert not wrong, f"{where}: the position is wrong: {'; '.join(wrong)}"
    text = position_text(game)
    again = position_text(parse_position(text))
    assert again == text, f"{where}: a position read back differs:\n{_differences(text, again)}"
    _try_all(game, where)
    assert position_text(game) == text, f"{where}: listing and trying the answers changed the game"


def _try_all(game: Game, where: str) -> None:
    """Tries every offered answer on a copy, unless there are too many."""
    answers = game.legal()
    if len(answers) > _ANSWERS_TRIED_MAX:
        return
    for action in answers:
        twin = game.copy()
        # The script names the market's draws for one course of the game only.
        twin.deal = Deal(game.deal.order)
        refused = _refusal(partial(twin.apply, action))
        name = action_text(action, game.rules)
        assert refused is None, f"{where}: {name!r} is offered and refused: {refused}"


def _take(game: Game, step: Step, where: str) -> None:
    match step:
        case Start(_, events):
            _check_events(game, events, (event_text(event, game.rules) for event in game.start_events), where)
        case Answer(_, text, events):
            happened = [event_text(event, game.rules) for event in _apply(game, text, where)]
            named = len(game.deal.market_tiles)
            assert game.market_draws <= named, f"{where}: market draw {named} happened; the line 'draws' names {named}"
            if events is not None:
                _check_events(game, events, happened, where)
        case Refused():
            _check_refused(game, step, where)
        case Ask(_, expected):
            asked = _asked(game)
            agrees = f"{asked} ".startswith(f"{expected} ")
            assert agrees, f"{where}: expected the decision {expected}, got {asked}"
        case Legal():
            _check_legal(game, step, where)
        case Now():
            _check_now(game, step, where)


def _asked(game: Game) -> str:
    decision = game.decision
    return _NOBODY if decision is None else decision_text(decision, game.rules)


def _apply(game: Game, text: str, where: str) -> Sequence[Event]:
    try:
        return game.apply(parse_action(text, game.rules))
    except EngineError as error:
        raise AssertionError(f"{where}: {text!r} was refused at {_asked(game)}: {error}") from error


def _check_events(game: Game, expected: Sequence[str], happened: Iterable[str], where: str) -> None:
    got = list(happened)
    if not _agree(expected, got):
        raise AssertionError(
            f"{where}: expected these events:\n  " + "\n  ".join(expected)
            + "\ngot:\n  " + "\n  ".join(got) + f"\nand then {_asked(game)}"
        )  # fmt: skip


def _agree(expected: Sequence[str], got: Sequence[str]) -> bool:
    """Whether events are as expected, where '...' matches any number of them."""
    if not expected:
        return not got
    if expected[0] == ANY_EVENTS:
        return any(_agree(expected[1:], got[skipped:]) for skipped in range(len(got) + 1))
    return bool(got) and got[0] == expected[0] and _agree(expected[1:], got[1:])


def _check_refused(game: Game, step: Refused, where: str) -> None:
    before = position_text(game)
    _check_cause(_refusal(lambda: game.apply(parse_action(step.text, game.rules))), step, where)
    after = position_text(game)
    assert after == before, f"{where}: a refused answer changed the game:\n{_differences(before, after)}"


def _refusal(attempt: Callable[[], object]) -> EngineError | None:
    try:
        attempt()
    except EngineError as error:
        return error
    return None


def _check_cause(error: EngineError | None, step: Refused, where: str) -> None:
    """Checks that something was refused for the rule that the step names."""
    what = repr(step.text) if step.text else "the set-up"
    if error is None:
        raise AssertionError(f"{where}: expected {what} to be refused for {step.rule}, but it was accepted")
    cause = error.rule or (MALFORMED if isinstance(error, MalformedAction | NotationError) else None)
    assert cause == step.rule, f"{where}: expected {what} to be refused for {step.rule}, got {cause}: {error}"


def _check_legal(game: Game, step: Legal, where: str) -> None:
    legal = game.legal()
    count = len(legal)
    if step.how == "count":
        assert count == int(step.texts[0]), f"{where}: expected {step.texts[0]} answers, got {count}"
        return
    if step.how == "all":
        assert count <= _ANSWERS_LISTED_MAX, f"{where}: there are {count} answers; say has, not or count"
        got = tuple(action_text(action, game.rules) for action in legal)
        assert got == step.texts, f"{where}: expected these answers:\n  {' | '.join(step.texts)}\ngot:\n  {' | '.join(got)}"
        return
    for text in step.texts:
        offered = "offered" if parse_action(text, game.rules) in legal else "not offered"
        expected = "offered" if step.how == "has" else "not offered"
        assert offered == expected, f"{where}: {text!r} is {offered}"


def _check_now(game: Game, step: Now, where: str) -> None:
    got = _seen(_Position(game), step, where)
    assert got == step.words, f"{where}: expected {step.thing} to be {' '.join(step.words)}, got {' '.join(got)}"


def _seen(position: "_Position", step: Now, where: str) -> tuple[str, ...]:
    """The `now` line that would hold, with its parts in the same order."""
    words = step.words
    seen: Sequence[str]
    match step.thing:
        case "cash":
            seen = (words[0], *position.seat(words[0], "cash"))
        case "shares" | "powers":
            seen = (words[0], *_like(words[1:], position.seat(words[0], step.thing)))
        case "hand":
            seen = (words[0], *_like(words[1:], position.seat(words[0], "tiles")))
        case "aside":
            seen = _like(words, position.lines.get("aside", _NONE).split())
        case "market":
            seen = [f"{word[0]}{_SHARES - position.held(word[0])}" for word in words]
        case "size":
            seen = [f"{word[0]}{position.board.count(word[0])}" for word in words]
        case "at":
            seen = (words[0], position.at(words[0]))
        case "pile":
            seen = [str(len(position.lines["pile"].split()))]
        case _:
            raise ScenarioError(f"{where}: 'now' cannot look at {step.thing!r}")
    return tuple(seen)


def _like(expected: Sequence[str], got: Sequence[str]) -> Sequence[str]:
    """`got` in the order of `expected` if both have the same elements: a scenario may list them in any order."""
    return expected if sorted(expected) == sorted(got) else got


class _Position:
    """A parsed position, so that scenarios see what every reader of the notation sees."""

    def __init__(self, game: Game) -> None:
        self.rules = game.rules
        self.lines: dict[str, str] = {}
        self.seats: dict[str, list[str]] = {}
        rows: dict[str, str] = {}
        for line in position_text(game).splitlines():
            name, _, rest = line.strip().partition(" ")
            if name == "seat":
                number, *parts = rest.split()
                self.seats[number] = parts
            elif len(name) == 1:
                rows[name] = rest
            else:
                self.lines[name] = rest
        self.board = "".join(rows.get(letter, "." * 12) for letter in "ABCDEFGHI")

    def seat(self, number: str, part: str) -> list[str]:
        """The words after a part's name in a seat's line; '-' if the part is missing."""
        words = self.seats[number]
        if part not in words:
            return [_NONE]
        after = words[words.index(part) + 1 :]
        found = list(takewhile(lambda word: word not in _SEAT_PARTS, after))
        return found[0].split(",") if part == "powers" else found

    def held(self, initial: str) -> int:
        """How many shares of a chain the players own."""
        held = (word for number in self.seats for word in self.seat(number, "shares"))
        return sum(int(word[1:]) for word in held if word[0] == initial)

    def at(self, square: str) -> str:
        """The state of a square: a chain's name, independent or empty."""
        mark = self.board[parse_square(square)]
        names = {name[0]: name for name in self.rules.chain_names}
        return {".": "empty", "o": "independent", **names}[mark]


def _differences(before: str, after: str) -> str:
    pairs = zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    return "\n".join(f"  {one!r} became {other!r}" for one, other in pairs if one != other)
