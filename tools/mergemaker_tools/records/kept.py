"""What records are compared with: receipts that were kept of matches, and the signatures of a referee's key."""

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.receipts import Receipt, receipts_in
from mergemaker_engine.record.signatures import SIGNATURE_FILE_BYTES_MAX, EndSignature, key_id, read_signature
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.ed25519 import is_right, need_extra, public_key_in
from mergemaker_referee.records.files import signature_path

from mergemaker_tools.problems import CommandFailed, WrongUse

LOG_LINE_CHARACTERS_MAX: Final = 65_536
"""How much of a log is searched at once: no receipt is longer, and what is longer than this has no receipt across the cut."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What records are compared with."""

    receipts: Mapping[str, Receipt]
    """By match; empty if there are none to compare with."""
    keys: Mapping[str, bytes]
    """Public keys by their ids, one of which must have signed each record; empty: signatures do not matter."""

    def check(self, path: Path, record: Record) -> None:
        """Refuses a record that differs from what was kept, or has no right signature beside it."""
        found, promise = record.receipt, record.header.promise
        if found is not None and self.receipts:
            self.receipts.get(found.match, next(iter(self.receipts.values()))).check(found)
        if found is not None and self.keys:
            signature = self._signature(signature_path(path))
            signature.check(found, None if promise is None else promise.commitment)

    def _signature(self, path: Path) -> EndSignature:
        """The signature in a file, which one of the keys has made."""
        try:
            with path.open("rb") as file:
                signature = read_signature(file.read(SIGNATURE_FILE_BYTES_MAX + 1))
        except FileNotFoundError as error:
            raise RecordError("no-signature", f"no signature lies beside it, in {path.name}") from error
        key = self.keys.get(signature.signed.key)
        if key is None:
            given = ", ".join(self.keys)
            raise RecordError(
                "other-key", f"it was signed with the key {signature.signed.key}, and the ids of those given are {given}"
            )
        if not is_right(signature, key):
            raise RecordError("wrong-signature", f"what {path.name} says was not signed by the key that it names: it was changed")
        return signature

    def unused(self, matches: Collection[str]) -> list[str]:
        """The receipts without a good record among those given: somebody may have removed one."""
        return [str(receipt) for match, receipt in self.receipts.items() if match not in matches]


NOTHING_KEPT: Final = Kept({}, {})


def add_kept(parser: argparse.ArgumentParser) -> None:
    """Adds `--receipt` and `--key`."""
    parser.add_argument(
        "--receipt",
        metavar="RECEIPT",
        dest="receipts",
        action="append",
        default=[],
        help="compare with a receipt, MATCH:LINE:GAME, or with those in a file, such as a bot's log; may be given several times",
    )
    parser.add_argument(
        "--key",
        metavar="KEY",
        dest="keys",
        action="append",
        default=[],
        help="a referee's public key, or a file with several: one of them must have signed each record; may be repeated",
    )


def kept_of(options: argparse.Namespace) -> Kept:
    """What the options say was kept."""
    keys = [key for value in options.keys for key in _keys_of(value)]
    if keys:
        try:
            need_extra()
        except RefereeError as error:
            raise CommandFailed(str(error)) from error
    return Kept(_receipts_of(options.receipts), {key_id(key): key for key in keys})


def _keys_of(value: str) -> list[bytes]:
    """A public key, or those in a file: the first word of each line that is no comment."""
    if (key := public_key_in(value)) is not None:
        return [key]
    path = Path(value)
    try:
        lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    except OSError as error:
        raise WrongUse(f"--key: {shown_path(path)} cannot be read: {reason_of(error)}") from error
    words = [line.split()[0] for line in lines if line.strip() and not line.lstrip().startswith("#")]
    keys = [key for key in map(public_key_in, words) if key is not None]
    if not keys or len(keys) < len(words):
        raise WrongUse(
            "--key takes a public key, 43 characters of base64 with - and _ or 64 hexadecimal digits, or a file with one in each "
            f"line, and {shown_path(path)} is neither"
        )
    return keys


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
