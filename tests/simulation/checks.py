"""All checks of a run. Each checks a promise; none is made for a planted bug."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Final

from mergemaker_engine.errors import EngineError
from mergemaker_referee.identities import KnownBot, Player, SeatHolder
from mergemaker_table.join_terms import MissingSeats, join_terms_in
from mergemaker_table.joining import JOINING_BEGAN

from .book import Book
from .characters import Habits
from .check_clocks import ClockCheck, Counted
from .check_log import log_problems
from .check_records import answer_problems, blame_problems, record_problems
from .check_sessions import bots_told, session_problems, spectator_problems
from .check_signatures import signature_problems, signed_late
from .check_told import ToldCheck, leaks
from .notebook import SUFFIX
from .office import OPERATOR, bot_token
from .scenario_run import PlayedMatch, ScenarioRun
from .scenario_run import Player as Playing

PROBLEMS_MAX: Final = 20
"""More problems of one run are not shown."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What a check found."""

    check: str
    text: str

    def __str__(self) -> str:
        return f"[{self.check}] {self.text}"


def problems_of(run: ScenarioRun) -> list[Problem]:
    """The problems of a run; none if everything is as promised."""
    return list(islice(_problems(run), PROBLEMS_MAX))


def _problems(run: ScenarioRun) -> Iterator[Problem]:
    def named(check: str, texts: Iterator[str]) -> Iterator[Problem]:
        return (Problem(check, text) for text in texts)

    yield from named("ended", iter(f"match {name} has no end" for name in run.unfinished))
    yield from named("left", iter(f"after the end there are {left}" for left in run.left))
    yield from named("released", iter(run.inquiries.problems))
    yield from named("secrets", iter(f"the secrets of {path.name} are gone before its end" for path in _removed_early(run)))
    yield from named("sessions", session_problems(run.notebook))
    books: dict[str, Book] = {}
    unbegun: set[str] = set()
    for path in run.records():
        match = path.name.removesuffix(SUFFIX).rpartition("-")[2]
        data = run.machine.disk.written(path)
        if _gave_up(run):
            data = data[: data.rfind(b"\n") + 1]  # it keeps what could not be cut off before the match was voided
        if not data and _gave_up(run):
            unbegun.add(match)
            continue
        try:
            book = books[match] = Book(data, run.notebook.secrets[path])
        except EngineError as error:
            yield Problem("records", f"{path.name} cannot be read: {error}")
            continue
        if book.record.end is None and not _gave_up(run):
            yield Problem("ended", f"{path.name} has no end")
        yield from named("records", (f"{path.name}: {text}" for text in record_problems(data, book)))
        yield from named("answers", answer_problems(match, book, run.notebook))
        clocks = ClockCheck(
            match,
            book,
            run.notebook,
            Counted(run.machine.left_out),
            is_troubled=_stands_still(run),
            crosses_at_once=not _crosses_late(run),
        )
        yield from named("clocks", clocks.problems())
        if run.has_hidden:
            continue
        yield from named(
            "blame",
            (f"{path.name}: {text}" for text in blame_problems(book, *_habits(run, match, book), _may_be_busy(run, book))),
        )
    if _gave_up(run):
        unbegun |= {each.match for each in run.matches} - books.keys()
    told = ToldCheck(books, unbegun)
    for note in run.notebook.streams.values():
        yield from named("told", told.stream(note))
    tokens = _tokens(run)
    for match, book in books.items():
        yield from named("leaks", leaks(match, book, list(run.notebook.streams.values()), tokens))
    yield from named(
        "lost", (f"match {each.match} has no record" for each in run.matches if each.match not in {*books, *unbegun})
    )
    yield from named("waits", bots_told(run) if not run.has_hidden else iter(()))
    yield from named("spectators", spectator_problems(run, books))
    yield from named(
        "public log", log_problems(run.machine.disk, run.notebook, {match: book.record for match, book in books.items()})
    )
    if run.ended_ns is not None:
        records = {match: book.record for match, book in books.items()}
        yield from named("signatures", signature_problems(run.machine.disk, records))
        yield from named("signatures", signed_late(run.signed_at_once, records if run.scenario.troubles.are_none else {}))
    yield from named("log", iter(run.logged) if not (run.scenario.troubles.disk or _gave_up(run)) else iter(()))


def _gave_up(run: ScenarioRun) -> bool:
    """Whether the disk could fail or stall for longer than the referee tries."""
    troubles = run.scenario.troubles
    return bool(troubles.disk or troubles.stalls) and run.scenario.settings.limits.disk_give_up_ms < 60_000


def _removed_early(run: ScenarioRun) -> list[PurePath]:
    return [] if _gave_up(run) else list(run.notebook.removed_early)


def _stands_still(run: ScenarioRun) -> bool:
    """Whether steps may take time that otherwise take none."""
    return any(player.plan.habits.late for player in _players(run)) or not run.scenario.troubles.are_none


def _crosses_late(run: ScenarioRun) -> bool:
    """Whether messages between the referee's threads may wait unnoticed."""
    unlucky = any(player.plan.habits.late or player.plan.habits.is_cut_off for player in _players(run))
    return unlucky or bool(run.scenario.troubles.hold_ups)


def _players(run: ScenarioRun) -> list[Playing]:
    return [*run.known.values(), *(player for match in run.matches for player in match.players.values())]


def _habits(run: ScenarioRun, match: str, book: Book) -> tuple[dict[int, Habits], set[int]]:
    """By seat: its bot's habits, as far as known; and who resigned."""
    found: dict[int, Habits] = {}
    resigned: set[int] = set()
    played: PlayedMatch | None = next((each for each in run.matches if each.match == match), None)
    for seat, name in enumerate(book.bots):
        player = run.known.get(name) or (None if played is None else played.players.get(seat))
        if player is not None:
            found[seat] = player.plan.habits
            if match in player.bot.resigned:
                resigned.add(seat)
    return found, resigned


def _may_be_busy(run: ScenarioRun, book: Book) -> set[int]:
    """By seat: known bots that may play other matches when this match's time to join begins anyway."""
    terms = join_terms_in(book.record.header.more)
    began = [line.run["at_ms"] for _, line in book.incidents(JOINING_BEGAN)]
    # The record does not have the time while a referee was gone.
    has_waited = any(at_ms >= (terms.wait_ms_max or 0) for at_ms in began if isinstance(at_ms, int)) or run.lives > 1
    is_in_vain = terms.missing is MissingSeats.PLAY and bool(began) and has_waited
    if terms.begins is not None and terms.wait_ms_max is None:
        is_in_vain = bool(began)  # it begins at its time, with the bots present
    return {seat for seat, name in enumerate(book.bots) if is_in_vain and name in run.known}


def _tokens(run: ScenarioRun) -> dict[str, Player]:
    """All tokens of bots, and the operator's."""
    found: dict[str, Player] = {OPERATOR: KnownBot("the operator")}
    found |= {bot_token(name): KnownBot(name) for name in run.known}
    for match in run.matches:
        found |= {player.bot.token: SeatHolder(match.match, seat) for seat, player in match.players.items()}
    for note in run.notebook.streams.values():
        for told in note.told:
            if told.response.welcome.resume_token:
                found[told.response.welcome.resume_token] = note.identity
    return found
