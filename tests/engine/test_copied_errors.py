"""Errors that are copied or pickled: a worker process with an illegal answer sends its error to the waiting process."""

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, Final

import mergemaker_client
import mergemaker_engine
import mergemaker_referee
import mergemaker_table
import mergemaker_wire
import pytest
import trio
from mergemaker_engine import Deal, Game, preset
from mergemaker_engine.actions import STOP
from mergemaker_engine.errors import IllegalAction, RecordError
from mergemaker_referee.configuration.file import Problem
from mergemaker_referee.connections import CloseCode
from mergemaker_referee.records.journal_writer import DiskStalled
from mergemaker_wire import WireError

PACKAGES: Final = (mergemaker_engine, mergemaker_wire, mergemaker_table, mergemaker_client, mergemaker_referee)

NOT_COPIED: Final = {"_settled"}
"""Attributes that a copy cannot have: the event for which others wait in their own loop."""

# The value of each parameter of an error in these tests.
VALUES: Final[dict[str, object]] = {
    "reason": "bad-thing",
    "message": "a text",
    "rule": "MRG-4",
    "line": 7,
    "file": "referee.toml",
    "problems": [Problem(3, "seats", "is no number")],
    "code": CloseCode.NOT_FOUND,
    "text": "there is no such match",
}


def _modules() -> Iterator[str]:
    for package in PACKAGES:
        yield package.__name__
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield module.name


def _error_kinds() -> list[type[Exception]]:
    found = {
        kind
        for name in _modules()
        for kind in vars(importlib.import_module(name)).values()
        if inspect.isclass(kind) and issubclass(kind, Exception) and kind.__module__ == name
    }
    return sorted(found, key=lambda kind: kind.__qualname__)


def _made(kind: type[Exception]) -> Exception:
    if "__init__" not in {name for base in kind.__mro__ if base.__module__ != "builtins" for name in vars(base)}:
        return kind("a text")
    named = [name for name in inspect.signature(kind).parameters if name != "self"]
    return kind(*(VALUES[name] for name in named))


def _attributes(error: Exception) -> dict[str, Any]:
    return {name: value for name, value in vars(error).items() if name not in NOT_COPIED}


def _pickled(error: Exception) -> Any:
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - made here


COPIES: Final[tuple[Callable[[Exception], Any], ...]] = (_pickled, copy.copy, copy.deepcopy)
HOW: Final = ("pickled", "copied", "copied deeply")
KINDS: Final = _error_kinds()


@pytest.mark.parametrize("copied", COPIES, ids=HOW)
@pytest.mark.parametrize("kind", KINDS, ids=[kind.__name__ for kind in KINDS])
def test_a_copied_error_says_all_that_it_said(kind: type[Exception], copied: Callable[[Exception], Any]) -> None:
    error = _made(kind)
    again = copied(error)
    assert type(again) is kind
    assert (str(again), again.args, _attributes(again)) == (str(error), error.args, _attributes(error))


def test_the_errors_of_all_rooms_are_found() -> None:
    names = {kind.__name__ for kind in KINDS}
    assert {"RecordError", "WireError", "TableError", "RefereeError", "WrongConfiguration", "BotError", "Unreachable"} <= names
    assert {"CallProblem", "DiskStalled"} <= names


@pytest.mark.parametrize("copied", COPIES, ids=HOW)
def test_the_copy_of_a_stalled_disk_is_not_waited_for(copied: Callable[[Exception], Any]) -> None:
    stalled = DiskStalled("the disk has not answered for 30 s")
    again = copied(stalled)
    with pytest.raises(RuntimeError, match="copy of the error"):
        trio.run(again.outcome)
    stalled.settle(None)
    trio.run(stalled.outcome)


@pytest.mark.parametrize("copied", COPIES, ids=HOW)
def test_the_error_of_an_illegal_answer_keeps_reason_text_rule_and_notes(copied: Callable[[Exception], Any]) -> None:
    game = Game(preset("renegade-classic"), 3, Deal.from_seed(bytes(32)))
    with pytest.raises(IllegalAction) as refusal:
        game.apply(STOP)
    refusal.value.add_note("in game 7")
    again = copied(refusal.value)
    assert (again.reason, again.message, again.rule) == (
        refusal.value.reason,
        refusal.value.message,
        refusal.value.rule,
    )
    assert again.__notes__ == ["in game 7"]
    assert str(again) == str(refusal.value)


@pytest.mark.parametrize("copied", COPIES, ids=HOW)
def test_the_error_of_a_record_keeps_its_line(copied: Callable[[Exception], Any]) -> None:
    error = RecordError("bad-line", "it is torn", "SET-1").at(7)
    again = copied(error)
    assert again.line == 7
    assert str(again) == str(error)
    assert str(again).startswith("line 7: it is torn [SET-1: ")


@pytest.mark.parametrize("copied", COPIES, ids=HOW)
def test_the_error_of_a_message_keeps_its_rule(copied: Callable[[Exception], Any]) -> None:
    again = copied(WireError("out-of-range", "square is 0 to 107, not 108", "PLC-1"))
    assert (again.reason, again.message, again.rule) == ("out-of-range", "square is 0 to 107, not 108", "PLC-1")
