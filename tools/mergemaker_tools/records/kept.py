"""What was kept of matches, beside their records: `verify` compares records with it."""

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.receipts import Receipt, receipts_in
from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.problems import CommandFailed, WrongUse

LOG_LINE_CHARACTERS_MAX: Final = 65_536
"""How much of a log is searched at once: no receipt is longer, and what is longer than this has no receipt across the cut."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What records are compared with."""

    receipts: Mapping[str, Receipt]
    """By match; empty if there are none to compare with."""

    def check(self, record: Record) -> None:
        """Refuses a record that differs from what was kept."""
        found = record.receipt
        if self.receipts and found is not None:
            self.receipts.get(found.match, next(iter(self.receipts.values()))).check(found)

    def unused(self, matches: Collection[str]) -> list[str]:
        """The receipts without a good record among those given: somebody may have removed one."""
        return [str(receipt) for match, receipt in self.receipts.items() if match not in matches]


NOTHING_KEPT: Final = Kept({})


def add_kept(parser: argparse.ArgumentParser) -> None:
    """Adds `--receipt`."""
    parser.add_argument(
        "--receipt",
        metavar="RECEIPT",
        dest="receipts",
        action="append",
        default=[],
        help="compare with a receipt, MATCH:LINE:GAME, or with those in a file, such as a bot's log; may be given several times",
    )


def kept_of(options: argparse.Namespace) -> Kept:
    """What the options say was kept."""
    return Kept(_receipts_of(options.receipts))


def _receipts_of(given: Sequence[str]) -> dict[str, Receipt]:
    """All receipts, by match. Two that differ prove that somebody was shown another end of the same match."""
    found: dict[str, Receipt] = {}
    for value in given:
        try:
            receipts = list(receipts_in(value)) or list(_receipts_in_file(Path(value)))
        except RecordError as error:
            raise WrongUse(f"--receipt: {error}") from error
        for receipt in receipts:
            if found.setdefault(receipt.match, receipt) != receipt:
                raise CommandFailed(
                    f"two receipts of the match {receipt.match} differ, and a match has one record: "
                    f"{found[receipt.match]} and {receipt} (receipts-differ)"
                )
    return found


def _receipts_in_file(path: Path) -> Iterator[Receipt]:
    """The receipts in a file, of which there is at least one."""
    count = 0
    try:
        if not path.is_file():
            raise WrongUse(
                f"--receipt takes a receipt, MATCH:LINE:GAME with two hashes of 43 characters, or a file with receipts, "
                f"and {shown_path(path)} is neither"
            )
        with path.open(encoding="utf-8", errors="replace") as lines:
            while text := lines.readline(LOG_LINE_CHARACTERS_MAX):
                for receipt in receipts_in(text):
                    count += 1
                    yield receipt
    except OSError as error:
        raise WrongUse(f"--receipt: {shown_path(path)} cannot be read: {reason_of(error)}") from error
    if not count:
        raise WrongUse(f"--receipt: there is no receipt in {shown_path(path)}; one is MATCH:LINE:GAME, as bots' logs have it")
