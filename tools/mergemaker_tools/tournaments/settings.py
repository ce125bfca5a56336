"""What is asked for: from a file, from options, or both. Written again, it is a file."""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mergemaker_contest.designs import Design
from mergemaker_contest.results import Forfeits
from mergemaker_contest.schedules import Format
from mergemaker_contest.scores import Score
from mergemaker_engine.near_names import nearest_names
from mergemaker_engine.shown import shown
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.configuration.file import KeyLines, Problem, WrongConfiguration, parsed_toml
from mergemaker_referee.configuration.kinds import WrongValue

from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.problems import WrongUse
from mergemaker_tools.tournaments.budget import Budget
from mergemaker_tools.tournaments.keys import BY_NAME, KEYS, ConfineForm, Key

FILE_BYTES_MAX: Final = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSettings:
    """The keys, read. Paths are relative to the current folder."""

    name: str
    format: Format
    bots: Path | None
    bot: tuple[str, ...]
    challengers: tuple[str, ...]
    seats: int
    budget: Budget | None
    rules: str
    set: tuple[str, ...]
    clock: str
    score: Score
    forfeits: Forfeits
    anchor: str | None
    design: Design
    tables_max: int
    advance: int | None
    table_blocks: int | None
    trust: Trust
    executor: str
    jobs: int | None
    seed: str | None
    folder: Path | None
    database: str | None
    html: Path | None
    confine: ConfineForm
    confine_see: tuple[str, ...]
    confine_memory: int | None
    confine_processes: int | None
    confine_scratch: int | None


def add_keys(parser: argparse.ArgumentParser) -> None:
    """Adds an option for each key."""
    for key in KEYS:
        default = "" if key.default in (None, []) else f" (default: {key.default})"
        parser.add_argument(
            key.option,
            metavar=key.shown,
            dest=key.name,
            default=None,
            action="append" if key.is_list else "store",
            help=f"{key.help}{'; may be given several times' if key.is_list else ''}{default}".replace("%", "%%"),
        )


def settings_from(options: argparse.Namespace, file: Path | None) -> TournamentSettings:
    """The settings: what the options say, then the file, then the defaults. An error says what is wrong with each."""
    written = {} if file is None else read_file(file)
    for key in KEYS:
        given = getattr(options, key.name)
        if given is not None:
            written[key.name] = _from_option(key, given)
    return TournamentSettings(**{key.name: written.get(key.name, _usual(key)) for key in KEYS})


def _usual(key: Key) -> Any:  # noqa: ANN401 - has the type of its key
    return None if key.default is None else key.read(key.default)


def _from_option(key: Key, given: Any) -> object:  # noqa: ANN401 - as argparse has it
    value: object = given
    if isinstance(given, str) and given.isascii() and given.isdigit() and isinstance(_number_of(key, given), int):
        value = int(given)
    try:
        return key.read(value)
    except WrongValue as wrong:
        raise WrongUse(f"{key.option} {wrong}") from wrong


def _number_of(key: Key, given: str) -> object:
    """The number, if the key takes one."""
    return int(given) if key.kind.expected.startswith("a whole number") and len(given) < 10 else None


def read_file(file: Path) -> dict[str, Any]:
    """The settings in a file. All its errors are told at once, each with its line; paths are relative to its folder."""
    try:
        with file.open("rb") as opened:
            content = opened.read(FILE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        raise WrongUse(f"{shown_path(file)} cannot be read: {reason_of(error)}") from error
    try:
        text, document = parsed_toml(content, shown_path(file))
    except WrongConfiguration as wrong:
        raise WrongUse(str(wrong).removesuffix(f" ({wrong.reason})")) from wrong
    values, problems = _values(document, KeyLines(text))
    if problems:
        raise WrongUse("\n".join(problem.sentence(shown_path(file)) for problem in problems))
    if "database" in values and "://" not in values["database"]:
        values["database"] = str(file.parent / values["database"])
    return {name: file.parent / value if isinstance(value, Path) else value for name, value in values.items()}


def _values(document: Mapping[str, Any], lines: KeyLines) -> tuple[dict[str, Any], list[Problem]]:
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in document.items():
        key = BY_NAME.get(name)
        if key is None:
            near = nearest_names(name, BY_NAME) or f"; the keys are {', '.join(BY_NAME)}"
            problems.append(Problem(lines.line(name), shown(name)[1:-1], f"is no key of a tournament{near}"))
            continue
        try:
            values[name] = key.read(value)
        except WrongValue as wrong:
            problems.append(Problem(lines.line(name), name, str(wrong)))
    return values, problems


def file_text(settings: TournamentSettings) -> str:
    """A file that asks for the same from any folder, without what is usual."""
    lines = []
    for key in KEYS:
        value = getattr(settings, key.name)
        if value != _usual(key):
            lines.append(f"{key.name} = {_toml(value)}\n")
    return "".join(lines)


def _toml(value: object) -> str:
    match value:
        case tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case int():
            return str(value)
        case Path():
            return _toml(str(value.absolute()))
        case _:
            # TOML reads the escapes of JSON, and U+007F has none there that both know.
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
