"""A server that is killed at an exact moment, and started again: its bots get everything that is due to them.

Every server here is a separate process, killed by SIGKILL, and its bots use a real connection.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2
from mergemaker_engine.record.commitments import seat_commitment
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import record_chunks
from mergemaker_testkit.live_referee import RawBot, play_to_the_end

from tests.chaos import FULL
from tests.chaos.dying_server import PROGRAM, STEP_VARIABLE, TEXT_VARIABLE, Step
from tests.chaos.played_matches import is_ended, lines_of
from tests.chaos.server_process import SERVE, ServerProcess, server_process, until
from tests.chaos.shares import full_only

pytestmark = [pytest.mark.slow, pytest.mark.checkout]

CLOCK: Final = match_pb2.ClockTerms(name="test", allowance_ms=50, bank_ms=120_000, startup_ms=600_000)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with server_process(tmp_path / "server") as process:
        yield process


@pytest.fixture
def bots() -> Iterator[list[RawBot]]:
    """Clients that the test's end closes."""
    found: list[RawBot] = []
    yield found
    for bot in found:
        bot.close()


class Match:
    """A match of two raw clients on a server that stops and restarts."""

    def __init__(self, server: ServerProcess, bots: list[RawBot], **wishes: Any) -> None:
        self.server: Final = server
        self._bots: Final = bots
        request = matches_pb2.CreateMatchRequest(
            seats=[matches_pb2.SeatPlan(name=name) for name in ("a", "b")], **{"clock": CLOCK, "seed": bytes(32), **wishes}
        )
        with server.operator() as operator:
            made = operator.call("CreateMatch", request)
        self.id: Final[str] = made.match.match
        self.tokens: Final = list(made.seat_tokens)

    @property
    def record(self) -> Path:
        (path,) = [path for path in self.server.record_paths() if self.id in path.name]
        return path

    def seat(self, number: int) -> RawBot:
        """A client that takes a seat, for the first time or again."""
        bot = RawBot(self.server, self.tokens[number])
        self._bots.append(bot)
        bot.hello()
        bot.send(referee_pb2.PlayRequest(match=self.id, take_seat=referee_pb2.TakeSeat(seat=number)))
        return bot

    def begin(self) -> tuple[list[RawBot], int, referee_pb2.Decision]:
        """Both take their seats; returns the clients, the number of the first asked, and its question."""
        both = [self.seat(number) for number in range(2)]
        started = [bot.until("match_started") for bot in both]
        first = started[0].match_started.view.turn_seat
        response = started[first] if started[first].HasField("decision") else both[first].until("decision")
        return both, first, response.decision

    def restart(self) -> None:
        """kill -9, and another process on the same folder and port."""
        self.server.kill()
        self.server.serve()

    def lines(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in lines_of(self.record) if line["kind"] == kind]


MOMENTS: Final = {
    "its secrets are still empty": (Step.OPENED, ".secrets"),
    "its secrets are written": (Step.SYNCED, ".secrets"),
    "its record is still empty": (Step.OPENED, str(Path("records", "20"))),  # its name begins with the date
    "its first line is torn": (Step.HALF_WRITTEN, '"kind":"header"'),
    "its first line is written and told to nobody": (Step.WRITTEN, '"kind":"header"'),
    "its deal is torn": (Step.HALF_WRITTEN, '"kind":"deal"'),
    "its deal is written and told to nobody": (Step.WRITTEN, '"kind":"deal"'),
    "a decision is torn": (Step.HALF_WRITTEN, '"kind":"decision","n":9,'),
    "a decision is written and told to nobody": (Step.WRITTEN, '"kind":"decision","n":9,'),
    "its end is torn": (Step.HALF_WRITTEN, '"kind":"end"'),
    "its end is written and told to nobody": (Step.WRITTEN, '"kind":"end"'),
    "its secrets are removed": (Step.REMOVED, ".secrets"),
}
ALWAYS: Final = ("its end is written and told to nobody",)


@pytest.mark.larger
@pytest.mark.parametrize("moment", MOMENTS if FULL else ALWAYS)
def test_a_server_that_dies_when(moment: str, tmp_path: Path, bots: list[RawBot]) -> None:
    step, text = MOMENTS[moment]
    with server_process(tmp_path / "server", program=PROGRAM, environment={STEP_VARIABLE: step, TEXT_VARIABLE: text}) as server:
        server.serve()
        match = None
        try:
            match = Match(server, bots)
        except grpc.RpcError:
            pass  # nobody knows of it
        else:
            _play_until_it_dies(match)
        assert server.wait_for_end() != 0
        server.program = SERVE
        server.serve()
        if match is None:
            # A match that had begun exists, though nobody has its tokens: the operator finds it, and another one.
            assert _cancel_all(server) == (moment == "its first line is written and told to nobody")
            match = Match(server, bots)
        if moment == "its secrets are removed":
            # The server knows no bots any more to inform: all had the end by then, or it was on its way to them.
            bots += [RawBot(server, token) for token in match.tokens]
            assert [bot.end().reason for bot in bots[-2:]] == ["wrong-token"] * 2
        else:
            results = play_to_the_end([match.seat(number) for number in range(2)], match.id)
            assert results[0] == results[1]
            assert results[0].ending != match_pb2.ENDING_VOIDED
        server.stop()
        assert "error" not in server.log_text()
        assert all(map(is_ended, server.record_paths()))
        verify(record_chunks(match.record))
        assert [line["n"] for line in match.lines("decision")] == list(range(1, len(match.lines("decision")) + 1))


def _cancel_all(server: ServerProcess) -> int:
    with server.operator() as operator:
        found = operator.call("ListMatches", matches_pb2.ListMatchesRequest()).matches
        for each in found:
            operator.call("CancelMatch", matches_pb2.CancelMatchRequest(match=each.match))
    return len(found)


def _play_until_it_dies(match: Match) -> None:
    try:
        both = [match.seat(number) for number in range(2)]
        play_to_the_end(both, match.id)
    except AssertionError:
        pass  # the streams ended: the server is gone


@pytest.mark.larger
@full_only
def test_an_answer_that_was_written_and_not_acknowledged_is_acknowledged_when_it_is_sent_again(
    tmp_path: Path, bots: list[RawBot]
) -> None:
    dying = {STEP_VARIABLE: Step.WRITTEN, TEXT_VARIABLE: '"by":"bot"'}
    with server_process(tmp_path / "server", program=PROGRAM, environment=dying) as server:
        server.serve()
        match = Match(server, bots)
        both, first, decision = match.begin()
        both[first].answer(match.id, decision.id, decision.default_index)
        assert server.wait_for_end() != 0
        # More responses may come, but no acknowledgement of the answer.
        while isinstance(response := both[first].next(), referee_pb2.PlayResponse):
            assert not response.HasField("answer_accepted")
        server.program = SERVE
        server.serve()
        again, other = match.seat(first), match.seat(1 - first)
        acknowledged = []
        for _ in range(2):
            again.answer(match.id, decision.id, decision.default_index)

        def hear(seat: int, response: referee_pb2.PlayResponse) -> None:
            if not seat and response.HasField("answer_accepted"):
                acknowledged.append(response.answer_accepted.decision)

        play_to_the_end([again, other], match.id, hear)
        assert acknowledged.count(decision.id) == 2
        server.stop()
        answered = [line for line in match.lines("decision") if line["by"] == AnsweredBy.BOT]
        assert [line["n"] for line in match.lines("decision")] == list(range(1, len(match.lines("decision")) + 1))
        assert sum(line["seat"] == first and line["n"] == answered[0]["n"] for line in answered) == 1
        verify(record_chunks(match.record))


@pytest.mark.larger
@full_only
def test_an_open_decision_starts_anew_with_the_banks_last_line_and_all_its_strikes(
    server: ServerProcess, bots: list[RawBot]
) -> None:
    server.serve()
    match = Match(server, bots)
    both, asked, decision = match.begin()
    # The seat thinks longer than its free time, so that its bank shrinks.
    while decision.bank_ms == CLOCK.bank_ms:
        time.sleep(2 * CLOCK.allowance_ms / 1_000)
        both[asked].answer(match.id, decision.id, decision.default_index)
        decision = _next_of(both, match, asked)
    for _ in range(2):
        both[asked].answer(match.id, decision.id, 10_000)
        both[asked].until("answer_refused")
    match.restart()
    again = [match.seat(number) for number in range(2)]
    put_again = again[asked].until("decision").decision
    written = [
        line["run"]["bank_ms"] for line in match.lines("decision") if line["seat"] == asked and line["by"] == AnsweredBy.BOT
    ]
    assert put_again.id == decision.id
    assert put_again.view == decision.view
    assert put_again.bank_ms == decision.bank_ms == written[-1] < CLOCK.bank_ms
    assert put_again.time_left_ms == put_again.bank_ms + CLOCK.allowance_ms
    again[asked].answer(match.id, put_again.id, 10_000)
    told = again[asked].until("default_taken")
    assert told.answer_refused.refusals_left == 0
    assert told.default_taken.decision == decision.id
    assert [line["seat"] for line in match.lines("decision") if line["by"] == AnsweredBy.ILLEGAL] == [asked]


def _next_of(both: list[RawBot], match: Match, seat: int) -> referee_pb2.Decision:
    """The next decision of a seat; meanwhile, the other one answers its questions by default."""
    found: list[referee_pb2.Decision] = []
    other = both[1 - seat]

    def look(bot: RawBot) -> referee_pb2.Decision | None:
        response = bot.next_if_any()
        return response.decision if response is not None and response.HasField("decision") else None

    def step() -> bool:
        mine, others = look(both[seat]), look(other)
        if others is not None:
            other.answer(match.id, others.id, others.default_index)
        if mine is not None:
            found.append(mine)
        return bool(found)

    until(step, "the seat is asked again")
    return found[0]


@pytest.mark.larger
@full_only
def test_the_clock_of_who_does_not_come_back_begins_behind_the_time_of_grace(tmp_path: Path, bots: list[RawBot]) -> None:
    # The time until the server is killed, which a busy machine draws out, is part of the clock: it has ample time for that.
    grace_ms, clock = 700, match_pb2.ClockTerms(name="test", allowance_ms=50, bank_ms=3_000, startup_ms=600_000)
    with server_process(tmp_path / "server", wishes={"faults": {"recovery_grace_ms": grace_ms}}) as server:
        server.serve()
        match = Match(server, bots, clock=clock)
        _, asked, decision = match.begin()
        match.restart()
        match.seat(1 - asked)
        until(lambda: any(line["by"] == AnsweredBy.DISCONNECTED for line in match.lines("decision")), "its time is up")
        taken = next(line for line in match.lines("decision") if line["by"] == AnsweredBy.DISCONNECTED)
        (recovered,) = [line for line in match.lines("incident") if line["run"].get("what") == "recovered"]
        assert (taken["seat"], decision.id) == (asked, 1)
        assert taken["run"]["used_ms"] == clock.allowance_ms + clock.bank_ms
        # At least: this test does not check how much later a busy machine does it.
        assert taken["run"]["at_ms"] - recovered["run"]["at_ms"] >= grace_ms + clock.allowance_ms + clock.bank_ms


@pytest.mark.larger
@full_only
def test_who_was_on_autopilot_is_not_asked_after_a_restart(server: ServerProcess, bots: list[RawBot]) -> None:
    server.serve()
    match = Match(server, bots, faults=match_pb2.FaultTerms(refusals_max=1, defaults_max=1))
    both, asked, decision = match.begin()
    both[asked].answer(match.id, decision.id, 10_000)
    both[asked].until("default_taken")
    match.restart()
    again = [match.seat(number) for number in range(2)]
    results = play_to_the_end(again, match.id, lambda seat, response: _never_asks(asked, seat, response))
    assert [standing.status for standing in results[0].standings] == [
        match_pb2.SEAT_STATUS_AUTOPILOT if seat == asked else match_pb2.SEAT_STATUS_FINISHED for seat in range(2)
    ]
    server.stop()
    verify(record_chunks(match.record))


def _never_asks(retired: int, seat: int, response: referee_pb2.PlayResponse) -> None:
    assert seat != retired or not response.HasField("decision"), response


@pytest.mark.larger
@full_only
def test_a_joint_deal_keeps_its_promises_over_a_restart_between_promise_and_part(
    server: ServerProcess, bots: list[RawBot]
) -> None:
    server.serve()
    match = Match(server, bots, seed=b"", deal_mode=match_pb2.DEAL_MODE_JOINT)
    parts = [bytes([number + 1]) * 32 for number in range(2)]
    both = [match.seat(number) for number in range(2)]
    for number, bot in enumerate(both):
        offered = bot.until("match_offered").match_offered
        commitment = seat_commitment(offered.commitment, number, parts[number])
        bot.send(referee_pb2.PlayRequest(match=match.id, seat_ready=referee_pb2.SeatReady(commitment=commitment)))
    promised = [bot.until("seats_committed").seats_committed for bot in both]
    match.restart()
    again = [match.seat(number) for number in range(2)]
    assert [bot.until("seats_committed").seats_committed for bot in again] == promised
    for bot, part in zip(again, parts, strict=True):
        bot.send(referee_pb2.PlayRequest(match=match.id, seat_reveal=referee_pb2.SeatReveal(part=part)))
    results = play_to_the_end(again, match.id)
    assert list(results[0].proof.parts) == parts
    server.stop()
    verify(record_chunks(match.record))
