"""Where the matches of a tournament are played: on this machine, or by a cluster that an address names."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from mergemaker_referee.configuration.kinds import WrongValue

LOCAL: Final = "local"
SCHEMES: Final[Mapping[str, str]] = {"dask": "tcp", "dask+tls": "tls"}
"""What an executor's address begins with, and how Dask calls that."""


def scheduler_of(text: str) -> str:
    """The address of a cluster's scheduler, as Dask has it; `WrongValue` for any other text."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None or parts.scheme not in SCHEMES or parts.path.strip("/"):
        raise WrongValue(f"takes {LOCAL} or dask://HOST:PORT, the address of a Dask scheduler, not {text!r}")
    return f"{SCHEMES[parts.scheme]}://{f'[{host}]' if ':' in host else host}:{port}"
