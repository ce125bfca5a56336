"""A first bot: founds a chain when it can, and buys the cheapest shares. All else is the referee's default."""

from mergemaker_client import Answer, Bot, PurchaseTurn, TileTurn, run
from mergemaker_engine.effects import EffectKind


class FirstBot(Bot):
    """Answers only what it cares about."""

    def choose_tile(self, turn: TileTurn) -> Answer:
        """Founds a chain, if one of its tiles does."""
        return next((tile.action for tile in turn.tiles if tile.kind is EffectKind.FOUNDS), turn.default)

    def choose_purchase(self, turn: PurchaseTurn) -> Answer:
        """Buys two shares of the cheapest chain on the board, if possible."""
        prices = {name: turn.price(name) for name in turn.names if turn.price(name)}
        wish = turn.buy({min(prices, key=prices.__getitem__): 2}) if prices else turn.default
        return wish if wish in turn.answers else turn.default


if __name__ == "__main__":
    run(FirstBot)
