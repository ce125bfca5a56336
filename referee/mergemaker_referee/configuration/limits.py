"""The limits of a referee. Each has its unit in its name, a default, bounds, and a sentence that says what it is for.

The sentences appear in the configuration file that `mergemaker serve --init` writes, and in CONFIGURATION.md.
"""

from dataclasses import Field, dataclass, field, fields
from typing import Any, Final

from mergemaker_engine.record.lines import NOTE_BYTES_MAX
from mergemaker_engine.shown import shown

from mergemaker_referee.errors import RefereeError

_TEXT: Final = "text"
_LOW: Final = "low"
_HIGH: Final = "high"

_KIB: Final = 1_024
_MIB: Final = 1_024 * _KIB
_HOUR_MS: Final = 3_600_000
_COUNT_MAX: Final = 1_000_000


SESSION_KEEP_MS_MAX: Final = _HOUR_MS
HELLO_BYTES: Final = 512
"""The size of a Hello that names no match."""
SEEN_MATCH_BYTES: Final = 32
"""What each match of a returning bot adds to it: its id, as the referee makes them, and an event's number."""


def _limit(default: int, low: int, high: int, text: str) -> Any:  # noqa: ANN401 - a field, which takes the place of its default
    return field(default=default, metadata={_TEXT: text, _LOW: low, _HIGH: high})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a referee accepts, and how long it waits. `limit_text` gives each limit's meaning."""

    request_bytes_max: int = _limit(
        4 * _KIB,
        _KIB,
        16 * _MIB,
        "Bytes of one request; more for a Hello that must name all matches of a stream. A longer request ends the stream.",
    )
    note_bytes_max: int = _limit(
        NOTE_BYTES_MAX, 0, NOTE_BYTES_MAX, "Bytes of the note with an answer. An answer with a longer one is refused."
    )
    unread_bytes_max: int = _limit(
        256 * _KIB, 16 * _KIB, 64 * _MIB, "Bytes that wait for a client that does not read. Above this, the client is cut off."
    )
    requests_per_s_max: int = _limit(
        2_000, 10, _COUNT_MAX, "Requests of one stream in a second. Excess ones are read later, and wait in the client's memory."
    )
    waiting_requests_max: int = _limit(
        64, 1, 10_000, "Requests of one stream that were read but not dealt with. At this number, reading pauses until one is."
    )
    waiting_bytes_max: int = _limit(
        64 * _KIB, _KIB, 16 * _MIB, "Bytes of these requests. Above this, reading pauses until one is dealt with."
    )
    unasked_ms_per_s: int = _limit(
        50,
        1,
        1_000,
        "Milliseconds of unasked work that one client may cause in each second: requests that answer no question,"
        " streams, calls. Above this, the client's requests are read later.",
    )
    unasked_ms_max: int = _limit(500, 1, 60_000, "Milliseconds of such work that a client may save up, and so cause at once.")
    calls_per_identity_max: int = _limit(8, 2, 10_000, "Calls that one token may have open at once. Any further one is refused.")
    operator_calls_max: int = _limit(100, 2, 10_000, "The same for the operator's token. No other calls take these places.")
    matches_per_stream_max: int = _limit(16, 1, 1_000, "Matches that a bot may play at once on one stream.")
    matches_max: int = _limit(1_000, 1, _COUNT_MAX, "Matches that wait or run at once. At this number no match is made.")
    sessions_max: int = _limit(10_000, 1, _COUNT_MAX, "Bots connected at once. Any further stream is refused.")
    spectators_max: int = _limit(1_000, 0, _COUNT_MAX, "Spectators at once. Any further one is refused.")
    spectators_per_identity_max: int = _limit(
        4,
        0,
        _COUNT_MAX,
        "Streams that one token watches at once. Any further one is refused. Spectators without a token are limited by address.",
    )
    handshake_ms_max: int = _limit(
        10_000, 100, _HOUR_MS, "Milliseconds for a connection's handshake. A connection without a call is kept as long."
    )
    connections_max: int = _limit(
        12_000, 1, _COUNT_MAX, "Connections at once, shared evenly among the server's addresses. Any further one is closed."
    )
    newcomers_per_address_max: int = _limit(
        256,
        1,
        _COUNT_MAX,
        "Connections of one address without a call that has shown a token. Above this, the oldest of them are closed. "
        "All clients of a proxy have one address.",
    )
    streams_per_connection_max: int = _limit(
        64, 1, _COUNT_MAX, "Calls at once on one connection. Further ones wait in the client."
    )
    connection_bytes_per_s_max: int = _limit(
        4 * _MIB,
        64 * _KIB,
        _COUNT_MAX * _KIB,
        "Bytes that one connection may send in a second. Above this, it is cut off, and its client gets a 64th for half a"
        " minute. Only Linux counts them.",
    )
    header_bytes_max: int = _limit(8 * _KIB, _KIB, _MIB, "Bytes of a call's metadata. A call with more is refused.")
    open_calls_max: int = _limit(
        1_000,
        1,
        _COUNT_MAX,
        "Calls without a token at once: health checks, reflection, spectators, the public log. Any further one is refused.",
    )
    open_calls_per_address_max: int = _limit(
        64, 1, _COUNT_MAX, "Calls without a token at once from one address. Any further one is refused."
    )
    hello_ms_max: int = _limit(5_000, 10, _HOUR_MS, "Milliseconds for the first request of a call.")
    ping_interval_ms: int = _limit(5_000, 10, _HOUR_MS, "Milliseconds from one ping of a bot to the next.")
    pong_ms_max: int = _limit(15_000, 10, _HOUR_MS, "Milliseconds for the answer to a ping. A bot without one counts as gone.")
    write_ms_max: int = _limit(
        10_000, 10, _HOUR_MS, "Milliseconds for a response that the transport does not take. After that, the client is cut off."
    )
    session_keep_ms: int = _limit(
        60_000, 0, SESSION_KEEP_MS_MAX, "Milliseconds that a session without a stream and without a match is kept."
    )
    held_events_max: int = _limit(
        200, 1, 10_000, "Events held for a bot until its next decision. If there are more, they are sent at once."
    )
    held_bytes_max: int = _limit(
        32 * _KIB, _KIB, _MIB, "Bytes of events held for a bot until its next decision. If there are more, they are sent at once."
    )
    keepalive_ms: int = _limit(10_000, 100, _HOUR_MS, "Milliseconds of silence on a connection until it is probed.")
    keepalive_timeout_ms: int = _limit(
        5_000, 100, _HOUR_MS, "Milliseconds for a connection's answer to the probe. Without one, the connection is closed."
    )
    stop_grace_ms: int = _limit(
        2_000, 0, _HOUR_MS, "Milliseconds that streams have to end when the referee stops. Then they are cut off."
    )
    disk_retry_ms: int = _limit(
        500, 10, _HOUR_MS, "Milliseconds until a failed write of a record's line is tried again. The match waits."
    )
    disk_give_up_ms: int = _limit(
        600_000,
        0,
        24 * _HOUR_MS,
        "Milliseconds of retries after which a match whose record cannot be written is voided by deleting its secrets."
        " If the disk refuses that, too, the match waits on, and both are tried again.",
    )
    finished_matches_kept: int = _limit(1_000, 0, _COUNT_MAX, "Finished matches that are still listed.")
    record_chunk_bytes: int = _limit(32 * _KIB, _KIB, 2 * _MIB, "Bytes of one piece of a fetched record.")

    def __post_init__(self) -> None:
        """Checks every limit."""
        for each in fields(self):
            check_limit(each, getattr(self, each.name))

    @property
    def request_bytes(self) -> int:
        """The actual limit for a request: higher where a returning bot needs more to name all its matches."""
        return max(self.request_bytes_max, HELLO_BYTES + SEEN_MATCH_BYTES * self.matches_per_stream_max)


def check_limit(limit: Field[Any], value: object) -> None:
    """Refuses a value that a limit cannot have."""
    low, high = limit_bounds(limit)
    if type(value) is not int or not low <= value <= high:
        raise RefereeError("bad-limit", f"{limit.name} is a whole number from {low} to {high}, not {shown(value)}")


def limit_bounds(limit: Field[Any]) -> tuple[int, int]:
    """The lowest and the highest value of a limit."""
    return int(limit.metadata[_LOW]), int(limit.metadata[_HIGH])


def limit_text(limit: Field[Any]) -> str:
    """What a limit is for, in a sentence or two."""
    return str(limit.metadata[_TEXT])
