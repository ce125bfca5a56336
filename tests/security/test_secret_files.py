"""The file of a match's secrets: only its owner may read it; it is opened only to make or resume its match."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from mergemaker.v1 import matches_pb2, spectate_pb2
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit.live_referee import WAIT_LIMIT_S, RawBot, bearer, match_stub, play_to_the_end, spectate_stub
from mergemaker_testkit.served import Served, served

OPERATOR = fresh_token(TokenKind.OPERATOR)
CONFIGURATION = f"""
[server]
listen = "127.0.0.1:0"
[operator]
token_hash = "{token_hash(OPERATOR)}"
[metrics]
listen = "127.0.0.1:0"
[spectating]
open = true
"""
# Audit hooks learn of every file that a process opens, by any function.
WATCHING = """
import os, sys
told = os.open("opened.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def hear(event, arguments):
    if event == "open" and ".secrets" in str(arguments[0]):
        kind = "made" if arguments[2] & os.O_EXCL else "read"
        os.write(told, f"{kind} {os.path.basename(os.fsdecode(arguments[0]))}\\n".encode())
    elif event in ("os.remove", "os.rename", "os.link", "os.symlink", "shutil.copyfile", "os.truncate", "os.chmod"):
        if ".secrets" in str(arguments):
            os.write(told, f"{event} {os.path.basename(os.fsdecode(arguments[0]))}\\n".encode())
sys.addaudithook(hear)
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of files, and kill, are those of POSIX")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """The program sets modes itself, independent of the user's umask."""
    before = os.umask(0)
    yield
    os.umask(before)


def opened(folder: Path) -> list[str]:
    return (folder / "opened.log").read_text("utf-8").splitlines()


def create(server: Served) -> matches_pb2.CreateMatchResponse:
    with server.channel() as channel:
        seats = [matches_pb2.SeatPlan(name="a"), matches_pb2.SeatPlan(name="b")]
        return match_stub(channel).CreateMatch(matches_pb2.CreateMatchRequest(seats=seats), metadata=bearer(OPERATOR))


def look_everywhere(server: Served, match: str) -> None:
    """Everything that an operator, a spectator and a bot can ask of a server."""
    with server.channel() as channel:
        stub = match_stub(channel)
        stub.ListMatches(matches_pb2.ListMatchesRequest(), metadata=bearer(OPERATOR))
        stub.GetMatch(matches_pb2.GetMatchRequest(match=match), metadata=bearer(OPERATOR))
        watching = spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match=match))
        next(watching)
        watching.cancel()


@pytest.mark.slow
def test_nothing_opens_it_but_making_and_taking_up_and_it_goes_with_the_end(tmp_path: Path) -> None:
    with served(tmp_path, CONFIGURATION, WATCHING) as server:
        made = create(server)
        (file,) = tmp_path.rglob("*.secrets")
        name, match = file.name, made.match.match
        look_everywhere(server, match)
        bots = [RawBot(server, token) for token in made.seat_tokens]
        for bot in bots:
            bot.hello()
            bot.take_seat()
        bots[0].until("match_started")
        assert opened(tmp_path) == [f"made {name}"]
        server.kill()
        for bot in bots:
            bot.close()
    with served(tmp_path, CONFIGURATION, WATCHING) as server:
        again = opened(tmp_path)[1:]
        assert set(again) == {f"read {name}"}
        bots = [RawBot(server, token) for token in made.seat_tokens]
        for bot in bots:
            bot.hello()
            bot.take_seat(match)
        look_everywhere(server, match)
        play_to_the_end(bots, match)
        # Bots learn of the end a moment before the file is removed.
        with server.channel() as channel:
            fetched = match_stub(channel).FetchRecord(matches_pb2.FetchRecordRequest(match=match), metadata=bearer(OPERATOR))
            assert b'"kind":"end"' in b"".join(piece.data for piece in fetched)
        for bot in bots:
            bot.close()
        assert opened(tmp_path)[1 + len(again) :] == [f"os.remove {name}"]
        assert not file.exists()
        server.process.terminate()
        assert server.process.wait(WAIT_LIMIT_S) == 0


@pytest.mark.slow
def test_it_is_its_owners_alone_and_so_are_the_folders(tmp_path: Path) -> None:
    with served(tmp_path, CONFIGURATION) as server:
        create(server)
        (file,) = tmp_path.rglob("*.secrets")
        folders = [tmp_path / "data", tmp_path / "data" / "records"]
        assert [stat.S_IMODE(path.stat().st_mode) for path in (file, *folders)] == [0o600, 0o700, 0o700]
        document = json.loads(file.read_text("ascii"))
        # It has only the hashes of tokens.
        assert {len(seat["token_hash"]) for seat in document["seats"]} == {64}


def test_a_secret_file_that_somebody_has_put_there_is_not_written_to(tmp_path: Path) -> None:
    from mergemaker_engine.record.scribe import Secrets  # noqa: PLC0415 - only for this test
    from mergemaker_referee.records.secrets_file import secrets_path, write_secrets  # noqa: PLC0415 - likewise

    record, elsewhere = tmp_path / "record.jsonl", tmp_path / "elsewhere"
    secrets_path(record).symlink_to(elsewhere)
    with pytest.raises(FileExistsError):
        write_secrets(record, Secrets(bytes(32)))
    assert not elsewhere.exists()
