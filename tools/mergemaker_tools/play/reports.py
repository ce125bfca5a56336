"""The facts of a game after its end."""

from dataclasses import dataclass
from pathlib import Path

from mergemaker_engine.events import AssetsShown, BonusPaid
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.standings import Standing
from mergemaker_engine.views import View
from mergemaker_processes.confinement.troubles import Trouble
from mergemaker_table.outputs import Ended
from mergemaker_table.seats import FAILURES
from mergemaker_table.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class GameReport:
    """One game after its end."""

    number: int
    seed: bytes
    ended: Ended
    turns: int
    view: View | None
    """The last position as everybody knows it; None before the deal."""
    bonuses: tuple[int, ...]
    """By seat: the sum of its bonuses."""
    assets: tuple[AssetsShown, ...]
    """By seat: what each had before the last payments; empty for a game without a result."""
    refusals: tuple[int, ...]
    """By seat: how many answers were refused."""
    failures: tuple[int, ...]
    """By seat: how often its bot failed, and its library answered the default."""
    logs: tuple[Path | None, ...]
    """By seat: where its bot's standard error went."""
    record: Path | None
    complaints: tuple[str, ...] = ()
    """By seat, for bots of this program: its first fault in words, or an empty text."""
    troubles: tuple[tuple[Trouble, ...], ...] = ()
    """By seat, for confined bots: what was reported of each since the game before."""

    @property
    def has_result(self) -> bool:
        """Whether it was played to its end."""
        return self.ended.why is not Ending.VOIDED

    @property
    def ranking(self) -> list[Standing]:
        """The standings, the best first."""
        return sorted(self.ended.standings, key=lambda standing: (standing.place or 0, standing.seat))

    def troubles_of(self, seat: int) -> tuple[Trouble, ...]:
        """What was reported of a confined bot."""
        return self.troubles[seat] if self.troubles else ()

    def faults_of(self, seat: int) -> int:
        """A seat's refused answers, and the defaults taken for it before it was given up, added up."""
        faults = self.ended.standings[seat].faults
        return self.refusals[seat] + sum(count for cause, count in faults.items() if cause in FAILURES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """By seat: what was noticed during a game that its table does not say at the end. As in `GameReport`."""

    refusals: tuple[int, ...]
    failures: tuple[int, ...]
    logs: tuple[Path | None, ...]
    complaints: tuple[str, ...] = ()


def report_of(table: Table, number: int, seed: bytes, noticed: Noticed, record: Path | None) -> GameReport:
    """The report of a game that has ended at its table."""
    assert table.ended is not None, "reports are of games that have ended"
    bonuses = [0] * table.setup.seats
    assets = []
    for event in table.public_events_since(0):
        if isinstance(event, BonusPaid):
            bonuses[event.seat] += event.amount
        elif isinstance(event, AssetsShown):
            assets.append(event)
    shown = table.public_snapshot()
    return GameReport(
        number=number,
        seed=seed,
        ended=table.ended,
        turns=table.turn,
        view=shown.view if shown else None,
        bonuses=tuple(bonuses),
        assets=tuple(assets),
        refusals=noticed.refusals,
        failures=noticed.failures,
        logs=noticed.logs,
        record=record,
        complaints=noticed.complaints,
    )
