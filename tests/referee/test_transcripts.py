"""Old clients: their requests, byte for byte, still play whole matches, and get the same responses."""

from copy import deepcopy
from pathlib import Path

import pytest
from mergemaker.v1.referee_pb2 import PlayRequest
from mergemaker_testkit.transcripts import Transcript, game_hashes, load, play_transcript, referee_for

TRANSCRIPTS = sorted((Path(__file__).resolve().parent.parent / "golden" / "transcripts").glob("v*/*.json"))
BYTES_MAX = 65_536

pytestmark = pytest.mark.checkout


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_client_of_old_plays_and_is_told_the_same(path: Path, tmp_path: Path) -> None:
    transcript = load(path)
    with referee_for(transcript, tmp_path) as (referee, made):
        told = play_transcript(transcript, referee)
        games = game_hashes(made)
    assert told == [[stream.told for stream in client.streams] for client in transcript.clients]
    assert games == transcript.games


def requests_of(transcript: Transcript) -> list[PlayRequest]:
    streams = [stream for client in transcript.clients for stream in client.streams]
    return [PlayRequest.FromString(request.data) for stream in streams for request in stream.requests]


def test_the_transcripts_of_version_1_show_all_that_its_client_says() -> None:
    transcripts = {path.stem: load(path) for path in TRANSCRIPTS if path.parent.name == "v1"}
    said = [request for transcript in transcripts.values() for request in requests_of(transcript)]
    kinds = {request.WhichOneof("kind") for request in said}
    assert kinds == {"hello", "take_seat", "seat_ready", "seat_reveal", "answer"}
    hellos = [request.hello for request in said if request.HasField("hello")]
    assert {tuple(hello.protocols) for hello in hellos} == {(1,)}
    assert {hello.event_mode for hello in hellos} == {1, 2}
    assert any(hello.HasField("resume") and hello.resume.seen for hello in hellos)
    assert max(hello.matches_max for hello in hellos) > 1
    answers = [request.answer for request in said if request.HasField("answer")]
    assert {answer.WhichOneof("choice") for answer in answers} == {"action", "index"}
    assert any(answer.note for answer in answers)
    modes = {match["mode"] for transcript in transcripts.values() for match in transcript.matches}
    assert modes == {"plain", "server", "joint"}
    assert all(path.stat().st_size <= BYTES_MAX for path in TRANSCRIPTS)


def test_another_note_is_recorded_and_changes_nothing_else(tmp_path: Path) -> None:
    (path,) = [path for path in TRANSCRIPTS if path.stem == "held"]
    transcript = load(path)
    changed = deepcopy(transcript)
    stream = changed.clients[0].streams[0]
    number = next(
        number for number, request in enumerate(stream.requests) if PlayRequest.FromString(request.data).HasField("answer")
    )
    request = PlayRequest.FromString(stream.requests[number].data)
    request.answer.note = "another note"
    stream.requests[number].data = request.SerializeToString()
    with referee_for(changed, tmp_path) as (referee, made):
        told = play_transcript(changed, referee)
        games = game_hashes(made)
    assert games == transcript.games, "a note is of the run alone"
    assert told == [[each.told for each in client.streams] for client in transcript.clients]
    assert b"another note" in made[0].journal.path.read_bytes()
