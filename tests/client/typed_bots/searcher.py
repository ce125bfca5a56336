"""An ordinary async bot that tries answers in games that agree with its view: checked by type checkers, and played."""

from mergemaker_client import Answer, AsyncBot, Turn, bot_from, run
from mergemaker_engine.actions import Buy, Place
from mergemaker_engine.decisions import ChooseDisposal, ChooseTile
from mergemaker_engine.determinise import determinise
from mergemaker_engine.playout import play_out

TRIED_MAX = 2


class Searcher(AsyncBot):
    """Plays each of the first answers to the end once, at random."""

    async def answer(self, turn: Turn) -> Answer:
        if len(turn.answers) == 1:
            return 0
        best: tuple[int, int] | None = None
        for index, action in enumerate(turn.answers[:TRIED_MAX]):
            game = determinise(turn.view, turn.chance)
            game.apply(action)
            play_out(game, turn.chance)
            cash = game.cash[turn.seat]
            if best is None or cash > best[0]:
                best = cash, index
        return best[1] if best else turn.default


def plain(turn: Turn) -> Answer:
    """Tells kinds of questions and answers apart by their types."""
    match turn.decision:
        case ChooseTile(most=most) if most > 1:
            return len(turn.answers) - 1
        case ChooseDisposal(acquired=acquired):
            return len(turn.answers) // 2 if turn.price(acquired) else turn.default
        case _:
            pass
    first = turn.answers[0]
    if isinstance(first, Place):
        return turn.tiles[0].action
    if isinstance(first, Buy) and turn.may_declare:
        return turn.buy({}, declare=True)
    return first


factory = bot_from(plain)

if __name__ == "__main__":
    run(Searcher)
