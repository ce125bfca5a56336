"""What the bot `greedy` would answer to a question, and why, for a person. No I/O."""

from typing import Final

from mergemaker_client.bots.greedy import ENDING, scores_of
from mergemaker_client.turn import Turn
from mergemaker_engine.actions import Action, Buy, Place
from mergemaker_engine.decisions import ChooseDisposal, ChoosePurchase, ChooseTile
from mergemaker_engine.wording import action_text

from mergemaker_tools.play.person import PersonsVoice
from mergemaker_tools.play.stakes import listed, most_of_others

NEXT_BEST: Final = 2
"""How many other answers are compared with the best one."""


def hint_lines(turn: Turn) -> list[str]:
    """What `greedy` would do, and what it compares."""
    if len(turn.answers) == 1:
        return [f"hint: `{_text(turn, turn.answers[0])}` is the only answer."]
    scores = scores_of(turn)
    if len(scores) < len(turn.answers):
        return [f"hint: greedy answers `{_text(turn, turn.answers[0])}`: it never offers a trade."]
    order = sorted(range(len(scores)), key=lambda index: -scores[index])
    best = turn.answers[order[0]]
    lines = [f"hint: greedy would answer `{_text(turn, best)}`{_worth(turn, scores[order[0]], best)}."]
    if _declares(best):
        lines.append("  It would be ahead if the game ended now.")
    if isinstance(turn.decision, ChoosePurchase):
        lines += _leads(turn, best)
    others = [index for index in order[1:] if not _declares(turn.answers[index])][:NEXT_BEST]
    if others and _worth(turn, 0, best):
        compared = [f"`{_text(turn, turn.answers[index])}` {_amount(turn, scores[index])}" for index in others]
        lines.append(f"  Its next best: {listed(compared)}.")
    return lines


def _text(turn: Turn, answer: Action) -> str:
    return action_text(answer, turn.match.rules)


def _declares(answer: Action) -> bool:
    return isinstance(answer, Place | Buy) and answer.declare


def _worth(turn: Turn, score: int, answer: Action) -> str:
    """What a score means, for the questions where it is money."""
    amount = _amount(turn, score - (ENDING if _declares(answer) else 0))
    match turn.decision:
        case ChooseTile():
            return f", and expects to gain about {amount} on each of the others"
        case ChoosePurchase():
            return f", and expects it to be worth about {amount} more than it costs"
        case ChooseDisposal():
            return f", and expects about {amount} of it"
        case _:
            return ""


def _amount(turn: Turn, score: int) -> str:
    """A score in dollars: that of a tile counts its gain on every other seat."""
    dollars = round(score / (turn.match.seats - 1)) if isinstance(turn.decision, ChooseTile) else score
    return f"-${-dollars:,}" if dollars < 0 else f"${dollars:,}"


def _leads(turn: Turn, answer: Action) -> list[str]:
    """How a purchase changes who holds most."""
    if not isinstance(answer, Buy):
        return []
    lines, voice = [], PersonsVoice(turn.match.bots, turn.seat)
    for chain, count in answer.parts:
        others = most_of_others(turn.view, chain, turn.seat)
        against = ""
        if others is not None:
            most, seats = others
            against = f", against {most} of {listed([voice.who(seat) for seat in seats])}" if most else ", and nobody else any"
        lines.append(f"  You would then hold {turn.mine[chain] + count} {turn.names[chain]}{against}.")
    return lines
