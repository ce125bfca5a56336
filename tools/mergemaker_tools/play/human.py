"""A person at the terminal, as a bot in this process: shows the game, and asks until there is an answer."""

import os
import select
import sys
from collections.abc import Callable
from typing import Final

from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.turn import Turn
from rich.text import Text

from mergemaker_tools.narration import Narrator
from mergemaker_tools.play.human_words import (
    HELP,
    NotUnderstood,
    answer_in,
    board_with_hand,
    holdings_lines,
    question_lines,
)
from mergemaker_tools.screen import write
from mergemaker_tools.tables import show

LINE_BYTES_MAX: Final = 1_024
"""The longest line that a person may type."""
PROMPT: Final = "> "
_QUIT: Final = frozenset({"quit", "exit", "resign"})
_HELP: Final = frozenset({"help", "?", "h"})
_BOARD: Final = frozenset({"board", "b"})


class Left(Exception):
    """The person has stopped playing."""


class HumanBot(Bot):
    """Plays what a person types. `ask` gives a line; `leave` is called when there are no more."""

    def __init__(self, ask: Callable[[], str], leave: Callable[[], None]) -> None:
        self._ask: Final = ask
        self._leave: Final = leave
        self._has_left = False
        self._turn_shown = 0
        self._narrator: Narrator | None = None

    def answer(self, turn: Turn) -> Answer:
        """Shows what happened and what is asked, and takes an answer."""
        if self._has_left:
            return turn.default
        try:
            return self._answer(turn)
        except Left:
            self._has_left = True
            self._leave()
            return turn.default

    def _answer(self, turn: Turn) -> Answer:
        self._tell(turn)
        if turn.view.turn != self._turn_shown:
            self._turn_shown = turn.view.turn
            self._show_board(turn)
        self._show_question(turn)
        while True:
            write(PROMPT)
            typed = self._ask()
            word = typed.strip().lower()
            if word in _QUIT:
                raise Left
            if word in _HELP:
                show(Text("\n".join(HELP)))
            elif word in _BOARD:
                self._show_board(turn)
                self._show_question(turn)
            else:
                try:
                    return answer_in(typed, turn)
                except NotUnderstood as problem:
                    write(f"{problem}\n")

    def _tell(self, turn: Turn) -> None:
        """Shows what has happened since the person's last question."""
        self._narrator = self._narrator or Narrator(turn.match.rules)
        told = self._narrator.hear(turn.events)
        if told:
            show(Text("\n".join(["", *told])))

    def _show_board(self, turn: Turn) -> None:
        head = Text(f"\nturn {turn.view.turn}, you are seat {turn.seat}; [ ] are your tiles; help shows how to answer")
        show(Text("\n").join([head, board_with_hand(turn), *map(Text, holdings_lines(turn))]))

    def _show_question(self, turn: Turn) -> None:
        show(Text("\n".join(question_lines(turn))))


class TypedLines:
    """Lines from standard input, read so that the process can end while nothing is typed."""

    def __init__(self) -> None:
        self._rest = b""

    def __call__(self) -> str:
        """Waits for the next line; `Left` when there are no more."""
        if sys.stdin is None:
            raise Left
        while b"\n" not in self._rest and len(self._rest) <= LINE_BYTES_MAX:
            arrived = self._read()
            if not arrived:
                raise Left
            self._rest += arrived
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _read(self) -> bytes:
        # Not by `sys.stdin`: a waiting thread would hold its lock and block the end of the process.
        terminal = sys.stdin.fileno()
        if sys.platform != "win32":
            select.select([terminal], [], [])
        return os.read(terminal, LINE_BYTES_MAX)
