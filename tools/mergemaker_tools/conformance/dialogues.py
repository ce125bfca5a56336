"""The dialogues of `clients/vectors/`: what one seat sees and is asked in a match, and what `greedy` and `random` answer."""

import json
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from mergemaker.v1 import referee_pb2
from mergemaker_engine.actions import Action
from mergemaker_wire.answers import answers_from_message

from mergemaker_tools.problems import CommandFailed

_INSTALLED: Final = Path(__file__).with_name("vectors")
_CHECKOUT: Final = Path(__file__).resolve().parents[3] / "clients" / "vectors"


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a dialogue."""

    number: int
    """The decision's id."""
    kind: str
    response: referee_pb2.PlayResponse
    """The events since the previous question, and the decision."""
    answers: Sequence[Action]
    """Every legal answer."""
    expected: dict[str, int]
    """The index of each bot's answer, by bot."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One seat's part of a match."""

    name: str
    seat: int
    offered: referee_pb2.MatchOffered
    started: referee_pb2.MatchStarted
    questions: tuple[Question, ...]
    end: referee_pb2.PlayResponse


def vectors_folder() -> Path:
    """The folder of the vectors: in the package, or in the checkout."""
    for folder in (_INSTALLED, _CHECKOUT):
        if folder.is_dir():
            return folder
    raise CommandFailed(f"the vectors for clients are not in {_INSTALLED}: install mergemaker again")


@cache
def dialogue(name: str) -> Dialogue:
    """A dialogue by its name."""
    path = vectors_folder() / "dialogues" / f"{name}.jsonl"
    with path.open(encoding="ascii") as file:
        first, *questions, last = map(json.loads, file)
    return Dialogue(
        name,
        first["seat"],
        referee_pb2.MatchOffered.FromString(b64decode(first["offered"])),
        referee_pb2.MatchStarted.FromString(b64decode(first["started"])),
        tuple(map(_question, questions)),
        _response(last),
    )


def _response(line: dict[str, Any]) -> referee_pb2.PlayResponse:
    return referee_pb2.PlayResponse.FromString(b64decode(line["response"]))


def _question(line: dict[str, Any]) -> Question:
    response = _response(line)
    answers = answers_from_message(response.decision.answers).answers()
    return Question(line["decision"], line["kind"], response, answers, {bot: line[bot] for bot in ("greedy", "random")})
