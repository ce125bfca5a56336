"""`MERGEMAKER_TRACE=FILE`: every message as a line of JSON, with time and direction, and without tokens."""

import json
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from mergemaker_client.problems import BadSetting, FalseDeal

REMOVED: Final = "removed"
"""The replacement for a token."""
_TOKEN_FIELD_END: Final = "token"  # noqa: S105 - how the fields' names end


def utc_now() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


class Trace:
    """Writes messages to a file. Reports a failed write once, and does not stop the bot for it."""

    def __init__(self, path: Path, secret: str, now: Callable[[], datetime] = utc_now) -> None:
        self._secret = secret
        """The bearer's token. No message contains it, but it is removed all the same."""
        self._now = now
        self._lock = threading.Lock()
        self._failed = False
        try:
            # When `write` returns, the operating system has the line, so a bot that is killed leaves a whole trace.
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise BadSetting("bad-trace", f"the trace cannot be written to {path}: {error.strerror or error}") from error

    def sent(self, message: Message) -> None:
        """Writes a request."""
        self._message("sent", message)

    def received(self, message: Message) -> None:
        """Writes a response."""
        self._message("received", message)

    def stream(self, what: str) -> None:
        """Writes a stream's state."""
        self._write({"direction": "stream", "what": what})

    def false_deal(self, match: str, problem: FalseDeal) -> None:
        """Writes that a deal was not the one promised."""
        self._write({"direction": "problem", "match": match, "reason": problem.reason, "text": str(problem)})

    def _message(self, direction: str, message: Message) -> None:
        content = MessageToDict(message, preserving_proto_field_name=True)
        self._write({"direction": direction, "message": without_tokens(content)})

    def _write(self, content: dict[str, object]) -> None:
        at = f"{self._now():%Y-%m-%dT%H:%M:%S.%fZ}"
        line = json.dumps({"at": at, **content}, ensure_ascii=False)
        if self._secret:
            line = line.replace(self._secret, REMOVED)
        with self._lock:
            if self._failed:
                return
            try:
                self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
            except OSError as error:
                self._failed = True
                print(f"mergemaker: the trace ends here, it cannot be written: {error}", file=sys.stderr)  # noqa: T201 - to the author

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._failed = True
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def without_tokens(content: Any) -> Any:  # noqa: ANN401 - JSON data of any shape
    """The same data with every field whose name ends in `token` emptied."""
    if isinstance(content, dict):
        return {
            name: REMOVED if name.endswith(_TOKEN_FIELD_END) and value else without_tokens(value)
            for name, value in content.items()
        }
    if isinstance(content, list):
        return [without_tokens(item) for item in content]
    return content
