"""The kinds of questions and of answers, as the descriptors, the .proto files' comments and the wire's tables have them."""

import re
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path
from typing import Any, Final

from make_venv import ROOT
from mergemaker.v1 import actions_pb2, questions_pb2
from mergemaker_wire.actions import ACTIONS
from mergemaker_wire.decisions import QUESTIONS
from mergemaker_wire.fields import any_count, chain, chains, seat, shares_or_none, square
from mergemaker_wire.kinds import Kind as WireKind

PROTOS: Final = ROOT / "protos" / "mergemaker" / "v1"
MADE_BY: Final = "tools/project/generate_sdks.py"


class Meaning(StrEnum):
    """What a field's number or list stands for."""

    FLAG = auto()
    ENUM = auto()
    CHAIN = auto()
    CHAINS = auto()
    SQUARE = auto()
    SEAT = auto()
    SHARES = auto()
    """Seven counts, by chain; an empty list stands for none."""
    COUNT = auto()
    """Shares of one chain."""
    NUMBER = auto()


_MEANINGS: Final = {
    chain: Meaning.CHAIN,
    chains: Meaning.CHAINS,
    square: Meaning.SQUARE,
    seat: Meaning.SEAT,
    shares_or_none: Meaning.SHARES,
    any_count: Meaning.COUNT,
}
"""By how the wire reads a field; what is not here is a number."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a question or an answer."""

    name: str
    """Such as `give_shares`."""
    meaning: Meaning
    doc: str
    enum: str = ""
    """The name of an enum."""
    none: str = ""
    """The enum's value for 'none of them', where it has one: its last word, such as `NONE`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question or answer."""

    name: str
    """Of the message, such as `ChooseTile`."""
    field: str
    """Of the oneof, such as `choose_tile`."""
    doc: str
    """Of the message, with rules and answers."""
    brief: str
    """Of the oneof's field."""
    fields: tuple[Field, ...]
    answers: tuple[str, ...]
    """Of a question: the names of the actions that answer it."""

    def has(self, meaning: Meaning) -> bool:
        """Whether one of the fields has this meaning."""
        return any(field.meaning is meaning for field in self.fields)


@dataclass(frozen=True, slots=True)
class Protocol:
    """All kinds, in the order of the protocol."""

    questions: tuple[Kind, ...]
    actions: tuple[Kind, ...]
    go_package: str
    java_package: str


def read_protocol() -> Protocol:
    """The kinds that the protocol has now."""
    options = questions_pb2.DESCRIPTOR.GetOptions()
    return Protocol(
        _kinds(QUESTIONS.kinds, questions_pb2.Question.DESCRIPTOR, comments(PROTOS / "questions.proto")),
        _kinds(ACTIONS.kinds, actions_pb2.Action.DESCRIPTOR, comments(PROTOS / "actions.proto")),
        options.go_package.partition(";")[0],
        options.java_package,
    )


def _kinds(wire: tuple[WireKind[Any], ...], container: Any, docs: dict[str, str]) -> tuple[Kind, ...]:  # noqa: ANN401 - a descriptor
    of_oneof = {kind.name: kind for kind in wire}
    made = []
    for part in container.oneofs_by_name["kind"].fields:
        message = part.message_type
        read = {field.name: field.read for field in of_oneof[part.name].fields}
        fields = tuple(_field(each, read[each.name], docs[f"{message.name}.{each.name}"]) for each in message.fields)
        doc = docs[message.name]
        answers = tuple(re.findall(r"`(\w+)`", doc.partition(" Answers: ")[2]))
        made.append(Kind(message.name, part.name, doc, docs[f"{container.name}.{part.name}"], fields, answers))
    return tuple(made)


def _field(field: Any, read: Any, doc: str) -> Field:  # noqa: ANN401 - a descriptor, and one of the wire's functions
    if field.enum_type is not None:
        none = [value.name for value in field.enum_type.values if value.name.endswith("_NONE")]
        return Field(field.name, Meaning.ENUM, doc, field.enum_type.name, none[0].rpartition("_")[2] if none else "")
    meaning = Meaning.FLAG if field.type == field.TYPE_BOOL else _MEANINGS.get(read, Meaning.NUMBER)
    return Field(field.name, meaning, doc)


def comments(path: Path) -> dict[str, str]:
    """The comment above each message and field of a .proto file, by `Message` or `Message.field`."""
    found: dict[str, str] = {}
    comment: list[str] = []
    message = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text.startswith("//"):
            comment.append(text.removeprefix("//").strip())
            continue
        if begun := re.match(r"message (\w+) \{", text):
            message = begun[1]
            found[message] = " ".join(comment)
        elif field := re.match(r"(?:optional |repeated )?[\w.]+ (\w+) = \d+;", text):
            found[f"{message}.{field[1]}"] = " ".join(comment)
        comment = []
    return found


def camel(name: str) -> str:
    """`give_shares` as `giveShares`."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def pascal(name: str) -> str:
    """`give_shares` as `GiveShares`."""
    return "".join(word.capitalize() for word in name.split("_"))


def lowered(text: str) -> str:
    """A sentence to stand after a colon."""
    return text[:1].lower() + text[1:]


def without_lists(text: str) -> str:
    """A comment for a language in which seven counts are always seven."""
    return re.sub(r" An empty list [^.]*\.", "", text)
