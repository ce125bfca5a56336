"""A bot gives its seat back: before the deal, the seat is free again; after it, the seat is given up."""

from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import EndLine, Status
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.rules import preset
from mergemaker_table import Phase, Table
from mergemaker_table.inputs import Declined, Joined, Tick
from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup

CLASSIC = preset("renegade-classic")
WHY = "unknown-requirement: what is telepathy?"


def opened(mode: DealMode = DealMode.SERVER, seats: int = 2) -> TableDriver:
    driver = TableDriver(Table(table_setup(CLASSIC, seats, "fast", mode)), [random_player] * seats, 1_000)
    driver.open()
    return driver


def time_is_up(driver: TableDriver) -> None:
    wake = driver.table.wake_at_ns
    assert wake is not None
    driver.now_ns = wake
    driver.feed(Tick())


def statuses(driver: TableDriver) -> list[Status]:
    driver.play_on()
    return [standing.status for standing in driver.ended.standings]


def test_a_seat_that_is_declined_is_free_and_whoever_takes_it_plays() -> None:
    driver = opened()
    driver.join(0)
    driver.feed(Declined(0, WHY))
    driver.join(1)
    assert driver.table.phase is Phase.JOINING, "the declined seat is waited for"
    assert driver.table.connected == (False, True)
    driver.join(0)
    assert driver.table.turn == 1
    assert statuses(driver) == [Status.FINISHED] * 2
    assert [(incident.seat, incident.why) for incident in driver.incidents("declined")] == [(0, WHY)]


def test_a_seat_that_is_declined_and_not_taken_again_never_joined() -> None:
    driver = opened(seats=3)
    driver.join(0, 2)
    driver.feed(Declined(2, WHY))
    driver.join(1)
    time_is_up(driver)
    assert statuses(driver) == [Status.FINISHED, Status.FINISHED, Status.NEVER_JOINED]


def test_from_the_deal_on_to_decline_is_to_resign_and_the_record_says_why() -> None:
    driver = opened()
    driver.join(0, 1)
    assert driver.table.phase is Phase.PLAYING
    driver.feed(Declined(1, WHY))
    assert statuses(driver) == [Status.FINISHED, Status.RESIGNED]
    assert [(incident.why, incident.run["declined"]) for incident in driver.incidents("resigned")] == [(None, WHY)]
    assert driver.incidents("declined") == []


def test_what_a_declined_seat_committed_itself_to_does_not_bind_who_takes_it() -> None:
    driver = opened(DealMode.JOINT)
    driver.join(0, 1)
    driver.commit(0)
    driver.feed(Declined(0, WHY))
    driver.commit(1)
    assert driver.table.phase is Phase.JOINING, "the seat's promise is waited for anew"
    driver.join(0)
    driver.commit(0)
    driver.reveal(0, 1)
    assert statuses(driver) == [Status.FINISHED] * 2


def test_a_declined_seat_is_free_after_a_restart_too() -> None:
    setup = table_setup(CLASSIC, 2, "fast", DealMode.SERVER)
    driver = TableDriver(Table(setup), [random_player] * 2, 1_000)
    driver.open()
    driver.feed(Joined(0, version="2.0"))
    driver.feed(Declined(0, WHY))
    again = Table.recovered(read_record(driver.lines), setup.secrets)
    again.open(2_000)
    assert again.versions == ("", "")


def test_versions_are_told_and_outlive_a_restart() -> None:
    setup = table_setup(CLASSIC, 2, "fast", DealMode.SERVER)
    driver = TableDriver(Table(setup), [random_player] * 2, 1_000)
    driver.open()
    driver.feed(Joined(0, version="2.0"))
    driver.feed(Joined(1))
    assert driver.table.versions == ("2.0", "")
    again = Table.recovered(read_record(driver.lines), setup.secrets)
    again.open(2_000)
    assert again.versions == ("2.0", "")
    driver.play_on()
    assert [standing.version for standing in driver.ended.standings] == ["2.0", ""]
    last = driver.opened()[-1]
    assert isinstance(last, EndLine)
    assert last.run["versions"] == ["2.0", ""]
