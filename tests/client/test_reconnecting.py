"""When to reconnect after a stream breaks."""

import pytest
from mergemaker_client.reconnecting import STEADY_MS, Backoff, Patience

PATIENCE = Patience(reconnect_ms_min=100, reconnect_ms_max=1_000, first_contact_ms_max=5_000, give_up_ms=20_000)


def test_each_wait_is_longer_up_to_a_bound() -> None:
    backoff = Backoff(PATIENCE, lambda: 1.0, 0)
    assert [backoff.wait_ms(0, 0) for _ in range(6)] == [100, 200, 400, 800, 1_000, 1_000]


def test_in_the_middle_of_a_match_no_wait_is_long() -> None:
    backoff = Backoff(Patience(reconnect_ms_min=100, reconnect_playing_ms_max=300), lambda: 1.0, 0)
    assert [backoff.wait_ms(0, 0, is_playing=True) for _ in range(4)] == [100, 200, 300, 300]
    assert backoff.wait_ms(0, 0) == 1_600


def test_chance_takes_away_up_to_half() -> None:
    chances = iter([0.0, 0.5, 1.0])
    backoff = Backoff(Patience(reconnect_ms_min=1_000, reconnect_ms_max=1_000), lambda: next(chances), 0)
    assert [backoff.wait_ms(0, 0) for _ in range(3)] == [500, 750, 1_000]


def test_the_referees_wish_is_added() -> None:
    assert Backoff(PATIENCE, lambda: 0.0, 0).wait_ms(0, 700) == 750


@pytest.mark.parametrize(("was_welcome", "limit_ms"), [(False, 5_000), (True, 20_000)])
def test_it_gives_up_when_the_time_is_over(was_welcome: bool, limit_ms: int) -> None:
    backoff = Backoff(PATIENCE, lambda: 0.0, 0)
    if was_welcome:
        backoff.welcomed()
        assert backoff.wait_ms(0, 0) == 50
        backoff.opened(0)
    assert backoff.limit_ms == limit_ms
    assert backoff.wait_ms(limit_ms - 600, 0) is not None
    assert backoff.wait_ms(limit_ms, 0) is None


def test_after_a_welcome_the_time_begins_anew() -> None:
    backoff = Backoff(PATIENCE, lambda: 0.0, 0)
    for hour in range(1, 5):
        backoff.opened(hour * 3_600_000)
        backoff.welcomed()
        assert backoff.wait_ms(hour * 3_600_000, 0) is not None


def test_a_referee_that_welcomes_and_drops_is_not_hammered() -> None:
    backoff = Backoff(PATIENCE, lambda: 1.0, 0)
    waits = []
    for _ in range(5):
        backoff.opened(0)
        backoff.welcomed()
        waits.append(backoff.wait_ms(0, 0))
    assert waits == [100, 200, 400, 800, 1_000]


@pytest.mark.parametrize("how", ["steady", "progress"])
def test_a_stream_that_was_of_use_makes_the_next_break_a_new_one(how: str) -> None:
    backoff = Backoff(PATIENCE, lambda: 1.0, 0)
    backoff.wait_ms(0, 0)
    backoff.wait_ms(0, 0)
    backoff.opened(0)
    backoff.welcomed()
    if how == "progress":
        backoff.progressed()
    assert backoff.wait_ms(STEADY_MS if how == "steady" else 0, 0) == 100
