"""`mergemaker bench referee`: real servers and clients for a moment, and rows from invented measurements."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_bench import referee_speed
from mergemaker_bench.referee_audience import Audience, measure_audience
from mergemaker_bench.referee_bot import SEATS, answer_to, bot_token, place_of
from mergemaker_bench.referee_child import Child, rss_bytes
from mergemaker_bench.referee_client import part_of
from mergemaker_bench.referee_deadlines import (
    ALLOWANCE_MS,
    DEADLINES,
    Deadlines,
    SilentTable,
    deadline_rows,
    measure_deadlines,
    miss_deadlines,
)
from mergemaker_bench.referee_ends import Ends, end_rows, measure_ends
from mergemaker_bench.referee_processes import measure_processes
from mergemaker_bench.referee_rows import WHOLE_HELD_MUST, Case, Crowd, Played, rows_of
from mergemaker_bench.referee_script import played_script
from mergemaker_bench.referee_server import ServerKind
from mergemaker_bench.referee_silence import Silence, measure_silence
from mergemaker_bench.referee_slow import Slow, measure_slow
from mergemaker_bench.referee_speed import Effort, cases_of, gather, play, steps_of
from mergemaker_bench.rows import Row
from mergemaker_tools.problems import CommandFailed

from tests.tools.conftest import Run

TINY = Effort(
    rounds=1,
    window_s=0.0,
    spread_s=0.01,
    decisions_min=10,
    idle_bots=4,
    herd_bots=8,
    crowd_rounds=1,
    silent_matches=2,
    slow_decisions=4,
    mock_matches=3,
    watchers=5,
    settle_s=0.0,
    kills=1,
    with_freeze=False,
)
LOOK = Played(rate=1_000.0, cpu_us=100.0, client_cpu_us=50.0, p50_us=200.0, p99_us=300.0, messages={"responses": 1.0})
CROWD = Crowd(bots=8, lost=0, seconds=1.5, bytes_each=30_720.0)


def look(case: Case) -> Played:
    """The whole referee is five times slower than all others, with ten times their delay."""
    slow = replace(LOOK, rate=200.0, cpu_us=500.0, p50_us=2_000.0, p99_us=2_250.0, messages=None)
    return slow if case.kind is ServerKind.WHOLE else LOOK


def rows(changes: Mapping[Case, list[Played]] | None = None, crowds: list[Crowd] | None = None) -> dict[str, Row]:
    rounds = max(map(len, (changes or {}).values()), default=1)
    played = {case: [look(case)] * rounds for case in cases_of(8)} | dict(changes or {})
    return {row.id: row for row in rows_of(8, played, crowds or [CROWD], crowds or [CROWD])}


# --- real processes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(ServerKind))
def test_bots_play_on_each_server(kind: ServerKind) -> None:
    looked = play(Case(kind, held=kind is not ServerKind.NO_OP, matches=2), TINY)
    assert min(looked.rate, looked.cpu_us, looked.client_cpu_us) > 0
    assert 0 < looked.p50_us <= looked.p99_us
    assert (looked.messages is None) == (kind is ServerKind.WHOLE)


def test_bots_that_come_all_at_once_are_all_welcomed() -> None:
    crowd = gather(6, TINY)
    assert (crowd.bots, crowd.lost) == (8, 0)
    assert crowd.seconds > 0
    assert (crowd.bytes_each is None) == (rss_bytes() is None)


def test_a_herd_gets_in_of_which_grpc_with_its_own_limits_would_lose_many() -> None:
    crowd = gather(2_000, TINY)
    assert (crowd.bots, crowd.lost) == (2_000, 0)


def test_bots_that_say_nothing_are_acted_for_behind_their_deadline() -> None:
    silence = measure_silence(2, referee_speed.wait_for)
    assert (silence.matches, silence.defaults >= 2 * SEATS) == (2, True)
    assert 0 <= silence.p50_ms <= silence.p99_ms <= silence.most_ms


def test_those_who_look_on_are_all_shown_something_while_bots_play() -> None:
    audience = measure_audience(5, 0.1, referee_speed.wait_for)
    assert audience.watchers == 5
    assert audience.alone > 0
    assert min(audience.watched, audience.responses) >= 0  # nothing may have come in so short a time


def test_a_slow_match_on_a_loaded_server_is_measured_by_itself() -> None:
    slow = measure_slow(2, 4, 0.1, referee_speed.wait_for)
    assert (slow.matches, slow.decisions >= 4) == (2, True)
    assert 0 < slow.p50_ms <= slow.p99_ms
    assert slow.charged_p50_ms <= slow.charged_p99_ms
    assert min(slow.alone, slow.beside) >= 0  # nothing may have come in so short a time


def test_bots_that_are_killed_are_noticed_and_a_server_ends() -> None:
    ends = measure_ends(1, referee_speed.wait_for, with_freeze=False)
    assert ends.killed_ms > 0
    assert ends.frozen_s is None
    assert ends.stop_ms > 0


def test_mock_matches_take_every_default_at_its_deadline_on_a_clock_that_nobody_waits_for() -> None:
    seen = measure_deadlines(3)
    assert (seen.matches, seen.defaults) == (3, 3 * DEADLINES)
    assert seen.virtual_s == pytest.approx(DEADLINES * ALLOWANCE_MS / 1_000)
    assert seen.told_bytes > seen.defaults * 100
    assert min(seen.wall_s, seen.cpu_s) > 0


def test_mock_matches_that_break_are_no_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(SilentTable, "_ask", break_down)
    with pytest.raises(
        CommandFailed,
        match=r"^deadlines: 2 matches took 0 defaults, and 2 broke, in 0\.000 s of virtual",
    ):
        miss_deadlines(2)


def test_a_process_that_ends_says_why() -> None:
    with pytest.raises(CommandFailed, match=r"the process referee_server has ended: (?s:.*)'blank' is not a valid ServerKind"):
        Child("referee_server", {"kind": "blank"}).__enter__()


@pytest.mark.parametrize("what", ["lost", "refused", "broken"])
def test_what_did_not_go_well_is_no_measure(what: str) -> None:
    told = {"now_ns": 0, "cpu_ns": 0, "decisions": 0, "lost": 0, "refused": 0, "broken": 0, "p50_us": 1.0, "p99_us": 1.0}
    last = {**told, "now_ns": 10**9, "cpu_ns": 10**8, "decisions": 1_000}
    case = Case(ServerKind.WHOLE, held=True, matches=1)
    assert referee_speed._played(case, (told, last), (told, last), None) == Played(1_000.0, 100.0, 100.0, 1.0, 1.0)
    bad = {**last, what: 3}
    with pytest.raises(CommandFailed, match=r"^whole: .*\b3 .* is the machine far too busy\?$"):
        referee_speed._played(case, (told, bad), (told, bad), None)


def test_who_does_not_get_on_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee_speed, "GATHERING_LIMIT_S", -1.0)
    with pytest.raises(CommandFailed, match=r"did not get on within -1 s; the last that was heard: .*'decisions': [0-9]+"):
        play(Case(ServerKind.ECHO, held=True, matches=1), replace(TINY, decisions_min=10**9))


# --- the command ----------------------------------------------------------------------------------------------


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces processes with invented results."""
    monkeypatch.setattr(referee_speed, "play", lambda case, _effort: look(case))
    monkeypatch.setattr(referee_speed, "gather", lambda bots, _effort: replace(CROWD, bots=bots))
    monkeypatch.setattr(referee_speed, "measure_silence", lambda matches, _wait_for: Silence(matches, 8, 1.5, 2.5, 60.0))
    monkeypatch.setattr(referee_speed, "measure_ends", lambda *_, **__: Ends(12.0, None, 2_150.0))
    monkeypatch.setattr(referee_speed, "measure_audience", lambda watchers, *_: Audience(watchers, 1_000.0, 750.0, 900.0))
    monkeypatch.setattr(referee_speed, "measure_slow", lambda matches, *_: Slow(matches, 20, 2.0, 9.0, 1.0, 5.0, 1_000.0, 900.0))
    monkeypatch.setattr(referee_speed, "measure_deadlines", lambda matches: Deadlines(matches, 20 * matches, 9, 600.0, 2.5, 1.1))


@pytest.mark.usefixtures("made_up")
def test_bench_of_the_referee_as_json(run: Callable[..., Run]) -> None:
    measured = run("bench", "referee", "--quick", "--matches", "8", "--json")
    assert (measured.status, measured.err) == (0, "")
    document = json.loads(measured.out)
    assert set(document["versions"]) == {"grpcio", "protobuf", "trio", "uvloop"}
    assert document["messages"] == {"held": {"responses": 1.0}, "immediate": {"responses": 1.0}}
    assert document["processes"].startswith("one server and one client")
    found = {row["id"]: (row["measured"], row["must_met"], row["aim_met"]) for row in document["rows"]}
    assert found["whole-held-rate-ratio"] == found["whole-held-cpu-ratio"] == (0.2, False, False)
    assert found["whole-immediate-cpu-ratio"] == (0.2, False, None)
    assert found["whole-p50-ratio"] == (10.0, False, None)
    assert found["whole-p99-ratio"] == (1.125, True, None)
    assert found["herd-seconds"] == (1.5, True, None)
    assert found["slow-p50"] == (2.0, None, None)
    assert found["slow-others"] == (0.9, None, None)
    assert found["no-op-held-rate-ratio"] == (1.0, True, True)
    assert found["p99-added"] == (1.95, True, None)
    assert found["idle-memory"] == (30.0, True, None)
    assert found["silent-most"] == (58.5, False, None)
    assert found["mock-deadlines"] == (2.5, True, False)
    assert found["killed"] == (12.0, True, False)
    assert found["watched-rate-ratio"] == (0.75, None, False)
    assert found["stop"] == (2_150.0, True, True)


@pytest.mark.usefixtures("made_up")
def test_bench_of_the_referee_on_the_screen(run: Callable[..., Run]) -> None:
    measured = run("bench", "referee", "--quick")
    assert (measured.status, measured.err) == (0, "")
    assert f">= {WHOLE_HELD_MUST:.2f}" in measured.out
    assert "messages: held responses 1.0, immediate responses 1.0" in measured.out
    assert max(map(len, measured.out.splitlines())) <= 80


@pytest.mark.parametrize("matches", ["0", "1001", "many"])
def test_numbers_of_matches_that_are_refused(run: Callable[..., Run], matches: str) -> None:
    refused = run("bench", "referee", "--matches", matches)
    assert (refused.status, refused.out) == (2, "")
    assert "--matches" in refused.err


def test_every_step_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee_speed, "play", lambda case, _effort: look(case))
    monkeypatch.setattr(referee_speed, "gather", lambda bots, _effort: replace(CROWD, bots=bots))
    monkeypatch.setattr(referee_speed, "measure_silence", lambda matches, _wait_for: Silence(matches, 8, 1.5, 2.5, 60.0))
    monkeypatch.setattr(referee_speed, "measure_ends", lambda *_, **__: Ends(12.0, None, 2_150.0))
    monkeypatch.setattr(referee_speed, "measure_audience", lambda watchers, *_: Audience(watchers, 1_000.0, 750.0, 900.0))
    monkeypatch.setattr(referee_speed, "measure_slow", lambda matches, *_: Slow(matches, 20, 2.0, 9.0, 1.0, 5.0, 1_000.0, 900.0))
    monkeypatch.setattr(referee_speed, "measure_deadlines", lambda matches: Deadlines(matches, 20 * matches, 9, 600.0, 2.5, 1.1))
    effort = replace(TINY, rounds=2, crowd_rounds=3)
    steps: list[int] = []
    referee_speed.measure_referee(effort, 4, steps.append)
    assert steps == list(range(1, steps_of(effort, 4) + 1))


# --- rows -----------------------------------------------------------------------------------------------------


def test_a_floor_is_met_from_itself_on() -> None:
    row = Row("id", "what", "unit", 0.15, 0.15, 0.25, is_floor=True)
    assert (row.met(row.must), row.met(row.aim)) == (True, False)
    assert replace(row, measured=0.1499).met(0.15) is False


def test_the_best_of_all_rounds_counts() -> None:
    whole, echo = Case(ServerKind.WHOLE, held=True, matches=8), Case(ServerKind.ECHO, held=True, matches=8)
    slow = [replace(LOOK, rate=rate, cpu_us=cpu) for rate, cpu in ((100.0, 900.0), (250.0, 400.0), (200.0, 500.0))]
    found = rows({whole: slow, echo: [LOOK, replace(LOOK, rate=500.0, cpu_us=200.0), LOOK]})
    assert found["whole-held-rate"].measured == 250.0
    assert found["whole-held-rate-ratio"].measured == 0.25
    assert found["whole-held-rate-ratio"].note == "by round 0.10 0.50 0.20"
    assert found["whole-held-cpu-ratio"].measured == 0.25


def test_what_the_referee_adds_is_what_the_echo_does_not_have() -> None:
    alone = Case(ServerKind.WHOLE, held=True, matches=1)
    found = rows({alone: [replace(LOOK, p50_us=2_100.0, p99_us=2_400.0), replace(LOOK, p50_us=1_200.0, p99_us=2_800.0)]})
    assert (found["p50-added"].measured, found["p99-added"].measured) == (1.0, 2.1)
    assert found["p99-added"].met(found["p99-added"].must) is False


def test_of_crowds_the_worst_loss_the_best_time_and_the_least_memory_count() -> None:
    found = rows(crowds=[CROWD, replace(CROWD, lost=2, seconds=1.0, bytes_each=20_480.0)])
    assert (found["herd-lost"].measured, found["herd-seconds"].measured, found["herd-memory"].measured) == (2, 1.0, 20.0)
    assert found["herd-lost"].met(found["herd-lost"].must) is False


def test_where_memory_is_not_told_the_row_says_so() -> None:
    found = rows(crowds=[replace(CROWD, bytes_each=None)])["idle-memory"]
    assert (found.measured, found.met(found.must), found.note) == (None, None, "this system does not tell it as Linux does")


def test_who_is_not_stopped_has_no_row_of_its_own_measure() -> None:
    left_out, measured = ({row.id: row for row in end_rows(Ends(1.0, frozen_s, 1.0))}["frozen"] for frozen_s in (None, 20.5))
    assert (left_out.measured, left_out.met(left_out.must)) == (None, None)
    assert left_out.note
    assert (measured.met(measured.must), measured.note) == (False, "")


def test_of_rounds_of_mock_matches_the_best_counts() -> None:
    (row,) = deadline_rows([Deadlines(1_000, 20_000, 9, 600.0, wall_s, 0.9) for wall_s in (3.5, 0.9, 4.0)])
    assert (row.measured, row.met(row.must), row.met(row.aim)) == (0.9, True, True)
    assert row.what.startswith("1,000 mock matches, 20 deadlines each")
    assert row.note == "its CPU: 0.90 s, 45 µs for each; 600 s of virtual time"
    (slow,) = deadline_rows([Deadlines(1_000, 20_000, 9, 600.0, 3.01, 0.9)])
    assert slow.met(slow.must) is False


# --- what is played -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("held", [True, False])
def test_a_script_asks_once_in_each_step(held: bool) -> None:
    script = played_script(held=held)
    assert len(script.steps) > 100
    for step in script.steps:
        told = [referee_pb2.PlayResponse.FromString(data) for _, data in step.responses]
        assert sum(response.HasField("decision") for response in told) == 1
        assert not any(response.HasField("match_ended") or response.HasField("answer_refused") for response in told)
    assert script.facts["responses"] >= (1 if held else SEATS - 0.5)


def test_tables_begin_at_different_steps_of_a_script_and_go_round() -> None:
    script = played_script(held=True)
    size = len(script.steps)
    assert next(script.from_step(1)) is not next(script.from_step(0))
    assert list(islice(script.from_step(1), size + 1))[size] is next(script.from_step(1))


def test_an_instant_bot_gives_one_of_the_legal_answers() -> None:
    response = referee_pb2.PlayResponse(match="m")
    response.decision.answers.count = 7
    indices = set()
    for number in range(1, 100):
        response.decision.id = number
        answer = referee_pb2.PlayRequest.FromString(answer_to(response)).answer
        assert answer.decision == number
        indices.add(answer.index)
    assert indices == set(range(7))


def test_a_bot_is_known_by_its_token() -> None:
    assert place_of(bot_token(12, 3)) == (12, 3)


def test_parts_of_sorted_times() -> None:
    times = [1_000 * number for number in range(1, 101)]
    assert (part_of(times, 0.5), part_of(times, 0.99), part_of(times[:1], 0.99)) == (51.0, 100.0, 1.0)
    assert part_of([], 0.5) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it that way")
def test_memory_that_is_in_use() -> None:
    before = rss_bytes()
    held = b"x" * 50_000_000
    after = rss_bytes()
    assert before is not None
    assert after is not None
    assert after - before > 40_000_000
    assert len(held) == 50_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="the processor time of other processes is read as Linux reports it")
def test_two_processes_that_play_are_compared_with_one() -> None:
    rows = {row.id: row for row in measure_processes(TINY, 2, lambda _: None)}
    both, serving, playing = (rows[f"processes-2-{what}"].measured for what in ("cpu", "serving", "playing"))
    assert both is not None
    assert serving is not None
    assert playing is not None
    assert both == pytest.approx(serving + playing)
    assert min(serving, playing) > 0
    ratio, most = rows["processes-ratio"].measured, rows["processes-most"].measured
    assert ratio is not None
    assert 0 < ratio <= 2 * (rows["processes-1-cpu"].measured or 0) / both + 1e-9
    assert most == pytest.approx(playing / serving)
