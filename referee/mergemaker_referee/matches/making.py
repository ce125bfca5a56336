"""Makes a match: from a wish, or from the record of an interrupted one."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from mergemaker_engine.record.commitments import NONCE_BYTES, DealMode, commitment
from mergemaker_engine.record.lines import Promise
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import Rules
from mergemaker_table.disguise import Disguise
from mergemaker_table.join_terms import JoinTerms
from mergemaker_table.run_members import Host, RequestKey, block_run, host_run, labels_run, request_run
from mergemaker_table.setup import Setup
from mergemaker_table.table import Table
from mergemaker_table.terms import Terms

from mergemaker_referee.matches.forking import ForkWish, check_fork, fork_lines, secrets_of
from mergemaker_referee.records.disks import SYSTEM_DISK, Disk
from mergemaker_referee.records.forgetting import Leavings
from mergemaker_referee.records.journal import Commits, Journal, record_name, sync_folder
from mergemaker_referee.records.log_file import OpenedLog
from mergemaker_referee.records.public_log import MatchLog
from mergemaker_referee.records.secrets_file import SeatKey, read_seats, read_secrets, write_secrets
from mergemaker_referee.times import time_text
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash

MATCH_ID_BYTES: Final = 6
SEED_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class SeatWish:
    """A seat of a match to make."""

    name: str
    bot: str | None = None
    """The known bot whose seat it is; None: anyone who has the token that is made for it."""
    version: str = ""
    """The version that the bot must give; empty: any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchWish:
    """A match to make."""

    rules: Rules
    seats: tuple[SeatWish, ...]
    terms: Terms
    joining: JoinTerms = JoinTerms()  # noqa: RUF009 - immutable
    """When the time to join begins, and what happens to seats that are not taken."""
    mode: DealMode
    seed: bytes | None = field(default=None, repr=False)
    """None: a fresh one."""
    match: str | None = None
    """None: a fresh id."""
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """By seat, for seats without a known bot; empty: fresh ones."""
    record: Path | None = None
    """The record's path; None: a new name in the folder of the records."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the match belongs to: shown in lists, and kept in the record."""
    block: str = ""
    """The name of the block of matches with this seed: bots are not told it at the end. Empty: the seed is the match's alone."""
    host: Host | None = None
    """The machine on which it is played, for the record; None: the record does not say."""
    request: RequestKey | None = None
    """The request that asks for it, if that may come again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeMatch:
    """A match with a begun record, and who may take its seats."""

    table: Table
    journal: Journal
    keys: tuple[SeatKey, ...]
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """By seat; empty for a known bot. Sent once, and kept nowhere."""
    receipt: Receipt | None = None
    """Of a record that has its end already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchMaker:
    """Makes matches, and takes up interrupted ones. It uses the disk, so callers must be able to wait."""

    folder: Path
    software: str
    today: Callable[[], datetime]
    """The time of day, for names and headers."""
    committer: Commits | None = None
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    disk: Disk = SYSTEM_DISK
    log: OpenedLog | None = None
    """Where the server publishes its matches; None: nowhere."""
    leader: MatchLog | None = None
    """The log of the process that serves, if this one plays matches for it."""
    automatic_delay_ms_max: int = 0
    """The longest wait of an answer that needs no bot; 0: no wait."""
    leavings: Leavings = field(init=False)
    """Files that are left of matches that could not be made."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "leavings", Leavings(self.disk))

    def fresh_match_id(self) -> str:
        """A new match's id."""
        return self.random_bytes(MATCH_ID_BYTES).hex()

    def make(self, wish: MatchWish | ForkWish) -> MadeMatch:
        """Sets a match up. Its secrets are durable, and its record is there, empty except for what a fork repeats."""
        return self._forked(wish) if isinstance(wish, ForkWish) else self._new(wish)

    def _new(self, wish: MatchWish) -> MadeMatch:
        started = self.today()
        match = wish.match or self.fresh_match_id()
        seed = self.random_bytes(SEED_BYTES) if wish.seed is None else wish.seed
        if wish.mode is DealMode.PLAIN:
            hidden, promise = Secrets(seed), None
        else:
            nonce = self.random_bytes(NONCE_BYTES)
            hidden, promise = Secrets(seed, seed, nonce), Promise(match, commitment(match, nonce, seed))
        setup = Setup(
            rules=wish.rules,
            bots=tuple(seat.name for seat in wish.seats),
            bot_ids=tuple(seat.bot or "" for seat in wish.seats),
            terms=wish.terms,
            joining=wish.joining,
            mode=wish.mode,
            match=match,
            promise=promise,
            secrets=hidden,
            software=self.software,
            started=time_text(started),
            more={**labels_run(wish.labels), **block_run(wish.block), **request_run(wish.request), **host_run(wish.host)},
        )
        tokens, keys = self._tokens_and_keys(wish.seats, wish.tokens)
        table = Table(setup, disguise=self._disguise(len(wish.seats)))
        path = wish.record or self.folder / record_name(started, match)
        return MadeMatch(table=table, journal=self._begun(path, hidden, keys), keys=keys, tokens=tokens)

    def _begun(self, path: Path, hidden: Secrets, keys: tuple[SeatKey, ...], lines: bytes = b"") -> Journal:
        """A match's files: its secrets, and its record with the lines that exist already. All of them, or none.

        If the disk does not let them be deleted either, they are among the `leavings`.
        """
        write_secrets(path, hidden, keys, self.disk, self.leavings.remove)
        try:
            if self.committer is not None:  # or a power cut might leave a record without them, and nobody would know what it is
                sync_folder(path.parent, self.committer, self.disk)
            journal = Journal.create(path, self.committer, self.disk, self.leavings.remove_unbegun)
        except OSError:
            self.leavings.remove_secrets(path)  # a file that was in the way is not ours to delete
            raise
        try:
            if lines:
                journal.append(lines)
        except OSError:
            journal.close()
            self.leavings.remove_unbegun(path)
            raise
        return journal

    def unmake(self, made: MadeMatch) -> None:
        """Deletes the files of a match that nobody knows about."""
        made.journal.close()
        self.leavings.remove_unbegun(made.journal.path)

    def _forked(self, wish: ForkWish) -> MadeMatch:
        started = self.today()
        match = self.fresh_match_id()
        lines = fork_lines(wish, match, self.software, time_text(started))
        _, end = check_fork(wish.record, wish.decision)
        hidden = secrets_of(end)
        table = Table.recovered(read_record(lines), hidden, self._disguise(len(wish.bots)))
        tokens, keys = self._tokens_and_keys([SeatWish(bot) for bot in wish.bots], wish.tokens)
        path = wish.path or self.folder / record_name(started, match)
        journal = self._begun(path, hidden, keys, b"".join(lines))
        return MadeMatch(table=table, journal=journal, keys=keys, tokens=tokens)

    def take_up(self, path: Path) -> MadeMatch:
        """Takes up the match of an interrupted record."""
        hidden, keys = read_secrets(path, self.disk), read_seats(path, self.disk)
        journal, record = Journal.resume(path, self.committer, self.disk)
        try:
            table = Table.recovered(record, hidden, self._disguise(record.header.seats))
            return MadeMatch(table=table, journal=journal, keys=tuple(keys))
        except BaseException:
            journal.close()
            raise

    def look_again(self, path: Path) -> MadeMatch:
        """The match of a record that has its end: it ends again at its table, and nothing is written."""
        hidden, keys = read_secrets(path, self.disk), read_seats(path, self.disk)
        journal, record = Journal.resume(path, self.committer, self.disk)
        journal.close()
        table = Table.recovered(replace(record, end=None), hidden)
        table.open(0)
        return MadeMatch(table=table, journal=journal, keys=tuple(keys), receipt=record.receipt)

    def _disguise(self, seats: int) -> Disguise | None:
        if not self.automatic_delay_ms_max:
            return None
        return Disguise(self.random_bytes(SEED_BYTES), seats, self.automatic_delay_ms_max)

    def _tokens_and_keys(self, seats: Sequence[SeatWish], wished: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[SeatKey, ...]]:
        """By seat: the token to send, empty for a known bot, and who may take the seat."""
        fresh = wished or tuple(fresh_token(TokenKind.SEAT, self.random_bytes) for _ in seats)
        tokens = tuple("" if seat.bot else token for seat, token in zip(seats, fresh, strict=True))
        keys = tuple(
            SeatKey(bot=seat.bot, version=seat.version)
            if seat.bot
            else SeatKey(token_hash=token_hash(token), version=seat.version)
            for seat, token in zip(seats, tokens, strict=True)
        )
        return tokens, keys
