"""The screen of a terminal after some bytes: as much of an emulator as the full-screen view's output needs."""

import re

_SEQUENCE = re.compile(r"\x1b\[(?P<private>\??)(?P<numbers>[0-9;]*)(?P<end>[A-Za-z])")
_BEGUN = re.compile(r"\x1b(\[\??[0-9;]*)?")


class TinyTerminal:
    """A screen that understands moving the cursor, clearing, the second screen, and showing or hiding the cursor.

    Any other sequence is an error, because then it cannot know what a terminal would show.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self.columns = columns
        self.lines = lines
        self.second_screen = False
        self.cursor_shown = True
        self.wraps = True
        self.styles: set[str] = set()
        """All styles used, as numbers with semicolons."""
        self._cells = self._blank()
        self._main = self._blank()
        self._line = self._column = 0
        self._rest = ""

    def _blank(self) -> list[list[str]]:
        return [[" "] * self.columns for _ in range(self.lines)]

    def resize(self, columns: int, lines: int) -> None:
        """Changes the size and clears the screen."""
        self.columns, self.lines = columns, lines
        self._cells, self._main = self._blank(), self._blank()
        self._line = self._column = 0

    def rows(self) -> list[str]:
        """The screen, line by line, without trailing blanks."""
        return ["".join(row).rstrip() for row in self._cells]

    def feed(self, written: str) -> None:
        """Takes output; the rest of a sequence may come in the next call."""
        text, self._rest = self._rest + written, ""
        while text:
            if text[0] == "\x1b":
                sequence = _SEQUENCE.match(text)
                if not sequence and _BEGUN.fullmatch(text):
                    self._rest = text
                    return
                assert sequence, f"this terminal does not understand {text[:20]!r}"
                self._obey(sequence)
                text = text[sequence.end() :]
            else:
                self._put(text[0])
                text = text[1:]

    def _put(self, char: str) -> None:
        if char == "\n":
            self._line = min(self._line + 1, self.lines - 1)
        elif char == "\r":
            self._column = 0
        else:
            assert char.isprintable(), f"this terminal does not understand {char!r}"
            self._cells[self._line][min(self._column, self.columns - 1)] = char
            self._column += 1

    def _obey(self, sequence: re.Match[str]) -> None:
        numbers = [int(number or 0) for number in sequence["numbers"].split(";")]
        match sequence["private"] + sequence["end"]:
            case "H":
                self._line = min(max(numbers[0], 1), self.lines) - 1
                self._column = min(max(numbers[-1] if len(numbers) > 1 else 1, 1), self.columns) - 1
            case "K":
                # After a full line, the cursor stays on its last character, which is cleared with the rest.
                first = min(self._column, self.columns - 1)
                self._cells[self._line][first:] = [" "] * (self.columns - first)
            case "J":
                assert numbers == [2], f"this terminal clears all of its screen, not {sequence[0]!r}"
                self._cells = self._blank()
            case "m":
                self.styles.add(sequence["numbers"])
            case "?h" | "?l":
                self._switch(numbers[0], on=sequence["end"] == "h")
            case _:
                raise AssertionError(f"this terminal does not understand {sequence[0]!r}")

    def _switch(self, number: int, *, on: bool) -> None:
        if number == 1049 and on != self.second_screen:
            self._cells, self._main = (self._blank() if on else self._main), self._cells
            self.second_screen = on
        elif number == 25:
            self.cursor_shown = on
        elif number == 7:
            self.wraps = on
        else:
            assert number == 1049, f"this terminal has no switch {number}"
