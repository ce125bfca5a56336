"""Matches by preset, label and key, seats for a certain version of a bot, and declined seats."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2, status_pb2
from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_referee.records.files import open_record
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit.live_referee import (
    Clients,
    LiveReferee,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    play_to_the_end,
)

SEATS = [matches_pb2.SeatPlan()] * 2
CHAMPION = fresh_token(TokenKind.BOT)
BOTS = {"champion": token_hash(CHAMPION)}


class House:
    """A referee, its operator and its bots."""

    def __init__(self, referee: LiveReferee, token: str, channel: grpc.Channel) -> None:
        self.referee, self.clients = referee, Clients(referee)
        self._stub: Any = match_stub(channel)
        self._metadata = bearer(token)

    def create(self, **wishes: Any) -> matches_pb2.CreateMatchResponse:
        request = matches_pb2.CreateMatchRequest(**{"seats": SEATS, **wishes})
        found: matches_pb2.CreateMatchResponse = self._stub.CreateMatch(request, metadata=self._metadata)
        return found

    def listed(self, **wishes: Any) -> list[matches_pb2.MatchSummary]:
        page = self._stub.ListMatches(matches_pb2.ListMatchesRequest(**wishes), metadata=self._metadata)
        return list(page.matches)

    def cancel(self, match: str) -> None:
        self._stub.CancelMatch(matches_pb2.CancelMatchRequest(match=match), metadata=self._metadata)


@pytest.fixture
def operator() -> tuple[str, dict[str, Any]]:
    token, settings = operator_settings()
    return token, {**settings, "bots": BOTS}


@pytest.fixture
def house(tmp_path: Path, operator: tuple[str, dict[str, Any]]) -> Iterator[House]:
    token, settings = operator
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        made = House(referee, token, channel)
        yield made
        made.clients.close()


def reason_of(refused: Any) -> tuple[str, str]:
    """The status, and the reason for programs."""
    packed = dict(refused.trailing_metadata())["grpc-status-details-bin"]
    info = error_details_pb2.ErrorInfo()
    status_pb2.Status.FromString(packed).details[0].Unpack(info)
    return refused.code().name, info.reason


# --- presets, labels, keys ------------------------------------------------------------------------------------------------


def test_rules_can_be_named_by_their_preset(house: House) -> None:
    made = house.create(preset="corporations").match
    assert made.rules_fingerprint == preset("corporations").fingerprint()
    assert made.created.seconds > 1_700_000_000


def test_labels_are_listed_looked_for_and_recorded(house: House) -> None:
    labels = {"event": "spring-cup", "x.y/z_1-": "Ünder ölmo"}
    made = house.create(labels=labels).match
    plain = house.create().match
    assert (dict(made.labels), dict(plain.labels)) == (labels, {})
    assert [each.match for each in house.listed(labels={"event": "spring-cup"})] == [made.match]
    assert house.listed(labels={"event": "spring-cup", "round": "1"}) == []
    assert len(house.listed()) == 2
    (record,) = house.referee.settings.data_folder.rglob(f"*{made.match}.jsonl")
    assert open_record(record).header.more["labels"] == labels


@pytest.mark.parametrize(
    ("wishes", "code", "reason"),
    [
        ({"preset": "chess"}, "INVALID_ARGUMENT", "UNKNOWN_PRESET"),
        ({"preset": ""}, "INVALID_ARGUMENT", "UNKNOWN_PRESET"),
        ({"labels": {f"k{number}": "" for number in range(17)}}, "INVALID_ARGUMENT", "BAD_LABELS"),
        ({"labels": {"": "x"}}, "INVALID_ARGUMENT", "BAD_LABELS"),
        ({"labels": {"Event": "x"}}, "INVALID_ARGUMENT", "BAD_LABELS"),
        ({"labels": {"x" * 65: "x"}}, "INVALID_ARGUMENT", "BAD_LABELS"),
        ({"labels": {"event": "x" * 129}}, "INVALID_ARGUMENT", "BAD_LABELS"),
        ({"labels": {"event": "a\nb"}}, "INVALID_ARGUMENT", "BAD_LABELS"),
        ({"idempotency_key": "a b"}, "INVALID_ARGUMENT", "BAD_IDEMPOTENCY_KEY"),
        ({"idempotency_key": "x" * 65}, "INVALID_ARGUMENT", "BAD_IDEMPOTENCY_KEY"),
        ({"idempotency_key": "é"}, "INVALID_ARGUMENT", "BAD_IDEMPOTENCY_KEY"),
        ({"seats": [matches_pb2.SeatPlan(bot_version="x" * 65)] * 2}, "INVALID_ARGUMENT", "BAD_VERSION"),
        ({"seats": [matches_pb2.SeatPlan(bot_version="a\n")] * 2}, "INVALID_ARGUMENT", "BAD_VERSION"),
        ({"faults": match_pb2.FaultTerms(refusals_max=101)}, "INVALID_ARGUMENT", "BAD_TERMS"),
        ({"join_from": Timestamp(seconds=2**40)}, "INVALID_ARGUMENT", "BAD_JOIN_FROM"),
        ({"join_from": Timestamp(nanos=-1)}, "INVALID_ARGUMENT", "BAD_JOIN_FROM"),
        ({"wait_ms_max": 2**63}, "INVALID_ARGUMENT", "BAD_WAIT"),
        ({"missing_seats": 9}, "INVALID_ARGUMENT", "BAD_MISSING_SEATS"),
    ],
)
def test_what_cannot_be_wished_is_refused_and_makes_no_match(
    house: House, wishes: dict[str, Any], code: str, reason: str
) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        house.create(**wishes)
    assert reason_of(refused.value) == (code, reason)
    assert house.listed() == []


@pytest.mark.parametrize("labels", [{"Event": "x"}, {"event": "x" * 129}])
def test_labels_that_no_match_can_have_are_not_looked_for(house: House, labels: dict[str, str]) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        house.listed(labels=labels)
    assert reason_of(refused.value) == ("INVALID_ARGUMENT", "BAD_LABELS")


def test_limits_of_faults_that_are_zero_are_one(house: House) -> None:
    made = house.create(faults=match_pb2.FaultTerms(refusals_max=0, defaults_max=7))
    bot = house.clients.bot(made.seat_tokens[0])
    bot.hello()
    assert bot.take_seat().faults == match_pb2.FaultTerms(refusals_max=1, defaults_max=7)


def test_a_request_that_comes_again_makes_no_second_match(house: House) -> None:
    first = house.create(idempotency_key="cup/1")
    again = house.create(idempotency_key="cup/1")
    assert (again.match.match, again.seat_tokens) == (first.match.match, first.seat_tokens)
    assert len(house.listed()) == 1
    with pytest.raises(grpc.RpcError) as refused:
        house.create(idempotency_key="cup/1", preset="corporations")
    assert reason_of(refused.value) == ("ALREADY_EXISTS", "IDEMPOTENCY_KEY_USED")
    assert house.create(idempotency_key="cup/2").match.match != first.match.match
    house.cancel(first.match.match)
    over = house.create(idempotency_key="cup/1")
    assert (over.match.match, over.match.phase) == (first.match.match, matches_pb2.MATCH_PHASE_OVER)
    assert list(over.seat_tokens) == []


def test_a_request_that_could_not_be_done_may_come_again(house: House) -> None:
    with pytest.raises(grpc.RpcError):
        house.create(idempotency_key="k", seed=b"short")
    assert house.create(idempotency_key="k").match.match


def test_requests_are_known_after_a_restart(tmp_path: Path, operator: tuple[str, dict[str, Any]]) -> None:
    token, settings = operator
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        house = House(referee, token, channel)
        open_match = house.create(idempotency_key="open").match.match
        over = house.create(idempotency_key="over").match.match
        house.cancel(over)
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        house = House(referee, token, channel)
        for key, match in (("open", open_match), ("over", over)):
            again = house.create(idempotency_key=key)
            assert (again.match.match, list(again.seat_tokens)) == (match, [])
            with pytest.raises(grpc.RpcError) as refused:
                house.create(idempotency_key=key, labels={"a": "b"})
            assert reason_of(refused.value) == ("ALREADY_EXISTS", "IDEMPOTENCY_KEY_USED")


# --- who plays ------------------------------------------------------------------------------------------------------------


def test_bots_are_told_with_id_and_version_wherever_seats_are_named(tmp_path: Path, operator: tuple[str, dict[str, Any]]) -> None:
    token, settings = operator
    seats = [matches_pb2.SeatPlan(name="The Champion", bot_id="champion"), matches_pb2.SeatPlan(name="guest")]
    known = match_pb2.SeatBot(name="The Champion", id="champion", version="2.1")
    guest = match_pb2.SeatBot(name="guest", version="0.9")
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        house = House(referee, token, channel)
        made = house.create(seats=seats)
        assert list(made.match.bots) == [match_pb2.SeatBot(name="The Champion", id="champion"), match_pb2.SeatBot(name="guest")]
        bots = [house.clients.bot(CHAMPION), house.clients.bot(made.seat_tokens[1])]
        for bot, version in zip(bots, ("2.1", "0.9"), strict=True):
            bot.hello(bot_version=version)
            bot.take_seat()
        assert list(bots[0].until("match_started").match_started.bots) == [known, guest]
        ended = play_to_the_end(bots, made.match.match)
        assert [standing.bot for standing in ended[1].standings] == [known, guest]
        house.clients.close()
        (listed,) = house.listed()
        assert list(listed.bots) == [standing.bot for standing in listed.standings] == [known, guest]
    with live_referee(tmp_path, **settings) as referee, referee.channel() as channel:
        (again,) = House(referee, token, channel).listed()
        assert list(again.bots) == [standing.bot for standing in again.standings] == [known, guest]
        assert again.created == listed.created


def test_a_seat_for_a_version_is_given_to_no_other(house: House) -> None:
    seats = [matches_pb2.SeatPlan(bot_id="champion", bot_version="2"), matches_pb2.SeatPlan(bot_version="7")]
    made = house.create(seats=seats)
    old = house.clients.bot(CHAMPION)
    old.hello(bot_version="1")
    old.send(referee_pb2.PlayRequest(match=made.match.match, take_seat=referee_pb2.TakeSeat()))
    assert old.until("request_refused").request_refused.problem.reason == "other-version"
    old.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
    later = house.create(seats=[matches_pb2.SeatPlan(bot_id="champion"), matches_pb2.SeatPlan()]).match.match
    assert old.until("match_offered").match == later, "it waited, for another match"
    new = house.clients.bot(CHAMPION)
    new.hello(bot_version="2", evict=True)
    assert new.take_seat(made.match.match).seat == 0
    guest = house.clients.bot(made.seat_tokens[1])
    guest.hello()
    guest.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
    assert guest.until("request_refused").request_refused.problem.reason == "other-version"


# --- declined seats ----------------------------------------------------------------------------------------------


def declines(match: str, reason: str = "unknown-requirement", text: str = "what is that?") -> referee_pb2.PlayRequest:
    return referee_pb2.PlayRequest(match=match, decline_seat=referee_pb2.DeclineSeat(reason=reason, text=text))


def test_a_match_says_what_it_requires(house: House) -> None:
    for mode, required in ((DealMode.JOINT, ["joint-deal"]), (DealMode.SERVER, [])):
        bot = house.clients.bot(house.referee.create(mode=mode).tokens[0])
        bot.hello()
        assert list(bot.take_seat().requires) == required


def test_a_seat_that_is_declined_is_free_for_whoever_may_have_it(house: House) -> None:
    made = house.create()
    match = made.match.match
    bot = house.clients.bot(made.seat_tokens[0])
    bot.hello()
    bot.take_seat()
    bot.send(declines(match))
    bot.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
    assert bot.until("request_refused").request_refused.problem.reason == "declined-seat"
    assert list(house.listed()[0].connected) == [False, False]
    assert bot.take_seat(match).seat == 0, "it asks for it by name"
    other = house.clients.bot(made.seat_tokens[1])
    other.hello()
    other.take_seat()
    assert bot.until("match_started").match == match


def test_a_known_bot_is_not_given_the_seat_again_that_it_declined(house: House) -> None:
    seats = [matches_pb2.SeatPlan(bot_id="champion"), matches_pb2.SeatPlan()]
    first = house.create(seats=seats).match.match
    bot = house.clients.bot(CHAMPION)
    bot.hello()
    bot.take_seat()
    bot.send(declines(first))
    bot.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
    second = house.create(seats=seats).match.match
    assert bot.until("match_offered").match == second


def test_from_the_deal_on_to_decline_is_to_resign(house: House) -> None:
    made = house.create()
    bots = [house.clients.bot(token) for token in made.seat_tokens]
    for bot in bots:
        bot.hello()
        bot.take_seat()
    bots[0].until("match_started")
    bots[0].send(declines(made.match.match))
    (ended,) = play_to_the_end(bots[1:], made.match.match)
    assert [standing.status for standing in ended.standings] == [match_pb2.SEAT_STATUS_RESIGNED, match_pb2.SEAT_STATUS_FINISHED]


@pytest.mark.parametrize(
    ("reason", "text"), [("", ""), ("Bad Reason", ""), ("x" * 65, ""), ("other", "x" * 201), ("other", "two\nlines")]
)
def test_a_reason_that_cannot_be_written_declines_nothing(house: House, reason: str, text: str) -> None:
    made = house.create()
    bot = house.clients.bot(made.seat_tokens[0])
    bot.hello()
    bot.take_seat()
    bot.send(declines(made.match.match, reason, text))
    refused = bot.until("request_refused").request_refused
    assert (refused.request, refused.problem.reason) == ("decline_seat", "bad-reason")
    assert list(house.listed()[0].connected) == [True, False]


def test_a_seat_that_one_does_not_have_cannot_be_declined(house: House) -> None:
    made = house.create()
    bot = house.clients.bot(made.seat_tokens[0])
    bot.hello()
    for match in (made.match.match, "nowhere", ""):
        bot.send(declines(match))
        refused = bot.until("request_refused").request_refused
        assert (refused.request, refused.problem.reason) == ("decline_seat", "unknown-match")
