"""A person at the terminal, as a bot in this process: shows the game, and asks until there is an answer."""

import os
import select
import shutil
import sys
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Final

from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.turn import MatchInfo, MatchResult, Turn
from mergemaker_engine.events import Event
from rich.text import Text

from mergemaker_tools.information_card import card_table
from mergemaker_tools.narration import Narrator
from mergemaker_tools.phrases import OVER
from mergemaker_tools.play.hints import hint_lines
from mergemaker_tools.play.human_questions import question_lines
from mergemaker_tools.play.human_words import HELP, NotUnderstood, answer_in, board_with_hand
from mergemaker_tools.play.person import PersonsVoice, ending, greeting
from mergemaker_tools.play.seat_rows import head_row, left_row, seat_rows
from mergemaker_tools.screen import write
from mergemaker_tools.tables import show

LINE_BYTES_MAX: Final = 1_024
"""The longest line that a person may type."""
PROMPT: Final = "> "
_BOARD_COLUMNS: Final = 82
"""The width of the board with the chains beside it; on a screen with room for the seats, too, they stand beside that."""
_QUIT: Final = frozenset({"quit", "exit", "resign"})
_HELP: Final = frozenset({"help", "?", "h"})
_BOARD: Final = frozenset({"board", "b"})
_HINT: Final = frozenset({"hint"})
_CARD: Final = frozenset({"card"})


class Left(Exception):
    """The person has stopped playing."""


class HumanBot(Bot):
    """Plays what a person types. `ask` gives a line; `leave` is called when there are no more."""

    def __init__(self, ask: Callable[[], str], leave: Callable[[], None], *, hints: bool = False) -> None:
        self._ask: Final = ask
        self._leave: Final = leave
        self._hints: Final = hints
        """Whether each question comes with a hint."""
        self._has_left = False
        self._turn_shown = 0
        self._seat = 0
        self._voice: PersonsVoice | None = None
        self._narrator: Narrator | None = None
        self._told: list[str] = []
        """Complete lines that the person has not seen."""

    def on_start(self, match: MatchInfo) -> None:
        """Greets the person."""
        self._seat = match.seat
        self._voice = PersonsVoice(match.bots, match.seat)
        self._narrator = Narrator(match.rules, self._voice, match.seat)
        self._told.append(greeting(match, self._voice))

    def on_events(self, events: Sequence[Event]) -> None:
        """Notes what happened, to be told before the next question."""
        if self._narrator is not None:
            self._told += self._narrator.hear(events)

    def on_end(self, result: MatchResult) -> None:
        """Tells the last payments, and how the person did."""
        if self._has_left or self._voice is None:
            return
        self._tell()
        show(Text(f"\n{ending(result, self._seat, self._voice)}\n"))

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
        self._tell()
        if turn.view.turn != self._turn_shown:
            self._turn_shown = turn.view.turn
            self._show_board(turn)
        self._show_question(turn, with_hint=self._hints)
        while True:
            write(PROMPT)
            typed = self._ask()
            word = typed.strip().lower()
            if word in _QUIT:
                raise Left
            if word in _HELP:
                show(Text("\n".join(HELP)))
            elif word in _CARD:
                show(card_table(turn.match.rules))
            elif word in _BOARD:
                self._show_board(turn)
            elif word not in _HINT:
                try:
                    return answer_in(typed, turn)
                except NotUnderstood as problem:
                    write(f"{problem}\n")
            self._show_question(turn, with_hint=word in _HINT)

    def _tell(self) -> None:
        """Shows all that has happened since the person's last question, also in the turn that goes on."""
        told = [*self._told, *(self._narrator.so_far() if self._narrator else ())]
        self._told.clear()
        if told:
            width = _columns()
            told[-1:] = _with_ending_in_lines(told[-1])
            show(Text("\n".join(["", *(line for each in told for line in wrap(each, width, subsequent_indent="  "))])))

    def _show_board(self, turn: Turn) -> None:
        view = turn.view
        voice = PersonsVoice(turn.match.bots, turn.seat)
        whose = "your turn" if view.turn_seat == turn.seat else f"the turn of {voice.who(view.turn_seat)}"
        head = Text(f"\nturn {view.turn}, {whose} · {view.pile} tiles in the pile · [ ] your tiles · help")
        names = ["you" if seat == turn.seat else bot for seat, bot in enumerate(turn.match.bots)]
        board = board_with_hand(turn).split("\n")
        seats = [head_row(view), *seat_rows(view, names), left_row(view)]
        show(Text("\n").join([head, *_beside(list(board), seats, _columns())]))

    def _show_question(self, turn: Turn, *, with_hint: bool) -> None:
        lines = ["", *question_lines(turn), *(hint_lines(turn) if with_hint else ())]
        width = _columns()
        show(Text("\n".join(part for line in lines for part in wrap(line, width, subsequent_indent="       ") or [""])))


def _with_ending_in_lines(told: str) -> list[str]:
    """The last turn's line; the payments at the end of the game have a line each."""
    turn, mark, payments = told.partition(f"; {OVER}")
    return [turn, *f"{OVER}{payments}".split("; ")] if mark else [told]


def _columns() -> int:
    return shutil.get_terminal_size().columns


def _beside(board: list[Text], seats: list[Text], width: int) -> list[Text]:
    """The board and the seats: beside each other on a wide screen."""
    if width < _BOARD_COLUMNS + max(row.cell_len for row in seats):
        return [*board, *seats]
    rows = []
    for number, line in enumerate(board):
        line.pad_right(_BOARD_COLUMNS - line.cell_len)
        rows.append(line.append_text(seats[number]) if number < len(seats) else line)
    return rows


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
