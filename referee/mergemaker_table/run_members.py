"""Members of a line's `run` that say who plays and what a match belongs to: writing and reading them.

Everything in `run` may come from another program, so anything that is not in the form written here is ignored.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from mergemaker_engine.values import dataclass

BOT_IDS: Final = "bot_ids"
"""In the header, by seat; left out if no seat is a known bot's."""
LABELS: Final = "labels"
"""In the header: the match's labels; left out if there are none."""
VERSIONS: Final = "versions"
"""In the end line: each seat's bot's version; left out if none gave one."""
VERSION: Final = "version"
"""In an incident: the version of the bot that came; left out if it gives none."""

BLOCK: Final = "block"
"""In the header: the block of matches that are played on this deal; left out if it is the match's alone."""
REQUEST: Final = "request"
"""In the header: the key of the request that made the match, and a hash of the request; left out if it had no key."""
HOST: Final = "host"
"""In the header: the machine on which the match is played; left out if nobody says."""
HOST_CHARACTERS_MAX: Final = 255
"""Of the name of a machine."""
SPEED_MAX: Final = 2**31 - 1
_OF_THE_MATCH: Final = (BOT_IDS, LABELS, REQUEST, HOST)
"""What a fork does not take from its parent."""


@dataclass(frozen=True, slots=True)
class RequestKey:
    """The request that made a match, so that it makes no second one when it comes again."""

    key: str
    """The sender's name for it."""
    digest: str
    """SHA-256 of the request, in hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that plays matches."""

    name: str
    speed: int = 0
    """How many games of random players its engine plays in a second of one processor; 0 if that was not measured."""


def bot_ids_run(bot_ids: Sequence[str]) -> dict[str, object]:
    """What the header says about known bots."""
    return {BOT_IDS: list(bot_ids)} if any(bot_ids) else {}


def bot_ids_in(run: Mapping[str, object], seats: int) -> tuple[str, ...]:
    """By seat: the known bot, or an empty name. Empty if the header says nothing."""
    return _texts_in(run.get(BOT_IDS), seats)


def without_bot_ids(run: Mapping[str, object]) -> dict[str, object]:
    """What else the header says."""
    return {name: value for name, value in run.items() if name != BOT_IDS}


def versions_run(versions: Sequence[str]) -> dict[str, object]:
    """What the end line says about the bots' versions."""
    return {VERSIONS: list(versions)} if any(versions) else {}


def versions_in(run: Mapping[str, object], seats: int) -> tuple[str, ...]:
    """By seat: the version of its bot, or an empty text. Empty if the end line says nothing."""
    return _texts_in(run.get(VERSIONS), seats)


def labels_run(labels: Mapping[str, str]) -> dict[str, object]:
    """What the header says about labels, in the order of their keys."""
    return {LABELS: dict(sorted(labels.items()))} if labels else {}


def labels_in(run: Mapping[str, object]) -> dict[str, str]:
    """A match's labels."""
    found = run.get(LABELS)
    if not isinstance(found, Mapping):
        return {}
    return {key: value for key, value in found.items() if isinstance(key, str) and isinstance(value, str)}


def block_run(block: str) -> dict[str, object]:
    """What the header says about the block."""
    return {BLOCK: block} if block else {}


def block_in(run: Mapping[str, object]) -> str:
    """The block of matches that are played on this deal; empty if it is the match's alone."""
    return text_in(run, BLOCK)


def host_run(host: Host | None) -> dict[str, object]:
    """What the header says about the machine."""
    return {HOST: {"name": host.name, "speed": host.speed}} if host is not None and host.name else {}


def host_in(run: Mapping[str, object]) -> Host | None:
    """The machine on which the match was played; None if the header does not say."""
    found = run.get(HOST)
    if not isinstance(found, Mapping) or not 0 < len(name := text_in(found, "name")) <= HOST_CHARACTERS_MAX:
        return None
    speed = found.get("speed")
    return Host(name, speed if type(speed) is int and 0 <= speed <= SPEED_MAX else 0)


def request_run(request: RequestKey | None) -> dict[str, object]:
    """What the header says about the request that made the match."""
    return {} if request is None else {REQUEST: {"key": request.key, "digest": request.digest}}


def request_in(run: Mapping[str, object]) -> RequestKey | None:
    """The request that made a match; None if it had no key."""
    found = run.get(REQUEST)
    if not isinstance(found, Mapping):
        return None
    key, digest = text_in(found, "key"), text_in(found, "digest")
    return RequestKey(key, digest) if key and digest else None


def without_match_members(run: Mapping[str, object]) -> dict[str, object]:
    """What a fork takes from its parent's header."""
    return {name: value for name, value in run.items() if name not in _OF_THE_MATCH}


def text_in(run: Mapping[str, object], name: str) -> str:
    """A text; empty if there is none."""
    found = run.get(name)
    return found if isinstance(found, str) else ""


def _texts_in(found: object, seats: int) -> tuple[str, ...]:
    if isinstance(found, list) and len(found) == seats and all(isinstance(each, str) for each in found):
        return tuple(found)
    return ()
