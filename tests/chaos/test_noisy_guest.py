"""A guest makes noise beside good bots, and nobody else notices. `tests.chaos.noisy_guest` measures every kind."""

from pathlib import Path
from typing import Final

import pytest
from mergemaker_referee.records.files import open_record

from tests.chaos.noises import KINDS, NOISES
from tests.chaos.noisy_guest import Phase, Row
from tests.chaos.noisy_house import House, house
from tests.chaos.played_matches import game_hash, records_of
from tests.chaos.server_process import until
from tests.chaos.watched_process import PROC

pytestmark = [
    pytest.mark.checkout,
    pytest.mark.skipif(not PROC.is_dir(), reason="the server is looked at in /proc, which is Linux's"),
]

SEED: Final = 20261119
NOISY: Final = ("long answers to open decisions", "resumes in 16 matches", "evicts itself")
MATCHES_EACH: Final = 2


def _play(place: House, count: int) -> dict[int, str]:
    """Plays this number of matches to their ends; returns the `game` chain of each match so far."""
    with place.server.operator() as operator:
        for _ in range(count):
            place.make_one(operator)
    place.finish()
    return {number: game_hash(record) for number, record in records_of(place.server, place.plans).items()}


@pytest.mark.slow
def test_nobody_but_the_guest_can_tell_that_there_is_noise(tmp_path: Path) -> None:
    with house(tmp_path / "noisy", SEED, at_once=0) as place:
        for kind in NOISY:
            with place.guest(kind) as guest:
                until(lambda guest=guest: guest.answered.total() > 0, f"there is noise: {kind}")  # type: ignore[misc]
                played = _play(place, MATCHES_EACH)
                assert place.newcomer_s() is not None, kind
                assert place.operator_s() is not None, kind
                made = guest.answered.total()
                until(lambda guest=guest, made=made: guest.answered.total() > made, f"it goes on: {kind}")  # type: ignore[misc]
        assert not place.charged()
        assert not place.lost()
        assert not place.faults()
    with house(tmp_path / "quiet", SEED, at_once=0) as place:
        assert _play(place, len(NOISY) * MATCHES_EACH) == played


def test_a_charge_is_found(tmp_path: Path) -> None:
    with house(tmp_path, SEED, at_once=0) as place:
        _play(place, 1)
        assert not place.charged()
        (record,) = records_of(place.server, place.plans).values()
        assert open_record(record).end is not None
        record.write_bytes(record.read_bytes().replace(b'"by":"bot"', b'"by":"default: timeout"', 1))
        assert len(place.charged()) == 1


def _row(
    *, rate: float = 800.0, waits: float | None = 0.1, memory: float = 80.0, noise: float = 1.0, charged: tuple[str, ...] = ()
) -> Row:
    quiet = Phase(decisions_per_s=1_000.0, memory_mb=70.0)
    noisy = Phase(decisions_per_s=rate, memory_mb=memory, noise_per_s=noise, newcomers_s=[0.1, waits], operator_s=[waits, 0.1])
    return Row(kind="none", quiet=[quiet, quiet], noisy=[noisy, noisy], in_vain=[], charged=list(charged), lost=[], faults=[])


@pytest.mark.parametrize(
    ("row", "problems"),
    [
        (_row(), []),
        (_row(rate=690.0), ["slow"]),
        (_row(waits=None), ["newcomer", "operator"]),
        (_row(waits=11.0), ["newcomer", "operator"]),
        (_row(memory=171.0), ["memory"]),
        (_row(noise=0.0), ["made no noise"]),
        (_row(charged=("match 1",)), ["charged"]),
    ],
)
def test_a_row_fails_for_what_is_not_as_it_should_be(row: Row, problems: list[str]) -> None:
    assert row.problems() == problems
    assert ("FAILS" in str(row)) == bool(problems)


def test_there_are_more_than_twenty_kinds_of_noise() -> None:
    assert len(KINDS) > 20
    assert set(NOISY) < set(KINDS) < set(NOISES)
