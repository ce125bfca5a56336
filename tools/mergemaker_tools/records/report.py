"""What `verify` found in all records: shown as it comes, counted, and kept for a document."""

from collections import Counter
from pathlib import Path
from typing import Final

from mergemaker_processes.texts import shown_path
from mergemaker_table.record_checks import TermsFound

from mergemaker_tools.records.checking import Checked, Finding, Row, State
from mergemaker_tools.records.contradictions import Comparison
from mergemaker_tools.screen import show_line

_COLUMNS: Final = ("path", "match", "line", "game", "deal", "ended", "fingerprint", "fork of")


class Report:
    """The results of all records: shown as they come, counted, and kept for a document."""

    def __init__(self, *, shows_rows: bool, is_silent: bool, keeps: bool) -> None:
        self.records = 0
        self.comparison: Final = Comparison()
        self._shows_rows: Final = shows_rows
        self._is_silent: Final = is_silent
        self._keeps: Final = keeps
        self._decisions = 0
        self._states: Final[Counter[State]] = Counter()
        self._kinds: Final[Counter[str]] = Counter()
        self._findings: Final[list[Finding]] = []
        self._rows: Final[list[tuple[Path, Row]]] = []

    def begin(self) -> None:
        """Shows the names of the columns."""
        if self._shows_rows:
            show_line("\t".join(_COLUMNS))

    def add(self, path: Path, checked: Checked) -> None:
        """Takes one more."""
        self.records += 1
        self._decisions += checked.decisions
        row, finding = checked.row, checked.finding
        if row is not None:
            self._count_kinds(row)
            if self._keeps:
                self._rows.append((path, row))
            if self._shows_rows:
                cells = (row.match, row.line, row.game, row.deal, row.ended, row.fingerprint, row.fork_of or "-")
                show_line("\t".join([shown_path(path), *cells]))
            finding = self.comparison.add(path, row)
        self._states[finding.state if finding else State.GOOD] += 1
        if finding is not None:
            self._tell(finding)

    def withdraw(self, finding: Finding) -> None:
        """A record that was counted as good contradicts another."""
        self._states[State.GOOD] -= 1
        self._states[finding.state] += 1
        self._tell(finding)

    def _tell(self, finding: Finding) -> None:
        if self._keeps:
            self._findings.append(finding)
        if not self._is_silent:
            show_line(finding.sentence)

    def _count_kinds(self, row: Row) -> None:
        self._kinds["voided"] += row.ended == "voided"
        self._kinds["plain"] += row.deal == "plain"
        self._kinds["forked"] += row.parent is not None
        self._kinds["unknown_terms"] += row.terms is TermsFound.UNKNOWN

    @property
    def all_good(self) -> bool:
        """Whether nothing else was found."""
        return self._states[State.GOOD] == self.records

    @property
    def of_states(self) -> str:
        """How many there are of each kind; good ones always, the others if there are any."""
        return ", ".join(f"{self._states[state]:,} {state}" for state in State if state is State.GOOD or self._states[state])

    @property
    def of_kinds(self) -> str:
        """What is to be known of those that are right by themselves; empty if there is nothing."""
        told = {
            "voided": self._kinds["voided"],
            "plain": self._kinds["plain"],
            "forked": self._kinds["forked"],
            "copied": self.comparison.copies,
            "with unknown clock terms": self._kinds["unknown_terms"],
        }
        parts = [f"{count:,} {what}" for what, count in told.items() if count]
        return f" ({', '.join(parts)})" if parts else ""

    @property
    def summary(self) -> str:
        """All counts in a line."""
        return f"{self.records:,} {'record' if self.records == 1 else 'records'}: {self.of_states}{self.of_kinds}"

    def document(self) -> dict[str, object]:
        """Everything for programs."""
        return {
            "records": self.records,
            **{str(state): self._states[state] for state in State},
            **{kind: self._kinds[kind] for kind in ("voided", "plain", "forked", "unknown_terms")},
            "copies": self.comparison.copies,
            "decisions": self._decisions,
            "not_good": [found.document() for found in self._findings],
            "rows": [{"path": str(path), **row.document()} for path, row in self._rows],
        }
