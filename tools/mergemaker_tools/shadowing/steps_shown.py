"""What `mergemaker debug` shows of a decision, and where its user goes from there; or the one decision as a document."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mergemaker_client.recorded import RecordedTurn
from mergemaker_processes.logs import last_lines
from rich.text import Text

from mergemaker_tools.pasting import own_command
from mergemaker_tools.play.human import Left, TypedLines
from mergemaker_tools.play.human_words import board_with_hand
from mergemaker_tools.play.seat_rows import head_row, left_row, seat_rows
from mergemaker_tools.records.places import DIGITS_MAX
from mergemaker_tools.screen import show_line, write
from mergemaker_tools.shadowing.stepped_seat import Asked, Given, asked_in
from mergemaker_tools.tables import show

KEYS: Final = "n next · b back · a number goes there · p position · q quit > "
LISTED_MAX: Final = 30
"""Up to this many legal answers are listed."""
WRITTEN_LINES_MAX: Final = 40
"""How many of the last lines of a bot's standard error are shown at a stop."""
_LOG_LINES_MAX: Final = 500


class PersonsSteps:
    """A person at the terminal, or lines from standard input, go from decision to decision."""

    def __init__(self, questions: Sequence[RecordedTurn], path: Path, *, waits: bool) -> None:
        self._questions: Final = questions
        self._path: Final = path
        self.waits: Final = waits
        self._lines: Final = TypedLines()

    def attached(self, process: int | None) -> None:
        """Waits for Enter."""
        write(f"the bot's process is {process}; attach a debugger, and press Enter: ")
        try:
            self._lines()
        except Left:
            return

    def ended(self, logs: Sequence[Path]) -> None:
        """Nothing: all has been shown."""

    def shown(self, number: int, given: Given, earlier: int, written: str) -> int | None:
        """Shows a stop, and asks where to go."""
        recorded = self._questions[number - 1]
        asked = asked_in(recorded)
        self._show(recorded, asked, given, earlier, written)
        while True:
            write(KEYS)
            try:
                typed = self._lines().strip().lower()
            except Left:
                write("\n")
                return None
            match typed:
                case "q" | "quit" | "exit":
                    return None
                case "p":
                    write(f"{asked.position}\n")
                    continue
                case "n" | "":
                    wanted = number + 1
                case "b":
                    wanted = number - 1
                case _ if typed.isascii() and typed.isdigit() and len(typed) <= DIGITS_MAX:
                    wanted = int(typed)
                case _:
                    write(f"{typed!r} is no key\n")
                    continue
            if 1 <= wanted <= len(self._questions):
                return wanted
            write(f"this seat was asked decisions 1 to {len(self._questions)}\n")

    def _show(self, recorded: RecordedTurn, asked: Asked, given: Given, earlier: int, written: str) -> None:
        turn, view = recorded.turn, recorded.turn.view
        head = f"decision {asked.number} of seat {turn.seat} ({asked.decision} in the match), turn {asked.turn}: {asked.asked}"
        seats = Text("\n").join([head_row(view), *seat_rows(view, turn.match.bots), left_row(view)])
        show(Text(f"\n{head}", style="bold"), board_with_hand(turn), seats)
        listed = (
            ", ".join(asked.listed)
            if 0 < len(asked.listed) <= LISTED_MAX
            else f"`{own_command('replay', f'{self._path}@{asked.decision}')}` lists them"
        )
        lines = [f"{asked.answers:,} legal: {listed}", f"recorded: {asked.recorded}, by {asked.by}{_noted(asked.recorded_note)}"]
        lines.append(f"the bot:  {_answer_text(given)}, after {given.ms:,.1f} ms{_noted(given.note)}")
        if earlier:
            lines.append(f"{earlier} of its answers before this differ from the record: `{self._shadow(turn.seat)}` lists them")
        show_line("\n".join(["", *lines]))
        if given.difference is not None and (given.difference.failure or given.difference.refusal):
            show_line(given.difference.failure or f"a referee would refuse that: {given.difference.refusal}")
        if written.strip():
            new = written.rstrip("\n").split("\n")
            left_out = len(new) - WRITTEN_LINES_MAX
            show_line(f"its standard error since the last stop{f', without {left_out} lines' if left_out > 0 else ''}:")
            show_line("\n".join(f"  {line}" for line in new[-WRITTEN_LINES_MAX:]))

    def _shadow(self, seat: int) -> str:
        return own_command("shadow", f"{self._path}", "--seat", str(seat), "--", "BOT")


class OneStep:
    """One decision for a program."""

    waits: Final = False

    def __init__(self, questions: Sequence[RecordedTurn]) -> None:
        self._questions: Final = questions
        self.document: dict[str, object] = {}
        """What is known of the decision once it was answered."""

    def attached(self, process: int | None) -> None:
        """Never called."""

    def ended(self, logs: Sequence[Path]) -> None:
        """Takes all that the bot has written."""
        self.document["stderr"] = [line for log in logs for line in last_lines(log, _LOG_LINES_MAX)]

    def shown(self, number: int, given: Given, earlier: int, written: str) -> int | None:  # noqa: ARG002 - `ended` has all of it
        """Takes the decision, and ends."""
        asked, difference = asked_in(self._questions[number - 1]), given.difference
        self.document = {
            "number": asked.number,
            "decision": asked.decision,
            "asked": asked.asked,
            "answers": asked.answers,
            "recorded": asked.recorded,
            "by": asked.by,
            "recorded_note": asked.recorded_note,
            "answered": given.answered,
            "same": difference is None,
            "legal": difference is None or difference.legal,
            "refusal": difference and difference.refusal,
            "failure": difference and difference.failure,
            "note": given.note,
            "ms": round(given.ms, 3),
            "differences_before": earlier,
            "position": asked.position,
            "stderr": [],
        }
        return None


def _answer_text(given: Given) -> str:
    if given.difference is None:
        return f"{given.answered}, as recorded"
    if given.answered is None:
        return "failed"
    return f"{given.answered}, otherwise than recorded" if given.difference.legal else f"{given.answered}, which is illegal"


def _noted(note: str | None) -> str:
    return f", with the note {note!r}" if note else ""
