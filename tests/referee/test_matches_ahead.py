"""Matches before their time to join: the responses to bots that ask for a seat, and the bots for whom a match waits."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
from google.protobuf.timestamp_pb2 import Timestamp
from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import Closing
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.making import MadeMatch, MatchWish, SeatWish
from mergemaker_referee.tokens import TokenKind, token_hash
from mergemaker_table import Phase
from mergemaker_table.join_terms import WAIT_MS_MAX, JoinTerms, MissingSeats
from mergemaker_testkit.in_process import PATIENT, House, Stream, a_house

BOTS = ("ann", "bob", "cid")
OPERATOR = f"{TokenKind.OPERATOR}operator"
DAY_MS = 86_400_000
SETTINGS = Settings(operator_token_hash=token_hash(OPERATOR), bots={name: token_hash(f"{TokenKind.BOT}{name}") for name in BOTS})


async def _make(house: House, *bots: str) -> tuple[HostedMatch, MadeMatch]:
    return await house.referee.create(
        MatchWish(
            rules=preset("renegade-classic"),
            seats=tuple(SeatWish(bot, bot) for bot in bots),
            terms=PATIENT,
            joining=JoinTerms(missing=MissingSeats.VOID, wait_ms_max=DAY_MS),
            mode=DealMode.SERVER,
        )
    )


async def _greeted(house: House, name: str, at_once: int = 1, version: str = "") -> Stream:
    stream = house.open(f"{TokenKind.BOT}{name}")
    await stream.come(
        referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], evict=True, matches_max=at_once, bot_version=version))
    )
    return stream


def _take(match: str = "", seat: int | None = None) -> referee_pb2.PlayRequest:
    return referee_pb2.PlayRequest(match=match, take_seat=referee_pb2.TakeSeat(seat=seat))


def _kinds(said: list[referee_pb2.PlayResponse]) -> list[str]:
    return [field.name for response in said for field, _ in response.ListFields() if field.name not in ("match", "ping")]


def _phase(match: HostedMatch) -> Phase:
    return match.table.phase


def _missing(match: HostedMatch) -> dict[str, str]:
    return dict(match.awaited())


def _run(happen: Any, folder: Path) -> None:
    async def main() -> None:
        async with a_house(folder, SETTINGS) as house:
            await happen(house)

    trio.run(main)


def test_a_match_that_is_asked_for_by_name_begins_when_all_have_asked(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        other, _ = await _make(house, "ann", "bob")
        match, _ = await _make(house, "ann", "bob")
        ann, bob = await _greeted(house, "ann"), await _greeted(house, "bob")
        assert await ann.come(_take(match.id)) == []
        assert await ann.come(_take(match.id, 0)) == []
        assert _phase(match) is Phase.WAITING
        assert _missing(match) == {"bob": "asks for no match"}
        said = await bob.come(_take(match.id))
        assert _kinds([*said, *ann.responses()]).count("match_offered") == 2
        assert _phase(match) is Phase.PLAYING
        assert (_phase(other), _missing(match)) == (Phase.WAITING, {})
        full = "plays 1 at once, as many as it takes"
        assert _missing(other) == {"ann": full, "bob": full}

    _run(happen, tmp_path)


def test_who_asks_for_a_match_while_it_plays_another_gets_it_behind_that(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        first, _ = await _make(house, "ann", "bob")
        second, _ = await _make(house, "ann", "cid")
        ann, bob, cid = [await _greeted(house, name) for name in BOTS]
        for stream in (ann, bob, cid):
            await stream.come(_take())
        assert _phase(first) is Phase.PLAYING
        ann.responses()
        assert await ann.come(_take(second.id)) == []
        (refused,) = [said.request_refused for said in await ann.come(_take()) if said.HasField("request_refused")]
        assert refused.problem.reason == "too-many-matches"
        house.referee._lobby.look_after_matches_ahead()
        assert second.id in house.referee._seating.ahead
        await house.call("CancelMatch", matches_pb2.CancelMatchRequest(match=first.id).SerializeToString(), OPERATOR)
        assert _phase(second) is Phase.PLAYING
        assert _kinds(cid.responses())[:1] == ["match_offered"]

    _run(happen, tmp_path)


def test_a_bot_of_another_version_is_not_there(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        plans = [matches_pb2.SeatPlan(bot_id="ann", bot_version="2"), matches_pb2.SeatPlan(name="stranger")]
        match = await _created(house, seats=plans)
        assert isinstance(match, HostedMatch)
        ann = await _greeted(house, "ann", version="1")
        assert await ann.come(_take()) == []
        assert _missing(match) == {"ann": "says that it is version '1', and the seat is for another"}
        ann = await _greeted(house, "ann", version="2")
        assert _kinds(await ann.come(_take()))[:1] == ["match_offered"]

    _run(happen, tmp_path)


def test_a_seat_of_somebody_else_is_refused_while_a_match_waits(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        match, _ = await _make(house, "ann", "bob")
        cid, ann = await _greeted(house, "cid"), await _greeted(house, "ann")
        for stream, request in ((cid, _take(match.id)), (ann, _take(match.id, 1))):
            (refused,) = [said.request_refused for said in await stream.come(request) if said.HasField("request_refused")]
            assert refused.problem.reason == "not-your-seat"
        assert _missing(match) == {"ann": "asks for no match", "bob": "is not connected"}

    _run(happen, tmp_path)


def test_who_asked_by_name_is_told_when_the_match_is_cancelled_and_nobody_else(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        match, _ = await _make(house, "ann", "bob", "cid")
        ann, bob = await _greeted(house, "ann"), await _greeted(house, "bob")
        assert await ann.come(_take(match.id)) == []
        assert await bob.come(_take()) == []
        await house.call("CancelMatch", matches_pb2.CancelMatchRequest(match=match.id).SerializeToString(), OPERATOR)
        ended = [said.match_ended for said in ann.responses() if said.HasField("match_ended")]
        assert [each.ending for each in ended] == [match_pb2.ENDING_VOIDED]
        assert bob.responses() == []
        cid = await _greeted(house, "cid")
        assert await cid.come(_take()) == []

    _run(happen, tmp_path)


def test_a_bot_that_waits_goes_and_comes_back_has_to_ask_again(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        match, _ = await _make(house, "ann", "bob")
        ann, bob = await _greeted(house, "ann"), await _greeted(house, "bob")
        await ann.come(_take())
        await ann.leave()
        assert await bob.come(_take()) == []
        assert _missing(match) == {"ann": "is not connected"}
        ann = await _greeted(house, "ann")
        assert _phase(match) is Phase.WAITING
        assert _kinds(await ann.come(_take()))[:1] == ["match_offered"]

    _run(happen, tmp_path)


def test_who_did_not_hear_of_its_seat_and_asks_again_is_not_refused(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        ann, bob = house.open(f"{TokenKind.BOT}ann"), await _greeted(house, "bob")
        (welcomed, *_) = await ann.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
        for stream in (ann, bob):
            await stream.come(_take())
        match, _ = await _make(house, "ann", "bob")
        await ann.leave()
        back = house.open(f"{TokenKind.BOT}ann")
        resume = referee_pb2.Resume(resume_token=welcomed.welcome.resume_token)
        said = await back.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], resume=resume)))
        assert _kinds(said)[:2] == ["welcome", "match_offered"]
        assert "request_refused" not in _kinds(await back.come(_take()))
        assert "request_refused" in _kinds(await back.come(_take()))
        assert _phase(match) is Phase.PLAYING

    _run(happen, tmp_path)


def test_nothing_is_kept_of_matches_that_waited(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        ahead = house.referee._seating.ahead
        begun, _ = await _make(house, "ann", "bob")
        cancelled, _ = await _make(house, "bob", "cid")
        assert [each.match for each in ahead] == [begun, cancelled]
        for name in ("ann", "bob"):
            await (await _greeted(house, name)).come(_take())
        for match in (begun, cancelled):
            await house.call("CancelMatch", matches_pb2.CancelMatchRequest(match=match.id).SerializeToString(), OPERATOR)
        assert list(ahead) == []
        assert not ahead._of_bot
        for match in (begun, cancelled):
            house.referee._seating.remove(match)
        assert not house.referee._seating._never_begun

    _run(happen, tmp_path)


async def _created(house: House, **wishes: Any) -> HostedMatch | str:
    """The operator's new match of a known bot and a stranger; or the reason for its refusal."""
    plans = [matches_pb2.SeatPlan(bot_id="ann"), matches_pb2.SeatPlan(name="stranger")]
    request = matches_pb2.CreateMatchRequest(**{"seats": plans, **wishes})
    reply = await house.call("CreateMatch", request.SerializeToString(), OPERATOR)
    if isinstance(reply, Closing):
        return reply.reason
    assert isinstance(reply, bytes)
    return house.referee._seating.matches[matches_pb2.CreateMatchResponse.FromString(reply).match.match]


TOMORROW = datetime.now(UTC).replace(microsecond=123_456) + timedelta(days=1)
AT_TOMORROW = TOMORROW.replace(microsecond=123_000)
TWO_TOKENS = [matches_pb2.SeatPlan(name="a"), matches_pb2.SeatPlan(name="b")]


def _at(moment: datetime) -> Timestamp:
    found = Timestamp()
    found.FromDatetime(moment)
    return found


@pytest.mark.parametrize(
    ("wishes", "joining"),
    [
        ({}, JoinTerms(missing=MissingSeats.VOID, wait_ms_max=DAY_MS)),
        ({"wait_ms_max": 0}, JoinTerms(missing=MissingSeats.VOID, wait_ms_max=0)),
        ({"missing_seats": matches_pb2.MISSING_SEATS_PLAY}, JoinTerms(missing=MissingSeats.PLAY, wait_ms_max=DAY_MS)),
        ({"join_from": _at(TOMORROW)}, JoinTerms(missing=MissingSeats.VOID, begins=AT_TOMORROW)),
        (
            {"join_from": _at(TOMORROW), "wait_ms_max": 7},
            JoinTerms(missing=MissingSeats.VOID, begins=AT_TOMORROW, wait_ms_max=7),
        ),
        ({"seats": TWO_TOKENS, "wait_ms_max": 7}, JoinTerms(missing=MissingSeats.VOID)),
        ({"seats": TWO_TOKENS, "join_from": _at(TOMORROW)}, JoinTerms(missing=MissingSeats.VOID, begins=AT_TOMORROW)),
    ],
)
def test_the_operator_says_when_a_match_is_to_begin(tmp_path: Path, wishes: dict[str, Any], joining: JoinTerms) -> None:
    async def happen(house: House) -> None:
        match = await _created(house, **wishes)
        assert isinstance(match, HostedMatch)
        assert match.table.setup.joining == joining

    _run(happen, tmp_path)


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        ({"missing_seats": 9}, "bad-missing-seats"),
        ({"wait_ms_max": WAIT_MS_MAX + 1}, "bad-wait"),
        ({"wait_ms_max": 2**64 - 1}, "bad-wait"),
        ({"join_from": _at(TOMORROW + timedelta(days=30))}, "bad-join-from"),
        ({"join_from": Timestamp(seconds=2**62)}, "bad-join-from"),
        ({"join_from": Timestamp(seconds=-(2**62))}, "bad-join-from"),
        ({"join_from": Timestamp(nanos=-1)}, "bad-join-from"),
    ],
)
def test_a_beginning_that_cannot_be_is_refused(tmp_path: Path, wishes: dict[str, Any], reason: str) -> None:
    async def happen(house: House) -> None:
        assert await _created(house, **wishes) == reason

    _run(happen, tmp_path)


def test_lists_show_that_a_match_waits_until_when_and_for_whom(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        at_once, later = await _created(house), await _created(house, join_from=_at(TOMORROW))
        assert isinstance(at_once, HostedMatch)
        assert isinstance(later, HostedMatch)
        waiting = matches_pb2.ListMatchesRequest(phase=matches_pb2.MATCH_PHASE_WAITING).SerializeToString()

        async def listed() -> dict[str, matches_pb2.MatchSummary]:
            reply = await house.call("ListMatches", waiting, OPERATOR)
            assert isinstance(reply, bytes)
            return {each.match: each for each in matches_pb2.ListMatchesResponse.FromString(reply).matches}

        found = await listed()
        assert [(each.bot_id, each.why) for each in found[at_once.id].awaited] == [("ann", "is not connected")]
        assert not found[at_once.id].HasField("join_from")
        assert found[later.id].join_from == _at(AT_TOMORROW)
        assert house.referee.matches_in(matches_pb2.MATCH_PHASE_WAITING) == 2
        await (await _greeted(house, "ann")).come(_take())
        assert set(await listed()) == {later.id}
        reply = await house.call("GetMatch", matches_pb2.GetMatchRequest(match=at_once.id).SerializeToString(), OPERATOR)
        assert isinstance(reply, bytes)
        summary = matches_pb2.GetMatchResponse.FromString(reply).match
        assert (summary.phase, list(summary.awaited)) == (matches_pb2.MATCH_PHASE_JOINING, [])

    _run(happen, tmp_path)


def test_a_named_time_that_has_passed_begins_at_once(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        match = await _created(house, join_from=Timestamp())
        assert isinstance(match, HostedMatch)
        assert _phase(match) is Phase.JOINING

    _run(happen, tmp_path)


def test_what_the_settings_say_holds_for_matches_that_the_operator_makes(tmp_path: Path) -> None:
    async def happen(house: House) -> None:
        for bots, waits in ((("ann", ""), True), (("", ""), False)):
            plans = [matches_pb2.SeatPlan(name=f"seat {number}", bot_id=bot) for number, bot in enumerate(bots)]
            request = matches_pb2.CreateMatchRequest(seats=plans)
            reply = await house.call("CreateMatch", request.SerializeToString(), OPERATOR)
            assert isinstance(reply, bytes)
            match = house.referee._seating.matches[matches_pb2.CreateMatchResponse.FromString(reply).match.match]
            assert match.table.setup.joining == JoinTerms(missing=MissingSeats.VOID, wait_ms_max=DAY_MS if waits else None)
            assert _phase(match) is (Phase.WAITING if waits else Phase.JOINING)

    _run(happen, tmp_path)
