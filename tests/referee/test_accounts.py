"""What a client costs: its calls are counted, and unasked work slows down only that client."""

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import Closing
from mergemaker_referee.identities import KnownBot, Operator, SeatHolder
from mergemaker_referee.rpc.accounts import (
    CALL_NS,
    CALL_WAIT_S_MAX,
    DEBT_S_MAX,
    LOG_INTERVAL_NS,
    REFUSALS_WAITING_MAX,
    Account,
    Accounts,
    name_of,
)
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
    with ExitStack() as open_calls:
        found = [open_calls.enter_context(accounts.call(identity)) for _ in range(most)]
        assert all(each is found[0] for each in found), "all of them are on one account"
        assert found[0].refusal() is None
        with accounts.call(identity) as one_more:
            refused = one_more.refusal()
            assert isinstance(refused, Closing)
            assert (refused.reason, str(most) in refused.text) == ("too-many-calls", True)
        with accounts.call(KnownBot("another")) as other:
            assert other.refusal() is None
        assert found[0].refusal() is None, "it has ended"


def test_an_account_is_kept_as_long_as_something_is_owed() -> None:
    clock = Clock()
    accounts = Accounts(LIMITS, clock)
    with accounts.call(KnownBot("busy")) as account:
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


def paid(*accounts: Account) -> tuple[list[Closing | None], list[float]]:
    """The result of paying for a call on each account, and how long these calls waited."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def pay() -> list[Closing | None]:
        return [await account.pay_for_call() for account in accounts]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "sleep", sleep)
        return asyncio.run(pay()), waited


def test_calls_that_are_too_many_are_charged_and_refused_later_so_that_no_other_takes_their_place() -> None:
    accounts = Accounts(LIMITS, Clock())
    with ExitStack() as open_calls:
        for _ in range(3):
            account = open_calls.enter_context(accounts.call(KnownBot("a")))
        with accounts.call(KnownBot("a")):
            refused, waited = paid(account)
            assert refused[0] is not None
            assert not waited, "it owes nothing yet"
            refused, waited = paid(*[account] * 600)
            assert all(refused)
            assert len(waited) == 600 + 1 - 500, "500 ms are saved, and a call costs one"
        for _ in range(REFUSALS_WAITING_MAX + 1):
            open_calls.enter_context(accounts.call(KnownBot("a")))
        assert paid(account)[1] == [], "as many wait as may: this one is refused at once"


def test_who_has_stopped_making_work_is_slowed_down_for_half_a_minute_at_most() -> None:
    clock = Clock()
    account = an_account(clock)
    account.charge(3_600_000 * MS)
    assert account.wait_ns() == pytest.approx(DEBT_S_MAX * 1_000 * MS, abs=10)
    clock.now_ns += DEBT_S_MAX * 1_000 * MS
    assert account.wait_ns() == 0


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
    account = an_account(Clock())
    assert paid(account)[1] == []
    account.charge(502 * MS)
    assert paid(account)[1] == [pytest.approx(0.08)]
    account.charge(60_000 * MS)
    assert paid(account)[1] == [CALL_WAIT_S_MAX], "nobody waits for longer"


def test_the_log_has_names() -> None:
    assert [name_of(each) for each in (KnownBot("a"), SeatHolder("m", 1), Operator())] == ["a", "m@seat1", "operator"]
