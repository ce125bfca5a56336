"""The engine refuses bad input of every kind.

The error has the right class, a stable reason and the rule, and nothing changes.
"""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Final

import mergemaker_engine
import pytest
from mergemaker_engine import errors
from mergemaker_engine.actions import (
    Action,
    Dispose,
    NoOffer,
    OfferTrade,
    Place,
    Reply,
    TradePair,
    action_of_code,
    code_of,
)
from mergemaker_engine.deal import Chances, Deal, derived_seed
from mergemaker_engine.determinise import determinise
from mergemaker_engine.errors import EngineError, IllegalAction, MalformedAction, NotationError, SetupError, ViewError
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.notation import parse_position, parse_rules, position_text
from mergemaker_engine.playout import play_out
from mergemaker_engine.rules import Rules, preset
from mergemaker_engine.wording import (
    decision_text,
    event_text,
    parse_action,
    parse_chain,
    parse_square,
    parse_step,
)
from mergemaker_testkit.asked_positions import POSITIONS, asked_game
from mergemaker_testkit.reasons import reasons_in

SEED: Final = bytes(32)
CLASSIC: Final = preset("renegade-classic")
NONE: Final = (0,) * 7
ONE: Final = (1, 0, 0, 0, 0, 0, 0)
NAMES: Final = CLASSIC.chain_names


class Whole(int):
    """A subclass of int that lies about itself."""


# --- positions, one for each decision ---


def _seen(game: Game) -> tuple[object, ...]:
    return (position_text(game), *(game.view(seat) for seat in range(game.seats)), game.public_view())


def _over() -> Game:
    game = asked_game("tile")
    play_out(game, Chances(SEED, "play"))
    return game


# --- answers that a position does not accept ---

REFUSED: Final = (
    ("tile", "9I", "not-your-tile", "PLC-1"),
    ("tile", "1A", "not-your-tile", "PLC-1"),
    ("tile", "2I end", "not-your-tile", "PLC-1"),
    ("tile", "5E end", "end-not-reached", "END-1"),
    ("tile", "stop", "end-not-reached", "END-1"),
    ("tile", "enough tiles", "must-place", "PLC-1"),
    ("tile of four", "enough tiles", "must-place", "PLC-1"),
    ("declared", "5E end", "declared-already", "END-2"),
    ("no stopping", "stop", "cannot-stop", "END-2"),
    ("seven chains", "2E", "eighth-chain", "PLC-8"),
    ("two safe chains", "5B", "dead-tile", "PLC-7"),
    ("two safe chains", "5B end", "dead-tile", "PLC-7"),
    ("founding", "found Tower", "chain-active", "FND-1"),
    ("equal chains", "survivor Imperial", "not-tied", "MRG-2"),
    ("equal acquired", "acquire Tower", "not-tied", "MRG-4"),
    ("disposal", "sell 7 trade 0", "too-many-shares", "MRG-6"),
    ("disposal", "sell 1 trade 6", "too-many-shares", "MRG-6"),
    ("disposal", "sell 0 trade 4", "market-short", "MRG-8"),
    ("purchase", "buy 4 Tower", "too-many-shares", "BUY-1"),
    ("purchase", "buy 1 Imperial", "chain-inactive", "BUY-1"),
    ("purchase", "buy 2 Luxor", "market-short", "BUY-1"),
    ("purchase", "buy 3 Tower end", "end-not-reached", "END-1"),
    ("purchase", "buy nothing end", "end-not-reached", "END-1"),
    ("three free", "buy nothing", "too-few-shares", "PWR-2"),
    ("three free", "buy 4 Tower", "too-many-shares", "PWR-2"),
    ("first power", "power buy-five", "wrong-phase", "PWR-1"),
    ("buying power", "power buy-five", "power-used", "PWR-1"),
    ("buying power", "power trade-two", "power-idle", "PWR-7"),
    ("pair trade", "enough swaps", "must-trade", "PWR-4"),
    ("pair trade", "swap 2 Tower for 1 Imperial", "chain-inactive", "PWR-4"),
    ("pair trade", "swap 2 Imperial for 1 Tower", "chain-inactive", "PWR-4"),
    ("pair trade", "swap 2 Luxor for 1 Tower", "too-many-shares", "PWR-4"),
    ("sold out", "swap 2 Tower for 1 Luxor", "market-short", "PWR-4"),
    ("offer", "offer seat 0: 1 Tower for $100", "no-such-partner", "TRD-1"),
    ("offer", "offer seat 3: 1 Tower for $100", "no-such-partner", "TRD-1"),
    ("offer", "offer seat 1: 3 Tower for $100", "not-owned", "TRD-2"),
    ("offer", "offer seat 1: $600 for 1 Tower", "not-owned", "TRD-2"),
    ("reply", "accept", "not-owned", "TRD-2"),
)


@pytest.mark.parametrize(("position", "text", "reason", "rule"), REFUSED)
def test_what_a_position_does_not_accept_is_refused_for_a_rule(position: str, text: str, reason: str, rule: str) -> None:
    game = asked_game(position)
    before = _seen(game)
    with pytest.raises(IllegalAction) as refusal:
        game.apply(parse_action(text, game.rules))
    assert (refusal.value.reason, refusal.value.rule) == (reason, rule)
    assert f"[{rule}: " in str(refusal.value)
    assert _seen(game) == before


def test_too_little_money_is_said_with_what_it_would_cost() -> None:
    game = parse_position(POSITIONS["purchase"].replace("cash 600", "cash 500"))
    with pytest.raises(IllegalAction, match="this costs \\$600, and seat 0 has \\$500") as refusal:
        game.apply(parse_action("buy 3 Tower", game.rules))
    assert (refusal.value.reason, refusal.value.rule) == ("no-money", "BUY-3")


KINDS: Final[dict[str, tuple[str, ...]]] = {
    "tile": ("5E",),
    "founding": ("found Imperial",),
    "equal chains": ("survivor Tower",),
    "equal acquired": ("acquire Luxor",),
    "disposal": ("sell 1 trade 0",),
    "purchase": ("buy nothing",),
    "exchange": ("exchange",),
    "first power": ("no power",),
    "pair trade": ("swap 2 Tower for 1 Luxor", "enough swaps"),
    "offer": ("no offer", "offer seat 1: 1 Tower for $100"),
    "reply": ("decline",),
}
ALSO_TILE_ANSWERS: Final = ("stop", "enough tiles")


@pytest.mark.parametrize("position", KINDS)
def test_an_answer_to_another_question_is_refused_by_kind(position: str) -> None:
    game = asked_game(position)
    before = _seen(game)
    others = {text for name, texts in KINDS.items() if name != position for text in texts}
    if position != "tile":
        others.update(ALSO_TILE_ANSWERS)
    for text in sorted(others):
        with pytest.raises(IllegalAction, match="is asked Choose") as refusal:
            game.apply(parse_action(text, game.rules.with_knobs({"chains": preset("avalon-hill").chains})))
        assert refusal.value.reason == "wrong-kind"
        assert refusal.value.rule
    assert _seen(game) == before


NO_ACTIONS: Final[tuple[object, ...]] = (
    None, "5E", "buy nothing", 0, 216, -1, 2.0, True, b"5E", (), [Place(52)], Place, {"square": 52}, "x" * 10_000, object(),
)  # fmt: skip


@pytest.mark.parametrize("position", KINDS)
def test_what_is_no_action_is_refused_as_malformed(position: str) -> None:
    game = asked_game(position)
    before = _seen(game)
    for value in NO_ACTIONS:
        with pytest.raises(MalformedAction, match="is not an action") as refusal:
            game.apply(value)  # type: ignore[arg-type]  # tries what must be refused
        assert refusal.value.reason == "malformed"
        assert f"[{refusal.value.rule}: " in str(refusal.value)
        assert len(refusal.value.message) < 200
    assert _seen(game) == before


@pytest.mark.rule("END-3")
def test_after_the_end_nothing_is_accepted() -> None:
    game = _over()
    before = _seen(game)
    assert game.legal() == ()
    assert not any(game.legal_mask())
    for value in (*(action_of_code(code) for code in (0, 216, 576, 816)), NoOffer(), *NO_ACTIONS):
        with pytest.raises(IllegalAction, match="the game is over") as refusal:
            game.apply(value)  # type: ignore[arg-type]  # tries what must be refused
        assert (refusal.value.reason, refusal.value.rule) == ("game-over", "END-3")
    assert _seen(game) == before


@pytest.mark.parametrize("name", POSITIONS)
def test_a_text_is_refused_with_what_makes_an_action_of_it(name: str) -> None:
    game = asked_game(name)
    with pytest.raises(
        MalformedAction, match=r"'8A' is not an action: parse_action\(text, game\.rules\) makes one of a text"
    ) as refusal:
        game.apply("8A")  # type: ignore[arg-type]  # tries what must be refused
    assert refusal.value.reason == "malformed"


# --- values that no action has ---


OTHER_MALFORMED: Final[tuple[tuple[str, Callable[[], object], str, str | None], ...]] = (
    ("an odd trade", lambda: Dispose(0, 3), "odd-trade", "MRG-8"),
    ("a pair of one chain", lambda: TradePair(3, 3), "same-chain", "PWR-4"),
    ("nothing given", lambda: OfferTrade(1, NONE, 0, ONE, 0), "empty-side", "TRD-3"),
    ("nothing asked", lambda: OfferTrade(1, ONE, 0, NONE, 0), "empty-side", "TRD-3"),
    ("nothing at all", lambda: OfferTrade(1, NONE, 0, NONE, 0), "empty-side", "TRD-3"),
    ("a chain on both sides", lambda: OfferTrade(1, (2, 1, *NONE[2:]), 0, ONE, 0), "both-sides", "TRD-3"),
    ("cash on both sides", lambda: OfferTrade(1, ONE, 100, NONE, 200), "both-sides", "TRD-3"),
    ("odd cash", lambda: OfferTrade(1, ONE, 0, NONE, 250), "malformed", "TRD-3"),
    ("a reply's code", lambda: code_of(Reply(accept=True)), "no-code", None),
)


@pytest.mark.parametrize(
    ("make", "reason", "rule"), [row[1:] for row in OTHER_MALFORMED], ids=[row[0] for row in OTHER_MALFORMED]
)
def test_what_no_position_accepts_is_refused_when_it_is_made(make: Callable[[], object], reason: str, rule: str | None) -> None:
    with pytest.raises(MalformedAction) as refusal:
        make()
    assert (refusal.value.reason, refusal.value.rule) == (reason, rule)


# --- set-up ---

SET_UP: Final[tuple[tuple[str, Callable[[], object], str], ...]] = (
    ("rules by name", lambda: Game("renegade-classic", 3, Deal.from_seed(SEED)), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("no rules", lambda: Game(None, 3, Deal.from_seed(SEED)), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("no deal", lambda: Game(CLASSIC, 3, None), "bad-order"),  # type: ignore[arg-type]  # tried
    ("a list as deal", lambda: Game(CLASSIC, 3, list(range(108))), "bad-order"),  # type: ignore[arg-type]  # tried
    ("no list of market tiles", lambda: Deal(range(108), SEED, 5), "bad-market-tiles"),  # type: ignore[arg-type]  # tried
    ("a market tile by name", lambda: Deal(range(108), SEED, "9F"), "bad-market-tiles"),  # type: ignore[arg-type]  # tried
    ("a market tile that is none", lambda: Deal(range(108), SEED, [108]), "bad-market-tiles"),
    ("a truth value as market tile", lambda: Deal(range(108), SEED, [True]), "bad-market-tiles"),
    ("a market tile that is not in the pile", lambda: Deal(range(107), SEED, [None, 107]), "bad-market-tiles"),
    ("an empty pile", lambda: Game(CLASSIC, 3, Deal(())), "bad-order"),
    ("a preset that is none", lambda: preset("renegade"), "unknown-preset"),
    ("no preset", lambda: preset(None), "unknown-preset"),  # type: ignore[arg-type]  # tried
    ("an unknown knob", lambda: CLASSIC.with_knobs({"colour": "red"}), "unknown-knob"),
    ("the version as a knob", lambda: CLASSIC.with_knobs({"version": 1}), "unknown-knob"),
    ("a number as a knob", lambda: CLASSIC.with_knobs({5: 1}), "unknown-knob"),  # type: ignore[dict-item]  # tried
    ("a value that is none", lambda: CLASSIC.with_knobs({"assets": "shut"}), "bad-knob"),
    ("chains in other groups", lambda: Rules(chains=(NAMES[:3], NAMES[3:5], NAMES[5:])), "bad-knob"),
    ("no chain that is dear", lambda: Rules(chains=(NAMES[:3], NAMES[3:], ())), "bad-knob"),
    ("chains in one group only", lambda: CLASSIC.with_knobs({"chains": [[], NAMES, []]}), "bad-knob"),
    ("a later version", lambda: Rules(chains=CLASSIC.chains, version=2), "unknown-rules-version"),
    ("a seat beyond the table", lambda: asked_game("tile").view(3), "no-such-seat"),
    ("a short seed", lambda: Deal.from_seed(bytes(31)), "bad-seed"),
    ("a seed of a number too large", lambda: derived_seed(SEED, "game", 2**32), "bad-number"),
    ("a long label", lambda: Chances(SEED, "x" * 20), "bad-label"),
    ("a chance below nothing", lambda: Chances(SEED, "x").below(0), "bad-range"),
    ("too much to shuffle", lambda: Chances(SEED, "x").shuffled(range(1_024)), "too-many-items"),
    ("one seat", lambda: Game(CLASSIC, 1, Deal.from_seed(SEED)), "bad-seats"),
)


@pytest.mark.parametrize(("make", "reason"), [row[1:] for row in SET_UP], ids=[row[0] for row in SET_UP])
def test_what_no_game_begins_with_is_refused(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(SetupError) as refusal:
        make()
    assert refusal.value.reason == reason


@pytest.mark.rule("SET-6")
@pytest.mark.parametrize("seats", [-1, 0, 1, 7, 10**30, 2.0, 3.5, True, "3", None, (), [3], Whole(3)], ids=repr)
def test_two_to_six_seats_can_play_and_nothing_else(seats: int) -> None:
    Game(CLASSIC, 2, Deal.from_seed(SEED))
    Game(CLASSIC, 3, Deal.from_seed(SEED))
    with pytest.raises(SetupError) as refusal:
        Game(CLASSIC, seats, Deal.from_seed(SEED))
    assert (refusal.value.reason, refusal.value.rule) == ("bad-seats", "SET-6")


@pytest.mark.parametrize("n", [0, -1, -(10**30), 1.0, 2.5, True, "3", None, Whole(3)], ids=repr)
def test_chances_are_drawn_below_whole_numbers_from_one_on(n: int) -> None:
    chances, untouched = Chances(SEED, "play"), Chances(SEED, "play")
    with pytest.raises(SetupError) as refusal:
        chances.below(n)
    assert refusal.value.reason == "bad-range"
    assert chances.below(65_536) == untouched.below(65_536)


# --- texts and views ---

TEXTS: Final[tuple[tuple[str, Callable[[], object], str], ...]] = (
    ("no action", lambda: parse_action("buy 2 Tower and 1 Sackson", CLASSIC), "bad-action"),
    ("a chain twice", lambda: parse_action("buy 1 Tower 1 T", CLASSIC), "bad-action"),
    ("a chain of other rules", lambda: parse_chain("Luxor", CLASSIC), "bad-chain"),
    ("a square off the board", lambda: parse_square("13A"), "bad-square"),
    ("a word that is no position", lambda: parse_position("weather fine"), "bad-position"),
    ("a knob without value", lambda: parse_rules("renegade-classic assets"), "bad-rules"),
    ("a step that is none", lambda: parse_step("ChooseWeather seat=0", CLASSIC), "bad-step"),
    ("a tile in two places", lambda: parse_position("seat 0 tiles 1A\naside 1A"), "impossible-position"),
)


@pytest.mark.parametrize(("make", "reason"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_texts_that_say_nothing_are_refused(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(NotationError) as refusal:
        make()
    assert refusal.value.reason == reason


def _with_empty_books() -> Game:
    game = parse_position("rules avalon-hill\nseats 3\nboard\n  A TT..........\nseat 0 tiles 5E\nseat 1 shares T1")
    return determinise(game.view(0), Chances(SEED, "play"), Ledger(3))


VIEWS: Final[tuple[tuple[str, Callable[[], object], str], ...]] = (
    ("the public is asked nothing", lambda: determinise(asked_game("tile").public_view(), Chances(SEED, "x")), "nothing-asked"),
    ("books that begin too late", _with_empty_books, "ledger-disagrees"),
)


@pytest.mark.parametrize(("make", "reason"), [row[1:] for row in VIEWS], ids=[row[0] for row in VIEWS])
def test_what_a_view_does_not_hold_is_refused(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(ViewError) as refusal:
        make()
    assert refusal.value.reason == reason


# --- every reason ---

ERRORS: Final = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, EngineError)} - {
    "RecordError"  # tests/engine/record has its reasons
}


STRANGE_KINDS: Final = {
    ("SetupError", "bad-game"),
    ("SetupError", "bad-stream"),
    ("SetupError", "no-such-chain"),
    ("ViewError", "no-event"),
    ("ViewError", "no-ledger"),
    ("ViewError", "no-view"),
}
"""Reasons that tests/engine/test_strange_values.py shows."""


def test_every_reason_of_the_engine_is_shown_here() -> None:
    folder = Path(mergemaker_engine.__file__).parent
    raised = {pair for path in folder.glob("*.py") for pair in reasons_in(path.read_text(encoding="utf-8"), ERRORS)}
    shown = {
        *(("IllegalAction", reason) for _, _, reason, _ in REFUSED),
        *(("IllegalAction", reason) for reason in ("no-money", "wrong-kind", "game-over")),
        *(("MalformedAction", reason) for _, _, reason, _ in OTHER_MALFORMED),
        ("MalformedAction", "no-such-code"),
        *(("SetupError", reason) for _, _, reason in SET_UP),
        *(("NotationError", reason) for _, _, reason in TEXTS),
        *(("ViewError", reason) for _, _, reason in VIEWS),
        *STRANGE_KINDS,
    }
    assert raised == shown


def test_reasons_are_found_in_a_source() -> None:
    source = "raise SetupError('one', 'text')\nreturn IllegalAction(\n 'two', f'{x}', 'PLC-1')\nprint('three')\n"
    assert reasons_in(source, ERRORS) == {("SetupError", "one"), ("IllegalAction", "two")}


def test_texts_of_what_came_of_hostile_input_can_be_written() -> None:
    # Every field of every decision and event that follows from the positions above has a text.
    for name in POSITIONS:
        game = asked_game(name)
        assert game.decision is not None
        text = decision_text(game.decision, game.rules)
        assert text.startswith(type(game.decision).__name__)
        first: Action = game.legal()[0]
        for event in game.apply(first):
            words = event_text(event, game.rules).split()
            assert len(words) == 1 + len(fields(event))
