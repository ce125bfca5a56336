"""A server's folders: made, locked, and searched for interrupted matches."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import preset
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.data_folder import LOCK_NAME, DataFolder
from mergemaker_referee.records.leftovers import Leftovers, find_leftovers
from mergemaker_referee.records.secrets_file import SeatKey, read_seats, read_secrets, secrets_path, write_secrets
from mergemaker_referee.tokens import token_hash
from mergemaker_testkit.recorded import recorded_match

WAIT_S = 30
"""A guard against a hang, far above what any step takes."""
SEED = bytes(range(32))
LINES = recorded_match(preset("renegade-classic"), 3, SEED)
SEATS = (SeatKey(bot="alice"), SeatKey(token_hash=token_hash("b")), SeatKey(token_hash=token_hash("c")))

needs_modes = pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")


def _open(root: Path, records: Path | None = None) -> DataFolder:
    return DataFolder.open(root, records or root / "records")


def _leave(folder: DataFolder, name: str, content: bytes | None, seats: tuple[SeatKey, ...] = SEATS) -> Path:
    record = folder.records / name
    write_secrets(record, Secrets(SEED), seats)
    if content is not None:
        record.write_bytes(content)
    return record


# --- making and locking -------------------------------------------------------------------------------------


@needs_modes
def test_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    with _open(tmp_path / "deep" / "data") as folder:
        assert [path.stat().st_mode & 0o777 for path in (folder.root, folder.records)] == [0o700, 0o700]


def test_a_second_server_is_refused_with_the_folder_and_the_pid_until_the_first_is_gone(tmp_path: Path) -> None:
    with _open(tmp_path / "data"):
        with pytest.raises(RefereeError) as found:
            _open(tmp_path / "data")
        assert found.value.reason == "folder-in-use"
        assert f"{tmp_path / 'data'} is in use by another server (process {os.getpid()})" in str(found.value)
    with _open(tmp_path / "data"):
        pass


def test_two_servers_may_not_share_their_records_either(tmp_path: Path) -> None:
    with _open(tmp_path / "one", tmp_path / "records"):
        with pytest.raises(RefereeError, match="records is in use"):
            _open(tmp_path / "two", tmp_path / "records")
        # Locks taken before the refusal are free again.
        with _open(tmp_path / "two"):
            pass


def test_records_may_lie_in_the_data_folder_itself(tmp_path: Path) -> None:
    with _open(tmp_path / "data", tmp_path / "data") as folder:
        assert find_leftovers(folder.records) == Leftovers((), ())


def test_a_server_that_was_killed_holds_no_lock(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom mergemaker_referee.records.data_folder import DataFolder\n"
        "folder = DataFolder.open(Path(sys.argv[1]), Path(sys.argv[1]) / 'records')\n"
        "print('open', flush=True)\nsys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "data")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "open\n"
        with pytest.raises(RefereeError, match=rf"process {other.pid}\)"):
            _open(tmp_path / "data")
        other.kill()
        other.wait(WAIT_S)
    with _open(tmp_path / "data"):
        pass


def test_a_lock_whose_holder_is_not_known_is_said_so(tmp_path: Path) -> None:
    with _open(tmp_path / "data"):
        (tmp_path / "data" / LOCK_NAME).write_bytes(b"\xff no pid")
        with pytest.raises(RefereeError, match="its pid is not known"):
            _open(tmp_path / "data")


def test_a_file_in_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", "utf-8")
    with pytest.raises(RefereeError) as found:
        _open(tmp_path / "data")
    assert (found.value.reason, str(tmp_path / "data") in str(found.value)) == ("bad-folder", True)


def test_a_lock_that_cannot_be_made_or_taken_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data" / LOCK_NAME).mkdir(parents=True)
    with pytest.raises(RefereeError, match="cannot write to the folder"):
        _open(tmp_path / "data")

    def no_locks(_: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("mergemaker_referee.records.data_folder._take", no_locks)
    with pytest.raises(RefereeError, match="cannot be locked: No locks available"):
        _open(tmp_path / "other")


# --- what was interrupted ------------------------------------------------------------------------------------


def test_records_without_an_end_are_found_the_oldest_first(tmp_path: Path) -> None:
    with _open(tmp_path / "data") as folder:
        later = _leave(folder, "20261118-120000-b.jsonl", b"".join(LINES[:40]))
        sooner = _leave(folder, "20261117-120000-a.jsonl", b"".join(LINES[:1]))
        torn = _leave(folder, "20261119-120000-c.jsonl", b"".join(LINES[:-1]) + LINES[-1][:-1])
        (folder.records / "20261116-120000-d.jsonl").write_bytes(b"".join(LINES))
        assert find_leftovers(folder.records) == Leftovers((sooner, later, torn), ())
        assert read_seats(sooner) == SEATS


def test_secrets_of_what_never_began_are_removed(tmp_path: Path) -> None:
    with _open(tmp_path / "data") as folder:
        never = [_leave(folder, "b.jsonl", None), _leave(folder, "c.jsonl", b""), _leave(folder, "d.jsonl", LINES[0][:-1])]
        assert find_leftovers(folder.records) == Leftovers((), ())
        assert not any(path.exists() for path in [*never, *map(secrets_path, never)])


def test_a_match_that_had_just_ended_is_found_with_its_secrets(tmp_path: Path) -> None:
    with _open(tmp_path / "data") as folder:
        over = _leave(folder, "a.jsonl", b"".join(LINES))
        assert find_leftovers(folder.records) == Leftovers((), (), (over,))
        assert secrets_path(over).exists()


def test_a_match_whose_seats_nobody_can_take_is_left_alone(tmp_path: Path) -> None:
    with _open(tmp_path / "data") as folder:
        record = _leave(folder, "a.jsonl", b"".join(LINES[:40]), seats=())
        assert find_leftovers(folder.records) == Leftovers((), ())
        assert record.exists()
        assert secrets_path(record).exists()


def test_secrets_that_cannot_be_read_are_reported_and_stop_nothing(tmp_path: Path) -> None:
    with _open(tmp_path / "data") as folder:
        good = _leave(folder, "b.jsonl", b"".join(LINES[:40]))
        bad = _leave(folder, "a.jsonl", b"".join(LINES[:40]))
        secrets_path(bad).write_text("{", "utf-8")
        found = find_leftovers(folder.records)
        assert found.unfinished == (good,)
        assert [path for path, _ in found.damaged] == [bad]
        assert "is not a file of secrets" in found.damaged[0][1]


def test_secrets_that_were_being_written_when_the_server_ended_are_removed(tmp_path: Path) -> None:
    with _open(tmp_path / "data") as folder:
        record = _leave(folder, "a.jsonl", None)
        whole = secrets_path(record).read_bytes()
        secrets_path(record).write_bytes(whole[: len(whole) // 2])
        assert find_leftovers(folder.records) == Leftovers((), ())
        assert not secrets_path(record).exists()


def test_a_last_line_that_is_no_record_is_not_taken_for_an_end(tmp_path: Path) -> None:
    with _open(tmp_path / "data") as folder:
        records = [
            _leave(folder, f"{number}.jsonl", last + b"\n") for number, last in enumerate((b"\xff", b"[]", b'{"kind":"deal"}'))
        ]
        assert find_leftovers(folder.records) == Leftovers(tuple(records), ())


# --- who may take a seat ------------------------------------------------------------------------------------


def test_secrets_without_seats_are_read_as_before(tmp_path: Path) -> None:
    record = tmp_path / "a.jsonl"
    document = {"seed": SEED.hex(), "server_seed": None, "nonce": None}
    secrets_path(record).write_text(json.dumps(document), "ascii")
    assert read_secrets(record) == Secrets(SEED)
    assert read_seats(record) == ()


@pytest.mark.parametrize(
    "seats",
    [
        5,
        [5],
        [{}],
        [{"bot": "a"}],
        [{"bot": None, "token_hash": None}],
        [{"bot": "a", "token_hash": "0" * 64}],
        [{"bot": None, "token_hash": "a token"}],
        [{"bot": 5, "token_hash": None}],
        [{"bot": "", "token_hash": None}],
    ],
)
def test_damaged_seats_are_said(tmp_path: Path, seats: object) -> None:
    record = tmp_path / "a.jsonl"
    document = {"seed": SEED.hex(), "server_seed": None, "nonce": None, "seats": seats}
    secrets_path(record).write_text(json.dumps(document), "ascii")
    with pytest.raises(RecordError) as found:
        read_seats(record)
    assert found.value.reason == "bad-secrets"
