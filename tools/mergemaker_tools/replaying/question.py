"""A decision as it was asked: the position before it, the legal answers, and what each tile would do.

Number N is the decision that `fork` and `shadow` ask again for RECORD@N.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mergemaker_engine.actions import Action
from mergemaker_engine.bounds import OfferBounds, answer_bounds
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.effects import EffectKind, TileEffect, choice_effects
from mergemaker_engine.game import Game
from mergemaker_engine.rules import Rules
from mergemaker_engine.wording import action_text, square_name

from mergemaker_tools.phrases import bought_text
from mergemaker_tools.replaying.knowledge import Knower
from mergemaker_tools.replaying.story import Story


@dataclass(frozen=True, slots=True)
class Question:
    """What a seat could answer, and what it could know of it."""

    answers: Sequence[Action]
    """Every legal answer, in the documented order."""
    offers: OfferBounds | None
    """The bounds of the offers, which are too many to be listed; None for other questions."""
    effects: tuple[TileEffect, ...]
    """What each tile would do, if a tile is asked for."""


def question_at(story: Story, number: int, knower: Knower) -> Question | None:
    """The question of a decision; None if this must not be shown, since another seat was asked."""
    seat = story.moments[number - 1].line.seat
    if knower not in (None, seat):
        return None
    game: Game = story.game_at(number - 1)
    offers = answer_bounds(game) if isinstance(game.decision, ChooseOffer) else None
    assert offers is None or isinstance(offers, OfferBounds), "an offer has the bounds of offers"
    return Question(game.legal(), offers, choice_effects(game.view(seat)))


def question_lines(question: Question, rules: Rules) -> Iterator[tuple[str, str]]:
    """The legal answers and the effects of tiles: labels and texts."""
    count = len(question.answers)
    if question.offers is not None:
        yield "legal", f"{count:,} answers: no offer, {_offers_text(question.offers, rules)}"
    else:
        listed = ", ".join(action_text(answer, rules) for answer in question.answers)
        yield "legal", f"{count:,} {'answer' if count == 1 else 'answers'}: {listed}"
    for number, effect in enumerate(question.effects):
        yield "" if number else "tiles", f"{square_name(effect.square)} {effect_text(effect, rules)}"


def effect_text(effect: TileEffect, rules: Rules) -> str:
    """What a tile would do, as in `grows Tower to 5`."""
    names = [rules.chain_names[chain] for chain in effect.chains]
    match effect.kind:
        case EffectKind.LONE:
            return "stands alone"
        case EffectKind.GROWS:
            return f"grows {names[0]} to {effect.size}"
        case EffectKind.FOUNDS:
            return f"founds a chain of {effect.size}"
        case EffectKind.MERGES:
            survivors = " or ".join(rules.chain_names[chain] for chain in effect.survivors)
            return f"merges {', '.join(names)}: {survivors} survives with {effect.size}"


def question_document(question: Question, rules: Rules) -> dict[str, object]:
    """The same for programs."""
    offers = question.offers
    return {
        "count": len(question.answers),
        "answers": None if offers else [action_text(answer, rules) for answer in question.answers],
        "offers": offers and {"partners": list(offers.partners), "shares": list(offers.shares), "cash": offers.cash},
        "effects": [
            {
                "square": square_name(effect.square),
                "kind": str(effect.kind),
                "chains": [rules.chain_names[chain] for chain in effect.chains],
                "survivors": [rules.chain_names[chain] for chain in effect.survivors],
                "size": effect.size,
            }
            for effect in question.effects
        ],
    }


def _offers_text(offers: OfferBounds, rules: Rules) -> str:
    partners = ", ".join(map(str, offers.partners))
    parts = [bought_text(offers.shares, rules.chain_names), f"${offers.cash:,}" if offers.cash else ""]
    most = ", ".join(part for part in parts if part) or "nothing"
    return f"and offers to seat {partners} that give at most {most}"
