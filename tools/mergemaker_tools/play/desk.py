"""A desk between a bot, which waits for an answer, and somebody elsewhere who gives it, such as the client of a protocol.

The bot runs in a thread of its own. All waits of the other side have a limit.
"""

import threading
from typing import Final

from mergemaker_client.answer import Answer, Noted
from mergemaker_client.bot import Bot
from mergemaker_client.errors import BotError
from mergemaker_client.turn import MatchInfo, MatchResult, Turn


class Desk:
    """Where the open question lies."""

    def __init__(self) -> None:
        self._changed: Final = threading.Condition()
        self._turn: Turn | None = None
        self._given: Noted | None = None
        self._is_closed = False
        self.match: MatchInfo | None = None
        """The match, once it has begun."""
        self.result: MatchResult | None = None
        """How it ended, once it has."""
        self.problem: str | None = None
        """Why there is no more to come, if something failed."""

    @property
    def is_over(self) -> bool:
        """Whether no question can come any more."""
        return self.result is not None or self.problem is not None

    def question(self, limit_s: float) -> Turn | None:
        """Waits for a question; None if there is none in time, or no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._turn is not None or self.is_over, limit_s)
            return None if self.is_over else self._turn

    def give(self, turn: Turn, noted: Noted) -> bool:
        """Gives the answer to a question; False if the question is not open any more."""
        with self._changed:
            if self._turn is not turn or self.is_over:
                return False
            self._turn, self._given = None, noted
            self._changed.notify_all()
            return True

    def end(self, problem: str) -> None:
        """Ends all waiting: nothing comes any more, unless the result is there already."""
        with self._changed:
            if self.result is None:
                self.problem = problem
            self._is_closed = True
            self._changed.notify_all()

    # --- the bot's side ---

    def begin(self, match: MatchInfo) -> None:
        """The match has begun."""
        with self._changed:
            self.match = match

    def ask(self, turn: Turn) -> Noted:
        """Lays a question on the desk, and waits for its answer, or until the desk is closed."""
        with self._changed:
            self._turn, self._given = turn, None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._given is not None or self._is_closed)
            self._turn = None
            if self._given is None:
                raise BotError("desk-closed", "the one who answers has left")
            return self._given

    def finish(self, result: MatchResult) -> None:
        """The match has ended."""
        with self._changed:
            self.result = result
            self._changed.notify_all()


class DeskBot(Bot):
    """Plays what is answered at a desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk: Final = desk

    def on_start(self, match: MatchInfo) -> None:
        """Notes the match."""
        self._desk.begin(match)

    def answer(self, turn: Turn) -> Answer:
        """Waits for the answer."""
        return self._desk.ask(turn)

    def on_end(self, result: MatchResult) -> None:
        """Notes the result."""
        self._desk.finish(result)
