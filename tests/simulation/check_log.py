"""Whether the public log is whole, and has of each match what its record has; and whether nothing came before its promise."""

from collections.abc import Iterator, Mapping

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.in_log import Claim, LogBook
from mergemaker_engine.record.public_log import End, Head, log_entries
from mergemaker_engine.record.reading import Record

from .disk import SimDisk
from .lives import PUBLIC_LOG
from .notebook import Notebook


def log_problems(disk: SimDisk, notebook: Notebook, records: Mapping[str, Record]) -> Iterator[str]:
    """What is wrong with the log, after all has ended. `records` are those of all matches."""
    for told in notebook.told_so_far:
        # A match that is void before its deal, since the disk refused its first line or the log, is told as void.
        record = records.get(told.response.match)
        if not told.is_published and record is not None and record.deal is not None:
            yield f"at {told.at_ns}: match {told.response.match} is offered before it is in the log"
    yield from (f"{path.name}: the deal was made before the log had its promise" for path in notebook.dealt_early)
    data = disk.durable(PUBLIC_LOG, against_power=True)
    if data != disk.written(PUBLIC_LOG):
        yield "not all of the log is synced"
    welcomes = [told.response.welcome for told in notebook.told_so_far if told.response.HasField("welcome")]
    log = LogBook(records, [Head(welcome.log_head.entries, welcome.log_head.hash) for welcome in welcomes])
    try:
        log.read([data])
    except RecordError as error:
        yield f"the log is wrong: {error}"
        return
    ends = {entry.match: entry for entry in log_entries([data]) if isinstance(entry, End)}
    for match, record in records.items():
        if record.end is not None:
            try:
                log.check(Claim.of(record))
            except RecordError as error:
                yield str(error)
        elif log.has_begun(match) and (match not in ends or ends[match].line is not None):
            yield f"match {match} was voided without an end line, and the log says {ends.get(match)}"
