"""Where a server is, and with which token: from options, or else from the environment. Needs no gRPC, which is slow to import."""

import argparse
import os
from dataclasses import dataclass, field
from pathlib import Path

from mergemaker_client.environment import CA_VARIABLE, EXAMPLES, SERVER_VARIABLE, TOKEN_VARIABLE, Target, check_private
from mergemaker_client.problems import BadSetting

from mergemaker_tools.problems import WrongUse


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server is, and the operator's token for it."""

    target: Target
    token: str = field(repr=False)
    ca: Path | None = None


def add_place(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Adds `--server` and `--token`. A default of argparse.SUPPRESS keeps what comes before a part of a command."""
    parser.add_argument(
        "--server", metavar="URL", default=default, help=f"grpc://HOST:PORT, or grpcs:// for TLS (default: {SERVER_VARIABLE})"
    )
    parser.add_argument(
        "--token", default=default, help=f"better given by {TOKEN_VARIABLE}: others can see a command's arguments"
    )


def place_of(options: argparse.Namespace, whose: str | None) -> Place:
    """The server from the options, or else from the environment. `whose` token it wants; None: anybody may ask it."""
    server = options.server or os.environ.get(SERVER_VARIABLE)
    token = "" if whose is None else options.token or os.environ.get(TOKEN_VARIABLE) or ""
    if not server:
        raise WrongUse(f"which server? Give --server, or set {SERVER_VARIABLE}: {EXAMPLES[SERVER_VARIABLE]}")
    if not token and whose is not None:
        raise WrongUse(f"the server wants {whose} token: set {TOKEN_VARIABLE}, or give --token")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise WrongUse("a token is printable ASCII without spaces, and this one is not: copy it anew")
    ca = os.environ.get(CA_VARIABLE)
    try:
        target = Target.parse(server)
        check_private(target, os.environ)
        return Place(target, token, Path(ca) if ca else None)
    except BadSetting as problem:
        raise WrongUse(str(problem)) from problem
