"""A restarted server lists the matches that ended before, and hands out their records."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.records import past_matches as past_matches_module
from mergemaker_referee.records.disks import SYSTEM_DISK
from mergemaker_referee.records.files import pack
from mergemaker_referee.records.past_matches import _newest, past_matches, summary_in
from mergemaker_testkit.live_referee import (
    Clients,
    LiveReferee,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    play_to_the_end,
)

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
TOKEN, SETTINGS = operator_settings()
METADATA = bearer(TOKEN)


@contextmanager
def server(folder: Path, **changes: object) -> Iterator[LiveReferee]:
    with live_referee(folder, **SETTINGS, **changes) as referee:
        yield referee


def listed(referee: LiveReferee) -> list[matches_pb2.MatchSummary]:
    with referee.channel() as channel:
        return list(match_stub(channel).ListMatches(matches_pb2.ListMatchesRequest(), metadata=METADATA).matches)


def fetched(referee: LiveReferee, match: str) -> bytes:
    with referee.channel() as channel:
        pieces = match_stub(channel).FetchRecord(matches_pb2.FetchRecordRequest(match=match), metadata=METADATA)
        return b"".join(piece.data for piece in pieces)


def begun(referee: LiveReferee) -> str:
    """A match whose record exists: the call returns after that."""
    with referee.channel() as channel:
        request = matches_pb2.CreateMatchRequest(seats=[matches_pb2.SeatPlan()] * 2)
        return match_stub(channel).CreateMatch(request, metadata=METADATA).match.match


def play_one_and_cancel_another(referee: LiveReferee) -> tuple[str, str]:
    clients = Clients(referee)
    made = referee.create()
    play_to_the_end([clients.seated(made, seat) for seat in range(2)], made.table.setup.match)
    clients.close()
    other = referee.create().table.setup.match
    with referee.channel() as channel:
        match_stub(channel).CancelMatch(matches_pb2.CancelMatchRequest(match=other), metadata=METADATA)
    return made.table.setup.match, other


def without_turn(summary: matches_pb2.MatchSummary) -> matches_pb2.MatchSummary:
    """The turn is between header and end; and nobody is connected any more."""
    copy = matches_pb2.MatchSummary()
    copy.CopyFrom(summary)
    copy.ClearField("turn")
    copy.ClearField("connected")
    return copy


def test_matches_of_before_a_restart_are_listed_as_they_were_and_their_records_fetched(tmp_path: Path) -> None:
    with server(tmp_path) as referee:
        finished, voided = play_one_and_cancel_another(referee)
        before = listed(referee)
        records = {match: fetched(referee, match) for match in (finished, voided)}
    with server(tmp_path) as referee:
        waiting = referee.create().table.setup.match
        after = {summary.match: summary for summary in listed(referee)}
        assert set(after) == {finished, voided, waiting}
        for summary in before:
            assert without_turn(after[summary.match]) == without_turn(summary)
        assert after[voided].ending == match_pb2.ENDING_VOIDED
        assert {match: fetched(referee, match) for match in records} == records
    verify([records[finished]])


def test_a_match_that_was_broken_off_is_taken_up_and_is_not_over(tmp_path: Path) -> None:
    with server(tmp_path) as referee:
        match = begun(referee)
    with server(tmp_path) as referee:
        (found,) = listed(referee)
        assert (found.match, found.phase) == (match, matches_pb2.MATCH_PHASE_JOINING)


def test_a_match_that_was_voided_by_deleting_its_secrets_is_listed_as_voided_after_a_restart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with server(tmp_path) as referee:
        voided, waiting = begun(referee), begun(referee)
    (secrets,) = (tmp_path / "records").glob(f"*{voided}.jsonl.secrets")
    secrets.unlink()
    capsys.readouterr()
    with server(tmp_path) as referee:
        found = {summary.match: summary for summary in listed(referee)}
        fetched(referee, voided)
    said = capsys.readouterr()
    assert found[waiting].phase == matches_pb2.MATCH_PHASE_JOINING
    summary = found[voided]
    assert (summary.phase, summary.ending) == (matches_pb2.MATCH_PHASE_OVER, match_pb2.ENDING_VOIDED)
    assert not summary.HasField("receipt"), "it has no end of which there could be one"
    assert ([bot.name for bot in summary.bots], list(summary.standings)) == (["seat 0", "seat 1"], [])
    warnings = [line for line in (said.out + said.err).splitlines() if "neither its end nor its secrets" in line]
    assert len(warnings) == 1
    assert all(text in warnings[0] for text in (voided, "warning", "nobody can take it up again", "put them back"))


@pytest.mark.checkout
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_record_without_an_end_is_over_only_where_its_secrets_are_gone(records: Path, suffix: str) -> None:
    path = records / "no-end.jsonl"
    path = pack(path, suffix) if suffix else path
    secrets = records / "no-end.jsonl.secrets"
    secrets.touch()
    assert summary_in(path) is None
    secrets.unlink()
    summary = summary_in(path)
    assert summary is not None
    assert (summary.ending, list(summary.standings)) == (match_pb2.ENDING_VOIDED, [])


@pytest.mark.parametrize("kept", [0, 1])
def test_no_more_are_listed_than_are_kept_and_the_newest_are(tmp_path: Path, kept: int) -> None:
    with server(tmp_path) as referee:
        play_one_and_cancel_another(referee)
    records = sorted((tmp_path / "records").glob("*.jsonl"))
    # Both may have been made in the same second: then the names do not show which is newer.
    newest = records[-1].rename(records[-1].with_name(f"2999{records[-1].name[4:]}"))
    with server(tmp_path, limits=Limits(finished_matches_kept=kept)) as referee:
        assert [summary.match for summary in listed(referee)] == [newest.stem.partition("-")[2].partition("-")[2]][:kept]


def test_a_packed_record_is_listed_once_and_fetched_as_it_is(tmp_path: Path) -> None:
    with server(tmp_path) as referee:
        finished, _ = play_one_and_cancel_another(referee)
    (record,) = (tmp_path / "records").glob(f"*{finished}.jsonl")
    content = record.read_bytes()
    packed = pack(record, ".gz")
    with server(tmp_path) as referee:
        assert gzip.decompress(fetched(referee, finished)) == content
        assert [summary.match for summary in listed(referee)].count(finished) == 1
        packed.unlink()
        with pytest.raises(grpc.RpcError) as gone:
            fetched(referee, finished)
    assert gone.value.code() is grpc.StatusCode.NOT_FOUND
    assert str(gone.value.details()).startswith("record-gone: ")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with a whole record and several that are damaged, each in another way."""
    whole = gzip.decompress((GOLDEN / "classic-6.jsonl.gz").read_bytes())
    lines = whole.splitlines(keepends=True)
    damaged = {
        "empty": b"",
        "garbage": bytes(range(256)),
        "no-header": b"".join(lines[1:]),
        "another-header": lines[0].replace(b'"seats":6', b'"seats":5') + b"".join(lines[1:]),
        "torn-header": lines[0][:50],
        "end-no-json": b"".join(lines[:-1]) + b"}\n",
        "end-no-object": b"".join(lines[:-1]) + b"7\n",
        "end-of-others": b"".join(lines[:-1]) + lines[-1].replace(b'"cash":[', b'"cash":[1,'),
        "no-end": b"".join(lines[:-1]),
    }
    for name, content in damaged.items():
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    (tmp_path / "no-packing.jsonl.gz").write_bytes(b"\x1f\x8b\x08 and nothing else")
    (tmp_path / "a-folder.jsonl").mkdir()
    (tmp_path / "whole.jsonl").write_bytes(whole)
    (tmp_path / "of-no-account.txt").write_bytes(whole)
    return tmp_path


@pytest.mark.checkout
def test_records_that_are_damaged_are_logged_and_passed_over(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = past_matches([records], 100)
    assert [past.record.name for past in found] == ["whole.jsonl"], "and no-end.jsonl is of the same match"
    said = capsys.readouterr()
    for path in records.iterdir():
        if path.name not in {"whole.jsonl", "of-no-account.txt"}:
            assert path.name in said.out + said.err


@pytest.mark.parametrize("looks_at", [1, 2, 3, 100])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_newest_come_first_however_many_are_looked_at_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, looks_at: int
) -> None:
    monkeypatch.setattr(past_matches_module, "LOOK_NAMES", looks_at)
    stems = [f"20261118-12000{number}-m" for number in range(5)]
    names = [f"{stem}.jsonl{packed}" for stem in stems for packed in ("", ".gz", ".zst", ".sig")]
    for name in names:
        (tmp_path / name).touch()
    expected = [f"{stem}.jsonl{packed}" for stem in reversed(stems) for packed in ("", ".zst", ".gz")]
    assert [path.name for path in _newest([tmp_path], count, SYSTEM_DISK)] == expected


@pytest.mark.checkout
@pytest.mark.parametrize("golden", sorted(path.name for path in GOLDEN.glob("*.jsonl.gz")))
def test_every_golden_record_has_a_summary(tmp_path: Path, golden: str) -> None:
    path = tmp_path / golden.removesuffix(".gz")
    path.write_bytes(gzip.decompress((GOLDEN / golden).read_bytes()))
    summary = summary_in(path)
    assert summary is not None
    assert summary == summary_in(GOLDEN / golden)
    assert len(summary.standings) in (0, len(summary.bots))


@pytest.mark.checkout
def test_only_the_two_ends_of_a_plain_record_are_read(records: Path) -> None:
    path = records / "whole.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"not a line of a record\n" * 1_000 + lines[-1])
    assert summary_in(path) is not None
    with pytest.raises(EngineError):
        verify([path.read_bytes()])
