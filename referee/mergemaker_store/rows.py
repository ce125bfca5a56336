"""Values as rows of the tables, and back."""

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from mergemaker_store.errors import Contradiction, StoreError
from mergemaker_store.schema import BOTS, MATCHES, SEATS, TOURNAMENTS
from mergemaker_store.values import BotVersion, MatchResult, Place, SeatFault, SeatResult, Tournament


def of_tournament(tournament: Tournament) -> dict[str, object]:
    """Its row."""
    return {"id": tournament.id, "name": tournament.name, "manifest": tournament.manifest, "made": tournament.made}


def tournament_of(row: Row[Any]) -> Tournament:
    """The tournament in a row."""
    return Tournament(id=row.id, name=row.name, manifest=row.manifest, made=row.made)


def tournaments(connection: Connection) -> tuple[Tournament, ...]:
    """All tournaments."""
    return tuple(map(tournament_of, connection.execute(select(TOURNAMENTS).order_by(TOURNAMENTS.c.id))))


def enter(connection: Connection, result: MatchResult) -> bool:
    """Enters a result; False if it is there already."""
    found = connection.execute(select(MATCHES.c.line).where(MATCHES.c.id == result.match)).scalar()
    if found is not None:
        if found != result.line:
            raise Contradiction(
                "two-records",
                f"the match {result.match} has been entered with another record, which ends with {found}, not {result.line}",
            )
        return False
    _check_place(connection, result)
    connection.execute(insert(MATCHES).values(_of_match(result)))
    numbers = {bot: _number_of(connection, bot) for bot in {seat.bot for seat in result.seats}}
    seats = [
        {"match": result.match, "seat": number, "bot": numbers[seat.bot], **_of_seat(seat)}
        for number, seat in enumerate(result.seats)
    ]
    connection.execute(insert(SEATS), seats)
    return True


def _check_place(connection: Connection, result: MatchResult) -> None:
    place = result.place
    if place is None:
        return
    if connection.execute(select(TOURNAMENTS.c.id).where(TOURNAMENTS.c.id == place.tournament)).first() is None:
        raise StoreError(
            "unknown-tournament", f"the match {result.match} is of the tournament {place.tournament}: enter that first"
        )
    taken = connection.execute(
        select(MATCHES.c.id).where(
            MATCHES.c.tournament == place.tournament,
            MATCHES.c.block == place.block,
            MATCHES.c.number == place.number,
            MATCHES.c.attempt == place.attempt,
        )
    ).scalar()
    if taken is not None:
        where = f"match {place.number} of block {place.block} of the tournament {place.tournament}"
        raise Contradiction("two-matches", f"{where} is {taken}; {result.match} says the same of itself")


def _of_match(result: MatchResult) -> dict[str, object]:
    place = result.place
    return {
        "id": result.match,
        "rules": result.rules,
        "ended": result.ended,
        "game": result.game,
        "line": result.line,
        "started": result.started,
        "host": result.host,
        "host_speed": result.host_speed,
        "tournament": place and place.tournament,
        "block": place and place.block,
        "number": place and place.number,
        "attempt": place and place.attempt,
    }


def _of_seat(seat: SeatResult) -> dict[str, object]:
    return {
        "cash": seat.cash,
        "place": seat.place,
        "status": seat.status,
        "faults": json.dumps([[fault.of, fault.kind, fault.times] for fault in seat.faults]),
        "decisions": seat.decisions,
        "total_ms": seat.total_ms,
        "longest_ms": seat.longest_ms,
        "joined_ms": seat.joined_ms,
    }


def _number_of(connection: Connection, bot: BotVersion) -> int:
    """The bot's number; a new one for a bot that was not there."""
    same = (BOTS.c.name == bot.name) & (BOTS.c.version == bot.version)
    found = connection.execute(select(BOTS.c.id).where(same)).scalar()
    if found is not None:
        return int(found)
    made = connection.execute(insert(BOTS).values(name=bot.name, version=bot.version).returning(BOTS.c.id)).scalar_one()
    return int(made)


def results(connection: Connection, tournament: str | None) -> tuple[MatchResult, ...]:
    """All results, or those of a tournament."""
    query = (
        select(MATCHES, SEATS, BOTS.c.name, BOTS.c.version)
        .join(SEATS, SEATS.c.match == MATCHES.c.id)
        .join(BOTS, BOTS.c.id == SEATS.c.bot)
        .order_by(MATCHES.c.tournament, MATCHES.c.block, MATCHES.c.number, MATCHES.c.attempt, MATCHES.c.id, SEATS.c.seat)
    )
    if tournament is not None:
        query = query.where(MATCHES.c.tournament == tournament)
    found = connection.execute(query).mappings()
    return tuple(_match_of(list(seats)) for _, seats in groupby(found, key=lambda row: row[MATCHES.c.id]))


def _match_of(seats: list[Any]) -> MatchResult:
    row = seats[0]
    name = row[MATCHES.c.tournament]
    place = Place(name, row[MATCHES.c.block], row[MATCHES.c.number], row[MATCHES.c.attempt]) if name is not None else None
    return MatchResult(
        match=row[MATCHES.c.id],
        rules=row[MATCHES.c.rules],
        ended=row[MATCHES.c.ended],
        game=row[MATCHES.c.game],
        line=row[MATCHES.c.line],
        started=row[MATCHES.c.started],
        host=row[MATCHES.c.host],
        host_speed=row[MATCHES.c.host_speed],
        place=place,
        seats=tuple(_seats_of(seats)),
    )


def _seats_of(rows: Iterable[Mapping[Any, Any]]) -> Iterable[SeatResult]:
    for row in rows:
        yield SeatResult(
            bot=BotVersion(row[BOTS.c.name], row[BOTS.c.version]),
            cash=row[SEATS.c.cash],
            place=row[SEATS.c.place],
            status=row[SEATS.c.status],
            faults=tuple(SeatFault(*fault) for fault in json.loads(row[SEATS.c.faults])),
            decisions=row[SEATS.c.decisions],
            total_ms=row[SEATS.c.total_ms],
            longest_ms=row[SEATS.c.longest_ms],
            joined_ms=row[SEATS.c.joined_ms],
        )
