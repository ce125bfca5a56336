"""A bot that keeps books: it knows what everybody holds, even if the rules hide it, and buys where it can lead."""

from collections.abc import Sequence

from mergemaker_client import Answer, Bot, MatchInfo, PurchaseTurn, run
from mergemaker_engine.events import Event
from mergemaker_engine.ledger import Ledger


class BookkeepingBot(Bot):
    """Writes down what is announced. Each instance plays one match, so its books are of one match, too."""

    def __init__(self) -> None:
        self.books: Ledger | None = None

    def on_start(self, match: MatchInfo) -> None:
        """Opens the books."""
        self.books = Ledger(match.seats)

    def on_events(self, events: Sequence[Event]) -> None:
        """Keeps the books."""
        for event in events:
            if self.books:
                self.books.observe(event)

    def choose_purchase(self, turn: PurchaseTurn) -> Answer:
        """Buys one share of the chain in which it leads, or is closest to the leader."""
        if not self.books:
            return turn.default
        rivals = [held for seat, held in enumerate(self.books.shares) if seat != turn.seat]
        behind = {
            name: max(held[chain] for held in rivals) - turn.mine[chain]
            for chain, name in enumerate(turn.names)
            if turn.price(chain)
        }
        wishes = sorted((count, name) for name, count in behind.items() if count >= 0)
        choices = [turn.buy({name: 1}) for _, name in wishes]
        return next((choice for choice in choices if choice in turn.answers), turn.default)


if __name__ == "__main__":
    run(BookkeepingBot)
