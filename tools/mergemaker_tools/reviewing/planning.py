"""Finds the records of a review, and checks each of them before anything is played."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.rules import Rules
from mergemaker_processes.texts import shown_path

from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.records.paths import record_paths
from mergemaker_tools.records.places import DecisionName, decision_name, split_place
from mergemaker_tools.replaying.opening import opened, seed_beside
from mergemaker_tools.replaying.score import name_of
from mergemaker_tools.replaying.story import Story, tell
from mergemaker_tools.reviewing.asking import Asked, NotRated, Skipped, questions_of


@dataclass(frozen=True, slots=True)
class Source:
    """A record to review, and which of its decisions. It is read again when its turn comes, so that many fit into memory."""

    path: Path
    match: str
    rules: Rules
    bots: tuple[str, ...]
    """By seat, safe to show."""
    is_voided: bool
    seed: bytes | None
    """The seed of a match that has not ended."""
    others: int
    seat: int | None
    at: int | None
    rated: int
    """How many decisions are rated."""
    skipped: tuple[Skipped, ...]

    def asked(self) -> Iterator[Asked]:
        """The decisions to rate."""
        for question in questions_of(opened(self.path), self.seed, self.others, self.seat, self.at):
            if isinstance(question, Asked):
                yield question

    def story(self) -> Story:
        """The record, played."""
        return tell(opened(self.path), self.seed)

    def skipped_for(self, why: NotRated) -> int:
        """How many decisions are not rated for a reason."""
        return sum(skipped.why is why for skipped in self.skipped)


def sources_of(places: Sequence[str], seat: int | None, others: int) -> list[Source]:
    """The records that the words of a command line mean. Whatever is wrong with one is said before anything is played."""
    return [_source(path, name, seat, others) for place in places for path, name in _meant_by(place)]


def _meant_by(place: str) -> Iterator[tuple[Path, DecisionName | None]]:
    path, named = split_place(place)
    if named is None:
        yield from ((each, None) for each in record_paths([place]))
        return
    name = decision_name(named)
    if name is None:
        raise WrongUse(f"after the record comes @ and the number of a decision, as in @57 or @seat0:12, not {named!r}")
    yield path, name


def _source(path: Path, name: DecisionName | None, seat: int | None, others: int) -> Source:
    record = opened(path)
    story, seed = played(path, record)
    header = record.header
    if seat is not None and seat >= header.seats:
        raise WrongUse(f"{shown_path(path)}: --seat takes a seat of this match, 0 to {header.seats - 1}, not {seat}")
    at = None if name is None else name.number_in(record)
    if at is not None and not 1 <= at <= story.last:
        raise WrongUse(f"{shown_path(path)}: this match has the decisions 1 to {story.last}, and no decision {at}")
    found = [*questions_of(record, seed, others, seat, at)]
    skipped = tuple(question for question in found if isinstance(question, Skipped))
    if at is not None and not found:
        raise WrongUse(f"{shown_path(path)}: decision {at} was not seat {seat}'s: leave out --seat, or name another decision")
    if at is not None and skipped:
        raise CommandFailed(f"{shown_path(path)}: decision {at} cannot be rated: {skipped[0].why}")
    return Source(
        path=path,
        match=header.match,
        rules=header.rules,
        bots=tuple(name_of(header, each) for each in range(header.seats)),
        is_voided=record.end is not None and record.end.cash is None,
        seed=seed,
        others=others,
        seat=seat,
        at=at,
        rated=len(found) - len(skipped),
        skipped=skipped,
    )


def played(path: Path, record: Record) -> tuple[Story, bytes | None]:
    """A record, played with every digest checked, and the seed of a match that has not ended."""
    shows = f"`{own_command('verify')} RECORD` says what is wrong with a record."
    seed = None if record.end is not None else seed_beside(path)
    if record.end is None and seed is None:
        raise CommandFailed(
            f"{shown_path(path)} has no end line, so its tiles are still secret: review the match when it has ended, "
            "or where its secrets are beside it (RECORD.secrets)"
        )
    try:
        return tell(record, seed), seed
    except RecordError as error:
        raise CommandFailed(f"{shown_path(path)} does not tell a game by its rules: {error}\n{shows}") from error
