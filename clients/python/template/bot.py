"""my-bot. `./run` starts it, `./test` tests it."""

from mergemaker_client import Answer, Bot, Turn, run


class MyBot(Bot):
    """Answers what it cares about; all else is the referee's default."""

    def choose_purchase(self, turn: Turn) -> Answer:
        """Buys a share of the most expensive chain on the board, if it can."""
        prices = {name: turn.price(name) for name in turn.names if turn.price(name)}
        wish = turn.buy({max(prices, key=prices.__getitem__): 1}) if prices else turn.default
        return wish if wish in turn.answers else turn.default


if __name__ == "__main__":
    run(MyBot)
