"""What a page carries of a match: the lines of its record, without what the viewer does not use."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

Line: TypeAlias = dict[str, Any]
"""A line of a record as plain data."""

_HASHES: Final = ("game", "line")
_DIGEST: Final = "digest"
_EVIDENCE: Final = ("evidence", "trace")
_NOTE: Final = "note"
_NESTED: Final = frozenset({"evidence", "commitments"})
"""Lists and objects that `run` of decisions and incidents has. Others are not kept: there may be 64 MiB of them."""
NOTE_CHARACTERS: Final = (256, 64, 0)
"""To how many characters notes are cut, one after the other, until the page is small enough."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is known of the deal of a match that has not ended. Its seed would tell all that is still to come."""

    tiles: tuple[int, ...]
    """The tiles that were drawn from the pile, in order, as squares."""
    market: tuple[int, ...]
    """The squares that the market's draws showed."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A match for a page."""

    lines: Sequence[Line]
    drawn: Drawn | None = None
    at: int | None = None
    """The decision that the page opens at; None for the set-up."""
    left_out: tuple[str, ...] = ()
    """What is missing, in sentences that the page shows."""
    review: Mapping[str, object] | None = None
    """What `mergemaker review` says of the match, in the form that `review.js` reads."""

    def with_review(self, review: Mapping[str, object]) -> "Carried":
        """The same match with a review."""
        return replace(self, review=review)

    def document(self) -> dict[str, object]:
        """The same as the page's JSON."""
        known = None if self.drawn is None else {"drawn": list(self.drawn.tiles), "market": list(self.drawn.market)}
        review = {} if self.review is None else {"review": self.review}
        return {"lines": list(self.lines), "known": known, "at": self.at, "left_out": list(self.left_out), **review}


def carried(texts: Iterable[bytes], drawn: Drawn | None = None, at: int | None = None) -> Carried:
    """A record's lines, without their hashes. A match that has not ended is carried without its bots' notes."""
    lines = [_known(_without(json.loads(text), _HASHES)) for text in texts]
    if lines and lines[-1].get("kind") == "end":
        return Carried(lines, None, at)
    return Carried([_with_note(line, 0) for line in lines], drawn, at)


def smaller(match: Carried) -> Iterable[Carried]:
    """The match with less and less of what can be spared. The game itself is always whole."""
    lines = [_without_run(_without(line, (_DIGEST,)), _EVIDENCE) for line in match.lines]
    spared = "To keep this page small, the record's digests and evidence were left out, so its positions were not checked."
    yield replace(match, lines=lines, left_out=(spared,))
    for characters in NOTE_CHARACTERS:
        cut = f"the bots' notes were cut to {characters} characters" if characters else "the bots' notes were left out"
        shorter = [_with_note(line, characters) for line in lines]
        yield replace(match, lines=shorter, left_out=(spared, f"To keep this page small, {cut}."))


def _known(line: Line) -> Line:
    run = line.get("run")
    if line.get("kind") not in ("decision", "incident") or not isinstance(run, dict):
        return line
    return _without_run(line, [name for name, value in run.items() if isinstance(value, (list, dict)) and name not in _NESTED])


def _without(line: Line, names: Sequence[str]) -> Line:
    return {name: value for name, value in line.items() if name not in names}


def _without_run(line: Line, names: Sequence[str]) -> Line:
    return {**line, "run": _without(line["run"], names)} if isinstance(line.get("run"), dict) else line


def _with_note(line: Line, characters: int) -> Line:
    """A line with its note cut to a length; 0 leaves it out."""
    run = line.get("run")
    if line.get("kind") != "decision" or not isinstance(run, dict) or not isinstance(run.get(_NOTE), str):
        return line
    if characters == 0:
        return _without_run(line, (_NOTE,))
    note = run[_NOTE]
    return line if len(note) <= characters else {**line, "run": {**run, _NOTE: note[: characters - 1] + "…"}}
