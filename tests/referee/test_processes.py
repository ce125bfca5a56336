"""The parts of a server with several processes, each by itself: frames, descriptions, folders, and metrics that are added up."""

import json
import pickle
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_referee.configuration.settings import PROCESSES_MAX, Settings
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.identities import Identity, KnownBot, Onlooker, Operator, SeatHolder
from mergemaker_referee.metrics import own_measures
from mergemaker_referee.processes.announcing import AnnouncedMatch, ClaimedSeat, Start
from mergemaker_referee.processes.frames import (
    FRAME_BYTES_MAX,
    BadFrame,
    Frame,
    Frames,
    Kind,
    closing_bytes,
    closing_of,
    frame,
    identity_of,
    identity_text,
    pair,
    unpair,
)
from mergemaker_referee.processes.gathered_metrics import Gathered, told
from mergemaker_referee.processes.keeping import check_processes, houses_of
from mergemaker_referee.records.data_folder import record_folders
from mergemaker_referee.records.secrets_file import SeatKey
from mergemaker_table.join_terms import JoinTerms, MissingSeats
from mergemaker_table.run_members import RequestKey

FRAMES = st.lists(
    st.builds(
        Frame,
        st.sampled_from(Kind),
        st.integers(0, 2**32 - 1),
        st.integers(0, 2**64 - 1),
        st.integers(0, 2**32 - 1),
        st.binary(max_size=50),
    )
)


@given(FRAMES, st.lists(st.integers(1, 40)))
def test_frames_come_as_they_were_sent_however_the_socket_cuts_them(sent: list[Frame], cuts: list[int]) -> None:
    data = b"".join(frame(Kind(each.kind), *each[1:]) for each in sent)
    frames = Frames()
    came: list[Frame] = []
    for cut in cuts:
        came += frames.feed(data[:cut])
        data = data[cut:]
    assert [*came, *frames.feed(data)] == sent


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(BadFrame, match="at most"):
        list(Frames().feed((FRAME_BYTES_MAX + 1).to_bytes(4, "little") + bytes(100)))


@pytest.mark.parametrize("identity", [Operator(), KnownBot("a \x00 b"), SeatHolder("7b382ec45c28", 3), Onlooker()])
def test_who_a_caller_is_comes_through(identity: Identity) -> None:
    who, request = unpair(pair(identity_text(identity), b"\0\1\0"))
    assert (identity_of(who), request) == (identity, b"\0\1\0")


def test_why_a_stream_ends_comes_through() -> None:
    closing = Closing(CloseCode.UNAVAILABLE, "busy", "später", reconnect=True)
    assert closing_of(closing_bytes(closing)) == closing


@pytest.mark.parametrize(
    "joining",
    [JoinTerms(), JoinTerms(missing=MissingSeats.VOID, begins=datetime(2026, 11, 20, 3, tzinfo=UTC), wait_ms_max=5)],
)
@pytest.mark.parametrize("request_key", [None, RequestKey("key", "00" * 32)])
def test_a_match_is_announced_with_all_that_seats_its_bots(joining: JoinTerms, request_key: RequestKey | None) -> None:
    announced = AnnouncedMatch(
        match="7b382ec45c28",
        created="2026-11-20T03:00:00Z",
        record=Path("records/a.jsonl"),
        keys=(SeatKey(bot="x", version="2"), SeatKey(token_hash="0" * 64)),
        joining=joining,
        recovery_grace_ms=5_000,
        is_without_clock=False,
        waits_to_join=joining.waits,
        is_shown_again=False,
        is_taken_up=True,
        request=request_key,
        summary=b"\0\xff",
    )
    assert AnnouncedMatch.read(announced.data()) == announced


def test_a_claimed_seat_comes_through() -> None:
    claimed = ClaimedSeat(
        match="m", seat=1, seen=2**40, trace="t1", version="ä", wants_events_at_once=True, round_trip_ns=150_000_000
    )
    assert ClaimedSeat.read(claimed.data()) == claimed


def test_settings_reach_a_process(tmp_path: Path) -> None:
    start = Start(number=1, settings=Settings(), software="test", folders=(tmp_path,))
    assert pickle.loads(start.data()) == start  # noqa: S301 - made a line before


# --- folders --------------------------------------------------------------------------------------------------------------


def test_each_process_has_a_folder_and_those_of_earlier_ones_are_shared_out(tmp_path: Path) -> None:
    records = tmp_path / "records"
    assert record_folders(records) == (records,)
    for name in ("process-2", "process-3", "process-7", "process-1", "process-0", "process-02", "process-", "process-x", "other"):
        (records / name).mkdir(parents=True)
    (records / "process-4").write_text("no folder", "utf-8")
    assert [path.name for path in record_folders(records)] == ["records", "process-2", "process-3", "process-7"]
    folders = record_folders(records, 2)
    assert [[path.name for path in house.folders] for house in houses_of(folders, 2)] == [
        ["records", "process-3"],
        ["process-2", "process-7"],
    ]
    more = record_folders(records, 5)
    assert [path.name for path in more] == ["records", "process-2", "process-3", "process-4", "process-5", "process-7"]
    assert sorted(path for house in houses_of(more, 5) for path in house.folders) == sorted(more)


@pytest.mark.parametrize("processes", [-1, 0, PROCESSES_MAX + 1])
def test_a_number_of_processes_that_cannot_be_is_refused(processes: int) -> None:
    with pytest.raises(RefereeError, match=f"1 to {PROCESSES_MAX} processes, not {processes}") as found:
        check_processes(processes)
    assert found.value.reason == "bad-processes"


# --- metrics --------------------------------------------------------------------------------------------------------------


def _values(gathered: Gathered) -> dict[str, float]:
    found = (sample for metric in gathered.collect() for sample in metric.samples)
    return {sample.name + "".join(sample.labels.values()): sample.value for sample in found}


def test_metrics_of_all_processes_are_added_up_and_no_count_falls() -> None:
    own, first, second = own_measures(), own_measures(), own_measures()
    first.refused()
    second.refused()
    second.default_taken(AnsweredBy.TIMEOUT)
    for measures, lag in ((first, 2.0), (second, 3.0)):
        measures.show("mergemaker_spectators", "Spectators.", lambda: 5)
        measures.show("mergemaker_referee_lag_seconds", "The longest.", lambda lag=lag: lag)  # type: ignore[misc]  # binds the loop's value
    gathered = Gathered(lambda: told(own))
    for number, measures in enumerate((first, second), start=1):
        gathered.took(number, json.loads(json.dumps(told(measures))))
    found = _values(gathered)
    assert found["mergemaker_refusals_total"] == 2
    assert found["mergemaker_defaults_totaltimeout"] == 1
    assert found["mergemaker_spectators"] == 10
    assert found["mergemaker_referee_lag_seconds"] == 3.0
    gathered.ended(2)
    found = _values(gathered)
    assert found["mergemaker_refusals_total"] == 2
    assert found["mergemaker_defaults_totaltimeout"] == 1
    assert found["mergemaker_spectators"] == 5
    again = own_measures()
    again.refused()
    gathered.took(2, told(again))
    gathered.ended(2)
    assert _values(gathered)["mergemaker_refusals_total"] == 3
    assert gathered.registry() is not None


def test_a_server_of_one_process_is_as_before() -> None:
    assert Settings().processes == 1
    assert replace(Settings(), processes=2).records == Settings().records
