"""Values of a wrong type: the engine itself refuses them, with a reason; Python's errors do not count."""

from collections.abc import Callable
from typing import Final

import pytest
from mergemaker_engine.actions import Place, action_of_code, code_of
from mergemaker_engine.audit import audit
from mergemaker_engine.deal import Chances, Deal, derived_seed
from mergemaker_engine.decisions import ChooseTile
from mergemaker_engine.determinise import determinise
from mergemaker_engine.errors import EngineError
from mergemaker_engine.events import TilesReceived, audience, check_event, seen_by
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.notation import parse_position, parse_rules, position_text, rules_text
from mergemaker_engine.playout import draw_answer, play_out
from mergemaker_engine.rules import Rules, allowed_values, preset
from mergemaker_engine.tables import tables_for
from mergemaker_engine.wording import (
    action_text,
    decision_text,
    event_text,
    parse_action,
    parse_chain,
    parse_square,
    parse_step,
    square_name,
    step_text,
)

SEED: Final = bytes(32)
CLASSIC: Final = preset("renegade-classic")
GAME: Final = Game(CLASSIC, 3, Deal.from_seed(SEED))
HUGE: Final = 10**5_000
"""Python refuses to write a number with this many digits, even in a message."""

STRANGE: Final[tuple[tuple[str, Callable[[], object], str], ...]] = (
    ("parse_action of nothing", lambda: parse_action("", CLASSIC), "bad-action"),
    ("parse_action(None)", lambda: parse_action(None, CLASSIC), "bad-action"),  # type: ignore[arg-type]  # tried
    ("parse_action([])", lambda: parse_action([], CLASSIC), "bad-action"),  # type: ignore[arg-type]  # tried
    ("parse_action(b'5E')", lambda: parse_action(b"5E", CLASSIC), "bad-action"),  # type: ignore[arg-type]  # tried
    ("parse_action without rules", lambda: parse_action("stop", None), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("parse_square(5)", lambda: parse_square(5), "bad-square"),  # type: ignore[arg-type]  # tried
    ("parse_square([])", lambda: parse_square([]), "bad-square"),  # type: ignore[arg-type]  # tried
    ("parse_chain([])", lambda: parse_chain([], CLASSIC), "bad-chain"),  # type: ignore[arg-type]  # tried
    ("parse_chain without rules", lambda: parse_chain("T", "avalon-hill"), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("parse_position(None)", lambda: parse_position(None), "bad-position"),  # type: ignore[arg-type]  # tried
    ("parse_position(b'')", lambda: parse_position(b""), "bad-position"),  # type: ignore[arg-type]  # tried
    ("a position of 20,001 characters", lambda: parse_position("#" * 20_001), "bad-position"),
    ("position_text(None)", lambda: position_text(None), "bad-position"),  # type: ignore[arg-type]  # tried
    ("audit(None)", lambda: audit(None), "bad-position"),  # type: ignore[arg-type]  # tried
    ("parse_rules(None)", lambda: parse_rules(None), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("parse_rules of nothing", lambda: parse_rules(""), "bad-rules"),
    ("parse_rules of blanks", lambda: parse_rules(" \n"), "bad-rules"),
    ("rules_text of a name", lambda: rules_text("avalon-hill"), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("a knob of 5,000 digits", lambda: parse_rules("renegade-classic trade_offers=" + "9" * 5_000), "bad-knob"),
    ("a knob that is a huge number", lambda: CLASSIC.with_knobs({"trade_offers": HUGE}), "bad-knob"),
    ("a huge version", lambda: Rules(chains=CLASSIC.chains, version=HUGE), "unknown-rules-version"),
    ("preset([])", lambda: preset([]), "unknown-preset"),  # type: ignore[arg-type]  # tried
    ("preset of a huge number", lambda: preset(HUGE), "unknown-preset"),  # type: ignore[arg-type]  # tried
    ("allowed_values(None)", lambda: allowed_values(None), "unknown-knob"),  # type: ignore[arg-type]  # tried
    ("with_knobs(None)", lambda: CLASSIC.with_knobs(None), "bad-knob"),  # type: ignore[arg-type]  # tried
    ("with_knobs of pairs", lambda: CLASSIC.with_knobs([("assets", "open")]), "bad-knob"),  # type: ignore[arg-type]  # tried
    ("chains=None", lambda: Rules(chains=None), "bad-knob"),  # type: ignore[arg-type]  # tried
    ("chains of numbers", lambda: Rules(chains=((1, 2), (3, 4, 5), (6, 7))), "bad-knob"),  # type: ignore[arg-type]  # tried
    ("chains as lists", lambda: Rules(chains=[list(tier) for tier in CLASSIC.chains]), "bad-knob"),  # type: ignore[arg-type]  # tried
    ("chains as texts", lambda: Rules(chains=("TS", "AFW", "CI")), "bad-knob"),  # type: ignore[arg-type]  # tried
    ("chains with a text among them", lambda: Rules(chains=("TS", *CLASSIC.chains[1:])), "bad-knob"),  # type: ignore[arg-type]  # tried
    ("parse_step of nothing", lambda: parse_step("", CLASSIC), "bad-step"),
    ("parse_step(None)", lambda: parse_step(None, CLASSIC), "bad-step"),  # type: ignore[arg-type]  # tried
    ("parse_step without rules", lambda: parse_step("PassTurn", None), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("step_text(None)", lambda: step_text(None, CLASSIC), "bad-step"),  # type: ignore[arg-type]  # tried
    ("event_text of an action", lambda: event_text(Place(5), CLASSIC), "bad-step"),  # type: ignore[arg-type]  # tried
    ("decision_text of a kind", lambda: decision_text(ChooseTile, CLASSIC), "bad-step"),  # type: ignore[arg-type]  # tried
    ("decision_text without rules", lambda: decision_text(ChooseTile(0), None), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("action_text(None)", lambda: action_text(None, CLASSIC), "malformed"),  # type: ignore[arg-type]  # tried
    ("action_text([])", lambda: action_text([], CLASSIC), "malformed"),  # type: ignore[arg-type]  # tried
    ("action_text of a kind", lambda: action_text(Place, CLASSIC), "malformed"),  # type: ignore[arg-type]  # tried
    ("action_text without rules", lambda: action_text(Place(5), None), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("square_name(108)", lambda: square_name(108), "bad-square"),
    ("square_name(-1)", lambda: square_name(-1), "bad-square"),
    ("square_name(True)", lambda: square_name(True), "bad-square"),
    ("square_name('5E')", lambda: square_name("5E"), "bad-square"),  # type: ignore[arg-type]  # tried
    ("code_of(None)", lambda: code_of(None), "malformed"),  # type: ignore[arg-type]  # tried
    ("code_of a kind", lambda: code_of(Place), "malformed"),  # type: ignore[arg-type]  # tried
    ("action_of_code of a huge number", lambda: action_of_code(HUGE), "no-such-code"),
    ("a huge square", lambda: Place(HUGE), "malformed"),
    ("too many seats", lambda: Game(CLASSIC, HUGE, Deal.from_seed(SEED)), "bad-seats"),
    ("seats without rules", lambda: tables_for(None, 3), "bad-rules"),  # type: ignore[arg-type]  # tried
    ("Deal([[1]])", lambda: Deal([[1]]), "bad-order"),  # type: ignore[list-item]  # tried
    ("Deal(None)", lambda: Deal(None), "bad-order"),  # type: ignore[arg-type]  # tried
    ("Deal(5)", lambda: Deal(5), "bad-order"),  # type: ignore[arg-type]  # tried
    ("Chances(seed, None)", lambda: Chances(SEED, None), "bad-label"),  # type: ignore[arg-type]  # tried
    ("Chances(seed, b'deal')", lambda: Chances(SEED, b"deal"), "bad-label"),  # type: ignore[arg-type]  # tried
    ("derived_seed of a foreign label", lambda: derived_seed(SEED, "größe", 0), "bad-label"),
    ("derived_seed of number -1", lambda: derived_seed(SEED, "game", -1), "bad-number"),
    ("derived_seed of number 2**32", lambda: derived_seed(SEED, "game", 2**32), "bad-number"),
    ("an answer that is a huge number", lambda: Game(CLASSIC, 3, Deal.from_seed(SEED)).apply(HUGE), "malformed"),  # type: ignore[arg-type]  # tried
    ("a game of a huge number of seats", lambda: Game(CLASSIC, HUGE, Deal.from_seed(SEED)), "bad-seats"),
    ("a view of a huge seat", lambda: Game(CLASSIC, 3, Deal.from_seed(SEED)).view(HUGE), "no-such-seat"),
    ("a deal of a huge number", lambda: Deal([HUGE]), "bad-order"),
    ("a chance below a half", lambda: Chances(SEED, "x").below(0.5), "bad-range"),  # type: ignore[arg-type]  # tried
    ("determinise(None)", lambda: determinise(None, Chances(SEED, "x")), "no-view"),  # type: ignore[arg-type]  # tried
    ("determinise without chances", lambda: determinise(GAME.view(0), None), "bad-stream"),  # type: ignore[arg-type]  # tried
    ("determinise with other books", lambda: determinise(GAME.view(0), Chances(SEED, "x"), []), "no-ledger"),  # type: ignore[arg-type]  # tried
    ("play_out(None)", lambda: play_out(None, Chances(SEED, "x")), "bad-game"),  # type: ignore[arg-type]  # tried
    ("play_out without chances", lambda: play_out(GAME.copy(), None), "bad-stream"),  # type: ignore[arg-type]  # tried
    ("draw_answer of a view", lambda: draw_answer(GAME.view(0), Chances(SEED, "x")), "bad-game"),  # type: ignore[arg-type]  # tried
    ("draw_answer without chances", lambda: draw_answer(GAME, None), "bad-stream"),  # type: ignore[arg-type]  # tried
    ("Ledger(None)", lambda: Ledger(None), "bad-seats"),  # type: ignore[arg-type]  # tried
    ("Ledger of a huge number of seats", lambda: Ledger(HUGE), "bad-seats"),
    ("books of None", lambda: Ledger(3).observe(None), "no-event"),  # type: ignore[arg-type]  # tried
    ("audience(None)", lambda: audience(None), "no-event"),  # type: ignore[arg-type]  # tried
    ("seen_by of None", lambda: seen_by(0, [None]), "no-event"),  # type: ignore[list-item]  # tried
    ("the tier of an eighth chain", lambda: CLASSIC.tier(7), "no-such-chain"),
    ("the tier of chain -1", lambda: CLASSIC.tier(-1), "no-such-chain"),
    ("derived_seed of number 1.0", lambda: derived_seed(SEED, "game", 1.0), "bad-number"),  # type: ignore[arg-type]  # tried
)


@pytest.mark.parametrize(("make", "reason"), [row[1:] for row in STRANGE], ids=[row[0] for row in STRANGE])
def test_values_of_another_type_are_refused_by_the_engine_and_not_by_chance(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(EngineError) as refusal:
        make()
    assert refusal.value.reason == reason
    assert len(str(refusal.value)) < 400


def test_an_event_is_not_refused() -> None:
    check_event(TilesReceived(0, (5, 17)))
