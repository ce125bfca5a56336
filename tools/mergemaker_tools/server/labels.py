"""Labels of matches on a server, as options."""

import argparse
from collections.abc import Sequence


def add_labels(parser: argparse.ArgumentParser, what: str) -> None:
    """Adds the option that names labels."""
    parser.add_argument("--label", metavar="KEY=VALUE", dest="labels", action="append", default=[], type=_label, help=what)


def labels_of(options: argparse.Namespace) -> dict[str, str]:
    """The labels that the options name. A later value of the same key replaces an earlier one."""
    named: Sequence[tuple[str, str]] = options.labels
    return dict(named)


def _label(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"takes KEY=VALUE, as event=spring-cup, not {text!r}")
    return key, value
