"""Whether each end is signed by the server's key, after all has ended and the server was started once more.

A server signs an end a moment after it is told. If it ends before that, or its disk refuses, its next start signs it. So only
without troubles are all ends signed at once.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.signatures import SIGNATURE_SUFFIX, read_signature
from mergemaker_referee.records.ed25519 import is_right, read_key

from .disk import SimDisk
from .lives import SIGNING_KEY
from .notebook import SUFFIX


def signatures_on(disk: SimDisk) -> dict[str, PurePath]:
    """The files of signatures, by match."""
    ending = SUFFIX + SIGNATURE_SUFFIX
    return {path.name.removesuffix(ending).rpartition("-")[2]: path for path in disk.files if path.name.endswith(ending)}


def signature_problems(disk: SimDisk, records: Mapping[str, Record]) -> Iterator[str]:
    """What is wrong with the signatures of records, which are given by match."""
    public, paths = read_key(SIGNING_KEY).public, signatures_on(disk)
    for match, record in records.items():
        if record.receipt is None:
            continue
        if match not in paths:
            yield f"the end of {match} is not signed, and was not by the next start of the server either"
            continue
        promise = record.header.promise
        try:
            found = read_signature(disk.written(paths[match]))
            found.check(record.receipt, None if promise is None else promise.commitment)
        except RecordError as error:
            yield f"{paths[match].name}: {error}"
        else:
            if not is_right(found, public):
                yield f"{paths[match].name} is not signed with the server's key"
    ended = {match for match, record in records.items() if record.receipt is not None}
    yield from (
        f"{path.name} is the signature of an end that is not there" for match, path in paths.items() if match not in ended
    )


def signed_late(signed: Collection[str], records: Mapping[str, Record]) -> Iterator[str]:
    """The ends that wait for another start, in a run without troubles; `signed` are those that did not."""
    for match, record in records.items():
        if record.receipt is not None and match not in signed:
            yield f"the end of {match} was signed by the next start alone, though nothing went wrong"
