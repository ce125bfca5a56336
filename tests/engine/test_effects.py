"""The predicted effects of a tile are what happens when it is placed."""

import pytest
from hypothesis import given, settings
from mergemaker_engine.actions import NameSurvivor, Place
from mergemaker_engine.decisions import ChooseSurvivor, ChooseTile
from mergemaker_engine.effects import EffectKind, TileEffect, choice_effects, tile_effects
from mergemaker_engine.events import ChainFounded, ChainGrew, Event, MergerBegan, MergerEnded, TilePlaced
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, square_name
from mergemaker_testkit.strategies import STEADY, Played, played_games

POSITION = """rules renegade-classic
seats 3
board
  A TT..........
  B ...o........
  C .SS.A......C
  D ....A..CCCCC
  E ....A..CCCCC
  G .....IIIIIII
  H oo......IIII
  I ..o.........
seat 0 tiles 3A 2B 3B 4C 10F 2I 6I
"""
EVERY_CHAIN = """rules renegade-classic
seats 3
board
  A TT.SS.AA.FF.
  B ............
  C WW.CC.II....
  I ...........o
seat 0 tiles 12H 5I
"""


def _until_settled(game: Game, effect: TileEffect) -> list[Event]:
    """Places the tile, and answers every question until its effects are complete."""
    events: list[Event] = []
    action = next(action for action in game.legal() if isinstance(action, Place) and action.square == effect.square)
    events += game.apply(action)
    while not any(isinstance(event, ChainFounded | MergerEnded) for event in events):
        decision = game.decision
        if decision is None or effect.kind in {EffectKind.LONE, EffectKind.GROWS}:
            break
        if isinstance(decision, ChooseSurvivor):
            assert {action.chain for action in game.legal() if isinstance(action, NameSurvivor)} == set(effect.survivors)
        events += game.apply(game.legal()[0])
    return events


@pytest.mark.rule("PLC-3", "PLC-4", "PLC-5", "PLC-6")
@settings(STEADY, max_examples=250)
@given(played=played_games())
def test_a_tile_does_what_was_said(played: Played) -> None:
    game = played.game
    decision = game.decision
    for seat in range(game.seats):
        effects = tile_effects(game.view(seat))
        assert [effect.square for effect in effects] == sorted({effect.square for effect in effects})
        assert {effect.square for effect in effects} <= set(game.view(seat).hand)
        if not isinstance(decision, ChooseTile) or decision.seat != seat:
            continue
        assert {effect.square for effect in effects} == {action.square for action in game.legal() if isinstance(action, Place)}
        for effect in effects:
            twin = game.copy()
            events = _until_settled(twin, effect)
            _check(effect, events, twin)
    assert tile_effects(game.public_view()) == ()


def _check(effect: TileEffect, events: list[Event], after: Game) -> None:
    grown = [event for event in events if isinstance(event, ChainGrew)]
    founded = [event for event in events if isinstance(event, ChainFounded)]
    merged = [event for event in events if isinstance(event, MergerBegan)]
    ended = [event for event in events if isinstance(event, MergerEnded)]
    assert TilePlaced in {type(event) for event in events}
    assert [len(grown), len(founded), len(merged)] == [
        effect.kind is kind for kind in (EffectKind.GROWS, EffectKind.FOUNDS, EffectKind.MERGES)
    ]
    match effect.kind:
        case EffectKind.LONE:
            assert (effect.chains, effect.survivors, effect.size) == ((), (), 1)
        case EffectKind.GROWS:
            assert effect.chains == (grown[0].chain,)
            assert (effect.survivors, effect.size) == ((), grown[0].size)
        case EffectKind.FOUNDS:
            assert (effect.chains, effect.survivors, effect.size) == ((), (), founded[0].size)
        case EffectKind.MERGES:
            assert effect.chains == merged[0].chains
            assert ended[0].chain in effect.survivors
            assert effect.size == ended[0].size
            assert after.sizes[ended[0].chain] >= effect.size


# Seat 0 may not place 10F, which would join two safe chains.
@pytest.mark.parametrize(
    ("tile", "kind", "chains", "survivors", "size"),
    [
        ("6I", EffectKind.LONE, (), (), 1),
        ("2I", EffectKind.FOUNDS, (), (), 4),
        ("3A", EffectKind.GROWS, ("Tower",), (), 3),
        ("3B", EffectKind.GROWS, ("Sackson",), (), 4),
        ("2B", EffectKind.MERGES, ("Tower", "Sackson"), ("Tower", "Sackson"), 5),
        ("4C", EffectKind.MERGES, ("Sackson", "American"), ("American",), 7),
    ],
)
@pytest.mark.rule("PLC-3", "PLC-4", "PLC-5", "PLC-6", "MRG-2")
def test_each_kind_of_tile(tile: str, kind: EffectKind, chains: tuple[str, ...], survivors: tuple[str, ...], size: int) -> None:
    game = parse_position(POSITION)
    names = game.rules.chain_names
    effects = {square_name(effect.square): effect for effect in tile_effects(game.view(0))}
    assert set(effects) == {"6I", "2I", "3A", "3B", "2B", "4C"}
    effect = effects[tile]
    assert effect.kind is kind
    assert {names[chain] for chain in effect.chains} == set(chains)
    assert list(effect.chains) == sorted(effect.chains)
    assert {names[chain] for chain in effect.survivors} == set(survivors)
    assert effect.size == size


@pytest.mark.rule("PLC-8")
def test_an_eighth_chain_is_never_offered() -> None:
    game = parse_position(EVERY_CHAIN)
    assert [square_name(effect.square) for effect in tile_effects(game.view(0))] == ["5I"]


def test_a_choice_of_a_tile_comes_with_its_effects_and_no_other_choice_does() -> None:
    game = parse_position(POSITION)
    asked, waits = game.view(0), game.view(1)
    assert isinstance(asked.decision, ChooseTile)
    assert choice_effects(asked) == tile_effects(asked) != ()
    assert choice_effects(waits) == ()
