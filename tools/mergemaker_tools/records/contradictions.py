"""Compares records with each other: what each says by itself may be right, and together it cannot be.

Little is kept of each record: its path, its match and a few hashes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.lines import DealLine, DecisionLine, Incident
from mergemaker_engine.record.splitting import whole_lines
from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.records.checking import Finding, Row, State, open_chunks

_KEPT_BYTES: Final = 16
"""How much of a hash or seed is compared."""

Places: TypeAlias = tuple[Path, tuple[int, ...]]
"""A record, and the decisions at which forks of it begin."""


@dataclass(frozen=True, slots=True)
class _Kept:
    path: Path
    line: str
    commitment: bytes
    seed: bytes
    block: str


@dataclass(frozen=True, slots=True)
class _Fork:
    number: int
    """Of the fork among what is kept."""
    parent: str
    decision: int
    game: str


@dataclass(frozen=True, slots=True)
class Hashes:
    """The hashes `game` of a record before some decisions, each after every line that can be the last that a fork repeats."""

    by_decision: dict[int, tuple[str, ...]] = field(default_factory=dict)
    problem: str = ""
    """Why the record cannot be read any more."""


class Comparison:
    """The good records so far."""

    def __init__(self) -> None:
        self._kept: Final[list[_Kept]] = []
        self._by_match: Final[dict[str, int]] = {}
        self._by_secret: Final[dict[bytes, int]] = {}
        self._forks: Final[list[_Fork]] = []
        self.copies = 0
        """How many records are the same, byte for byte, as one that came before: packed and unpacked, perhaps."""

    def add(self, path: Path, row: Row) -> Finding | None:
        """Takes one more record. Returns what it contradicts, if that is known already."""
        before = self._by_match.get(row.match)
        if before is not None:
            if self._kept[before].line == row.line:
                self.copies += 1
                return None
            text = f"{self._name(before)} is a record of this match, too, and has another hash 'line'"
            return _finding(path, "two-records", f"{text}: at most one of them is what was written")
        number = len(self._kept)
        self._by_match[row.match] = number
        self._kept.append(_Kept(path, row.line, row.commitment[:_KEPT_BYTES], row.seed[:_KEPT_BYTES], row.block))
        finding = self._check_secrets(path, row, number)
        if row.parent is not None and finding is None:
            self._forks.append(_Fork(number, row.parent.match, row.parent.decision, row.parent.game))
        return finding

    def _check_secrets(self, path: Path, row: Row, number: int) -> Finding | None:
        """A secret is used once. A match and its forks share theirs, and so their commitment; a block has one seed."""
        if not row.commitment:
            return None
        for what, secret in (("server_seed", row.server_seed), ("nonce", row.nonce)):
            before = self._by_secret.setdefault(secret[:_KEPT_BYTES], number)
            of_one_block = what == "server_seed" and bool(row.block) and self._kept[before].block == row.block
            if self._kept[before].commitment != row.commitment[:_KEPT_BYTES] and not of_one_block:
                text = f"{self._name(before)} has the same {what} under another commitment, which matches share only with forks"
                return _finding(path, "one-seed", f"{text}: a deal that was played before was no secret")
        return None

    def parents(self) -> list[Places]:
        """The records that are parents of others, with the decisions at which those begin."""
        places: dict[int, set[int]] = {}
        for fork in self._forks:
            if fork.parent in self._by_match:
                places.setdefault(self._by_match[fork.parent], set()).add(fork.decision)
        return [(self._kept[number].path, tuple(sorted(decisions))) for number, decisions in sorted(places.items())]

    def fork_findings(self, found: Iterable[tuple[Places, Hashes]]) -> Iterator[Finding]:
        """The forks that contradict their parents, from what `parents` and `hashes_before` gave."""
        by_path = {path: hashes for (path, _), hashes in found}
        for fork in self._forks:
            number = self._by_match.get(fork.parent)
            if number is None:
                continue
            kept, parent = self._kept[fork.number], self._kept[number]
            hashes = by_path[parent.path]
            said = hashes.by_decision.get(fork.decision)
            name = self._name(number)
            if hashes.problem:
                yield _finding(kept.path, "parent", f"its parent {name} cannot be read any more: {hashes.problem}")
            elif (kept.commitment, kept.seed) != (parent.commitment, parent.seed):
                yield _finding(kept.path, "parent", f"its parent {name} has another seed or another promise")
            elif said is None:
                yield _finding(kept.path, "parent", f"its parent {name} has no decision {fork.decision}")
            elif fork.game not in said:
                text = f"before decision {fork.decision} its parent {name} has the hash 'game' {said[0]}, not {fork.game}"
                yield _finding(kept.path, "parent", text)

    def _name(self, number: int) -> str:
        return shown_path(self._kept[number].path)


def hashes_before(places: Places) -> Hashes:
    """Reads a record once more, for its hashes `game` before these decisions."""
    path, decisions = places
    chains, between, found = Chains(), list[str](), dict[int, tuple[str, ...]]()
    try:
        for text in whole_lines(open_chunks(path)):
            line = chains.open(text)
            if isinstance(line, DecisionLine) and line.number in decisions:
                found[line.number] = tuple(between)
            if isinstance(line, DealLine | DecisionLine):
                between = []
            if isinstance(line, DealLine | DecisionLine) or (isinstance(line, Incident) and line.of_play):
                between.append(hash_text(chains.game))
    except EngineError as error:
        return Hashes(problem=str(error))
    except OSError as error:
        return Hashes(problem=reason_of(error))
    return Hashes(found)


def _finding(path: Path, reason: str, text: str) -> Finding:
    return Finding(str(path), State.CONTRADICTING, None, reason, text)
