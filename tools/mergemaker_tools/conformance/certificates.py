"""The certificate of the scripted referee, and the authority that signed it: for tests of clients alone, and no secret."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).with_name("tls")
AUTHORITY: Final = _FOLDER / "authority.pem"
"""What a client is told to trust (`MERGEMAKER_CA`)."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """As PEM."""

    chain: bytes
    key: bytes


def certificate() -> Certificate:
    """The certificate for `localhost`, 127.0.0.1 and ::1."""
    return Certificate((_FOLDER / "referee.pem").read_bytes(), (_FOLDER / "referee.key").read_bytes())
