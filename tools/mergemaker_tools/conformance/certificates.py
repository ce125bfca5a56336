"""The certificate of the scripted referee, and the authority that signed it. Both are for tests only, and not secret."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).with_name("tls")
AUTHORITY: Final = _FOLDER / "authority.pem"
"""The certificates for a client to trust (`MERGEMAKER_CA`)."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """As PEM."""

    chain: bytes
    key: bytes


def certificate() -> Certificate:
    """The certificate for `localhost`, 127.0.0.1 and ::1."""
    return Certificate((_FOLDER / "referee.pem").read_bytes(), (_FOLDER / "referee.key").read_bytes())
