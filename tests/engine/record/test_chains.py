"""The two chains: `game` identifies equal plays, `line` equal records, and no bit can be changed."""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import DecisionLine, EndLine, Header, Incident, Line, Parent, PlayIncident
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_testkit.recorded import forged, of_kind, opened, parts_in, recorded_match, sealed

CLASSIC: Final = preset("renegade-classic")
SEED: Final = bytes(range(32))
FLIPS_OF_A_WHOLE_MATCH: Final = 80
FLIPS_OF_A_LINE: Final = 15


@cache
def _short() -> tuple[Line, ...]:
    """A match that was voided after some decisions, with one incident of the run and one of the play."""
    lines = opened(recorded_match(CLASSIC, 2, SEED, DealMode.JOINT, note="a note, é", decisions=5))
    return (
        *lines[:4],
        Incident(what="paused", why="asked for", run={"at_ms": 5}),
        *lines[4:-1],
        Incident(what="voided", why="power cut"),
        lines[-1],
    )


def _games(lines: Sequence[Line]) -> list[str]:
    """Every line's `game` hash."""
    chains = Chains()
    found: list[str] = []
    for line in lines:
        chains.seal(line)
        found.append(hash_text(chains.game))
    return found


def _another_run(line: Line) -> Line:
    """The same line, with everything changed that may differ in another run of the same play."""
    run = {"at_ms": 999, "weather": ["rain", None]}
    match line:
        case Header():
            promised = replace(line.promise, commitment=bytes(32)) if line.promise else None
            parent = Parent("m-0", 5, "A" * 22)
            bots = tuple("another" for _ in line.bots)
            return replace(line, match="m-2", bots=bots, promise=promised, parent=parent, software="", started="never", more=run)
        case DecisionLine():
            return replace(line, note=None, run=run)
        case EndLine():
            return replace(line, server_seed=bytes(32), nonce=None, run=run)
        case Incident():
            return replace(line, run=run)
    return replace(line, seat_commitments=(None, None), contributions=(bytes(32), None))


def test_nothing_in_run_changes_game() -> None:
    lines = _short()
    others = [_another_run(line) for line in lines]
    assert all(one != other for one, other in zip(lines, others, strict=True))
    assert _games(lines) == _games(others)


def test_everything_in_run_changes_line() -> None:
    lines = list(_short())
    ends = {sealed(lines)[-1]}
    for at in range(len(lines) - 1):
        changed = [*lines[:at], _another_run(lines[at]), *lines[at + 1 :]]
        ends.add(sealed(changed)[-1])
    assert len(ends) == len(lines)


def test_incidents_of_the_run_do_not_change_game() -> None:
    lines = list(_short())
    for at in range(1, len(lines)):
        others = [*lines[:at], Incident(what="reconnected", seat=1, why="asked for"), *lines[at:]]
        games = _games(others)
        assert games[at] == games[at - 1]
        del games[at]
        assert games == _games(lines)
        assert sealed(others)[-1] != sealed(lines)[-1]


@pytest.mark.parametrize("what", PlayIncident)
def test_incidents_of_the_play_change_game(what: PlayIncident) -> None:
    lines = list(_short())
    ends = {_games(lines)[-1]}
    for seat in (None, 0, 1):
        for why in (None, "", "another"):
            ends.add(_games([*lines[:-1], Incident(what=str(what), seat=seat, why=why), lines[-1]])[-1])
    assert len(ends) == 1 + 3 * 3


def test_everything_outside_run_changes_game() -> None:
    header, deal, *others = _short()
    first, end = of_kind(others[0], DecisionLine), of_kind(others[-1], EndLine)
    head = of_kind(header, Header)
    changed: list[list[Line]] = [
        [replace(head, rules=preset("corporations")), deal, first, end],
        [replace(head, clock={"bank_ms": 1}), deal, first, end],
        [header, first, deal, end],
        [header, deal, replace(first, seat=1 - first.seat), end],
        [header, deal, replace(first, answer="1A"), end],
        [header, deal, replace(first, asked="ChooseReply"), end],
        [header, deal, replace(first, digest="A" * 22), end],
        [header, deal, first, replace(end, faults=({}, {"default: timeout": 1}))],
        [header, deal, first, replace(end, seed=bytes(32))],
    ]
    ends = {_games(lines)[-1] for lines in [[header, deal, first, end], *changed]}
    assert len(ends) == 1 + len(changed)


def test_both_hashes_are_what_the_format_says() -> None:
    texts = sealed(_short())
    assert forged(map(parts_in, texts)) == texts
    first = texts[0]
    before_game, before_line = first[: first.index(b',"game":')], first[: first.rindex(b',"line":')]
    game = hash_text(hashlib.sha256(bytes(16) + before_game).digest()[:16])
    line = hash_text(hashlib.sha256(bytes(16) + before_line).digest()[:16])
    assert f'"game":"{game}"'.encode() in first
    assert first.endswith(f',"line":"{line}"}}\n'.encode())


def test_the_last_hashes_are_whole() -> None:
    *others, end = sealed(_short())
    for text in others:
        assert len(_hashes(text)[0]) == len(_hashes(text)[1]) == 22
    assert len(_hashes(end)[0]) == len(_hashes(end)[1]) == 43


def _hashes(text: bytes) -> tuple[str, str]:
    """Both hashes of a line, as it gives them."""
    _, _, rest = text.decode().rpartition(',"game":"')
    game, _, _ = rest.partition('"')
    _, _, line = text.decode().rpartition(',"line":"')
    return game, line.removesuffix('"}\n')


def test_a_copy_of_chains_continues_on_its_own() -> None:
    header, *others = _short()
    chains = Chains()
    chains.seal(header)
    twin = chains.copy()
    assert [twin.seal(line) for line in others] == [chains.copy().seal(others[0]), *sealed(_short())[2:]]
    assert (chains.lines, twin.lines) == (1, len(_short()))


# --- flipped bits ---


def _flipped(record: bytes, position: int, bit: int) -> bytes:
    return record[:position] + bytes([record[position] ^ 1 << bit]) + record[position + 1 :]


def _refused(record: bytes, position: int, bit: int) -> None:
    with pytest.raises(RecordError):
        verify([_flipped(record, position, bit)])


@pytest.mark.parametrize("mode", DealMode)
def test_not_one_byte_of_a_record_can_be_changed(mode: DealMode) -> None:
    texts = recorded_match(CLASSIC, 2, SEED, mode, note="é", decisions=2)
    record = b"".join(texts)
    verify([record])
    bits = random.Random(1)  # noqa: S311  # the choice of bits is always the same
    for position in range(len(record)):
        _refused(record, position, bits.randrange(8))


def test_not_one_bit_of_a_line_can_be_changed() -> None:
    texts = sealed(_short())
    for number, text in enumerate(texts):
        chains = Chains()
        for before in texts[:number]:
            chains.open(before[:-1])
        line = text[:-1]
        step = 1 if 0 < number < 3 else 7
        for place in range(0, 8 * len(line), step):
            with pytest.raises(RecordError):
                chains.open(_flipped(line, place // 8, place % 8))
        chains.open(line)


def test_no_byte_anywhere_in_a_whole_match_can_be_changed() -> None:
    record = b"".join(recorded_match(CLASSIC, 3, SEED))
    verify([record])
    places = random.Random(2)  # noqa: S311  # the choice of bits is always the same
    for _ in range(FLIPS_OF_A_WHOLE_MATCH):
        _refused(record, places.randrange(len(record)), places.randrange(8))


def test_no_bit_of_any_line_of_a_whole_match_can_be_changed() -> None:
    chains = Chains()
    bits = random.Random(3)  # noqa: S311  # the choice of bits is always the same
    for text in recorded_match(CLASSIC, 3, SEED):
        line = text[:-1]
        for _ in range(FLIPS_OF_A_LINE):
            with pytest.raises(RecordError):
                chains.open(_flipped(line, bits.randrange(len(line)), bits.randrange(8)))
        chains.open(line)


def test_no_line_can_be_left_out_repeated_or_moved() -> None:
    texts = sealed(_short())
    for at in range(len(texts)):
        for others in (texts[:at] + texts[at + 1 :], texts[: at + 1] + texts[at:], texts[:at] + texts[at + 1 :] + [texts[at]]):
            if others != texts:
                with pytest.raises(RecordError):
                    verify(others)
