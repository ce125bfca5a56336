"""How help is laid out: prose in the terminal's width, examples and commands as they stand."""

import argparse
import re
import textwrap
from collections.abc import Iterable
from typing import Final

_LIST_ITEM: Final = re.compile(r"(?:\d+\.|-) ")
_COMMAND: Final = re.compile(r"`[^`]+`")
_KEPT_SPACE: Final = "\0"
_ALTERNATIVE: Final = " | "


class HelpFormat(argparse.HelpFormatter):
    """Help in which paragraphs and items of lists are filled, and lines that begin with a space are kept."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}".rstrip() for line in filled(text, width - len(indent)))

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],  # argparse has no public name for it
        prefix: str | None,
    ) -> str:
        """The usage; argparse never breaks options that exclude each other, so it is done here."""
        width = self._width
        text = super()._format_usage(usage, actions, groups, prefix)
        return "\n".join(part for line in text.split("\n") for part in _at_alternatives(line, width))


def filled(text: str, width: int) -> list[str]:
    """The lines of a text of at most `width` characters each, but for lines that are kept and for words that are longer."""
    lines: list[str] = []
    prose: list[str] = []

    def flush() -> None:
        if prose:
            item = _LIST_ITEM.match(prose[0])
            lines.extend(_wrapped(" ".join(prose), width, " " * (item.end() if item else 0)))
            prose.clear()

    for line in text.strip("\n").split("\n"):
        in_item = bool(prose) and _LIST_ITEM.match(prose[0]) is not None
        if line.strip() and (in_item or not line.startswith(" ")) and not (prose and _LIST_ITEM.match(line)):
            prose.append(line.strip())
            continue
        flush()
        if _LIST_ITEM.match(line):
            prose.append(line.strip())
        else:
            lines.append(line)
    flush()
    return lines


def _wrapped(text: str, width: int, hanging: str) -> list[str]:
    """One paragraph; a command in backticks stays in one piece, so that it can be copied."""
    whole = _COMMAND.sub(lambda command: command[0].replace(" ", _KEPT_SPACE), text)
    lines = textwrap.wrap(whole, width, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_KEPT_SPACE, " ") for line in lines]


def _at_alternatives(line: str, width: int) -> list[str]:
    """A line of the usage, broken after the bars between alternatives where it is too long."""
    if len(line) <= width or _ALTERNATIVE not in line:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 1)
    first, *others = line.split(_ALTERNATIVE)
    lines = [first]
    for other in others:
        if len(lines[-1] + _ALTERNATIVE + other + _ALTERNATIVE.rstrip()) <= width:
            lines[-1] += _ALTERNATIVE + other
        else:
            lines[-1] += _ALTERNATIVE.rstrip()
            lines.append(indent + other)
    return lines
