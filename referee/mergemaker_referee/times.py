"""Times of day, in the forms of records and of messages."""

from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp


def time_text(moment: datetime) -> str:
    """A moment in the form of records: `2026-11-18T15:38:32Z`."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def timestamp_at(moment: datetime) -> Timestamp:
    """A moment as a message."""
    found = Timestamp()
    found.FromDatetime(moment)
    return found


def timestamp_of(text: str) -> Timestamp | None:
    """A record's time as a message; None if the record has another text there, or a time before 1970."""
    try:
        found = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return None
    seconds = int(found.timestamp())
    return Timestamp(seconds=seconds) if seconds >= 0 else None
