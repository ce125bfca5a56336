"""The secrets of a running match, in their own file beside its record. Only its owner can read it, and it goes with the end."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.scribe import Secrets

from mergemaker_referee.records.disks import SYSTEM_DISK, Disk, write_new
from mergemaker_referee.tokens import is_token_hash

SECRETS_MODE: Final = 0o600
SECRETS_SUFFIX: Final = ".secrets"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatKey:
    """Who may take a seat: a bot that the referee knows, or the holder of the token with this hash."""

    bot: str | None = None
    token_hash: str | None = None
    version: str = ""
    """The version that the bot must report; empty: any."""

    def __post_init__(self) -> None:
        """Checks that it is exactly one of the two."""
        if (self.bot is None) == (self.token_hash is None):
            raise RecordError("bad-secrets", "a seat has either a known bot or the hash of a token")
        if self.token_hash is not None and not is_token_hash(self.token_hash):
            raise RecordError("bad-secrets", "the hash of a seat's token has 64 hexadecimal digits")
        if self.bot is not None and not (isinstance(self.bot, str) and self.bot):
            raise RecordError("bad-secrets", "a known bot has a name")
        if not isinstance(self.version, str):
            raise RecordError("bad-secrets", "the version of a seat's bot is a string")


def secrets_path(record: Path) -> Path:
    """The path of a record's secrets."""
    return record.with_name(record.name + SECRETS_SUFFIX)


def write_secrets(
    record: Path,
    secrets: Secrets,
    seats: Sequence[SeatKey] = (),
    disk: Disk = SYSTEM_DISK,
    remove: Callable[[Path], None] | None = None,
) -> None:
    """Writes the secrets of a match durably. Call it before the commitment is published.

    `seats` are needed only where bots come over a network. A file that cannot be written whole does not stay there:
    `remove` deletes it, if need be later, when the disk allows it.
    """
    document = {
        "seed": secrets.seed.hex(),
        "server_seed": secrets.server_seed.hex() if secrets.server_seed is not None else None,
        "nonce": secrets.nonce.hex() if secrets.nonce is not None else None,
        "seats": [_seat_document(seat) for seat in seats],
    }
    data = json.dumps(document).encode("ascii")
    write_new(secrets_path(record), data, SECRETS_MODE, disk, remove)


def read_secrets(record: Path, disk: Disk = SYSTEM_DISK) -> Secrets:
    """Reads the secrets, to take the match up again."""
    document = _read(record, disk)
    try:
        server_seed, nonce = (
            None if document[name] is None else bytes.fromhex(document[name]) for name in ("server_seed", "nonce")
        )
        return Secrets(bytes.fromhex(document["seed"]), server_seed, nonce)
    except (ValueError, TypeError, KeyError) as error:
        raise _damaged(record, error) from error


def read_seats(record: Path, disk: Disk = SYSTEM_DISK) -> tuple[SeatKey, ...]:
    """Who may take its seats; empty if no bot comes over a network."""
    document = _read(record, disk)
    try:
        # Files from before seats had keys contain none.
        return tuple(
            SeatKey(bot=seat["bot"], token_hash=seat["token_hash"], version=seat.get("version", ""))
            for seat in document.get("seats", ())
        )
    except (TypeError, KeyError, AttributeError, RecordError) as error:
        raise _damaged(record, error) from error


def _seat_document(seat: SeatKey) -> dict[str, str | None]:
    version = {"version": seat.version} if seat.version else {}
    return {"bot": seat.bot, "token_hash": seat.token_hash, **version}


def _read(record: Path, disk: Disk) -> dict[str, Any]:
    try:
        document = json.loads(b"".join(disk.chunks(secrets_path(record))).decode("ascii"))
    except ValueError as error:
        raise _damaged(record, error) from error
    if not isinstance(document, dict):
        raise _damaged(record, "it holds no object")
    return document


def _damaged(record: Path, why: object) -> RecordError:
    return RecordError("bad-secrets", f"{secrets_path(record).name} is not a file of secrets: {why}")


def forget_unbegun(record: Path, disk: Disk = SYSTEM_DISK) -> None:
    """Deletes a record that was never begun, and then its secrets: without them, nobody would know what an empty record is.

    In between, the folder is synced where folders can be, so that this order also survives a loss of power.
    """
    disk.remove(record)
    descriptor = disk.open_folder(record.parent)
    if descriptor is not None:
        try:
            disk.sync(descriptor)
        finally:
            disk.close(descriptor)
    forget_secrets(record, disk)


def forget_secrets(record: Path, disk: Disk = SYSTEM_DISK) -> None:
    """Deletes the secrets, once the end line is durable."""
    disk.remove(secrets_path(record))
