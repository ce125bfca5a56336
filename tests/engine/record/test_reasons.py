"""Every reason for refusing a record, each shown once, with its message."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from mergemaker_engine import record as record_package
from mergemaker_engine.deal import Deal
from mergemaker_engine.errors import RecordError
from mergemaker_engine.game import Game
from mergemaker_engine.record.canonical import decoded, encoded
from mergemaker_engine.record.commitments import seat_commitment
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Ending, Incident, Line, Parent
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.record.signatures import EndSignature, SignedEnd, read_signature
from mergemaker_engine.record.splitting import whole_lines
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_testkit.reasons import reasons_in
from mergemaker_testkit.recorded import forged, of_kind, opened, parts_in, recorded_match, sealed

CLASSIC: Final = preset("renegade-classic")
SEED: Final = bytes(range(32))
SEATS: Final = 3
DECISIONS: Final = 8
"""The number of decisions if a few are enough."""


@cache
def _lines() -> tuple[Line, ...]:
    return tuple(opened(recorded_match(CLASSIC, SEATS, SEED, decisions=DECISIONS)))


@cache
def _whole() -> tuple[Line, ...]:
    return tuple(opened(recorded_match(CLASSIC, SEATS, SEED)))


def _verified(change: Callable[[list[Line]], object], *, whole: bool = False) -> Callable[[], object]:
    """Reads a record that was changed and chained again."""

    def read() -> object:
        changed = list(_whole() if whole else _lines())
        change(changed)
        return verify(sealed(changed))

    return read


def _forged(at: int, change: Callable[[dict[str, object], dict[str, object]], object]) -> Callable[[], object]:
    """Reads a record with changed members in one line, and chains to match."""

    def read() -> object:
        parts = [parts_in(text) for text in sealed(_lines())]
        change(*parts[at])
        return verify(forged(parts))

    return read


def _inserted(told: dict[str, object], run: dict[str, object]) -> Callable[[], object]:
    """Reads a record with a line between the deal and the first decision."""

    def read() -> object:
        parts = [parts_in(text) for text in sealed(_lines())]
        return verify(forged([*parts[:2], (told, run), *parts[2:]]))

    return read


def _retold(old: bytes, new: bytes) -> Callable[[], object]:
    """Reads a record in which one text was replaced, and nothing else."""

    def read() -> object:
        record = b"".join(sealed(_lines()))
        assert old in record
        return verify([record.replace(old, new, 1)])

    return read


def _ended_too_soon() -> object:
    game = Game(CLASSIC, SEATS, Deal.from_seed(SEED))
    return Scribe().end(game, Secrets(SEED), [])


def _set(lines: list[Line], at: int, **changes: object) -> None:
    lines[at] = replace(lines[at], **changes)  # type: ignore[arg-type]  # whatever the members are


def _one_more(lines: list[Line]) -> None:
    lines.insert(-1, replace(of_kind(lines[-2], DecisionLine), number=len(lines) - 2, by=AnsweredBy.BOT))


def _without_a_deal(lines: list[Line]) -> None:
    del lines[1:-1]
    _set(lines, -1, why=Ending.STUCK, cash=(0,) * 3, places=(1,) * 3)


def _in_other_words(lines: list[Line]) -> None:
    at = next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.answer == "buy nothing")
    _set(lines, at, answer="buy 0 Tower")


def _not_by_default(lines: list[Line]) -> None:
    at = next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.answer.startswith("buy 1"))
    _set(lines, at, by=AnsweredBy.TIMEOUT)


FIRST: Final = next(at for at, line in enumerate(_lines()) if isinstance(line, DecisionLine) and line.by is AnsweredBy.BOT)
RECEIPT: Final = Receipt("m-1", bytes([1] * 32), bytes([2] * 32))
RULES: Final = b'"dead_tiles":"optional"'

REASONS: Final[tuple[tuple[str, Callable[[], object], str], ...]] = (
    ("answer-text", _verified(_in_other_words), "the text of this answer is 'buy nothing', not 'buy 0 Tower'"),
    ("asked-otherwise", _verified(lambda lines: _set(lines, FIRST, asked="ChooseOffer")), r"is asked Choose\w+, not seat"),
    ("bad-incident", _inserted({"kind": "incident"}, {"what": "voided"}), "is told in its part of the game"),
    ("bad-length", lambda: seat_commitment(bytes(31), 0, bytes(32)), "a commitment is 32 bytes"),
    ("bad-match-id", _retold(b'"match":"m-1"', b'"match":"M-1"'), "small letters, digits and hyphens"),
    ("bad-member", _forged(FIRST, lambda told, _: told.update(seat=3)), "a whole number from 0 to 2, not 3"),
    ("bad-number", _retold(b'"n":1,', b'"n":1.0,'), "numbers of a record are whole, not '1.0'"),
    ("bad-promise", _forged(0, lambda told, _: told.update(deal="plain")), "in the modes server and joint"),
    ("bad-receipt", lambda: Receipt("m-1", bytes(31), bytes(32)), "hash 'line' has 32 bytes, not 31"),
    ("bad-rules", _retold(RULES, b'"dead_tiles":"forced"'), "these rules have the fingerprint"),
    ("bad-seat", lambda: seat_commitment(bytes(32), 6, bytes(32)), "numbered from 0 to 5, not 6"),
    (
        "bad-signature",
        lambda: read_signature(b"{}\n"),
        "one line of canonical JSON with match, line, game, commitment, at, key, ",
    ),
    ("bad-tail", lambda: verify([b"{}\n"]), "the members game, run and line, in this order"),
    ("bad-text", lambda: encoded("\ud800"), "a UTF-8 form"),
    ("bad-value", lambda: encoded(0.5), "text, whole numbers, truth values and lists, not 0.5"),
    ("by", _verified(lambda lines: _set(lines, FIRST, by=AnsweredBy.AUTOMATIC)), "so somebody gives one"),
    ("commitment", _verified(lambda lines: _set(lines, -1, nonce=bytes(32))), "not what the header's commitment was made of"),
    ("default", _verified(_not_by_default, whole=True), "the default of this decision is '.*', not"),
    ("digest", _verified(lambda lines: _set(lines, FIRST, digest="A" * 22)), "the state has the digest .*, not A"),
    ("empty", lambda: verify([]), "a record begins with a header line"),
    (
        "faults",
        _verified(lambda lines: _set(lines, -1, faults=({"default: timeout": 1}, {}, {}))),
        "answered by default, counted by cause",
    ),
    ("game-chain", _retold(b'"by":"bot"', b'"by":"automatic"'), "the hash 'game' of this line is"),
    ("game-over", _verified(_one_more, whole=True), "the game is over before this decision"),
    ("line-chain", _retold(b'"software":"mergemaker"', b'"software":"Mergemaker"'), "the hash 'line' of this line is"),
    ("long-line", lambda: list(whole_lines([b"x" * 65_537])), "at most 65,536 bytes"),
    ("long-note", _forged(FIRST, lambda _, run: run.update(note="x" * 1_025)), "at most 1024 bytes, not 1025"),
    ("misplaced", _verified(lambda lines: lines.insert(2, lines[1])), "there is one deal line"),
    ("missing-member", _forged(FIRST, lambda told, _: told.pop("by")), "the line has no 'by'"),
    ("newer-format", _forged(0, lambda told, _: told.update(format=2)), "this record has format 2, .* a newer one reads it"),
    ("newer-rules", _forged(0, lambda told, _: told.update(rules_version=2)), "by rules version 2, .* a newer one reads it"),
    ("no-deal", _verified(_without_a_deal), "no line says that its deal was made"),
    ("parent", _verified(lambda lines: _set(lines, 0, parent=Parent("m-0", 4, "A" * 22))), "the parent's hash 'game'"),
    ("statuses", _verified(lambda lines: lines.insert(-2, Incident(what="resigned", seat=1))), "finished, resigned, finished"),
    ("not-an-object", lambda: decoded(b"[]"), "a line is a JSON object"),
    ("not-canonical", _retold(b'"n":1,', b'"n": 1,'), "no blanks between its parts"),
    ("not-json", lambda: verify([b"\x1f\x8b\n"]), "a line is UTF-8 text"),
    ("not-over", _ended_too_soon, "a match ends when its game is over, or when it is voided"),
    ("result", _verified(lambda lines: _set(lines, -1, why=Ending.STUCK), whole=True), "the game ended because it was declared"),
    ("too-deep", lambda: decoded(b"[" * 60_000), "at most 12 deep"),
    ("too-large", lambda: list(whole_lines([bytes(64 * 1024 * 1024 + 1)])), "at most 67,108,864 bytes"),
    ("too-much", lambda: read_record(sealed(_lines()), kept_bytes_max=1_000), "at most 1,000 bytes are kept in memory"),
    (
        "signature-commitment",
        lambda: EndSignature(SignedEnd(RECEIPT, None, "", ""), b"").check(RECEIPT, bytes(32)),
        "names another commitment",
    ),
    ("torn", lambda: verify([sealed(_lines())[0][:-1]]), "the last line is torn off"),
    ("twice", lambda: decoded(b'{"a":1,"a":2}'), "a name stands twice"),
    ("unfinished", _verified(lambda lines: lines.pop()), "the match is running, or was broken off"),
    ("unknown-kind", _inserted({"kind": "weather"}, {}), "lines are of kind header, deal, decision, incident or end"),
    ("unknown-member", _forged(FIRST, lambda told, _: told.update(weather=1)), "no member 'weather' in this format"),
    ("voided", _verified(lambda lines: lines.pop(-2)), "and this one has none"),
)
OF_LOGS: Final = {"public_log.py", "in_log.py"}
"""test_public_log shows the reasons of these modules."""
OF_A_WRONG_ENGINE: Final = {"audit", "books"}
"""Reasons that no record can show alone. test_verify breaks the engine for them."""


@pytest.mark.parametrize(("reason", "make", "text"), REASONS, ids=[row[0] for row in REASONS])
def test_each_reason_is_given_with_a_text_for_people(reason: str, make: Callable[[], object], text: str) -> None:
    with pytest.raises(RecordError, match=text) as refusal:
        make()
    assert refusal.value.reason == reason
    assert len(str(refusal.value)) < 500


def test_every_reason_of_records_is_shown_here() -> None:
    folder = Path(record_package.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in folder.glob("*.py") if path.name not in OF_LOGS]
    raised = {reason for source in sources for _, reason in reasons_in(source, {"RecordError"})}
    assert raised == {reason for reason, _, _ in REASONS} | OF_A_WRONG_ENGINE


def test_records_are_refused_only_with_errors_of_records() -> None:
    folder = Path(record_package.__file__).parent
    kinds = {"EngineError", "SetupError", "MalformedAction", "IllegalAction", "NotationError", "ViewError"}
    for path in folder.glob("*.py"):
        assert not reasons_in(path.read_text(encoding="utf-8"), kinds), path.name
