"""The operator sometimes lists all matches and fetches records: no match is over before its end is kept."""

from pathlib import Path
from typing import Final

from mergemaker.v1 import matches_pb2
from mergemaker_referee.connections import Closing

from .notebook import Notebook
from .office import Office
from .world import World


class Inquiries:
    """The operator's questions, and the problems with their answers."""

    def __init__(self, world: World, office: Office, notebook: Notebook) -> None:
        self._office: Final = office
        self._notebook: Final = notebook
        self._chance: Final = world.chance("inquiries")
        self.problems: Final[list[str]] = []

    def look(self) -> None:
        """Asks for the list, and for the record of one match in it."""
        self._office.listed(self._listed)

    def _listed(self, found: list[matches_pb2.MatchSummary]) -> None:
        for summary in found:
            if summary.phase == matches_pb2.MATCH_PHASE_OVER and not self._notebook.keeps_end(summary.match):
                self.problems.append(f"match {summary.match} is listed as over, and its end is not kept")
        if found:
            match = self._chance.choice(found).match
            self._office.fetch(match, lambda reply: self._fetched(match, reply))

    def _fetched(self, match: str, reply: bytes | Path | Closing) -> None:
        if isinstance(reply, Path) and not self._notebook.keeps_end(match):
            self.problems.append(f"the record of match {match} is released, and its end is not kept")
