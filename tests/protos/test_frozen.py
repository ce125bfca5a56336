"""The frozen parts of the protocol: the image compared with the generated code, and how a client orders a response's parts."""

import re
from pathlib import Path
from typing import Final

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from mergemaker.v1 import matches_pb2, referee_pb2, server_pb2, spectate_pb2
from mergemaker.v1.referee_pb2 import PlayResponse

PROTOS: Final = Path(__file__).resolve().parents[2] / "protos"
SERVICES: Final = (matches_pb2, referee_pb2, server_pb2, spectate_pb2)
ORDER: Final = (
    "welcome match_offered seats_committed match_started answer_accepted answer_refused default_taken events decision "
    "match_ended request_refused ping pong goodbye"
)
"""The order that the comment at PlayResponse describes."""
ROOM: Final = (range(10, 20), range(21, 30), range(31, 40), range(44, 50))
"""Numbers of PlayResponse for future parts."""


def frozen() -> list[descriptor_pb2.FileDescriptorProto]:
    path = PROTOS / "image" / "mergemaker-v1.binpb"
    if not path.exists():
        return []  # only if the checkout's tests do not run
    image = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
    return [file for file in image.file if file.package == "mergemaker.v1"]


def members(file: descriptor_pb2.FileDescriptorProto) -> dict[str, object]:
    """Everything that a client relies on, by name."""
    found: dict[str, object] = {}
    for message in file.message_type:
        found[message.name] = "message"
        for field in message.field:
            found[f"{message.name}.{field.name}"] = (
                field.number,
                field.type,
                field.label,
                field.type_name,
                field.proto3_optional,
            )
    for enum in file.enum_type:
        found |= {f"{enum.name}.{value.name}": value.number for value in enum.value}
    for service in file.service:
        for method in service.method:
            kinds = (method.input_type, method.output_type, method.client_streaming, method.server_streaming)
            found[f"{service.name}.{method.name}"] = kinds
    found |= {"go_package": file.options.go_package, "java_package": file.options.java_package}
    return found


@pytest.mark.checkout
@pytest.mark.parametrize("file", frozen(), ids=lambda file: Path(file.name).stem)
def test_what_is_frozen_is_as_it_was(file: descriptor_pb2.FileDescriptorProto) -> None:
    now = descriptor_pb2.FileDescriptorProto()
    descriptor_pool.Default().FindFileByName(file.name).CopyToProto(now)
    held, there = members(file), members(now)
    assert {name: there.get(name) for name in held} == held


@pytest.mark.checkout
def test_all_files_are_frozen() -> None:
    assert {Path(file.name).name for file in frozen()} == {path.name for path in (PROTOS / "mergemaker" / "v1").glob("*.proto")}


def test_parts_of_a_response_are_handled_in_the_order_that_is_said() -> None:
    fields = PlayResponse.DESCRIPTOR.fields_by_name
    numbers = [fields[name].number for name in ORDER.split()]
    assert numbers == sorted(numbers)
    assert {*ORDER.split(), "match"} == set(fields), "a new part gets a place in the order, and the comment says which"
    assert max(numbers) == fields["goodbye"].number


def test_there_is_room_for_parts_to_come() -> None:
    taken = {field.number for field in PlayResponse.DESCRIPTOR.fields}
    assert not taken & {number for room in ROOM for number in room}
    assert 10 in ROOM[0]
    assert PlayResponse.EVENTS_FIELD_NUMBER < ROOM[0].start < ROOM[0].stop == PlayResponse.DECISION_FIELD_NUMBER
    assert PlayResponse.DECISION_FIELD_NUMBER < ROOM[1].start < ROOM[1].stop == PlayResponse.MATCH_ENDED_FIELD_NUMBER


@pytest.mark.checkout
def test_the_comment_says_where_there_is_room() -> None:
    text = " ".join((PROTOS / "mergemaker" / "v1" / "referee.proto").read_text("utf-8").replace("//", "").split())
    said = {(int(first), int(last)) for first, last in re.findall(r"(\d+) to (\d+) for what is handled", text)}
    assert said == {(room.start, room.stop - 1) for room in ROOM}


def test_parts_come_in_their_order_however_they_were_written() -> None:
    parts = [
        PlayResponse(goodbye=referee_pb2.Goodbye(reason="r")),
        PlayResponse(match_ended=referee_pb2.MatchEnded()),
        PlayResponse(decision=referee_pb2.Decision(id=1)),
        PlayResponse(welcome=referee_pb2.Welcome()),
    ]
    read = PlayResponse.FromString(b"".join(part.SerializeToString() for part in parts))
    assert [field.name for field, _ in read.ListFields()] == ["welcome", "decision", "match_ended", "goodbye"]
