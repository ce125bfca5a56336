"""Writes the settings into `referee/CONFIGURATION.md`, from the settings themselves; with `--check`, compares only."""

import sys
from pathlib import Path

from mergemaker_referee.configuration.page import settings_tables

PAGE = Path(__file__).resolve().parents[2] / "referee" / "CONFIGURATION.md"
HEADING = "## The settings\n\n"


def made(page: str) -> str:
    """The page, with the settings as they are."""
    return "".join(page.partition(HEADING)[:2]) + settings_tables()


def main(arguments: list[str]) -> int:
    """Writes the page, or says whether it would change."""
    page = PAGE.read_text(encoding="utf-8")
    if arguments == ["--check"]:
        is_same = made(page) == page
        print("ok" if is_same else f"{PAGE.name} is not what the settings are: run tools/project/make_configuration_page.py")
        return 0 if is_same else 1
    if arguments:
        print("usage: make_configuration_page.py [--check]")
        return 2
    PAGE.write_text(made(page), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
