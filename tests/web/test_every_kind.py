"""The display engine knows every kind of decision, action and event that the engine has, and the library exports every turn."""

import re
from importlib.resources import files
from types import UnionType
from typing import Any, Union, get_args, get_origin

import mergemaker_client
import pytest
from mergemaker_client import handlers
from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import Automatic, Decision
from mergemaker_engine.events import Event

STATIC = files("mergemaker_web").joinpath("static")


def kinds(union: Any) -> set[str]:
    """The names of all members of a union."""
    if get_origin(union) in (Union, UnionType):
        return {name for member in get_args(union) for name in kinds(member)}
    return {union.__name__}


@pytest.mark.parametrize(
    ("module", "union"),
    [
        ("answers.js", Decision),
        ("play.js", Decision),
        ("play.js", Automatic),
        ("sentences.js", Decision),
        ("sentences.js", Event),
        ("wording.js", Action),
    ],
)
def test_a_module_names_every_kind(module: str, union: Any) -> None:
    text = STATIC.joinpath(module).read_text(encoding="utf-8")
    assert kinds(union) - {*re.findall(r"\b[A-Z][A-Za-z]+\b", text)} == set()


def test_every_kind_of_turn_can_be_imported_from_the_library() -> None:
    turns = {name for name in vars(handlers) if name.endswith("Turn")}
    assert len(turns) > 10
    assert turns - {*mergemaker_client.__all__} == set()
