"""Values are frozen where tests run, are the same without it, and go from one kind of process to the other."""

import ast
import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, Final

import mergemaker_engine
import mergemaker_table
import mergemaker_wire
import pytest
from mergemaker_engine.actions import Buy, Dispose, Place
from mergemaker_engine.events import SharesBought
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.rules import preset
from mergemaker_engine.values import FROZEN

ROOMS: Final = (mergemaker_engine, mergemaker_table, mergemaker_wire)
LIMIT_S: Final = 60
VALUES: Final = (
    SharesBought(1, (1, 0, 2, 0, 0, 0, 0), 900),
    Place(5),
    Buy((1, 0, 2, 0, 0, 0, 0), declare=True),
    Dispose(3, 4),
    preset("renegade-tycoon"),
    DecisionLine(number=1, seat=0, asked="ChooseTile", answer="5E", by=AnsweredBy.BOT, digest="ab", run={}),
)
# What another process says of the values that it reads, and what it writes itself.
OF_A_PROCESS: Final = """
import pickle, sys
from mergemaker_engine.values import FROZEN
values = pickle.load(sys.stdin.buffer)
changed = []
for value in values:
    name = next(iter(value.__dataclass_fields__))
    try:
        setattr(value, name, getattr(value, name))
        changed.append(type(value).__name__)
    except AttributeError:
        pass
pickle.dump((FROZEN, changed, [repr(value) for value in values], values), sys.stdout.buffer)
"""


def _modules() -> Iterator[ModuleType]:
    for room in ROOMS:
        yield room
        for found in walk_packages(room.__path__, f"{room.__name__}."):
            yield import_module(found.name)


def _kinds() -> list[type]:
    kinds = {kind for module in _modules() for kind in vars(module).values() if isinstance(kind, type) and is_dataclass(kind)}
    return sorted(
        (kind for kind in kinds if kind.__module__.partition(".")[0] in {room.__name__ for room in ROOMS}),
        key=lambda kind: f"{kind.__module__}.{kind.__name__}",
    )


def _params(kind: Any) -> Any:
    return kind.__dataclass_params__


def test_in_tests_nothing_that_leaves_these_rooms_can_be_changed() -> None:
    assert FROZEN
    open_to_change = {kind.__name__ for kind in _kinds() if not _params(kind).frozen}
    assert open_to_change == {"Recovery"}, "what is no value says so here"
    assert len(_kinds()) > 100


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_field_cannot_be_set_or_deleted(value: object) -> None:
    for part in fields(value):  # type: ignore[arg-type]  # all are dataclasses
        with pytest.raises(FrozenInstanceError):
            setattr(value, part.name, getattr(value, part.name))
        with pytest.raises(FrozenInstanceError):
            delattr(value, part.name)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301
def test_a_copy_is_equal_in_all_fields(value: Any, copied: Callable[[Any], Any]) -> None:
    twin = copied(value)
    assert twin == value
    assert repr(twin) == repr(value)
    assert [getattr(twin, part.name) for part in fields(value)] == [getattr(value, part.name) for part in fields(value)]


@pytest.mark.parametrize(("options", "frozen"), [([], False), (["-X", "dev"], True)])
def test_other_processes_make_the_same_values_and_freeze_them_where_asked(options: list[str], frozen: bool) -> None:
    sent = pickle.dumps(VALUES)
    done = subprocess.run(
        [sys.executable, *options, "-c", OF_A_PROCESS], input=sent, capture_output=True, timeout=LIMIT_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    was_frozen, changed, texts, values = pickle.loads(done.stdout)  # noqa: S301 - our own process
    assert was_frozen is frozen
    assert changed == ([] if frozen else [type(value).__name__ for value in VALUES])
    assert texts == [repr(value) for value in VALUES]
    assert values == VALUES
    hashed = [value for value in VALUES if not isinstance(value, DecisionLine)]
    assert [hash(value) for value in values if not isinstance(value, DecisionLine)] == [hash(value) for value in hashed]


@pytest.mark.checkout
def test_every_frozen_class_of_these_rooms_is_made_by_our_own_decorator() -> None:
    strays = []
    for room in ROOMS:
        for path in Path(room.__path__[0]).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            ours = "from mergemaker_engine.values import dataclass" in source
            decorators = [
                each for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef) for each in node.decorator_list
            ]
            if not ours and any("frozen=True" in ast.unparse(each) for each in decorators):
                strays.append(path.name)
    assert strays == []
