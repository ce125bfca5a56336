"""A bot that is one function: it prefers the last legal answer in the list, and says so in a note."""

from mergemaker_client import Answer, Noted, Turn, bot_from, run
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.playout import declares_end


def answer(turn: Turn) -> Answer:
    """Answers every kind of question. It leaves offers to the default: there are millions of them."""
    if isinstance(turn.decision, ChooseOffer):
        return turn.default
    quiet = [index for index, action in enumerate(turn.answers) if not declares_end(action)]
    return Noted(quiet[-1] if quiet else turn.default, f"one of {len(turn.answers)}")


factory = bot_from(answer)

if __name__ == "__main__":
    run(factory)
