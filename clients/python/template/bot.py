"""my-bot. `./run` starts it, `./test` tests it."""

from mergemaker_client import Answer, Bot, DisposalTurn, PurchaseTurn, TileTurn, run


class MyBot(Bot):
    """Answers what it cares about; all else is the referee's default."""

    def choose_tile(self, turn: TileTurn) -> Answer:
        """Places its tile where it owns more than the others."""
        return max(turn.tiles, key=lambda tile: sum(turn.lead(chain) for chain in tile.chains)).action

    def choose_purchase(self, turn: PurchaseTurn) -> Answer:
        """Buys where the race for the most shares is close, and does not declare the end."""
        choices = [buy for buy in turn.answers if not buy.declare]
        return max(choices, key=lambda buy: sum(count * (10 - abs(turn.lead(chain))) for chain, count in buy.parts))

    def choose_disposal(self, turn: DisposalTurn) -> Answer:
        """Sells all shares of a chain that is gone."""
        return turn.answers[-1]


if __name__ == "__main__":
    run(MyBot)
