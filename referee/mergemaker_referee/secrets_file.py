"""The secrets of a running match, in a file of their own beside its record: only its owner reads it, and it goes with the end."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.scribe import Secrets

if TYPE_CHECKING:
    from pathlib import Path

SECRETS_MODE: Final = 0o600
SECRETS_SUFFIX: Final = ".secrets"


def secrets_path(record: Path) -> Path:
    """Where the secrets of a record lie."""
    return record.with_name(record.name + SECRETS_SUFFIX)


def write_secrets(record: Path, secrets: Secrets) -> None:
    """Writes the secrets of a match, durably: call it before the commitment is published."""
    document = {
        "seed": secrets.seed.hex(),
        "server_seed": secrets.server_seed.hex() if secrets.server_seed is not None else None,
        "nonce": secrets.nonce.hex() if secrets.nonce is not None else None,
    }
    path = secrets_path(record)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, SECRETS_MODE)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        json.dump(document, file)
        file.flush()
        os.fsync(file.fileno())


def read_secrets(record: Path) -> Secrets:
    """Reads them back, to take the match up again."""
    path = secrets_path(record)
    try:
        document = json.loads(path.read_text("ascii"))
        server_seed, nonce = (
            None if document[name] is None else bytes.fromhex(document[name]) for name in ("server_seed", "nonce")
        )
        return Secrets(bytes.fromhex(document["seed"]), server_seed, nonce)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RecordError("bad-secrets", f"{path.name} is not a file of secrets: {error}") from error


def forget_secrets(record: Path) -> None:
    """Deletes them, once the end line is durable."""
    secrets_path(record).unlink(missing_ok=True)
