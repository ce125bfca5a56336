"""`ARCHITECTURE.md` names only rooms and files that exist."""

import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_room_is_drawn() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(settings["tool"]["importlinter"]["root_packages"])
    assert {name for name in packages if re.search(rf"\b{name}\b", TEXT)} == packages


def test_packages_within_packages_are_drawn() -> None:
    rows = dict(re.findall(r"^    (mergemaker_[a-z]+)  +(.*)$", TEXT, flags=re.MULTILINE))
    for package in [
        path.parent
        for room in ("engine", "protos", "referee", "clients/python", "tools")
        for path in ROOT.glob(f"{room}/*/__init__.py")
    ]:
        within = {path.parent.name for path in package.glob("*/__init__.py") if package.name != "mergemaker"}
        assert within - {*re.findall("[a-z0-9_]+", rows.get(package.name, ""))} == set(), f"draw these of {package.name}"


def test_what_is_to_be_touched_is_there() -> None:
    paths = set(re.findall(r"`((?:engine|protos|referee|clients|tools|tests)/[^`]+)`", TEXT))
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#]+)", TEXT):
        assert (ROOT / link).exists(), link
