"""What gRPC's own tools and libraries expect of a server: reflection, health checks, errors for programs, pages of lists."""

from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from mergemaker.v1 import matches_pb2, referee_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_testkit.live_referee import Clients, LiveReferee, bearer, live_referee, match_stub, operator_settings

REFLECTION = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


def reflect(channel: grpc.Channel, service: str, **asked: str) -> Any:
    call: Any = channel.stream_stream(
        f"/{service}/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    request = reflection_pb2.ServerReflectionRequest(**asked)
    (answer,) = call(iter([request]))
    assert answer.original_request == request
    return answer


def described(answer: Any) -> dict[str, list[str]]:
    """The services in an answer, with their methods."""
    files = [
        descriptor_pb2.FileDescriptorProto.FromString(each) for each in answer.file_descriptor_response.file_descriptor_proto
    ]
    return {f"{file.package}.{each.name}": [one.name for one in each.method] for file in files for each in file.service}


@pytest.mark.parametrize("service", REFLECTION)
def test_reflection_answers_under_its_new_and_its_old_name(referee: LiveReferee, service: str) -> None:
    with referee.channel() as channel:
        listed = {each.name for each in reflect(channel, service, list_services="*").list_services_response.service}
        assert {"mergemaker.v1.MatchService", "grpc.health.v1.Health", *REFLECTION} <= listed
        for name in listed:
            assert name in described(reflect(channel, service, file_containing_symbol=name)), "what is listed is described"


@pytest.mark.parametrize("service", REFLECTION)
def test_a_method_is_found_by_its_name(referee: LiveReferee, service: str) -> None:
    with referee.channel() as channel:
        found = reflect(channel, service, file_containing_symbol="mergemaker.v1.MatchService.CreateMatch")
        assert "CreateMatch" in described(found)["mergemaker.v1.MatchService"]
        for nothing in ("mergemaker.v1.MatchService.No", "No.CreateMatch", "no", ""):
            answer = reflect(channel, service, file_containing_symbol=nothing)
            assert answer.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]


@pytest.mark.skipif(not hasattr(health_pb2, "HealthListResponse"), reason="this grpcio-health-checking knows no List")
def test_the_health_of_all_services_is_listed(referee: LiveReferee) -> None:
    with referee.channel() as channel:
        call: Any = channel.unary_unary(
            "/grpc.health.v1.Health/List",
            request_serializer=health_pb2.HealthListRequest.SerializeToString,
            response_deserializer=health_pb2.HealthListResponse.FromString,
        )
        statuses = call(health_pb2.HealthListRequest()).statuses
    assert {"", "mergemaker.v1.RefereeService", "mergemaker.v1.MatchService"} <= set(statuses)
    assert {each.status for each in statuses.values()} == {health_pb2.HealthCheckResponse.SERVING}


def info_of(error: grpc.RpcError) -> tuple[status_pb2.Status, error_details_pb2.ErrorInfo]:
    trailing: Any = error.trailing_metadata()
    (data,) = [value for key, value in trailing if key == "grpc-status-details-bin"]
    status = status_pb2.Status.FromString(data)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return status, info


@pytest.fixture
def operated(tmp_path: Path) -> Any:
    token, settings = operator_settings()
    with live_referee(tmp_path, limits=Limits(finished_matches_kept=50), **settings) as referee, referee.channel() as channel:
        yield match_stub(channel), bearer(token)


def test_an_error_says_for_programs_what_it_says_for_people(operated: Any) -> None:
    stub, metadata = operated
    with pytest.raises(grpc.RpcError) as refused:
        stub.GetMatch(matches_pb2.GetMatchRequest(match="none"), metadata=metadata)
    status, info = info_of(refused.value)
    assert (status.code, status.message) == (grpc.StatusCode.NOT_FOUND.value[0], refused.value.details())
    assert (info.reason, info.domain) == ("UNKNOWN_MATCH", "mergemaker")
    assert dict(info.metadata) == {"reason": "unknown-match", "reconnect": "false"}
    with pytest.raises(grpc.RpcError) as refused:
        stub.GetMatch(matches_pb2.GetMatchRequest(match="none"))
    assert info_of(refused.value)[1].reason == "NO_TOKEN"


def test_matches_are_listed_in_the_order_in_which_they_were_made_also_within_a_second(operated: Any) -> None:
    stub, metadata = operated
    seats = [matches_pb2.SeatPlan()] * 2
    made = [stub.CreateMatch(matches_pb2.CreateMatchRequest(seats=seats), metadata=metadata).match.match for _ in range(12)]
    for match in made[::3]:
        stub.CancelMatch(matches_pb2.CancelMatchRequest(match=match), metadata=metadata)
    listed: list[str] = []
    token = ""
    while True:
        request = matches_pb2.ListMatchesRequest(page_size=5, page_token=token)
        page = stub.ListMatches(request, metadata=metadata)
        listed += [each.match for each in page.matches]
        token = page.next_page_token
        if not token:
            break
        if len(listed) == 5:  # new matches are newer than all pages to come
            stub.CreateMatch(matches_pb2.CreateMatchRequest(seats=seats), metadata=metadata)
    assert listed == made[::-1]


@pytest.mark.parametrize("token", ["x", "a b c", "2026-11-18T15:38:32Z", "a 1 b c", "a -1 b", f"a {'9' * 4_000} b", "a ² b"])
def test_a_page_token_that_no_page_gave_is_refused(operated: Any, token: str) -> None:
    stub, metadata = operated
    with pytest.raises(grpc.RpcError) as refused:
        stub.ListMatches(matches_pb2.ListMatchesRequest(page_token=token), metadata=metadata)
    assert info_of(refused.value)[1].reason == "BAD_PAGE_TOKEN"
    assert len(refused.value.details() or "") < 300


def test_a_phase_that_is_not_known_is_refused(operated: Any) -> None:
    stub, metadata = operated
    with pytest.raises(grpc.RpcError) as refused:
        stub.ListMatches(matches_pb2.ListMatchesRequest(phase=9), metadata=metadata)  # type: ignore[arg-type]  # on purpose
    status, info = info_of(refused.value)
    assert (info.reason, "MATCH_PHASE_PLAYING" in status.message) == ("UNKNOWN_PHASE", True)


@pytest.mark.parametrize(
    ("request_bytes", "code"),
    [
        (b"\xff", grpc.StatusCode.INVALID_ARGUMENT),
        (referee_pb2.PlayRequest().SerializeToString(), grpc.StatusCode.INVALID_ARGUMENT),
        (
            referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[99])).SerializeToString(),
            grpc.StatusCode.FAILED_PRECONDITION,
        ),
    ],
    ids=["garbage", "no Hello", "a protocol that is too new"],
)
def test_a_first_request_is_judged_though_nothing_can_follow(
    referee: LiveReferee, clients: Clients, request_bytes: bytes, code: grpc.StatusCode
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.send(request_bytes)
    bot.leave()
    assert bot.end().code is code


def test_who_says_hello_and_leaves_is_welcomed_first(referee: LiveReferee, clients: Clients) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
    bot.leave()
    assert bot.until("welcome").welcome.session
    assert bot.end().code is grpc.StatusCode.OK
