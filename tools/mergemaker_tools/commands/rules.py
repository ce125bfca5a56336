"""Shows the rules: presets with their knobs and charts, and the catalogue of rules.

Without a name, it lists the presets. For a preset, it shows what that fixes; for a knob
(dead_tiles), what each value means; for the id of a rule (PLC-7) or the letters of a part
(PLC), the text of the catalogue and its sources.
"""

import argparse
from collections.abc import Sequence
from typing import Final

from mergemaker_engine.catalogue import CATALOGUE, RuleEntry
from mergemaker_engine.chains import TIERS
from mergemaker_engine.near_names import nearest_names
from mergemaker_engine.rules import KNOB_NAMES, PRESETS, Rules
from rich.table import Table

from mergemaker_tools import options as shared
from mergemaker_tools.information_card import CardLine, card_of, card_table
from mergemaker_tools.knobs import (
    KNOB_RULES,
    KNOB_WORDS,
    PRESET_WORDS,
    VALUE_WORDS,
    allowed,
    other_values,
    presets_with,
    value_text,
    values_of,
)
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, WrongUse
from mergemaker_tools.screen import show_line, write_document
from mergemaker_tools.tables import show, table

_PARTS: Final = tuple(dict.fromkeys(rule.id.partition("-")[0] for rule in CATALOGUE))


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "name",
        metavar="NAME|RULE-ID",
        nargs="?",
        help="a preset, a knob such as dead_tiles, a rule such as PLC-7, or a part such as PLC",
    )
    parser.add_argument("--all", action="store_true", help="the whole catalogue of rules")
    shared.add_settings(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Shows what was asked for."""
    name: str | None = options.name
    if options.all and name is not None:
        raise WrongUse(f"--all shows the whole catalogue: leave out either --all or {name!r}")
    preset_name = name.lower() if name is not None and name.lower() in PRESETS else None
    if options.settings and preset_name is None:
        example = own_command("rules", "renegade-classic", "--set", "assets=hidden")
        raise WrongUse(f"--set changes a preset: name one, as in `{example}`")
    if preset_name is not None:
        _show_preset(shared.rules_from(preset_name, options.settings), options.json)
    elif options.all:
        _show_entries(CATALOGUE, options.json)
    elif name is None:
        _show_presets(options.json)
    elif name.lower() in KNOB_NAMES:
        _show_knob(name.lower(), options.json)
    else:
        _show_entries(_entries(name), options.json)
    return DONE


def _entries(name: str) -> Sequence[RuleEntry]:
    """The rules of an id or of a part."""
    wanted = name.upper()
    found = [rule for rule in CATALOGUE if wanted in (rule.id, rule.id.partition("-")[0], rule.id.partition("-")[0] + "-")]
    if not found:
        known = (*PRESETS, *KNOB_NAMES, *(rule.id for rule in CATALOGUE), *_PARTS)
        raise WrongUse(
            f"there is no preset, knob, rule or part {name!r}{nearest_names(name, known)}\n"
            f"The presets are {', '.join(PRESETS)}; the knobs are {', '.join(KNOB_NAMES)}; the parts are {', '.join(_PARTS)}."
        )
    return found


def _show_presets(as_json: bool) -> None:
    if as_json:
        write_document(
            {
                "presets": [
                    {"name": name, "about": PRESET_WORDS[name], "fingerprint": rules.fingerprint()}
                    for name, rules in PRESETS.items()
                ]
            }
        )
        return
    presets = table()
    presets.add_column("preset", no_wrap=True)
    presets.add_column("what it is")
    for name in PRESETS:
        presets.add_row(name, PRESET_WORDS[name])
    show(presets)
    rules = own_command("rules")
    show_line(f"\n`{rules} NAME` shows one of them.\n`{rules} --all` shows every rule.")


def _show_entries(entries: Sequence[RuleEntry], as_json: bool) -> None:
    if as_json:
        write_document({"rules": [{"id": rule.id, "text": rule.text, "source": rule.source} for rule in entries]})
        return
    rules = table()
    rules.add_column("rule", no_wrap=True)
    rules.add_column("what it says, and where it comes from")
    for number, rule in enumerate(entries):
        if number:
            rules.add_row()
        rules.add_row(rule.id, f"{rule.text}\n({rule.source})")
    show(rules)


def _show_knob(knob: str, as_json: bool) -> None:
    words = VALUE_WORDS.get(knob, {})
    if as_json:
        values = [
            {"value": value, "means": words.get(value_text(value)), "presets": presets_with(knob, value)}
            for value in values_of(knob)
        ]
        write_document(
            {"knob": knob, "about": KNOB_WORDS[knob], "rule": KNOB_RULES[knob], "allowed": allowed(knob), "values": values}
        )
        return
    values_table = table()
    values_table.add_column("value")
    if words:
        values_table.add_column("what it means")
    values_table.add_column("presets that have it")
    for number, value in enumerate(values_of(knob)):
        if number:
            values_table.add_row()
        text = value_text(value)
        means = [words[text]] if words else []
        values_table.add_row(text, *means, "\n".join(presets_with(knob, value)) or "none")
    show(f"{knob}: {KNOB_WORDS[knob]}", values_table)
    show_line("")
    if not words:
        show_line(f"It takes {allowed(knob)}.")
    show_line(f"`{own_command('rules', KNOB_RULES[knob])}` shows its rule.")


def _show_preset(rules: Rules, as_json: bool) -> None:
    card = card_of(rules)
    if as_json:
        write_document(
            {
                "rules": shared.rules_in_words(rules),
                "rules_version": rules.version,
                "fingerprint": rules.fingerprint(),
                "knobs": {
                    knob: {"value": value, "allowed": allowed(knob), "rule": KNOB_RULES[knob]}
                    for knob, value in rules.knobs().items()
                },
                "card": [_card_document(line) for line in card],
            }
        )
        return
    show(_knobs_table(rules), card_table(rules))
    show_line(f"\nrules version {rules.version}, fingerprint {rules.fingerprint()}")
    show_line(f"`{own_command('rules')} KNOB` says what a knob's values mean.")


def _knobs_table(rules: Rules) -> Table:
    knobs = table(shared.rules_in_words(rules))
    knobs.add_column("knob", no_wrap=True)
    knobs.add_column("value")
    knobs.add_column("or")
    knobs.add_column("rule", no_wrap=True)
    for knob, value in rules.knobs().items():
        knobs.add_row(knob, value_text(value), other_values(knob, value), KNOB_RULES[knob])
    return knobs


def _card_document(line: CardLine) -> dict[str, object]:
    sizes = dict(zip(TIERS, line.sizes, strict=True))
    return {
        "price": line.price,
        "sizes": {tier: sizes[tier] for tier in TIERS},
        "bonuses": list(line.bonuses),
    }
