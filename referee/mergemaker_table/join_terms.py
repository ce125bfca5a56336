"""When the time to join begins, and what happens to a match if seats are not taken. It is in `run` of the header."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass

from mergemaker_table.errors import TableError

WAIT_MS_MAX: Final = 2_592_000_000
"""30 days: no match waits longer until its time to join begins."""

_JOINING: Final = "joining"
_MISSING: Final = "missing"
_BEGINS: Final = "begins"
_WAIT: Final = "wait_ms_max"


class MissingSeats(StrEnum):
    """What happens to a match if a seat is not taken in time."""

    VOID = "void"
    """It has no result."""
    PLAY = "play"
    """It is played, and the seat gets the defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinTerms:
    """How a match gets its bots. With these defaults, all is as before these terms existed, and nothing is recorded."""

    missing: MissingSeats = MissingSeats.PLAY
    begins: datetime | None = None
    """A named time, before which the time to join does not begin; with a time zone."""
    wait_ms_max: int | None = None
    """How long the match waits until all its known bots are free at once; None: it does not wait for that."""

    def __post_init__(self) -> None:
        """Checks every term."""
        if self.begins is not None and self.begins.tzinfo is None:
            raise TableError("bad-terms", "the time at which joining begins has a time zone")
        wait = self.wait_ms_max
        if wait is not None and (type(wait) is not int or not 0 <= wait <= WAIT_MS_MAX):
            raise TableError(
                "bad-terms", f"wait_ms_max is a whole number of milliseconds from 0 to {WAIT_MS_MAX}, not {shown(wait)}"
            )

    @property
    def waits(self) -> bool:
        """Whether the time to join begins only with an input that says so."""
        return self.begins is not None or self.wait_ms_max is not None

    def members(self) -> dict[str, object]:
        """As it is in `run` of the header: nothing if all is as before these terms existed."""
        if self == JoinTerms():
            return {}
        plain: dict[str, object] = {_MISSING: str(self.missing)}
        if self.begins is not None:
            plain[_BEGINS] = moment_text(self.begins)
        if self.wait_ms_max is not None:
            plain[_WAIT] = self.wait_ms_max
        return {_JOINING: plain}


def moment_text(moment: datetime) -> str:
    """A moment to the millisecond, as `2026-11-18T15:38:32.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def join_terms_in(more: Mapping[str, object]) -> JoinTerms:
    """The terms in `run` of a header."""
    plain = more.get(_JOINING)
    if plain is None:
        return JoinTerms()
    if not isinstance(plain, Mapping):
        raise TableError("bad-terms", f"'{_JOINING}' is an object, not {shown(plain)}")
    missing, begins, wait = plain.get(_MISSING), plain.get(_BEGINS), plain.get(_WAIT)
    if missing not in list(MissingSeats):
        raise TableError("bad-terms", f"'{_MISSING}' is one of {', '.join(MissingSeats)}, not {shown(missing)}")
    if wait is not None and type(wait) is not int:
        raise TableError("bad-terms", f"'{_WAIT}' is a whole number of milliseconds, not {shown(wait)}")
    return JoinTerms(missing=MissingSeats(str(missing)), begins=None if begins is None else _moment_of(begins), wait_ms_max=wait)


def _moment_of(text: object) -> datetime:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError as error:
        raise TableError("bad-terms", f"'{_BEGINS}' is a time, as 2026-11-18T15:38:32.000Z, not {shown(text)}") from error


def without_join_terms(more: Mapping[str, object]) -> dict[str, object]:
    """What else is in `run` of the header."""
    return {name: value for name, value in more.items() if name != _JOINING}
