"""What one client may take from a server: its own calls, and work that it pays for itself."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import grpc
import pytest
from mergemaker.v1 import matches_pb2, referee_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.rpc.accounts import Account
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit.live_referee import (
    WAIT_LIMIT_S,
    Clients,
    LiveReferee,
    RawBot,
    StreamEnd,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    play_to_the_end,
)

JOINING = 3
"""A bot pays for its Hello, for its TakeSeat, and for the first things that it is shown."""


@pytest.fixture
def charged(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each client was charged, by its name in the log."""
    found: Counter[str] = Counter()
    charge = Account.charge

    def counted(account: Account, cost_ns: int) -> None:
        assert cost_ns >= 0
        found[account._name] += 1
        charge(account, cost_ns)

    monkeypatch.setattr(Account, "charge", counted)
    return found


def test_who_only_plays_is_charged_for_coming_and_for_nothing_else(
    referee: LiveReferee, clients: Clients, charged: Counter[str]
) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots = [clients.seated(made, seat) for seat in range(2)]
    play_to_the_end(bots, match)
    assert charged == {f"{match}@seat{seat}": JOINING for seat in range(2)}


def test_what_nobody_asked_for_is_charged(referee: LiveReferee, clients: Clients, charged: Counter[str]) -> None:
    made = referee.create()
    match = made.table.setup.match
    bot = clients.seated(made, 0)
    me = f"{match}@seat0"
    before = charged[me]
    for number in range(5):
        bot.send(referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=number)))
    bot.answer("another", 1, 0)
    bot.answer(match, 77, 0)
    bot.send(referee_pb2.PlayRequest(match=match, seat_ready=referee_pb2.SeatReady()))
    bot.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=999)))
    bot.send(referee_pb2.PlayRequest(match="another", resign=referee_pb2.Resign()))
    bot.send(referee_pb2.PlayRequest())
    # The last answer comes when all requests before it are done; it may come before its charge.
    bot.send(referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=5)))
    while bot.until("pong").pong.id != 5:
        pass
    assert charged[me] - before in (11, 12)


def test_an_answer_is_paid_for_by_its_question_and_a_second_one_is_not(
    referee: LiveReferee, clients: Clients, charged: Counter[str]
) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots = [clients.seated(made, seat) for seat in range(2)]
    for bot in bots:
        bot.until("match_started")
    seat = referee.run_sync(lambda: made.table.asked_seat)
    asked = bots[seat]
    decision = asked.until("decision").decision
    me = f"{match}@seat{seat}"
    before = charged[me]
    asked.answer(match, decision.id, 10_000)
    asked.until("answer_refused")
    assert charged[me] == before, "the first answer was asked for, whatever it says"
    asked.answer(match, decision.id, 10_001)
    asked.until("answer_refused")
    asked.answer(match, decision.id, decision.default_index)
    asked.until("answer_accepted")
    assert charged[me] == before + 2


@pytest.fixture
def small(tmp_path: Path) -> Iterator[tuple[LiveReferee, Clients, dict[str, str]]]:
    """A server on which a token has three calls, two bots, and an operator."""
    operator, settings = operator_settings()
    tokens = {name: fresh_token(TokenKind.BOT) for name in ("guest", "good")}
    limits = Limits(calls_per_identity_max=3, sessions_max=2, spectators_max=0, open_calls_max=1, hello_ms_max=60_000)
    bots = {name: token_hash(token) for name, token in tokens.items()}
    with live_referee(tmp_path, limits=limits, bots=bots, **settings) as referee:
        clients = Clients(referee)
        yield referee, clients, {**tokens, "operator": operator}
        clients.close()


def test_a_token_has_a_handful_of_calls_and_nobody_elses(small: tuple[LiveReferee, Clients, dict[str, str]]) -> None:
    referee, clients, tokens = small
    guest = clients.bot(tokens["guest"])
    guest.hello()
    ended: SimpleQueue[RawBot] = SimpleQueue()
    # Two more may be open without sending anything.
    for silent in [clients.bot(tokens["guest"]) for _ in range(20)]:
        silent.call.add_done_callback(lambda _=None, silent=silent: ended.put(silent))
    for _ in range(18):
        end = ended.get(timeout=WAIT_LIMIT_S).end()
        assert (end.code, end.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "too-many-calls")
        assert "3 calls" in end.details
    good = clients.bot(tokens["good"])
    good.hello()
    with referee.channel() as channel:
        listed = match_stub(channel).ListMatches(matches_pb2.ListMatchesRequest(), metadata=bearer(tokens["operator"]))
    assert not listed.matches
    guest.leave()
    assert guest.end() == StreamEnd(grpc.StatusCode.OK, "")
