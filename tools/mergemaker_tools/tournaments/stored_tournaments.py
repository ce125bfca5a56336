"""Tournaments of a database, for the pages of a server.

Tables are made in a process of their own: they take seconds of a processor, which matches beside the pages must not miss.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import trio
from mergemaker_store.errors import StoreError
from mergemaker_store.gateway import Store
from mergemaker_web.server.messages import CrossRow, RatingRow, TournamentName, TournamentTable
from mergemaker_web.server.problems import WebProblem, unknown_tournament

from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.tournaments.course import Leavings
from mergemaker_tools.tournaments.publishing import published

LIMIT_S: Final = 120.0
"""How long a table may take."""
_MODULE: Final = "mergemaker_tools.tournaments.stored_tournaments"
FRESH_S: Final = 20.0
"""For how long a table is good."""


class StoredTournaments:
    """Tournaments of a database."""

    def __init__(self, database: str) -> None:
        self._database: Final = database
        self._one: Final = trio.Lock()
        self._kept: Final[dict[str, tuple[float, Any]]] = {}

    async def all(self) -> Sequence[TournamentName]:
        """All tournaments, the newest first."""
        found = await self._asked("")
        return [TournamentName(**each) for each in found["tournaments"]]

    async def table(self, tournament: str) -> TournamentTable:
        """A tournament's table."""
        found = await self._asked(tournament)
        if found.get("table") is None:
            raise unknown_tournament()
        return _table_of(found["table"])

    async def _asked(self, tournament: str) -> dict[str, Any]:
        """What the process answers; one runs at a time."""
        async with self._one:
            at, kept = self._kept.get(tournament, (float("-inf"), None))
            if kept is None or trio.current_time() > at + FRESH_S:
                kept = await self._made(tournament)
                self._kept[tournament] = (trio.current_time(), kept)
        assert isinstance(kept, dict), "it is a document"
        return kept

    async def _made(self, tournament: str) -> dict[str, Any]:
        wish = json.dumps({"database": self._database, "tournament": tournament}).encode()
        with trio.move_on_after(LIMIT_S):
            done = await trio.run_process(
                [sys.executable, "-m", _MODULE], stdin=wish, capture_stdout=True, check=False, stderr=subprocess.DEVNULL
            )
            found = json.loads(done.stdout or b"{}")
            if isinstance(found, dict) and "problem" not in found and done.returncode == 0:
                return found
            why = str(found.get("problem", f"the process that makes it ended with status {done.returncode}"))
            raise WebProblem(503, "no-table", why, "Try again later, or tell the operator.")
        raise WebProblem(503, "slow", f"the table was not made within {LIMIT_S:.0f} s", "Try again later.")


def _table_of(document: Mapping[str, Any]) -> TournamentTable:
    manifest, found = document["manifest"], document["published"]
    table = found["table"]
    return TournamentTable(
        tournament=found["tournament"],
        name=manifest["name"],
        made=str(manifest["made"]),
        format=manifest["format"],
        seats=manifest["seats"],
        clock=manifest["clock"]["name"],
        matches=table["matches"],
        blocks=table["blocks"],
        unfinished=table["unfinished"],
        void=table["void"],
        ratings=[RatingRow(**{name: row[name] for name in RatingRow.__struct_fields__}) for row in table["ratings"]],
        cross=[CrossRow(**{name: row[name] for name in CrossRow.__struct_fields__}) for row in table["cross"]],
    )


def _answer(wish: Mapping[str, str]) -> dict[str, Any]:
    """What is asked of the process."""
    with Store(wish["database"]) as store:
        if not wish["tournament"]:
            found = sorted(store.tournaments(), key=lambda each: each.made, reverse=True)
            return {"tournaments": [{"tournament": each.id, "name": each.name, "made": each.made} for each in found]}
        tournament = store.tournament(wish["tournament"])
        if tournament is None:
            return {"table": None}
        manifest = json.loads(tournament.manifest)
        document = published(manifest, store.results(tournament.id), Leavings())
    return {"table": {"manifest": manifest, "published": document}}


def main() -> None:
    """Answers one question."""
    try:
        found = _answer(json.load(sys.stdin))
    except (StoreError, CommandFailed, OSError) as problem:
        found = {"problem": str(problem)}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
