"""What a fork repeats from its parent: a finished match goes on from one of its decisions, with the same tiles."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.lines import DealLine, DecisionLine, EndLine, Header, Incident, Parent
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_table.forks import ForkTerms, fork_terms_of, without_fork_terms
from mergemaker_table.join_terms import without_join_terms
from mergemaker_table.run_members import without_match_members
from mergemaker_table.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkWish:
    """A fork to make. Its rules, its deal and its mode are the record's."""

    record: Record
    decision: int
    """The number of the first decision that is asked again."""
    bots: tuple[str, ...]
    """By seat: the names of the bots that play on."""
    terms: Terms | None = None
    """None: the record's, with what its lines leave of each bank."""
    chances: bytes | None = None
    """The source of the bots' chances; None: the same as in the record."""
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """By seat; empty: fresh ones."""
    path: Path | None = None
    """The path of the fork's own record; None: a new name in the folder of the records."""

    @property
    def terms_played(self) -> Terms:
        """The terms from the decision on."""
        own = self.fork_terms.terms
        return Terms.from_plain(self.record.header.clock) if own is None else own

    @property
    def fork_terms(self) -> ForkTerms:
        """What the fork has of its own, or takes from a parent that is a fork itself."""
        header = self.record.header
        before = fork_terms_of(header) or ForkTerms()
        chances = self.chances or before.chances
        if self.terms is not None:
            return ForkTerms(self.terms, self.decision, header.clock, chances)
        if before.terms is not None and before.clock_from <= self.decision:
            return replace(before, chances=chances)
        return ForkTerms(chances=chances)


def check_fork(record: Record, decision: int) -> tuple[DealLine, EndLine]:
    """Refuses a match that cannot be forked there; returns its deal and its end."""
    if record.end is None or record.deal is None:
        raise RecordError("unfinished", "a match is taken up again when it has ended: its seed is not told before")
    last = len(record.decisions)
    if not 1 <= decision <= last:
        raise RecordError("no-such-decision", f"this match has the decisions 1 to {last}, and no decision {decision}")
    return record.deal, record.end


def secrets_of(end: EndLine) -> Secrets:
    """What a finished match has revealed about its deal."""
    return Secrets(end.seed, end.server_seed, end.nonce)


def fork_lines(wish: ForkWish, match: str, software: str, started: str) -> list[bytes]:
    """The first lines of a fork: a header of its own, and what it repeats."""
    record = wish.record
    deal, _ = check_fork(record, wish.decision)
    header = replace(
        record.header,
        match=match,
        bots=wish.bots,
        parent=Parent(record.header.match, wish.decision, _hash_before(wish, deal)),
        software=software,
        started=started,
        more={**_taken_over(record.header), **wish.fork_terms.members()},
    )
    return _written(Scribe(), header, deal, wish)


def _taken_over(header: Header) -> dict[str, object]:
    """What a fork's header takes from its parent's: nothing about its bots or how they came."""
    return without_join_terms(without_match_members(without_fork_terms(header.more)))


def _hash_before(wish: ForkWish, deal: DealLine) -> str:
    """The parent's hash `game` after the last line that the fork repeats."""
    scribe = Scribe()
    _written(scribe, wish.record.header, deal, wish)
    return scribe.game_hash


def _written(scribe: Scribe, header: Header, deal: DealLine, wish: ForkWish) -> list[bytes]:
    """Header and deal, and in their places the decisions before the fork and the incidents of the play among them."""
    before: list[DecisionLine | Incident] = []
    behind: list[DecisionLine | Incident] = []
    for index, (line_number, line) in enumerate(wish.record.entries):
        if isinstance(line, DecisionLine) and line.number >= wish.decision:
            break
        if isinstance(line, Incident) and not line.of_play:
            continue
        # Only the header comes before the first entry, and the deal before the later ones.
        is_before_deal = line_number == index + 2
        (before if is_before_deal else behind).append(line)
    return [scribe.line(line) for line in (header, *before, deal, *behind)]
