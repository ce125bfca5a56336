"""What a client costs: its calls are counted, and work that nobody asked for slows down its maker alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mergemaker_referee.connections import Closing
from mergemaker_referee.identities import KnownBot, Operator, SeatHolder
from mergemaker_referee.limits import Limits
from mergemaker_referee.rpc.accounts import CALL_NS, CALL_WAIT_S_MAX, LOG_INTERVAL_NS, Account, Accounts, name_of
from structlog.testing import capture_logs

MS = 1_000_000
LIMITS = Limits(unasked_ms_per_s=50, unasked_ms_max=500, calls_per_identity_max=3, operator_calls_max=4)


class Clock:
    def __init__(self) -> None:
        self.now_ns = 7_000 * MS

    def __call__(self) -> int:
        return self.now_ns


def an_account(clock: Clock) -> Account:
    return Account(LIMITS, clock, "a bot")


def test_what_is_saved_can_be_used_at_once_and_the_rest_is_waited_for() -> None:
    clock = Clock()
    account = an_account(clock)
    account.charge(500 * MS)
    assert account.wait_ns() == 0
    account.charge(5 * MS)
    assert account.wait_ns() == 100 * MS + 1, "at 50 ms a second, 5 ms take 100"
    clock.now_ns += 100 * MS
    assert account.wait_ns() == 0
    account.charge(MS)
    assert account.wait_ns() == 20 * MS + 1


def test_time_fills_the_account_up_to_what_can_be_saved() -> None:
    clock = Clock()
    account = an_account(clock)
    account.charge(510 * MS)
    assert account.wait_ns() > 0
    clock.now_ns += 3_600_000 * MS
    assert account.wait_ns() == 0
    account.charge(501 * MS)
    assert account.wait_ns() > 0, "an hour of rest saves no more than the limit"


def test_calls_are_charged_to_the_same_account() -> None:
    account = an_account(Clock())
    for _ in range(500 * MS // CALL_NS):
        account.charge_call()
    assert account.wait_ns() == 0
    account.charge_call()
    assert account.wait_ns() > 0


def test_the_log_tells_who_is_slowed_down_and_not_again_and_again() -> None:
    clock = Clock()
    account = an_account(clock)
    account.charge(10_000 * MS)
    with capture_logs() as logs:
        for _ in range(5):
            assert account.wait_ns() > 0
        assert [log["client"] for log in logs] == ["a bot"]
        clock.now_ns += LOG_INTERVAL_NS
        account.wait_ns()
    assert len(logs) == 2


@pytest.mark.parametrize(
    ("identity", "most"), [(KnownBot("a"), 3), (SeatHolder("m", 1), 3), (Operator(), 4)], ids=["bot", "seat", "operator"]
)
def test_an_identity_has_so_many_calls_at_once_and_others_have_theirs(identity: Any, most: int) -> None:
    accounts = Accounts(LIMITS, Clock())
    open_calls = [accounts.call(identity) for _ in range(most)]
    found = [each.__enter__() for each in open_calls]
    assert all(each is found[0] for each in found), "all of them are on one account"
    with accounts.call(identity) as refused:
        assert isinstance(refused, Closing)
        assert (refused.reason, str(most) in refused.text) == ("too-many-calls", True)
    with accounts.call(KnownBot("another")) as other:
        assert isinstance(other, Account)
    open_calls[0].__exit__(None, None, None)
    with accounts.call(identity) as again:
        assert again is found[0]
    for each in open_calls[1:]:
        each.__exit__(None, None, None)


def test_an_account_is_kept_as_long_as_something_is_owed() -> None:
    clock = Clock()
    accounts = Accounts(LIMITS, clock)
    with accounts.call(KnownBot("busy")) as account:
        assert isinstance(account, Account)
        account.charge(600 * MS)
    with accounts.call(KnownBot("busy")) as again:
        assert again is account, "who comes back has the debt that he had"
    accounts.forget()
    assert len(accounts) == 1
    clock.now_ns += 20_000 * MS
    accounts.forget()
    assert len(accounts) == 0
    with accounts.call(KnownBot("quiet")):
        pass
    assert len(accounts) == 0, "nothing is owed"


def test_refused_calls_are_charged_too() -> None:
    accounts = Accounts(LIMITS, Clock())
    calls = [accounts.call(KnownBot("a")) for _ in range(3)]
    account, *_ = [each.__enter__() for each in calls]
    assert isinstance(account, Account)
    for _ in range(501):
        with accounts.call(KnownBot("a")):
            pass
    assert account.wait_ns() > 0
    for each in calls:
        each.__exit__(None, None, None)


def test_calls_without_a_token_are_their_addresss() -> None:
    accounts = Accounts(LIMITS, Clock())
    with (
        accounts.open_call("192.0.2.1") as one,
        accounts.open_call("192.0.2.1") as same,
        accounts.open_call("192.0.2.2") as other,
    ):
        assert one is same
        assert one is not other
        assert one.calls == 2


def test_a_call_waits_when_its_client_has_made_too_much_work() -> None:
    clock = Clock()
    account = an_account(clock)

    async def pay() -> list[float]:
        waited: list[float] = []

        async def sleep(seconds: float) -> None:
            waited.append(seconds)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio, "sleep", sleep)
            await account.pay_for_call()
            assert not waited
            account.charge(502 * MS)
            await account.pay_for_call()
            account.charge(60_000 * MS)
            await account.pay_for_call()
        return waited

    first, last = asyncio.run(pay())
    assert first == pytest.approx(0.08)
    assert last == CALL_WAIT_S_MAX, "nobody waits for longer"


def test_the_log_has_names() -> None:
    assert [name_of(each) for each in (KnownBot("a"), SeatHolder("m", 1), Operator())] == ["a", "m@seat1", "operator"]
