"""The options that several commands share, and their readers."""

import argparse
import secrets
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeVar

from mergemaker_engine.deal import SEED_BYTES
from mergemaker_engine.errors import EngineError
from mergemaker_engine.near_names import nearest_names
from mergemaker_engine.notation import parse_rules, rules_text
from mergemaker_engine.rules import KNOB_NAMES, PRESETS, Rules

from mergemaker_tools.knobs import VALUE_WORDS
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import WrongUse

USUAL_PRESET: Final = "renegade-classic"
RECORDS_FOLDER: Final = "records"
SETTING_CHARACTERS_MAX: Final = 200
_SEED_DIGITS_MAX: Final = 2 * SEED_BYTES
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Adds `--rules` and `--set`."""
    parser.add_argument(
        "--rules",
        metavar="NAME",
        default=USUAL_PRESET,
        help="the preset to play by; `mergemaker rules` lists them (default: %(default)s)",
    )
    add_settings(parser)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Adds `--set`."""
    parser.add_argument(
        "--set",
        metavar="KNOB=VALUE",
        dest="settings",
        action="append",
        default=[],
        help="change one knob of the preset; may be given several times",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Adds `--seed`."""
    parser.add_argument(
        "--seed",
        metavar="HEX",
        help=f"up to {_SEED_DIGITS_MAX} hexadecimal digits; all chances come from them (default: fresh ones)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Adds `--json`."""
    parser.add_argument("--json", action="store_true", help="write one JSON document to standard output and nothing else")


def add_records(parser: argparse.ArgumentParser) -> None:
    """Adds `--records`, `--record`, `--no-record` and `--durability`."""
    # Slow to import, and most commands write no record.
    from mergemaker_referee.records.journal import Durability  # noqa: PLC0415 - as said

    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--records",
        metavar="FOLDER",
        type=Path,
        default=Path(RECORDS_FOLDER),
        help="the folder to write the record of each game to (default: %(default)s)",
    )
    where.add_argument("--record", metavar="FILE", type=Path, help="the file to write the record of the only game to")
    where.add_argument("--no-record", action="store_true", help="write no record")
    parser.add_argument(
        "--durability",
        choices=list(Durability),
        default=Durability.PROCESS,
        help="what each line outlives before anyone learns of it: the end of this process, or of the machine's power, "
        "which is slower (default: %(default)s)",
    )


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """A reader for a whole number within limits."""

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(most)) else None
        if number is None or not least <= number <= most:
            raise argparse.ArgumentTypeError(f"takes a whole number from {least:,} to {most:,}, not {text!r}")
        return number

    return read


_Choice = TypeVar("_Choice", bound=StrEnum)


def one_of(choices: type[_Choice]) -> Callable[[str], _Choice]:
    """A reader for one of some names; for another, the nearest are named."""

    def read(text: str) -> _Choice:
        if text not in list(choices):
            near = nearest_names(text, choices)
            raise argparse.ArgumentTypeError(f"takes one of {', '.join(choices)}, not {text!r}{near}")
        return choices(text)

    return read


def rules_from(name: str, settings: Sequence[str]) -> Rules:
    """The rules of a preset with some knobs set."""
    if name not in PRESETS:
        near = nearest_names(name, PRESETS)
        raise WrongUse(f"there is no preset {name!r}{near}\nThe presets are {', '.join(PRESETS)}.")
    seen: set[str] = set()
    for setting in settings:
        knob = _checked_knob(setting)
        if knob in seen:
            raise WrongUse(f"the knob {knob} is set twice: give --set {knob}=… once")
        seen.add(knob)
    try:
        return parse_rules(" ".join([name, *settings]))
    except EngineError as error:
        shows = own_command("rules", name)
        raise WrongUse(f"{error}{_nearest_values(settings)}\n`{shows}` shows the knobs.") from error


def _nearest_values(settings: Sequence[str]) -> str:
    """Suggestions for the first unknown value of a knob whose values are names."""
    for knob, _, value in (setting.partition("=") for setting in settings):
        if value not in VALUE_WORDS.get(knob, (value,)):
            return nearest_names(value, VALUE_WORDS[knob])
    return ""


def _checked_knob(setting: str) -> str:
    """The name of the knob that a setting is for."""
    knob, equals, value = setting.partition("=")
    if not equals or not value:
        raise WrongUse(f"--set takes KNOB=VALUE, as in --set dead_tiles=forced, not {setting!r}")
    if len(setting) > SETTING_CHARACTERS_MAX or setting.split() != [setting]:
        raise WrongUse(f"--set takes at most {SETTING_CHARACTERS_MAX} characters without spaces, not {setting!r}")
    if knob not in KNOB_NAMES:
        near = nearest_names(knob, KNOB_NAMES)
        raise WrongUse(f"there is no knob {knob!r}{near}\nThe knobs are {', '.join(KNOB_NAMES)}.")
    return knob


def rules_in_words(rules: Rules) -> str:
    """Rules as one line: a preset and what differs from it, as in `renegade-tycoon dead_tiles=forced`."""
    return rules_text(rules)


def rules_arguments(rules: Rules) -> list[str]:
    """The arguments that give these rules again."""
    name, *settings = rules_text(rules).split()
    # The default preset is left out, so that commands to copy stay short.
    chosen = [] if name == USUAL_PRESET else ["--rules", name]
    return [*chosen, *(part for setting in settings for part in ("--set", setting))]


def seed_from(text: str | None) -> bytes:
    """The seed in a text, padded with zeros at the left; a fresh one for None."""
    if text is None:
        return secrets.token_bytes(SEED_BYTES)
    if not 1 <= len(text) <= _SEED_DIGITS_MAX or not _HEX_DIGITS.issuperset(text):
        raise WrongUse(f"--seed takes 1 to {_SEED_DIGITS_MAX} hexadecimal digits, as in --seed 0a1b, not {text!r}")
    return bytes.fromhex(text.rjust(_SEED_DIGITS_MAX, "0"))
