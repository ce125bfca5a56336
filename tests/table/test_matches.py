"""Whole matches by all rules; what each seat gets; and how a table must not be used."""

import gzip
from dataclasses import replace

import pytest
from mergemaker_engine.errors import RecordError, SetupError
from mergemaker_engine.events import TilesReceived
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, Ending, Parent, Promise, Status
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_table import CLOCKS, Phase, Setup, Table, TableError, Terms
from mergemaker_table.inputs import Joined, Tick
from mergemaker_table.outputs import Ask, Publish, Request, Started, Tell, WriteLine
from mergemaker_testkit.table_driver import (
    NONCE,
    SEED,
    Player,
    Said,
    TableDriver,
    random_player,
    silent_player,
    table_setup,
)

CLASSIC = preset("renegade-classic")
PACKED_BYTES_MAX = 20_000


def _after(milliseconds: int) -> Player:
    def player(request: Request, nonce: bytes, refused: int) -> Said:
        # The second of three takes longest, so the longest is neither the first nor the last.
        return replace(random_player(request, nonce, refused), after_ms=milliseconds + (0, 2, 0)[request.decision_id % 3])

    return player


@pytest.mark.parametrize("seats", [3, 6])
@pytest.mark.parametrize("name", PRESETS)
def test_a_match_by_every_rule_set_is_played_to_a_record_that_verifies(name: str, seats: int) -> None:
    driver = TableDriver(Table(table_setup(PRESETS[name], seats)), [random_player] * seats)
    ended = driver.play()
    found = verify(driver.lines, with_audit=True)
    result = found.game.result
    assert result is not None
    assert tuple(standing.cash for standing in ended.standings) == result.cash
    assert tuple(standing.place for standing in ended.standings) == result.places
    assert {standing.status for standing in ended.standings} == {Status.FINISHED}
    assert all(standing.since is None and not standing.faults for standing in ended.standings)
    assert ended.why == Ending(str(result.reason))
    assert driver.table.phase is Phase.OVER
    for seat in range(seats):
        _check_told(driver, seat)


def _check_told(driver: TableDriver, seat: int) -> None:
    """Events are numbered without a gap, contain nothing private to others, and reach what every question depends on."""
    told: list[object] = []
    for output in driver.outputs:
        if isinstance(output, Tell) and output.seat == seat:
            assert output.events
            assert output.first_number == len(told) + 1
            told += output.events
        elif isinstance(output, Ask) and output.seat == seat:
            assert output.request.events_seen == len(told)
    assert not [event for event in told if isinstance(event, TilesReceived) and event.seat != seat]
    assert any(isinstance(event, TilesReceived) for event in told)
    assert tuple(told) == driver.table.events_since(seat, 0)


@pytest.mark.parametrize("name", [name for name in PRESETS if not preset(name).trade_offers])
def test_the_record_of_six_seats_is_small_when_it_is_packed(name: str) -> None:
    driver = TableDriver(Table(table_setup(preset(name), 6)), [random_player] * 6)
    driver.play()
    assert len(gzip.compress(b"".join(driver.lines), mtime=0)) < PACKED_BYTES_MAX


def test_the_public_is_told_what_everybody_may_know() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3)), [random_player] * 3)
    driver.play()
    told: list[object] = []
    for output in driver.of_kind(Publish):
        assert output.first_number == len(told) + 1
        told += output.events
    assert tuple(told) == driver.table.public_events_since(0)
    assert not any(isinstance(event, TilesReceived) for event in told)
    shown = driver.table.public_snapshot()
    assert shown is not None
    assert (shown.events_seen, shown.view.hand) == (len(told), ())


def test_lines_stand_in_front_of_all_else_in_each_batch() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3)), [random_player, silent_player, random_player])
    batches = [driver.table.open(0), *(driver.table.feed(Joined(seat), 0) for seat in range(3))]
    for batch in batches:
        lines = [isinstance(output, WriteLine) for output in batch]
        assert lines == sorted(lines, reverse=True)


def test_a_decision_with_one_answer_is_not_asked_but_recorded() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3)), [random_player] * 3)
    driver.play()
    lines = verify(driver.lines).record.decisions
    assert sum(line.by is AnsweredBy.BOT for line in lines) == len(driver.of_kind(Ask))
    assert all(set(line.run) == {"at_ms"} for line in lines if line.by is AnsweredBy.AUTOMATIC)


def test_equal_players_with_equal_nonces_make_equal_records() -> None:
    one, other = (TableDriver(Table(table_setup(CLASSIC, 4)), [random_player] * 4) for _ in range(2))
    one.play()
    other.play()
    assert one.lines == other.lines


def test_standings_tell_how_long_each_seat_thought() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 2)), [_after(7), _after(40)])
    ended = driver.play()
    for standing, used in zip(ended.standings, (7, 40), strict=True):
        thinking = standing.thinking
        assert (thinking.mean_ms, thinking.longest_ms) == (used, used + 2)
        assert thinking.decisions == len(driver.of_kind(Ask, standing.seat))


def test_time_is_told_from_the_start_of_the_match() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 2)), [_after(7)] * 2, 10**15)
    driver.play()
    at = [int(str(line.run["at_ms"])) for line in verify(driver.lines).record.decisions]
    assert at[0] == 9
    assert at == sorted(at)


def test_a_snapshot_holds_all_that_a_seat_needs() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 3)), [random_player] * 3)
    driver.start()
    driver.hand()
    driver.pass_ms(100)
    seat = driver.question.seat
    started = driver.of_kind(Started, seat)[0]
    for number in range(3):
        snapshot = driver.table.snapshot(number, driver.now_ns)
        assert snapshot is not None
        assert snapshot.nonce == driver.of_kind(Started, number)[0].nonce
        assert (snapshot.request is not None) == (number == seat)
        assert snapshot.view.seat == number
        assert snapshot.status is Status.FINISHED
    mine = driver.table.snapshot(seat, driver.now_ns)
    assert mine is not None
    assert mine.request is not None
    assert (mine.request.time_left_ms, mine.events_seen) == (10_000, started.events_seen)
    assert driver.table.events_since(seat, mine.events_seen) == ()
    assert driver.table.events_since(seat, 3) == driver.table.events_since(seat, 0)[3:]


def test_time_that_runs_backwards_stands_still() -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 2)), [random_player] * 2, 10**12)
    driver.open()
    driver.pass_ms(9)
    driver.join(0)
    driver.pass_ms(-5)
    driver.join(1)
    assert [line.run["at_ms"] for line in driver.incidents("joined")] == [9, 9]


# --- wrong use ---


def test_a_table_is_opened_once_and_before_all_else() -> None:
    table = Table(table_setup(CLASSIC, 2))
    with pytest.raises(TableError, match="opened before") as refusal:
        table.feed(Tick(), 0)
    assert refusal.value.reason == "not-open"
    assert table.wake_at_ns is None
    table.open(0)
    with pytest.raises(TableError, match="opened once") as refusal:
        table.open(0)
    assert refusal.value.reason == "open-already"


@pytest.mark.parametrize("seat", [-1, 2])
def test_seats_that_are_not_there_are_refused(seat: int) -> None:
    table = Table(table_setup(CLASSIC, 2))
    table.open(0)
    for call in (lambda: table.feed(Joined(seat), 0), lambda: table.snapshot(seat, 0), lambda: table.events_since(seat, 0)):
        with pytest.raises(TableError, match="the seats are 0 to 1") as refusal:
            call()
        assert refusal.value.reason == "no-such-seat"


@pytest.mark.parametrize("number", [-1, 10_000])
def test_events_that_are_not_there_are_refused(number: int) -> None:
    driver = TableDriver(Table(table_setup(CLASSIC, 2)), [random_player] * 2)
    driver.start()
    for call in (driver.table.public_events_since, lambda number: driver.table.events_since(0, number)):
        with pytest.raises(TableError, match="events are numbered") as refusal:
            call(number)
        assert refusal.value.reason == "no-such-event"


SETUP = table_setup(CLASSIC, 3)
PLAIN = table_setup(CLASSIC, 3, mode=DealMode.PLAIN)


@pytest.mark.parametrize(
    ("setup", "changes", "text"),
    [
        (SETUP, {"promise": None}, "promised in the modes"),
        (PLAIN, {"promise": SETUP.promise}, "promised in the modes"),
        (SETUP, {"secrets": Secrets(SEED)}, "a server's seed and a nonce"),
        (SETUP, {"secrets": Secrets(SEED, SEED, None)}, "a server's seed and a nonce"),
        (SETUP, {"secrets": Secrets(SEED, SEED, bytes(32))}, "was not made of"),
        (SETUP, {"promise": Promise("m-1", bytes(32))}, "was not made of"),
        (SETUP, {"match": "m-2"}, "another match"),
        (SETUP, {"secrets": Secrets(bytes(32), SEED, NONCE)}, "the seed of the deal is the server's"),
    ],
)
def test_a_set_up_that_does_not_fit_together_is_refused(setup: Setup, changes: dict[str, object], text: str) -> None:
    with pytest.raises(TableError, match=text) as refusal:
        replace(setup, **changes)  # type: ignore[arg-type]  # the fields that each row names
    assert refusal.value.reason == "bad-setup"


def test_a_set_up_that_the_rules_do_not_allow_is_refused() -> None:
    with pytest.raises(SetupError):
        replace(SETUP, bots=("alone",))
    with pytest.raises(RecordError):
        replace(SETUP, promise=Promise("no id", bytes(32)))


def test_a_fork_keeps_the_promise_of_its_parent() -> None:
    setup = replace(SETUP, match="m-2", parent=Parent("m-1", 5, "A" * 22))
    assert setup.header().promise == SETUP.promise
    assert Setup.of_record(setup.header(), setup.secrets) == setup


def test_the_terms_stand_in_the_header() -> None:
    assert table_setup(CLASSIC, 3, "slow").header().clock == Terms(CLOCKS["slow"]).plain()
