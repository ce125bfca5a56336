"""An ordinary bot with a method for each kind of question, as its author would write it: checked by type checkers, and played."""

from collections.abc import Sequence

from mergemaker_client import (
    AcquiredTurn,
    Answer,
    Bot,
    DisposalTurn,
    ExchangeTurn,
    FoundedTurn,
    MatchInfo,
    MatchResult,
    Noted,
    OfferTurn,
    PairTradeTurn,
    PowerTurn,
    PurchaseTurn,
    ReplyTurn,
    SurvivorTurn,
    TileTurn,
    run,
)
from mergemaker_engine.actions import Dispose
from mergemaker_engine.effects import EffectKind
from mergemaker_engine.events import BonusPaid, Event, TilePlaced
from mergemaker_engine.ledger import Ledger


class Bookkeeper(Bot):
    """Keeps books, and looks at every field that a question has."""

    def __init__(self) -> None:
        self.placed: list[int] = []
        self.paid: dict[int, int] = {}
        self.ledger: Ledger | None = None

    def on_start(self, match: MatchInfo) -> None:
        self.ledger = Ledger(match.seats)
        assert match.bots[match.seat]
        assert match.clock.allowance_ms != 0

    def on_events(self, events: Sequence[Event]) -> None:
        for event in events:
            if self.ledger is not None:
                self.ledger.observe(event)
            match event:
                case TilePlaced(square=square):
                    self.placed.append(square)
                case BonusPaid(seat=seat):
                    self.paid[seat] = self.paid.get(seat, 0) + event.amount
                case _:
                    pass

    def choose_tile(self, turn: TileTurn) -> Answer:
        def worth(index: int) -> int:
            tile = turn.tiles[index]
            if tile.kind is EffectKind.MERGES:
                return sum(turn.price(chain) * turn.lead(chain) for chain in tile.chains)
            return tile.effect.size

        if not turn.tiles:
            return turn.default
        return Noted(turn.tiles[max(range(len(turn.tiles)), key=worth)].action, f"tile {turn.decision.number}")

    def choose_founded(self, turn: FoundedTurn) -> Answer:
        return max(turn.answers, key=lambda answer: turn.view.market[answer.chain])

    def choose_survivor(self, turn: SurvivorTurn) -> Answer:
        assert turn.decision.chains
        return max(turn.answers, key=lambda answer: turn.mine[answer.chain])

    def choose_acquired(self, turn: AcquiredTurn) -> Answer:
        return min(turn.answers, key=lambda answer: abs(answer.chain - turn.decision.survivor))

    def choose_disposal(self, turn: DisposalTurn) -> Answer:
        held = turn.mine[turn.decision.acquired]
        trade = min(held - held % 2, 2 * turn.view.market[turn.decision.survivor])
        wish = Dispose(held - trade, trade)
        return wish if wish in turn.answers else turn.default

    def choose_purchase(self, turn: PurchaseTurn) -> Answer:
        def cost(index: int) -> int:
            return sum(count * turn.price(chain) for chain, count in turn.answers[index].parts)

        quiet = [index for index, buy in enumerate(turn.answers) if not buy.declare]
        return max(quiet, key=lambda index: (turn.answers[index].count, -cost(index)))

    def choose_exchange(self, turn: ExchangeTurn) -> Answer:
        return next(index for index, answer in enumerate(turn.answers) if answer.exchange)

    def choose_power(self, turn: PowerTurn) -> Answer:
        return next((answer for answer in turn.answers if answer.power is not None), turn.default)

    def choose_pair_trade(self, turn: PairTradeTurn) -> Answer:
        return turn.answers[0] if turn.decision.number == 1 else turn.default

    def choose_offer(self, turn: OfferTurn) -> Answer:
        return Noted(turn.default, f"{turn.decision.left} left")

    def choose_reply(self, turn: ReplyTurn) -> Answer:
        gains = turn.decision.give_cash - turn.decision.take_cash
        return next(answer for answer in turn.answers if answer.accept == (gains > 0)) if len(turn.answers) > 1 else 0

    def on_end(self, result: MatchResult) -> None:
        assert result.receipt is None or str(result.receipt)
        assert all(standing.place >= 1 for standing in result.standings)


if __name__ == "__main__":
    run(Bookkeeper)
