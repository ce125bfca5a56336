"""Opens the record of one match, finished or not, with what is known of its deal; says in words why one cannot be shown."""

from pathlib import Path

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_processes.texts import shown_path
from mergemaker_referee.records.files import open_record, record_chunks
from mergemaker_referee.records.secrets_file import read_secrets, secrets_path

from mergemaker_tools.problems import CommandFailed, WrongUse


def opened(path: Path) -> Record:
    """A record in a file. A match that has not ended may break off in the middle of a line, which is left out."""
    try:
        try:
            return open_record(path)
        except RecordError as error:
            if error.reason != "torn":
                raise
            record = read_record(record_chunks(path), torn_end=True)
            if record.end is not None:
                raise
            return record
    except RecordError as error:
        raise CommandFailed(f"{shown_path(path)} is not a record that can be shown: {error}") from error
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else "that is not a file's path"
        raise WrongUse(f"RECORD takes the path of a record's file, not {str(path)!r}: {why}") from error
    except OSError as error:
        raise CommandFailed(f"{shown_path(path)} cannot be read: {error.strerror or error}") from error


def seed_beside(path: Path) -> bytes | None:
    """The seed in the secrets beside a record, for a match that has not ended; None if they are not there."""
    try:
        return read_secrets(path).seed
    except FileNotFoundError:
        return None
    except OSError as error:
        secrets = shown_path(secrets_path(path))
        raise CommandFailed(f"{secrets} cannot be read: {error.strerror or error}\nOnly its owner may read it.") from error
    except RecordError as error:
        raise CommandFailed(f"{shown_path(path)}: {error}") from error
