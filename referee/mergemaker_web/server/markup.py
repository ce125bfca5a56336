"""HTML as values. Text becomes markup only here, always escaped: a name from outside cannot be more than a text."""

import html
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

NAME_CHARACTERS_MAX: Final = 40
_ISOLATE: Final = ("\u2068", "\u2069")
_REPLACED: Final = "\ufffd"
_VOID: Final = frozenset({"meta", "link", "input", "br", "img"})


@dataclass(frozen=True, slots=True)
class Markup:
    """A text that is HTML already."""

    text: str


Node: TypeAlias = Markup | str | Iterable["Node"] | None


def tag(name: str, attributes: dict[str, str | int | float | bool | None] | None = None, *children: Node) -> Markup:
    """An element. Attributes that are None or false are left out."""
    parts = []
    for key, value in (attributes or {}).items():
        if value is True:
            parts.append(f" {key}")
        elif value is not None and value is not False:
            parts.append(f' {key}="{html.escape(str(value))}"')
    head = f"<{name}{''.join(parts)}>"
    return Markup(head if name in _VOID else f"{head}{written(children)}</{name}>")


def written(node: Node) -> str:
    """The HTML of nodes."""
    if node is None:
        return ""
    if isinstance(node, Markup):
        return node.text
    if isinstance(node, str):
        return html.escape(node, quote=False)
    return "".join(map(written, node))


def one_line(text: str) -> str:
    """A text from outside in one line, without characters that change the line around them."""
    words = " ".join(text.split())
    return "".join(_REPLACED if unicodedata.category(character).startswith("C") else character for character in words)


def short_name(text: str) -> str:
    """A name from outside, cut to a length that a page can show."""
    name = one_line(text)
    return (name if len(name) <= NAME_CHARACTERS_MAX else f"{name[: NAME_CHARACTERS_MAX - 1]}…") or "?"


def isolated(text: str) -> str:
    """A name between marks that keep it from reversing the text around it."""
    return f"{_ISOLATE[0]}{short_name(text)}{_ISOLATE[1]}"


def money(amount: int) -> str:
    """An amount, as the viewer writes it."""
    return f"${amount:,}"
