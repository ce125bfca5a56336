"""A bot's library checks the deal against the promise: it finds every lie of a referee."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from mergemaker.v1 import events_pb2
from mergemaker.v1.referee_pb2 import PlayResponse
from mergemaker_client.bot import AsyncBot, Bot
from mergemaker_client.environment import Environment
from mergemaker_client.problems import FalseDeal
from mergemaker_client.reconnecting import Patience
from mergemaker_client.running import play, run
from mergemaker_client.turn import DealFinding, MatchResult
from mergemaker_engine.record.commitments import DealMode, commitment, joint_seed
from mergemaker_engine.rules import preset
from mergemaker_testkit.toy_referee import TOKEN, Plan, toy_referee

QUICK = Patience(reconnect_ms_min=1, reconnect_ms_max=2)
OTHER = bytes([7]) * 32
Lie = Callable[[PlayResponse], object]


@dataclass
class Found:
    """What the bot's author saw."""

    result: MatchResult
    reports: list[str]
    told: list[FalseDeal]


def played(plan: Plan) -> Found:
    told: list[FalseDeal] = []
    reports: list[str] = []

    class Listener(Bot):
        def on_false_deal(self, problem: FalseDeal) -> None:
            told.append(problem)

    with toy_referee(plan) as toy:
        environment = Environment.read({"MERGEMAKER_SERVER": toy.target, "MERGEMAKER_TOKEN": TOKEN})
        (result,) = play(Listener, environment, report=reports.append, patience=QUICK)
    return Found(result, reports, told)


def events_of(response: PlayResponse, kind: str) -> Iterator[events_pb2.Event]:
    return (event for event in response.events if event.WhichOneof("kind") == kind)


# The lies. Each takes a true response, and changes it.


def no_promise(response: PlayResponse) -> None:
    if response.HasField("match_offered"):
        response.match_offered.commitment = b""


def another_nonce(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        response.match_ended.proof.nonce = OTHER


def another_seed_in_the_proof(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        response.match_ended.proof.seed = OTHER


def another_server_seed(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        response.match_ended.proof.server_seed = OTHER


def short_nonce(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        response.match_ended.proof.nonce = OTHER[:31]


def short_seed(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        response.match_ended.proof.seed = b""


def strange_name_of_the_match(response: PlayResponse) -> None:
    if response.HasField("match_offered"):
        response.match_offered.promise_match = "Not A Match"


def another_deal_than_promised(response: PlayResponse) -> None:
    """Promise and proof agree; the tiles come from elsewhere."""
    if response.HasField("match_offered"):
        response.match_offered.commitment = commitment("toy-0", OTHER, OTHER)
    if response.HasField("match_ended"):
        proof = response.match_ended.proof
        proof.seed, proof.server_seed, proof.nonce = OTHER, OTHER, OTHER


def another_promise_after_a_break() -> Lie:
    shown: list[bytes] = []

    def lie(response: PlayResponse) -> None:
        if response.HasField("match_offered"):
            if shown:
                response.match_offered.commitment = OTHER
            shown.append(response.match_offered.commitment)

    return lie


def another_tile_in_the_hand(response: PlayResponse) -> None:
    for event in events_of(response, "tiles_received"):
        if event.number > 20:
            event.tiles_received.squares[0] = (event.tiles_received.squares[0] + 1) % 108


def another_start_tile(response: PlayResponse) -> None:
    for event in events_of(response, "start_tile_placed"):
        event.start_tile_placed.square = (event.start_tile_placed.square + 1) % 108


def another_tile_placed_by_the_other(response: PlayResponse) -> None:
    for event in events_of(response, "tile_placed"):
        if event.tile_placed.seat == 1:
            event.tile_placed.square = (event.tile_placed.square + 50) % 108


def more_tiles_drawn_than_there_are(response: PlayResponse) -> None:
    for event in events_of(response, "tiles_drawn"):
        event.tiles_drawn.count = 6


def another_tile_for_the_market(response: PlayResponse) -> None:
    for event in events_of(response, "market_drew"):
        event.market_drew.square = (event.market_drew.square + 1) % 108


def an_event_left_out(response: PlayResponse) -> None:
    if len(response.events) > 3 and response.events[0].number > 20:
        del response.events[1]


SERVER_LIES: list[tuple[Lie, str]] = [
    (no_promise, "no-promise"),
    (another_nonce, "promise-broken"),
    (another_server_seed, "promise-broken"),
    (another_seed_in_the_proof, "seed-differs"),
    (short_nonce, "unreadable-proof"),
    (short_seed, "unreadable-proof"),
    (strange_name_of_the_match, "unreadable-proof"),
    (another_deal_than_promised, "tiles-differ"),
    (another_tile_in_the_hand, "tiles-differ"),
    (another_start_tile, "tiles-differ"),
    (another_tile_placed_by_the_other, "tiles-differ"),
    (more_tiles_drawn_than_there_are, "tiles-differ"),
    (another_tile_for_the_market, "tiles-differ"),
    (an_event_left_out, "events-missing"),
]


def named(value: object) -> str | None:
    return getattr(value, "__name__", None)


@pytest.mark.parametrize(("lie", "reason"), SERVER_LIES, ids=named)
def test_a_lie_of_the_referee_is_found_and_told(lie: Lie, reason: str) -> None:
    found = played(Plan(mode=DealMode.SERVER, distort=lie))
    assert found.result.deal is DealFinding.FALSE
    assert found.result.problem is not None
    assert found.result.problem.reason == reason
    assert [problem.reason for problem in found.told] == [reason]
    (report,) = [report for report in found.reports if "NOT THE ONE THAT WAS PROMISED" in report]
    assert f"match toy-0: THE DEAL IS NOT THE ONE THAT WAS PROMISED ({reason}): " in report


def test_a_promise_that_changes_over_a_break_is_found() -> None:
    found = played(Plan(mode=DealMode.SERVER, distort=another_promise_after_a_break(), drop_unanswered={3}))
    assert found.result.problem is not None
    assert found.result.problem.reason == "promise-changed"


# In joint mode.


def anothers_part_changed(response: PlayResponse) -> None:
    """The other seat conspires with the referee, and changes its part after it has seen ours."""
    if response.HasField("match_ended"):
        proof = response.match_ended.proof
        proof.parts[1] = OTHER
        proof.seed = joint_seed(proof.server_seed, proof.parts)


def own_part_left_out(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        proof = response.match_ended.proof
        proof.parts[0] = b""
        proof.seed = joint_seed(proof.server_seed, [bytes(32), *proof.parts[1:]])


def own_promise_replaced(response: PlayResponse) -> None:
    if response.HasField("seats_committed"):
        response.seats_committed.commitments[0] = OTHER
    own_part_left_out(response)


def parts_without_effect(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        response.match_ended.proof.seed = response.match_ended.proof.server_seed


def too_few_parts(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        del response.match_ended.proof.parts[1]


def too_few_promises(response: PlayResponse) -> None:
    if response.HasField("seats_committed"):
        del response.seats_committed.commitments[1]


def short_part(response: PlayResponse) -> None:
    if response.HasField("match_ended"):
        response.match_ended.proof.parts[1] = OTHER[:5]


JOINT_LIES: list[tuple[Lie, str]] = [
    (another_nonce, "promise-broken"),
    (anothers_part_changed, "part-differs"),
    (own_part_left_out, "own-part-differs"),
    (own_promise_replaced, "own-promise-differs"),
    (parts_without_effect, "seed-differs"),
    (too_few_parts, "unreadable-proof"),
    (too_few_promises, "unreadable-proof"),
    (short_part, "unreadable-proof"),
    (another_tile_in_the_hand, "tiles-differ"),
]


@pytest.mark.parametrize(("lie", "reason"), JOINT_LIES, ids=named)
def test_a_lie_about_a_joint_deal_is_found_and_told(lie: Lie, reason: str) -> None:
    found = played(Plan(mode=DealMode.JOINT, distort=lie))
    assert found.result.deal is DealFinding.FALSE
    assert [problem.reason for problem in found.told] == [reason]
    assert any("NOT THE ONE THAT WAS PROMISED" in report for report in found.reports)


# An honest referee.


@pytest.mark.parametrize("rules_name", ["renegade-classic", "renegade-tycoon", "avalon-hill-powers", "corporations"])
@pytest.mark.parametrize(
    ("mode", "finding"),
    [
        (DealMode.SERVER, DealFinding.PROVEN),
        (DealMode.JOINT, DealFinding.PROVEN),
        (DealMode.PLAIN, DealFinding.NOT_PROMISED),
    ],
)
def test_an_honest_deal_is_proven(rules_name: str, mode: DealMode, finding: DealFinding) -> None:
    found = played(Plan(mode=mode, rules=preset(rules_name), seats=3 if rules_name == "renegade-tycoon" else 2))
    assert (found.result.deal, found.result.problem, found.told) == (finding, None, [])
    assert all("PROMISED" not in report for report in found.reports)


def test_a_deal_is_proven_over_breaks() -> None:
    found = played(Plan(mode=DealMode.SERVER, drop_unanswered={2, 9}, drop_unacknowledged={5}))
    assert found.result.deal is DealFinding.PROVEN


def test_a_seed_that_is_told_later_is_no_lie() -> None:
    def later(response: PlayResponse) -> None:
        if response.HasField("match_ended"):
            response.match_ended.ClearField("proof")

    found = played(Plan(mode=DealMode.SERVER, distort=later))
    assert (found.result.deal, found.result.problem, found.told) == (DealFinding.NOT_RELEASED, None, [])


def test_events_of_a_newer_referee_leave_the_tiles_unchecked() -> None:
    """They may be draws that this client does not know."""

    def newer(response: PlayResponse) -> None:
        for event in events_of(response, "turn_began"):
            event.ClearField("turn_began")

    found = played(Plan(mode=DealMode.SERVER, distort=newer))
    assert (found.result.deal, found.told) == (DealFinding.IN_PART, [])


def test_after_an_open_refusal_of_a_part_the_tiles_still_tell() -> None:
    def refusing(response: PlayResponse) -> None:
        own_part_left_out(response)
        if response.HasField("seats_committed"):
            response.request_refused.request = "seat_reveal"
            response.request_refused.problem.reason = "not-now"

    found = played(Plan(mode=DealMode.JOINT, distort=refusing))
    # The toy deals with the part anyway, so the tiles cannot be those of a seed without it.
    assert found.result.problem is not None
    assert found.result.problem.reason == "tiles-differ"


def test_on_error_raise_stops_the_bot_and_the_trace_tells(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    with toy_referee(Plan(mode=DealMode.SERVER, distort=another_nonce)) as toy:
        environment = Environment.read(
            {"MERGEMAKER_SERVER": toy.target, "MERGEMAKER_TOKEN": TOKEN, "MERGEMAKER_TRACE": str(trace)}
        )
        with pytest.raises(FalseDeal) as caught:
            play(AsyncBot, environment, on_error="raise", report=lambda _: None)
    assert caught.value.reason == "promise-broken"
    (line,) = [line for line in map(json.loads, trace.read_text().splitlines()) if line["direction"] == "problem"]
    assert (line["match"], line["reason"]) == ("toy-0", "promise-broken")


def test_a_bots_process_ends_with_1_after_a_false_deal(capsys: pytest.CaptureFixture[str]) -> None:
    with toy_referee(Plan(mode=DealMode.SERVER, distort=another_nonce)) as toy, pytest.raises(SystemExit) as left:
        run(Bot, server=toy.target, token=TOKEN)
    assert left.value.code == 1
    errors = capsys.readouterr().err
    assert "THE DEAL IS NOT THE ONE THAT WAS PROMISED (promise-broken)" in errors
    assert "1 of 1 deals were not the ones promised: promise-broken" in errors


def test_a_bot_that_fails_when_it_is_told_is_reported() -> None:
    class Failing(Bot):
        def on_false_deal(self, problem: FalseDeal) -> None:
            raise LookupError(problem.reason)

    reports: list[str] = []
    with toy_referee(Plan(mode=DealMode.SERVER, distort=another_nonce)) as toy:
        play(Failing, Environment.read({"MERGEMAKER_SERVER": toy.target, "MERGEMAKER_TOKEN": TOKEN}), report=reports.append)
    assert any("failed in on_false_deal" in report for report in reports)
