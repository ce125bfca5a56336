"""Where a bot must connect: four environment variables, the same in every language."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Self

from mergemaker_engine.shown import shown

from mergemaker_client.problems import BadSetting

SERVER_VARIABLE: Final = "MERGEMAKER_SERVER"
CA_VARIABLE: Final = "MERGEMAKER_CA"
TOKEN_VARIABLE: Final = "MERGEMAKER_TOKEN"  # noqa: S105 - the variable's name, not a token
BOT_VARIABLE: Final = "MERGEMAKER_BOT"
TRACE_VARIABLE: Final = "MERGEMAKER_TRACE"
PLAIN_TEXT_VARIABLE: Final = "MERGEMAKER_PLAIN_TEXT"
PLAIN_TEXT_ALLOWED: Final = "allowed"

EXAMPLES: Final[Mapping[str, str]] = {
    SERVER_VARIABLE: "grpc://127.0.0.1:7350, or grpcs://referee.example:7350",
    TOKEN_VARIABLE: "what the referee or the operator gave to this bot",
}
"""Examples of the required variables."""

PORT_MAX: Final = 65_535
IPV6: Final = 6
BOT_NAME_CHARACTERS_MAX: Final = 64
_PLAIN: Final = "grpc"
_SECURE: Final = "grpcs"
_LOCAL_NAME: Final = "localhost"


@dataclass(frozen=True, slots=True)
class Target:
    """A referee's address."""

    host: str
    port: int
    secure: bool = False
    """Whether to use TLS."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads `grpc://host:port` or `grpcs://host:port`; an IPv6 address needs brackets."""
        scheme, mark, rest = text.partition("://")
        host, colon, port = rest.rpartition(":")
        is_port = port.isascii() and port.isdigit() and len(port) <= len(str(PORT_MAX)) and 1 <= int(port) <= PORT_MAX
        if scheme not in (_PLAIN, _SECURE) or not mark or not colon or not is_port or not _is_host(host):
            raise BadSetting(
                "bad-server",
                f"a referee's address ({SERVER_VARIABLE}) is {EXAMPLES[SERVER_VARIABLE]}, not {shown(text)}",
            )
        return cls(host.strip("[]"), int(port), scheme == _SECURE)

    @property
    def address(self) -> str:
        """Host and port, as gRPC wants them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether the referee is on this machine, so that no proxy may be in between."""
        if self.host.lower() == _LOCAL_NAME:
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"{_SECURE if self.secure else _PLAIN}://{self.address}"


def _is_host(text: str) -> bool:
    if not text.startswith("["):
        return bool(text) and not any(character in "/?#@[]:" or character.isspace() for character in text)
    try:
        return text.endswith("]") and ip_address(text[1:-1]).version == IPV6
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Environment:
    """The values of the variables."""

    target: Target
    token: str
    name: str = ""
    """The bot's name; empty: the name that goes with the token."""
    ca: Path | None = None
    """A file with the certificates to trust, if they are not those that the machine trusts."""
    trace: Path | None = None
    """The file that every message is written to."""

    @classmethod
    def read(
        cls, variables: Mapping[str, str], *, server: str | None = None, token: str | None = None, name: str | None = None
    ) -> Self:
        """Reads the variables. Given arguments override them."""
        chosen = {
            SERVER_VARIABLE: server or variables.get(SERVER_VARIABLE, ""),
            TOKEN_VARIABLE: token or variables.get(TOKEN_VARIABLE, ""),
        }
        missing = [variable for variable, value in chosen.items() if not value]
        if missing:
            lines = [f"  {variable}={EXAMPLES[variable]}" for variable in missing]
            raise BadSetting(
                "missing-variable",
                "\n".join([f"the bot does not know where to connect: {' and '.join(missing)} must be set, as in", *lines]),
            )
        bot = variables.get(BOT_VARIABLE, "") if name is None else name
        if len(bot) > BOT_NAME_CHARACTERS_MAX:
            raise BadSetting("bad-name", f"a bot's name has at most {BOT_NAME_CHARACTERS_MAX} characters, not {len(bot)}")
        target = Target.parse(chosen[SERVER_VARIABLE])
        check_private(target, variables)
        return cls(
            target,
            _checked_token(chosen[TOKEN_VARIABLE]),
            bot,
            _path(variables, CA_VARIABLE),
            _path(variables, TRACE_VARIABLE),
        )


def check_private(target: Target, variables: Mapping[str, str]) -> None:
    """Refuses to show a token to anyone on the route: that needs TLS or an explicit permission."""
    said = variables.get(PLAIN_TEXT_VARIABLE, "")
    if said not in ("", PLAIN_TEXT_ALLOWED):
        raise BadSetting("bad-plain-text", f"{PLAIN_TEXT_VARIABLE} is {PLAIN_TEXT_ALLOWED!r} or not set, not {shown(said)}")
    if not target.secure and not target.is_loopback and not said:
        raise BadSetting(
            "plain-text",
            f"{target} is not on this machine, and without TLS anyone on the route can read the token: use "
            f"{_SECURE}://{target.address}, with {CA_VARIABLE} where this machine does not trust its certificate by itself; or, "
            f"in a network that you trust, set {PLAIN_TEXT_VARIABLE}={PLAIN_TEXT_ALLOWED}",
        )


def _checked_token(token: str) -> str:
    # A stray character in a pasted token is reported here: gRPC would only report illegal metadata.
    if not token.isascii() or not token.isprintable() or " " in token:
        raise BadSetting("bad-token", f"a token ({TOKEN_VARIABLE}) is printable ASCII without spaces; this one is not")
    return token


def _path(variables: Mapping[str, str], name: str) -> Path | None:
    text = variables.get(name, "")
    return Path(text) if text else None
