"""The oracle: the whole game, as a few plain questions and answers."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from .board import in_deal_order
from .rules import read_rules
from .table import DrawMarket, Question, Table
from .trading import count_offers, is_legal_text
from .turn import play_game


class Oracle:
    """One game, played by texts. It asks every decision, even one with a single answer."""

    start_events: list[str]

    def __init__(self, knobs: Mapping[str, object], seats: int, order: Sequence[str], draw_market: DrawMarket) -> None:
        """Set up and continue to the first decision; ValueError for an impossible game."""
        self._table = Table(read_rules(knobs, seats), seats, list(order), draw_market)
        self._script = play_game(self._table)
        self._asked: Question | None = next(self._script)
        self.start_events = self._news()

    def question(self) -> str | None:
        """Give the text of the open decision, None when the game is over."""
        return None if self._asked is None else self._asked.text

    def seat_asked(self) -> int | None:
        """Give the seat that must answer, None when the game is over."""
        return None if self._asked is None else self._asked.seat

    def answers(self) -> list[str]:
        """Give the texts of all legal answers, in the documented order; none when the game is over."""
        if self._asked is None:
            return []
        if self._asked.answers is None:
            raise LookupError(
                "Expected a decision with a short list of answers, got ChooseOffer. "
                "Ask offer_count() and offer_is_legal() instead."
            )
        return list(self._asked.answers)

    def offer_count(self) -> int:
        """Give the number of legal answers of ChooseOffer, 'no offer' included."""
        self._expect_offer()
        return count_offers(self._table)

    def offer_is_legal(self, text: str) -> bool:
        """Read an answer to ChooseOffer and judge it."""
        self._expect_offer()
        return is_legal_text(self._table, text)

    def answer(self, text: str) -> list[str]:
        """Carry out an answer; give the events up to the next decision or the end."""
        if self._asked is None:
            raise ValueError(f"Expected no more answers, the game is over; got {text!r}. Start a new game.")
        answers = self._asked.answers
        legal = is_legal_text(self._table, text) if answers is None else text in answers
        if not legal:
            expected = self._asked.answers or "'no offer' or an offer that the seat can make"
            raise ValueError(f"{self._asked.text}: expected {expected}, got {text!r}. Answer with one of these.")
        self._asked = None
        with suppress(StopIteration):  # the script ran to its end: the game is over
            self._asked = self._script.send(text)
        return self._news()

    def state(self) -> dict[str, object]:
        """Give everything on and under the table as plain data, copied."""
        table = self._table
        return {
            "board": dict(table.board),
            "hands": [in_deal_order(hand) for hand in table.hands],
            "pile": list(table.pile),
            "set_aside": in_deal_order(table.set_aside),
            "cash": list(table.cash),
            "shares": [dict(held) for held in table.shares],
            "market": dict(table.market),
            "sizes": {chain: table.size(chain) for chain in table.rules.chains},
            "seat": table.seat,
            "turn": table.turn,
            "declared": table.declared,
            "powers": [sorted(used) for used in table.powers],
            "over": table.over,
            "question": self.question(),
        }

    def _expect_offer(self) -> None:
        if self._asked is None or self._asked.answers is not None:
            raise LookupError(f"Expected the open decision ChooseOffer, got {self.question()}. Ask answers().")

    def _news(self) -> list[str]:
        news = self._table.events
        self._table.events = []
        return news
