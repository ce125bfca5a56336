"""Fetches the record of a match from a server, and its signature."""

from pathlib import Path

from mergemaker_engine.record.splitting import RECORD_BYTES_MAX
from mergemaker_processes.texts import shown_path
from mergemaker_referee.records.files import signature_path

from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.server.remote import Remote


def download(remote: Remote, match: str, path: Path) -> int:
    """Writes a record to a file, which gets its name when it is complete."""
    working = path.with_name(path.name + ".part")
    size = 0
    try:
        with working.open("wb") as file:
            for piece in remote.record(match):
                size += len(piece)
                if size > RECORD_BYTES_MAX:
                    raise CommandFailed(f"what the server sends is no record: it has more than {RECORD_BYTES_MAX:,} bytes")
                file.write(piece)
        working.replace(path)
    except OSError as error:
        raise CommandFailed(f"cannot write {shown_path(path)}: {error.strerror or error}") from error
    finally:
        working.unlink(missing_ok=True)
    return size


def keep_signature(remote: Remote, match: str, record: Path) -> Path | None:
    """Writes the signature of a record beside it, if the server has signed it."""
    content = remote.get(match).end_signature
    if not content:
        return None
    path = signature_path(record)
    try:
        with path.open("xb") as file:
            file.write(content)
    except OSError as error:
        raise CommandFailed(f"cannot write {shown_path(path)}: {error.strerror or error}") from error
    return path
