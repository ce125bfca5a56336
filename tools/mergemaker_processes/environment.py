"""The environment of a bot's process: where the referee is, who the bot is, and the command's other variables."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mergemaker_client.environment import PLAIN_TEXT_ALLOWED, Target

PREFIX: Final = "MERGEMAKER_"
"""All variables with this prefix are ours: those of the command itself are not passed on."""
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
"""What never goes through a proxy."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a bot finds its seat: `grpc://host:port` or `grpcs://…`, its token, its name, and perhaps a CA file."""

    server: str
    token: str = field(repr=False)
    bot: str
    ca: str | None = None

    def variables(self) -> dict[str, str]:
        """As variables of the environment, the same for bots in all languages."""
        told = {"SERVER": self.server, "TOKEN": self.token, "BOT": self.bot} | ({"CA": self.ca} if self.ca else {})
        target = Target.parse(self.server)
        if not target.secure and not target.is_loopback:
            told["PLAIN_TEXT"] = PLAIN_TEXT_ALLOWED  # the referee's user has allowed it
        return {PREFIX + name: value for name, value in told.items()}


def bot_environment(before: Mapping[str, str], address: Address, *, cases_differ: bool = os.name != "nt") -> dict[str, str]:
    """The variables of a bot's process, made from those of the command.

    A bot in Python writes at once, so that its log is complete however it ends. `cases_differ` says whether
    the system tells names of variables apart by their case.
    """
    kept = {name: value for name, value in before.items() if not name.upper().startswith(PREFIX)}
    return kept | _no_proxies(kept, cases_differ=cases_differ) | {"PYTHONUNBUFFERED": "1"} | address.variables()


def _no_proxies(before: Mapping[str, str], *, cases_differ: bool) -> dict[str, str]:
    """Adds the names of the loopback to all variables that name exceptions from proxies."""
    names = ("no_proxy", "NO_PROXY") if cases_differ else ("NO_PROXY",)
    # Who reads both takes one of them: so each gets what is in either. gRPC has one of its own, which replaces the others.
    groups = (names, *(((own,),) if (own := "no_grpc_proxy") in before else ()))
    return {name: _with_loopback([before.get(each, "") for each in group]) for group in groups for name in group}


def _with_loopback(lists: list[str]) -> str:
    entries = [entry.strip() for text in lists for entry in text.split(",")]
    if "*" in entries:  # nothing goes through a proxy; some programs know that only if it stands alone
        return "*"
    return ",".join(dict.fromkeys([*filter(None, entries), *LOOPBACK_NAMES]))
