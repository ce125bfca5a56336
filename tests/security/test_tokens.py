"""What each kind of token allows, and nothing else: in particular a seat's token, for one seat of one match."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
from mergemaker.v1 import matches_pb2, referee_pb2, spectate_pb2
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import Closing
from mergemaker_referee.identities import Operator
from mergemaker_referee.matches.making import MatchWish, SeatWish
from mergemaker_referee.referee import Referee
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit.in_process import PATIENT, House, Stream, a_house

OPERATOR, ONE, TWO = fresh_token(TokenKind.OPERATOR), fresh_token(TokenKind.BOT), fresh_token(TokenKind.BOT)
SETTINGS = Settings(operator_token_hash=token_hash(OPERATOR), bots={"one": token_hash(ONE), "two": token_hash(TWO)})
CALLS = ("CreateMatch", "ListMatches", "GetMatch", "CancelMatch", "FetchRecord")


@dataclass
class Setting:
    """Two matches with seats for tokens, one with a known bot's seat, and all tokens by name."""

    house: House
    matches: list[str]
    tokens: dict[str, str]


async def prepare(house: House) -> Setting:
    first, second = (await house.create())[1], (await house.create())[1]
    wish = MatchWish(
        rules=first.table.setup.rules,
        seats=(SeatWish("one", "one"), SeatWish("somebody")),
        terms=PATIENT,
        mode=first.table.setup.mode,
    )
    third = (await house.referee.create(wish))[1]
    stream = house.open(third.tokens[1])
    said, *_ = await stream.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
    await stream.leave()
    tokens = {
        "operator": OPERATOR,
        "bot one": ONE,
        "bot two": TWO,
        "seat 0 of 0": first.tokens[0],
        "seat 1 of 0": first.tokens[1],
        "seat 0 of 1": second.tokens[0],
        "resume": said.welcome.resume_token,
        "a hash": token_hash(ONE),
        "nobody's": fresh_token(TokenKind.SEAT),
        "part of one": ONE[:-1],
    }
    return Setting(house, [made.table.setup.match for made in (first, second, third)], tokens)


async def seats_taken(setting: Setting, token: str) -> set[tuple[int, int]]:
    """The seats that a holder of this token gets, one by one."""
    found = set()
    for number, match in enumerate(setting.matches):
        for seat in range(2):
            stream = Stream()
            identity = setting.house.referee.identify(token)
            if isinstance(identity, Closing):
                return set()
            stream.listener = setting.house.referee.play(stream, identity)
            await stream.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
            if stream.closing is not None:
                return set()
            said = await stream.come(referee_pb2.PlayRequest(match=match, take_seat=referee_pb2.TakeSeat(seat=seat)))
            if any(response.HasField("match_offered") for response in said):
                (offered,) = [response.match_offered for response in said if response.HasField("match_offered")]
                assert offered.seat == seat
                found.add((number, seat))
            await stream.leave()
    return found


def test_each_token_takes_its_own_seats_and_no_others(tmp_path: Path) -> None:
    taken: dict[str, set[tuple[int, int]]] = {}

    async def run() -> None:
        async with a_house(tmp_path, SETTINGS) as house:
            setting = await prepare(house)
            for name, token in setting.tokens.items():
                taken[name] = await seats_taken(setting, token)

    trio.run(run)
    assert {name: seats for name, seats in taken.items() if seats} == {
        "bot one": {(2, 0)},
        "seat 0 of 0": {(0, 0)},
        "seat 1 of 0": {(0, 1)},
        "seat 0 of 1": {(1, 0)},
    }


def test_calls_are_the_operators_alone(tmp_path: Path) -> None:
    done: set[tuple[str, str]] = set()

    async def run() -> None:
        async with a_house(tmp_path, SETTINGS) as house:
            setting = await prepare(house)
            requests = {
                "CreateMatch": matches_pb2.CreateMatchRequest(seats=[matches_pb2.SeatPlan()] * 2),
                "ListMatches": matches_pb2.ListMatchesRequest(),
                "GetMatch": matches_pb2.GetMatchRequest(match=setting.matches[0]),
                "CancelMatch": matches_pb2.CancelMatchRequest(match=setting.matches[0]),
                "FetchRecord": matches_pb2.FetchRecordRequest(match=setting.matches[0]),
            }
            for method in CALLS:
                for name, token in setting.tokens.items():
                    if isinstance(house.referee.identify(token), Closing):
                        continue
                    reply = await house.call(method, requests[method].SerializeToString(), token)
                    if not isinstance(reply, Closing):
                        done.add((method, name))

    trio.run(run)
    assert done == {(method, "operator") for method in CALLS}


def test_who_looks_on_without_a_token_may_where_that_is_open_and_strangers_tokens_are_nobodys(tmp_path: Path) -> None:
    async def run() -> None:
        async with a_house(tmp_path, SETTINGS) as house:
            setting = await prepare(house)
            for name in ("resume", "a hash", "nobody's", "part of one"):
                found = house.referee.identify(setting.tokens[name])
                assert isinstance(found, Closing), name
                assert found.reason == "wrong-token"
            for kind in (None, "", " ", "x" * 10_000, "\0", "mmo_"):
                assert isinstance(house.referee.identify(kind), Closing)
            watching = house.watch(spectate_pb2.WatchRequest(match=setting.matches[0]).SerializeToString(), ONE)
            assert watching.closing is None

    trio.run(run)


def test_a_seats_token_ends_with_its_match(tmp_path: Path) -> None:
    async def run() -> None:
        async with a_house(tmp_path, SETTINGS) as house:
            match, made = await house.create()
            await house.play_to_the_end(made)
            assert not isinstance(house.referee.identify(made.tokens[0]), Closing)  # to learn of the end
            house.referee._seating.remove(match)
            assert isinstance(house.referee.identify(made.tokens[0]), Closing)

    trio.run(run)


@pytest.mark.parametrize("holder", ["bot two", "seat 0 of 1"])
def test_a_session_is_resumed_by_its_own_bot_alone(tmp_path: Path, holder: str) -> None:
    async def run() -> None:
        async with a_house(tmp_path, SETTINGS) as house:
            setting = await prepare(house)
            stream = house.open(setting.tokens[holder])
            resume = referee_pb2.Resume(resume_token=setting.tokens["resume"])
            said, *_ = await stream.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], resume=resume)))
            assert not said.welcome.resumed

    trio.run(run)


def test_the_referee_keeps_no_token(tmp_path: Path) -> None:
    async def run() -> None:
        async with a_house(tmp_path, SETTINGS) as house:
            setting = await prepare(house)
            stream, _ = await house.seated(setting.tokens["seat 0 of 0"])
            texts = [text for text in reached_from(house.referee) if text.startswith(tuple(TokenKind))]
            assert texts == []
            assert any(isinstance(each, Operator) for each in everything_in(house.referee))
            await stream.leave()

    trio.run(run)


def everything_in(root: Referee) -> list[object]:
    """All objects reachable from a referee by attributes, members and contents."""
    found: dict[int, object] = {}
    left: list[object] = [root]
    while left:
        each = left.pop()
        if id(each) in found or isinstance(each, type | int | float | bytes):
            continue
        found[id(each)] = each
        if isinstance(each, dict):
            left += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple | set | frozenset):
            left += each
        elif type(each).__module__.startswith("mergemaker_"):
            slots = [name for kind in type(each).__mro__ for name in getattr(kind, "__slots__", ())]
            left += [getattr(each, name, None) for name in slots]
            left += list(getattr(each, "__dict__", {}).values())
    return list(found.values())


def reached_from(root: Referee) -> list[str]:
    return [each for each in everything_in(root) if isinstance(each, str)]
