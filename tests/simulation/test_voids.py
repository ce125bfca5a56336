"""A void is reported once it is durable: by its end line, or by deleting the secrets, which every restart needs."""

from typing import Final

import pytest
from mergemaker.v1 import matches_pb2, spectate_pb2
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.seat_link import Inbound
from mergemaker_referee.records.journal import Durability
from mergemaker_table.evidence import NOT_HELD_UP, HeldUp
from mergemaker_table.inputs import Answered, Input, RoundTrip
from mergemaker_table.outputs import Output

from .disk import Op
from .notebook import SUFFIX, last_kind
from .office import OPERATOR, Wanted
from .trial import DELETION, FOLDER, LINES, VOIDED, Looking, Trial
from .ways import NO_WAY
from .world import S

FAR_S: Final = 60
"""Long after the referee gives a disk up."""
STUCK: Final = "a match can neither go on nor be voided"


def test_while_the_disk_takes_neither_line_nor_deletion_nobody_is_told_and_the_match_goes_on_with_the_line() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = LINES | DELETION
        await trial.wait_s(FAR_S)
        trial.check_stands_still()
        assert [STUCK in each for each in trial.errors] == [True], "it is said once"
        trial.disk.refuses = set(DELETION)
        await trial.until_over()
        trial.check_is_as_written()
        assert trial.endings != [VOIDED] * 2
        trial.disk.refuses = set()
        await trial.wait_s(10)
        assert not trial.has_secrets

    Trial(happen)


def test_while_the_disk_takes_neither_line_nor_deletion_the_match_is_void_with_the_deletion() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = LINES | DELETION
        await trial.wait_s(FAR_S)
        trial.disk.refuses = set(LINES)
        await trial.wait_s(2)
        trial.check_is_void()
        trial.disk.refuses = set()
        trial.machine.kill()
        trial.machine.start()
        await trial.wait_s(2)
        assert trial.machine.life.leftovers is not None
        assert not trial.machine.life.leftovers.unfinished

    Trial(happen)


@pytest.mark.parametrize("way", ["kill", "stop"])
def test_a_match_that_can_neither_go_on_nor_be_voided_is_taken_up_by_the_next_referee(way: str) -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = LINES | DELETION
        await trial.wait_s(FAR_S)
        (trial.machine.kill if way == "kill" else trial.machine.stop)()
        await trial.wait_s(1)
        if way == "stop":
            assert [note.why for note in trial.notebook.streams.values()] == ["referee-closing"] * 2
        trial.disk.refuses = set()
        trial.machine.start()
        await trial.until_over()
        trial.check_is_as_written()
        assert b'"by":"disconnected' not in trial.record

    Trial(happen)


def test_secrets_whose_deletion_the_power_can_undo_are_not_deleted_and_no_line_comes_behind_them() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = LINES | FOLDER
        await trial.wait_s(FAR_S)
        assert trial.endings == []
        assert trial.phase == matches_pb2.MATCH_PHASE_SUSPENDED
        assert STUCK in trial.errors[0]
        before = trial.record
        trial.disk.refuses = set(FOLDER)
        await trial.wait_s(FAR_S)
        assert trial.endings == []
        trial.disk.refuses = set()
        await trial.wait_s(2)
        trial.check_is_void()
        assert trial.record == before

    Trial(happen, Durability.POWER)


@pytest.mark.parametrize("seed", range(8))
def test_a_void_outlives_the_power(seed: int) -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = set(LINES)
        await trial.wait_s(FAR_S)
        trial.check_is_void()
        trial.disk.refuses = set()
        trial.machine.cut_power()
        trial.machine.start()
        await trial.wait_s(2)
        assert not trial.has_secrets

    Trial(happen, Durability.POWER, seed)


def test_a_line_that_stalls_is_not_written_again_and_the_match_is_void_with_the_deletion() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = set(DELETION)
        trial.disk.stalls_ns = [FAR_S * S]
        before = trial.record
        await trial.wait_s(FAR_S - 5)
        trial.check_stands_still()
        assert trial.record == before
        assert len([each for each in trial.errors if STUCK in each]) == 1
        await trial.wait_s(10)
        after = trial.record
        assert after.startswith(before)
        assert len(after.splitlines()) > len(before.splitlines()), "the line was written late"
        trial.check_stands_still()
        trial.disk.refuses = set()
        await trial.wait_s(2)
        trial.check_is_void()
        assert trial.record == after, "once"

    Trial(happen)


def test_a_line_that_waited_for_its_turn_until_its_match_was_void_is_not_written() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.stalls_ns = [FAR_S * S]
        before = trial.record
        await trial.wait_s(10)
        trial.check_is_void()
        await trial.wait_s(FAR_S)
        assert trial.record == before, "the match has let its record go"

    Trial(happen)


def test_a_line_that_was_written_and_of_which_nobody_heard_leaves_a_void_match_unfinished() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.late_news_ns = FAR_S * S
        before = trial.record
        await trial.wait_s(10)
        trial.check_is_void()
        assert len(trial.record) > len(before)

    Trial(happen)


def test_an_end_that_the_disk_writes_late_is_the_end() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.stalls_ns = [FAR_S * S]
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(FAR_S - 5)
        trial.check_stands_still()
        await trial.wait_s(10)
        trial.check_is_as_written()
        assert trial.record.count(b'"kind":"end"') == 1

    Trial(happen)


def test_an_end_that_the_disk_refuses_late_is_written_again() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.stalls_ns = [FAR_S * S]
        trial.office.cancel(trial.match, "enough")
        trial.disk.refuses = LINES | DELETION
        await trial.wait_s(FAR_S + 10)
        trial.check_stands_still()
        trial.disk.refuses = set()
        await trial.wait_s(2)
        trial.check_is_as_written()
        assert trial.record.count(b'"kind":"end"') == 1

    Trial(happen)


def test_while_an_end_may_stand_in_the_record_its_match_is_not_voided() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = {(Op.TRUNCATE, SUFFIX)}
        trial.disk.tears = True
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(FAR_S)
        assert last_kind(trial.record) == "end"
        trial.check_stands_still()
        assert STUCK in trial.errors[0]
        trial.disk.tears = False
        trial.disk.refuses = {(Op.WRITE, SUFFIX)}
        await trial.wait_s(2)
        trial.check_is_void()

    Trial(happen)


def _refuse_the_end(trial: Trial) -> None:
    """Makes the disk take all lines but the last."""
    disk = trial.machine.life.disk
    write = disk.write

    def take_no_end(descriptor: int, data: bytes) -> int:
        if b'"kind":"end"' in data:
            trial.disk.refuses = {(Op.WRITE, SUFFIX)}
        return write(descriptor, data)

    disk.write = take_no_end  # type: ignore[method-assign]  # until this referee is gone


def test_where_an_end_cannot_be_written_all_are_told_of_a_void_also_who_begins_to_look_on_meanwhile() -> None:
    async def happen(trial: Trial) -> None:
        _refuse_the_end(trial)
        for _ in range(6_000):
            if trial.phase == matches_pb2.MATCH_PHASE_SUSPENDED:
                break
            await trial.wait_s(0.1)
        assert trial.hosted.table.ended is not None
        assert trial.hosted.table.ended.why is not Ending.VOIDED
        looking = Looking()
        request = spectate_pb2.WatchRequest(match=trial.match)
        stream = trial.machine.network.watch(OPERATOR, request.SerializeToString(), looking, NO_WAY)
        trial.notebook.watched[stream.number] = trial.match
        await trial.wait_s(FAR_S)
        trial.check_is_void()
        assert [each.ended for each in looking.saw if each.HasField("ended")] == [spectate_pb2.WatchEnded(ending=VOIDED)]

    Trial(happen)


def test_a_deletion_that_stalls_is_waited_for_and_no_line_is_written_meanwhile() -> None:
    async def happen(trial: Trial) -> None:
        trial.disk.refuses = LINES | DELETION
        before = trial.record
        await trial.wait_s(10)
        trial.disk.stall_behind_refusal_ns = FAR_S * S
        await trial.wait_s(1)
        trial.disk.refuses = set()
        await trial.wait_s(FAR_S - 10)
        trial.check_stands_still()
        assert trial.record == before
        await trial.wait_s(20)
        trial.check_is_void()
        assert trial.record == before

    Trial(happen)


class _Breaks(RuntimeError):
    """An error in the program."""


def _break(trial: Trial, refuses: set[tuple[Op, str]], *, at_end: bool = False) -> None:
    """Breaks the match after the lines of its next or last batch, on a disk that refuses from then on."""

    def listener(match: HostedMatch, _: object) -> None:
        if match.table.ended or not at_end:
            match.listeners.remove(listener)
            trial.disk.refuses = refuses
            raise _Breaks

    trial.hosted.listeners.append(listener)


def test_a_match_that_breaks_is_told_as_void_when_that_is_written() -> None:
    async def happen(trial: Trial) -> None:
        _break(trial, LINES | DELETION)
        await trial.wait_s(FAR_S)
        trial.check_stands_still()
        trial.disk.refuses = set(DELETION)
        await trial.wait_s(2)
        assert trial.endings == [VOIDED] * 2
        end = verify([trial.record]).record.end
        assert end is not None
        assert end.why is Ending.VOIDED
        trial.disk.refuses = set()
        await trial.wait_s(5)
        assert not trial.has_secrets

    Trial(happen)


def test_a_match_that_breaks_is_told_as_void_when_its_secrets_are_gone() -> None:
    async def happen(trial: Trial) -> None:
        _break(trial, LINES | DELETION)
        await trial.wait_s(FAR_S)
        trial.check_stands_still()
        trial.disk.refuses = set(LINES)
        await trial.wait_s(2)
        trial.check_is_void()

    Trial(happen)


def test_a_match_that_breaks_behind_its_end_has_ended_as_it_is_written() -> None:
    async def happen(trial: Trial) -> None:
        _break(trial, set(), at_end=True)
        trial.office.cancel(trial.match, "enough")
        await trial.wait_s(2)
        trial.check_is_as_written()
        assert trial.hosted.fault is None
        assert not trial.has_secrets

    Trial(happen)


def test_of_a_match_that_is_made_when_nobody_waits_for_it_any_more_nothing_is_left() -> None:
    async def happen(trial: Trial) -> None:
        before = set(trial.machine.disk.files)
        trial.disk.late_news_ns = 10 * S
        trial.office.create(Wanted(), lambda _: pytest.fail("it is refused"))
        await trial.wait_s(5)
        assert [refused.reason for refused in trial.office.refusals] == ["disk"]
        assert len(trial.machine.disk.files) == len(before) + 2
        await trial.wait_s(10)
        assert set(trial.machine.disk.files) == before

    Trial(happen)


def test_a_match_that_is_taken_up_late_is_taken_up_once() -> None:
    async def happen(trial: Trial) -> None:
        trial.machine.kill()
        trial.disk.stalls_ns = [10 * S]
        trial.machine.start()
        await trial.until_over()
        assert trial.disk.truncated == 1, "nobody else opens a record that lines are written to"
        trial.check_is_as_written()

    Trial(happen)


def test_a_match_that_breaks_over_one_input_has_the_lines_of_the_one_before_in_its_record() -> None:
    async def happen(trial: Trial) -> None:
        hosted = trial.hosted
        feed, post, breaks = hosted.table.feed, hosted.post, RoundTrip(0, 0)

        def feed_or_break(given: Input, now_ns: int, held_up: HeldUp = NOT_HELD_UP) -> tuple[Output, ...]:
            if given is breaks:
                raise _Breaks
            return feed(given, now_ns, held_up)

        def post_with_another(given: Inbound) -> None:
            post(given)
            if isinstance(given, Answered):
                post(breaks)

        hosted.table.feed = feed_or_break  # type: ignore[method-assign]  # the fault
        hosted.post = post_with_another  # type: ignore[method-assign]  # it takes both at once
        before = len(trial.record.splitlines())
        await trial.until_over()
        assert trial.endings == [VOIDED] * 2
        found = verify([trial.record]).record
        assert found.end is not None
        assert found.end.why is Ending.VOIDED
        assert found.lines > before + 2, "the decision, that the match was voided, and the end"

    Trial(happen)


def test_a_match_is_void_though_who_looks_on_breaks_again_and_again_and_the_referee_goes_on() -> None:
    async def happen(trial: Trial) -> None:
        def listener(_: HostedMatch, __: object) -> None:
            raise _Breaks

        trial.hosted.listeners.append(listener)
        await trial.until_over()
        assert trial.endings == [VOIDED] * 2
        await trial.wait_s(2)
        assert trial.phase == matches_pb2.MATCH_PHASE_OVER
        assert not trial.has_secrets

    Trial(happen)
