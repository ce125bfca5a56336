"""Makes a plan from the options of `fork`: which match is resumed where, by which bots, and with what time."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from mergemaker_client.bots import parse
from mergemaker_client.errors import BotError
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_processes.bot_names import BotSpec, HumanPlayer
from mergemaker_processes.confinement.confining import confining_from
from mergemaker_processes.texts import shown_path
from mergemaker_referee.matches.forking import ForkWish, check_fork
from mergemaker_referee.records.files import open_record
from mergemaker_referee.records.journal import Durability
from mergemaker_table.errors import TableError
from mergemaker_table.terms import CLOCKS, Terms

from mergemaker_tools import options as shared
from mergemaker_tools.play.clocks import clock_from
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.planning import ANY_PORT, check_people, spec_of
from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.records.places import decision_name, split_place

_SEAT: Final = re.compile(r"(?P<seat>[0-9])=(?P<bot>.+)", re.DOTALL)


def fork_plan(options: argparse.Namespace, place: str) -> MatchPlan:
    """The plan for one place. Whatever can be wrong before anything is started is refused here."""
    path, record, decision = record_at(place)
    words, specs = bots_of(record, options.seats, options.others)
    records = options.records or Path(shared.RECORDS_FOLDER)
    terms = _own_terms(options.clock, specs)
    wish = ForkWish(
        record=record,
        decision=decision,
        bots=(),
        terms=terms,
        chances=None if options.seed is None else shared.seed_from(options.seed),
    )
    try:
        clock = wish.terms_played.clock
    except TableError as error:
        raise CommandFailed(
            f"{shown_path(path)}: its clock is none of ours: {error}\n--clock gives the bots one that is."
        ) from error
    _, end = check_fork(record, decision)
    plan = MatchPlan(
        words=words,
        specs=specs,
        rules=record.header.rules,
        clock=clock,
        clock_word=clock.name,
        seed=end.seed,
        seed_file=None,
        promised=False,
        games=1,
        jobs=1,
        listen=ANY_PORT,
        token=None,
        records=records,
        record=None,
        durability=Durability.PROCESS,
        logs=None,
        strict=False,
        fork=wish,
    )
    check_people(plan, is_shown=not options.json)
    hidden = [("the folder of the records", records), ("the folder of the record", path.parent)]
    return replace(plan, confining=confining_from(options, specs, hidden))


def record_at(place: str) -> tuple[Path, Record, int]:
    """A record's path, the record, checked to be resumable there, and the decision's number in it."""
    path, named = split_place(place)
    name = None if named is None else decision_name(named)
    if name is None:
        raise WrongUse(f"a place in a record is written FILE@NUMBER, as in records/a.jsonl@57, not {place!r}")
    try:
        record = open_record(path)
        decision = name.number_in(record)
        check_fork(record, decision)
    except RecordError as error:
        problem = WrongUse if error.reason == "no-such-decision" else CommandFailed
        raise problem(f"{shown_path(path)}: {error}") from error
    except OSError as error:
        raise WrongUse(f"cannot read {shown_path(path)}: {error.strerror or error}") from error
    return path, record, decision


def bots_of(record: Record, seats: Sequence[str], others: str | None) -> tuple[tuple[str, ...], tuple[BotSpec, ...]]:
    """Who plays on, by seat: the words, and what they mean."""
    words = _words_of(record, seats, others)
    return words, tuple(_spec_at(seat, word) for seat, word in enumerate(words))


def _words_of(record: Record, seats: Sequence[str], others: str | None) -> tuple[str, ...]:
    """The bot of each seat: from `--seat`, else `--others`, else the record's if that is a built-in one."""
    count = record.header.seats
    chosen: dict[int, str] = {}
    for text in seats:
        found = _SEAT.fullmatch(text)
        if not found or int(found["seat"]) >= count or int(found["seat"]) in chosen:
            raise WrongUse(
                f"--seat takes a seat from 0 to {count - 1}, once each, and a bot, as in --seat 0=random, not {text!r}"
            )
        chosen[int(found["seat"])] = found["bot"]
    return tuple(chosen.get(seat) or others or _built_in(seat, record.header.bots[seat]) for seat in range(count))


def _built_in(seat: int, name: str) -> str:
    """A bot that a record names. A record may come from anybody, so only a built-in bot is started because of it."""
    try:
        parse(name)
    except BotError as error:
        raise WrongUse(
            f"seat {seat}: in the record {name!r} played, which is no built-in bot\n--seat and --others choose who plays on."
        ) from error
    return name


def _spec_at(seat: int, word: str) -> BotSpec:
    try:
        return spec_of(word)
    except WrongUse as error:
        raise WrongUse(f"seat {seat}: {error}\n--seat and --others choose who plays on.") from error


def _own_terms(clock: str | None, specs: Sequence[BotSpec]) -> Terms | None:
    """The terms that differ from the record's: those of --clock, or no limits for a person."""
    if clock is not None:
        return Terms(clock_from(clock))
    has_human = any(isinstance(spec, HumanPlayer) for spec in specs)
    return Terms(CLOCKS["none"]) if has_human else None
