"""The records of `engine/vectors/records`: what they are made of, and the good ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final

from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import (
    FORKED,
    AnsweredBy,
    DecisionLine,
    Ending,
    Incident,
    Line,
    Parent,
)
from mergemaker_engine.rules import preset
from mergemaker_table import Table
from mergemaker_testkit.recorded import (
    MATCH,
    forged,
    game_hash_before,
    of_kind,
    opened,
    parts_in,
    recorded_match,
    sealed,
)
from mergemaker_testkit.table_driver import TableDriver, random_player, silent_player, table_setup

SEED: Final = bytes(range(32))
SEATS: Final = 3
SHORT: Final = 8
"""Decisions of a short record. Its header is line 1, its deal line 2, the decisions are lines 3 to 10, `voided` is line 11."""
FIRST: Final = 2
"""The place of the first decision, from 0."""
VOIDED: Final = 10
END: Final = 12
"""The number of a short record's last line."""
TEXT_BYTES: Final = 60_000


@cache
def short(mode: DealMode = DealMode.SERVER, withheld: tuple[int, ...] = (), *, by_default: bool = False) -> tuple[Line, ...]:
    """A match that is voided soon, as its lines."""
    texts = recorded_match(
        preset("renegade-classic"), SEATS, SEED, mode, withheld=withheld, decisions=SHORT, by_default=by_default
    )
    return tuple(opened(texts))


@cache
def whole() -> tuple[Line, ...]:
    """A match to its end."""
    return tuple(opened(recorded_match(preset("renegade-classic"), SEATS, SEED)))


@cache
def on_a_clock() -> tuple[Line, ...]:
    """A referee's match, in which one seat never answers."""
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), SEATS)), [silent_player, random_player, random_player])
    driver.play()
    return tuple(opened(driver.lines))


Values = Callable[[list[Line]], object]
Plain = Callable[[list[tuple[dict[str, Any], dict[str, Any]]]], object]


def values(change: Values, base: Callable[[], Sequence[Line]] = short) -> bytes:
    """A record whose lines were changed as values, and chained anew."""
    lines = list(base())
    change(lines)
    return b"".join(sealed(lines))


def plain(change: Plain) -> bytes:
    """A record whose lines were changed as plain data, and chained anew."""
    parts = [parts_in(text) for text in sealed(short())]
    change(parts)
    return b"".join(forged(parts))


def retold(old: bytes, new: bytes) -> bytes:
    """A record in which a text was replaced once, and nothing else."""
    record = b"".join(sealed(short()))
    assert old in record, old
    return record.replace(old, new, 1)


def put(lines: list[Line], at: int, **changes: Any) -> list[Line]:  # noqa: ANN401 - whatever the members are
    """Changes members of a line."""
    lines[at] = replace(lines[at], **changes)
    return lines


def fork(lines: list[Line], decision: int = 4, match: str = "m-2", parent: str = MATCH, game: str = "") -> list[Line]:
    """Makes a fork of a short record."""
    origin = Parent(parent, decision, game or game_hash_before(lines[:VOIDED], decision))
    put(lines, 0, match=match, parent=origin).insert(FIRST + decision - 1, Incident(what=FORKED))
    return lines


def taken_by_default(lines: list[Line]) -> None:
    """Two answers were the referee's."""
    faults: list[dict[str, int]] = [{} for _ in range(SEATS)]
    at = [at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.by is AnsweredBy.BOT][:2]
    for each, by in zip(at, (AnsweredBy.TIMEOUT, AnsweredBy.ILLEGAL), strict=True):
        put(lines, each, by=by)
        faults[of_kind(lines[each], DecisionLine).seat][str(by)] = 1
    put(lines, -1, faults=tuple(faults))


def not_the_default(lines: list[Line]) -> None:
    """A purchase was the referee's."""
    put(lines, _purchase(lines), by=AnsweredBy.TIMEOUT)


def in_other_words(lines: list[Line]) -> None:
    """The answer's text is not the only one of its kind."""
    at = _purchase(lines)
    answer = of_kind(lines[at], DecisionLine).answer
    put(lines, at, answer=answer.replace("buy ", "buy 0"))


def _purchase(lines: Sequence[Line]) -> int:
    return next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.answer.startswith("buy 1"))


def one_more(lines: list[Line]) -> None:
    """A decision after the last one."""
    last = of_kind(lines[-2], DecisionLine)
    lines.insert(-1, replace(last, number=last.number + 1, by=AnsweredBy.BOT))


def in_time(lines: list[Line]) -> None:
    """A bank has more than its terms leave it."""
    at = next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and "bank_ms" in line.run)
    line = of_kind(lines[at], DecisionLine)
    put(lines, at, run={**line.run, "bank_ms": 10_001})


def filled(run: dict[str, Any], count: int) -> bytes:
    """A record with this many further incidents after its deal."""
    return plain(lambda parts: parts.__setitem__(slice(FIRST, FIRST), [({"kind": "incident"}, {"what": "x", **run})] * count))


def unknown(parts: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Every `run` has a member that no reader knows."""
    for _, run in parts:
        run["weather"] = {"rain": [1, None, {"deep": True}], "sun": "é \u2028"}


def ended(lines: list[Line]) -> list[Line]:
    """The end line has a result."""
    return put(lines, -1, why=Ending.STUCK, cash=(0,) * SEATS, places=(1,) * SEATS)


def without_deal(lines: list[Line]) -> None:
    """Nothing is between the header and an end with a result."""
    ended(lines)
    del lines[1:-1]


def purchase_line() -> int:
    """The number of the first purchase's line in the whole match."""
    return _purchase(whole()) + 1


def clock_line() -> int:
    """The number of the first line that tells a bank."""
    lines = on_a_clock()
    return 1 + next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and "bank_ms" in line.run)


@dataclass(frozen=True, slots=True)
class Vector:
    """A file, and what a reader says of it."""

    name: str
    what: str
    content: Callable[[], bytes]
    reason: str | None = None
    """None for a good record."""
    line: int | None = None


from_whole = partial(values, base=whole)
joint = partial(short, DealMode.JOINT)


def goods() -> Iterator[Vector]:
    """Records that every reader accepts."""
    yield Vector("whole.jsonl.gz", "a match to its end", lambda: from_whole(len))
    yield Vector("voided.jsonl", "a match that was voided", lambda: values(len))
    yield Vector("plain.jsonl", "a plain deal", lambda: values(len, partial(short, DealMode.PLAIN)))
    yield Vector(
        "joint.jsonl", "a joint deal, for which seat 1 did not reveal its part", lambda: values(len, partial(joint, (1,)))
    )
    yield Vector(
        "voided-before-its-deal.jsonl",
        "a joint match that was voided before its deal: every part counts as zeros",
        lambda: values(lambda lines: lines.__delitem__(slice(1, VOIDED)), partial(joint, (0, 1, 2))),
    )
    yield Vector("fork.jsonl", "a fork that begins with decision 4", lambda: values(fork))
    yield Vector(
        "fork-without-its-own.jsonl",
        "a fork that is voided before its own decisions",
        lambda: values(lambda lines: fork(lines, 9)),
    )
    yield Vector("defaults.jsonl", "answers by default", lambda: values(taken_by_default, partial(short, by_default=True)))
    yield Vector("unknown-members.jsonl", "members of `run` that no reader knows", lambda: plain(unknown))
    yield Vector(
        "clock.jsonl.gz", "a referee's match on a clock, with defaults for time and autopilot", lambda: values(len, on_a_clock)
    )
    for name, count in (("avalon-hill-powers", 80), ("reference-trading", 60)):
        texts = recorded_match(preset(name), 4, SEED, note="é ☃ \U0001f3b2 \x7f", decisions=count)
        yield Vector(f"{name}.jsonl.gz", f"{name}, with notes", lambda texts=texts: b"".join(texts))  # type: ignore[misc]  # kept now
