"""Metrics: they count what is played and what goes wrong, at a separate address."""

import inspect
import urllib.request
from pathlib import Path

import pytest
from mergemaker_engine.record.lines import AnsweredBy, Ending
from mergemaker_referee.configuration.settings import Address
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.measures import NO_MEASURES
from mergemaker_referee.metrics import metrics_page
from mergemaker_table.terms import ClockTerms
from mergemaker_testkit.live_referee import Clients, LiveReferee, live_referee, play_to_the_end

LOOPBACK = Address("127.0.0.1", 0)
WAIT_LIMIT_S = 60.0
"""A guard against a hang."""


def _page(port: int | None) -> dict[str, float]:
    """The page's values, by name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_LIMIT_S) as response:
        lines = response.read().decode("utf-8").split("\n")
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line and line[0] != "#")}


def _over(page: dict[str, float]) -> float:
    return sum(value for name, value in page.items() if name.startswith("mergemaker_matches_over_total"))


def test_what_is_measured_is_shown() -> None:
    with metrics_page(LOOPBACK) as (measures, port):
        measures.answered(5_000_000, 20_000)
        measures.written(40_000)
        measures.default_taken(AnsweredBy.TIMEOUT)
        measures.refused()
        measures.match_over(Ending.DECLARED)
        found = _page(port)
    assert found['mergemaker_decision_seconds_bucket{le="0.003"}'] == 0
    assert found['mergemaker_decision_seconds_bucket{le="0.01"}'] == 1
    assert found["mergemaker_decision_seconds_sum"] == pytest.approx(0.005)
    assert found["mergemaker_answer_queue_seconds_sum"] == pytest.approx(0.000_02)
    assert found["mergemaker_record_write_seconds_sum"] == pytest.approx(0.000_04)
    assert found['mergemaker_defaults_total{cause="timeout"}'] == 1
    assert found['mergemaker_defaults_total{cause="never-joined"}'] == 0
    assert found["mergemaker_refusals_total"] == 1
    assert found['mergemaker_matches_over_total{ending="declared"}'] == 1


def test_without_metrics_nothing_comes_of_it_and_with_them_nothing_is_ignored() -> None:
    names = {name for name in dir(NO_MEASURES) if not name.startswith("_")}
    with metrics_page(LOOPBACK) as (measures, _):
        assert names
        assert names <= vars(type(measures)).keys(), "each is counted"
        for name in names:
            assert inspect.signature(getattr(measures, name)) == inspect.signature(getattr(NO_MEASURES, name))
    NO_MEASURES.answered(1, 1)
    NO_MEASURES.written(1)
    NO_MEASURES.default_taken(AnsweredBy.TIMEOUT)
    NO_MEASURES.refused()
    NO_MEASURES.match_over(Ending.VOIDED)


def test_every_cause_has_a_label() -> None:
    with metrics_page(LOOPBACK) as (measures, port):
        for cause in AnsweredBy:
            if cause not in (AnsweredBy.BOT, AnsweredBy.AUTOMATIC):
                measures.default_taken(cause)
        found = _page(port)
    counted = {name: value for name, value in found.items() if name.startswith("mergemaker_defaults_total")}
    assert len(counted) == len(AnsweredBy) - 2
    assert set(counted.values()) == {1}


def test_a_taken_port_is_said() -> None:
    with (
        metrics_page(LOOPBACK) as (_, port),
        pytest.raises(RefereeError, match="metrics cannot be served on 127") as found,
        metrics_page(Address("127.0.0.1", port)),
    ):
        pass
    assert found.value.reason == "metrics-address"


def _played_badly(referee: LiveReferee, clients: Clients) -> str:
    """A match whose first answer is a non-existent index; all others are right. No clock of it runs out."""
    made = referee.create(clock=ClockTerms(name="ample", allowance_ms=600_000, startup_ms=600_000))
    match = made.table.setup.match
    bots = [clients.seated(made, seat) for seat in range(2)]
    seat = bots[0].until("match_started").match_started.view.turn_seat
    asked = bots[seat].until("decision").decision
    bots[seat].answer(match, asked.id, index=10_000)
    bots[seat].until("answer_refused")
    bots[seat].answer(match, asked.id, index=0)
    bots[seat].until("answer_accepted")
    play_to_the_end(bots, match)
    return match


def _never_answered(referee: LiveReferee, clients: Clients) -> str:
    """A match in which nobody ever answers."""
    made = referee.create(clock=ClockTerms(name="blink", allowance_ms=20, startup_ms=600_000))
    bots = [clients.seated(made, seat) for seat in range(2)]
    for bot in bots:
        bot.until("match_ended")
    return made.table.setup.match


def test_a_match_that_is_played_is_counted(tmp_path: Path) -> None:
    with live_referee(tmp_path, metrics_listen=LOOPBACK) as referee:
        assert referee.running is not None
        clients = Clients(referee)
        before = _page(referee.running.metrics_port)
        referee.until_over(_played_badly(referee, clients))
        between = _page(referee.running.metrics_port)
        referee.until_over(_never_answered(referee, clients))
        after = _page(referee.running.metrics_port)
        clients.close()
    assert before['mergemaker_matches{phase="playing"}'] == 0
    assert before["mergemaker_sessions"] == 0
    assert between["mergemaker_sessions"] == 2
    assert between['mergemaker_matches{phase="over"}'] == 1
    assert between["mergemaker_refusals_total"] == 1
    assert between["mergemaker_decision_seconds_count"] >= 50
    assert between["mergemaker_answer_queue_seconds_count"] == between["mergemaker_decision_seconds_count"]
    assert sum(value for name, value in between.items() if name.startswith("mergemaker_defaults_total")) == 0
    assert after["mergemaker_sessions"] == 4
    assert after['mergemaker_matches{phase="over"}'] == 2
    assert after["mergemaker_refusals_total"] == 1
    assert after["mergemaker_decision_seconds_count"] == between["mergemaker_decision_seconds_count"]
    assert after['mergemaker_defaults_total{cause="timeout"}'] >= 5
    assert after['mergemaker_defaults_total{cause="autopilot"}'] >= 1
    assert after["mergemaker_record_write_seconds_count"] >= 5
    assert after["mergemaker_transport_lag_seconds"] >= 0
    assert after["mergemaker_referee_lag_seconds"] >= 0
    assert after["mergemaker_transport_tasks"] >= 1
    assert after["mergemaker_referee_tasks"] >= 1
    assert _over(after) == 2
