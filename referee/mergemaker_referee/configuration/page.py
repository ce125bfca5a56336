"""The settings in words: the commented file of a new server, and the tables of CONFIGURATION.md."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mergemaker_referee.configuration.entries import SECTIONS, Entry, Section
from mergemaker_referee.configuration.kinds import ADDRESS
from mergemaker_referee.configuration.settings import USUAL_METRICS_PORT

CONFIGURATION_NAME: Final = "mergemaker.toml"
_OPERATOR: Final = "operator"
_NOTHING: Final[Mapping[tuple[str, str], object]] = MappingProxyType({})


def initial_configuration(operator_token_hash: str, more: Mapping[tuple[str, str], object] = _NOTHING) -> str:
    """A configuration file with every setting at its default. Settings without a default are comments.

    `more` gives other values than the defaults, by section and name.
    """
    values = {**more, (_OPERATOR, "token_hash"): operator_token_hash}
    lines = [
        "# The configuration of a Mergemaker server. Start it with: mergemaker serve --config " + CONFIGURATION_NAME,
        f"# Check it with: mergemaker serve --config {CONFIGURATION_NAME} --check-config",
    ]
    for section in SECTIONS:
        lines += ["", f"# {section.text}"]
        if section.example is None or not section.entries:
            lines.append(f"[{section.name}]")
        if section.example is not None:
            lines += [f"# {line}" for line in section.example.split("\n")]
            continue
        for entry in section.entries:
            lines.append(f"# {entry.text}")
            value = values.get((section.name, entry.name), entry.default)
            lines.append(f"# {entry.name} = {_example(entry)}" if value is None else f"{entry.name} = {toml_text(value)}")
    return "\n".join(lines) + "\n"


def _example(entry: Entry) -> str:
    """An example for a setting without a default, as a comment to be uncommented."""
    if entry.example is not None:
        return toml_text(entry.example)
    return toml_text(f"127.0.0.1:{USUAL_METRICS_PORT}" if entry.kind is ADDRESS else "PATH")


def toml_text(value: object) -> str:
    """A value as TOML writes it: strings, whole numbers, booleans, lists. JSON writes them alike."""
    return json.dumps(value, ensure_ascii=False)


def settings_tables() -> str:
    """All settings as Markdown: a heading and a table for each section."""
    return "\n".join(line for section in SECTIONS for line in _section_lines(section)).rstrip("\n") + "\n"


def _section_lines(section: Section) -> list[str]:
    lines = [f"### [{section.name}]", "", section.text, ""]
    if section.example is not None:
        shown = section.example if section.entries else f"[{section.name}]\n{section.example}"
        lines += ["```toml", *shown.split("\n"), "```", ""]
    if section.entries:
        lines += ["| setting | takes | default | what it is |", "|---|---|---|---|", *map(_row, section.entries), ""]
    return lines


def _row(entry: Entry) -> str:
    default = "not set" if entry.default is None else f"`{toml_text(entry.default)}`"
    return f"| `{entry.name}` | {entry.kind.expected} | {default} | {entry.text} |"
