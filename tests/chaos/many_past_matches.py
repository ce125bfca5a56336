"""What a server with very many past matches keeps in memory: a data folder is made, and a server started in it and measured.

    python -m tests.chaos.many_past_matches --matches 100000

Each match has a record with its end, a signature, and two entries in the public log, as a real server leaves them. They are
voided before the deal, so that they are made quickly: nothing that a server reads at its start depends on the play.
"""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from mergemaker_engine.record.commitments import DealMode, commitment
from mergemaker_engine.record.lines import Promise
from mergemaker_engine.record.public_log import Begin, End, LogChain
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.record.signatures import SIGNATURE_SUFFIX, SignedEnd
from mergemaker_engine.rules import preset
from mergemaker_referee.records.ed25519 import SigningKey, make_key
from mergemaker_referee.records.journal import record_name
from mergemaker_referee.records.log_file import LOG_NAME
from mergemaker_referee.times import time_text
from mergemaker_table.inputs import Void
from mergemaker_table.outputs import WriteLine
from mergemaker_table.setup import Setup
from mergemaker_table.table import Table
from mergemaker_table.terms import CLOCKS, Terms

from tests.chaos.server_process import server_process
from tests.chaos.watched_process import memory_of

AGAIN: Final = "python -m tests.chaos.many_past_matches"
MATCHES_USUAL: Final = 100_000
MORNING: Final = datetime(2026, 11, 18, tzinfo=UTC)
EVERY_S: Final = 10
"""The time from one match to the next."""
SHOWN_EVERY: Final = 5_000
INTERRUPTED: Final = 130
_RULES: Final = preset("renegade-classic")
_TERMS: Final = Terms(clock=CLOCKS["standard"])


@dataclass(frozen=True, slots=True)
class Measured:
    """The memory of a server that has just started."""

    peak_kb: int
    now_kb: int


def write_past(folder: Path, matches: int, progress: Callable[[int], None] = lambda _: None) -> None:
    """Fills a data folder with matches, with a key of its own."""
    records = folder / "data" / "records"
    records.mkdir(parents=True)
    key, chain = make_key(folder / "signing_key.pem"), LogChain()
    with (folder / "data" / LOG_NAME).open("wb") as log:
        for number in range(matches):
            log.writelines(_write_match(records, number, key, chain))
            progress(number + 1)


def _write_match(records: Path, number: int, key: SigningKey, chain: LogChain) -> list[bytes]:
    """Writes the record of one match and its signature; its lines in the log."""
    chance = hashlib.sha512(str(number).encode()).digest()
    match, seed, nonce = chance[:6].hex(), chance[:32], chance[32:]
    at = MORNING + timedelta(seconds=EVERY_S * number)
    promise = Promise(match, commitment(match, nonce, seed))
    setup = Setup(
        rules=_RULES,
        bots=("ann", "bob"),
        terms=_TERMS,
        mode=DealMode.SERVER,
        match=match,
        promise=promise,
        secrets=Secrets(seed, seed, nonce),
        software="mergemaker",
        started=time_text(at),
    )
    table = Table(setup)
    outputs = (*table.open(0), *table.feed(Void("cancelled"), 0))
    lines = b"".join(output.line for output in outputs if isinstance(output, WriteLine))
    path = records / record_name(at, match)
    path.write_bytes(lines)
    assert table.ended is not None
    assert table.ended.receipt is not None
    signed = key.sign(SignedEnd(table.ended.receipt, promise.commitment, time_text(at), key.id))
    path.with_name(path.name + SIGNATURE_SUFFIX).write_bytes(signed.signed.line(signed.signature))
    begin, end = Begin(match, promise.commitment, time_text(at)), End.of_line(match, lines.splitlines()[-1], time_text(at))
    return [chain.seal(begin), chain.seal(end)]


def measured(folder: Path) -> Measured:
    """Starts a server in a folder, and measures it when clients can connect."""
    with server_process(folder, wishes={"server": {"signing_key": str(folder / "signing_key.pem")}}) as server:
        server.serve()
        assert server.process is not None
        found = Measured(*memory_of(server.process.pid))
        server.stop()
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures a server without past matches, and one with many."""
    parser = argparse.ArgumentParser(prog=AGAIN, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--matches", metavar="N", type=int, default=MATCHES_USUAL, help="how many (default: %(default)s)")
    options = parser.parse_args(arguments)

    def progress(count: int) -> None:
        if sys.stderr.isatty() and count % SHOWN_EVERY == 0:
            print(f"\r{count:,} of {options.matches:,} matches made", end="", file=sys.stderr, flush=True)

    found: dict[int, Measured] = {}
    try:
        for matches in (0, options.matches):
            with tempfile.TemporaryDirectory() as name:
                write_past(Path(name), matches, progress)
                memory = found[matches] = measured(Path(name))
                text = f"{memory.peak_kb / 1_000:.1f} MB at most, {memory.now_kb / 1_000:.1f} MB when it serves"
                print(f"{matches:,} matches: {text}", flush=True)  # now, since removing the files takes a while
    except KeyboardInterrupt:
        print("\ninterrupted: nothing is left")
        return INTERRUPTED
    none, many = found[0], found[options.matches]
    peak, now = many.peak_kb - none.peak_kb, many.now_kb - none.now_kb
    print(f"{options.matches:,} matches cost {peak / 1_000:.1f} MB at most, {now / 1_000:.1f} MB when it serves")
    return 0


if __name__ == "__main__":
    sys.exit(main())
