"""What a match is set up with, and its record's first line."""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from mergemaker_engine.deal import derived_seed
from mergemaker_engine.record.commitments import DealMode, commitment
from mergemaker_engine.record.lines import NO_TERMS, Header, Parent, Promise
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import Rules
from mergemaker_engine.tables import tables_for
from mergemaker_engine.values import dataclass

from mergemaker_table.errors import TableError
from mergemaker_table.forks import ForkTerms, fork_terms_of, without_fork_terms
from mergemaker_table.join_terms import JoinTerms, join_terms_in, without_join_terms
from mergemaker_table.run_members import block_in, bot_ids_in, bot_ids_run, without_bot_ids
from mergemaker_table.terms import Terms

SEAT_NONCE_LABEL: Final = "seat-nonce"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything that is known about a match before it begins."""

    rules: Rules
    bots: tuple[str, ...]
    """The name of each seat's bot; their number is the number of seats."""
    terms: Terms
    mode: DealMode
    match: str
    promise: Promise | None
    """None in plain mode."""
    secrets: Secrets
    """In joint mode the deal's seed is not known yet: `secrets.seed` is ignored."""
    bot_ids: tuple[str, ...] = ()
    """By seat: the bot's name in the referee's configuration; empty for a seat that is taken with a token.

    Empty: no seat has one.
    """
    parent: Parent | None = None
    fork: ForkTerms | None = None
    """What a fork has of its own. Its own terms, if it has any, are `terms`."""
    joining: JoinTerms = JoinTerms()
    """When the time to join begins, and what happens to seats that are not taken."""
    software: str = ""
    started: str = ""
    more: Mapping[str, object] = field(default_factory=lambda: NO_TERMS)
    """What else is in the header's `run`."""

    def __post_init__(self) -> None:
        """Checks that rules, seats, mode, promise and secrets fit together."""
        tables_for(self.rules, len(self.bots))
        if self.fork is not None and (self.parent is None or self.fork.terms not in (None, self.terms)):
            raise TableError("bad-setup", "a fork has a parent, and is played by its own terms where it has some")
        if (self.mode is DealMode.PLAIN) != (self.promise is None):
            raise TableError("bad-setup", "a deal is promised in the modes server and joint, and in these alone")
        if self.promise is None:
            return
        server_seed, nonce = self.secrets.server_seed, self.secrets.nonce
        if server_seed is None or nonce is None:
            raise TableError("bad-setup", "a promised deal has a server's seed and a nonce among its secrets")
        if commitment(self.promise.match, nonce, server_seed) != self.promise.commitment:
            raise TableError("bad-setup", "the commitment was not made of this match's id, server's seed and nonce")
        if self.parent is None and self.promise.match != self.match:
            raise TableError("bad-setup", "the commitment was made for another match, and only a fork keeps that of its parent")
        if self.mode is DealMode.SERVER and self.secrets.seed != server_seed:
            raise TableError("bad-setup", "in server mode the seed of the deal is the server's")

    @property
    def seats(self) -> int:
        """How many seats play."""
        return len(self.bots)

    @property
    def keeps_seed(self) -> bool:
        """Whether bots are not told the seed at the end, because other matches of its block may not be over.

        A fork's parent is over, and its record tells the seed.
        """
        return bool(block_in(self.more)) and self.parent is None

    def header(self) -> Header:
        """The first line of the record."""
        fork = self.fork or ForkTerms()
        return Header(
            rules=self.rules,
            seats=self.seats,
            mode=self.mode,
            clock=self.terms.plain() if fork.parent_clock is None else fork.parent_clock,
            match=self.match,
            bots=self.bots,
            promise=self.promise,
            parent=self.parent,
            software=self.software,
            started=self.started,
            more={**bot_ids_run(self.bot_ids), **self.joining.members(), **self.more, **fork.members()},
        )

    @classmethod
    def of_record(cls, header: Header, secrets: Secrets) -> "Setup":
        """The set-up from which a record's first line was made."""
        fork = fork_terms_of(header)
        more = header.more if fork is None else without_fork_terms(header.more)
        return cls(
            rules=header.rules,
            bots=header.bots,
            bot_ids=bot_ids_in(more, header.seats),
            terms=fork.terms if fork is not None and fork.terms is not None else Terms.from_plain(header.clock),
            mode=header.mode,
            match=header.match,
            promise=header.promise,
            secrets=secrets,
            parent=header.parent,
            fork=fork,
            software=header.software,
            started=header.started,
            joining=join_terms_in(header.more),
            more=without_join_terms(without_bot_ids(more)),
        )

    def seat_nonce(self, seat: int) -> bytes:
        """A seat's public nonce, from which its bot may draw repeatable chances."""
        own = None if self.fork is None else self.fork.chances
        return derived_seed(own or self.secrets.server_seed or self.secrets.seed, SEAT_NONCE_LABEL, seat)
