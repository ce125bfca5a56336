"""An operator's client of a server: the calls of `MatchService`, and their statuses in words."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Self

import grpc
from mergemaker.v1 import matches_pb2, public_log_pb2
from mergemaker.v1.matches_pb2_grpc import MatchServiceStub
from mergemaker.v1.public_log_pb2_grpc import PublicLogServiceStub
from mergemaker_client.connection import open_channel
from mergemaker_client.environment import CA_VARIABLE, Target
from mergemaker_client.problems import BadSetting

from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.server.places import Place

CALL_LIMIT_S: Final = 30.0
"""How long an answer may take."""
FETCH_LIMIT_S: Final = 600.0
"""How long a whole record may take."""
PAGE_SIZE_MAX: Final = 1_000
"""How many matches one call lists."""

_REASON: Final = re.compile(r"(?P<reason>[a-z0-9]+(?:-[a-z0-9]+)*): (?P<text>.*)", re.DOTALL)
_NOT_TRUSTED: Final = "CERTIFICATE_VERIFY_FAILED"
"""Part of gRPC's message about a certificate without a trusted authority."""


class Remote:
    """A connection to a server, for its operator."""

    def __init__(self, place: Place) -> None:
        self._place: Final = place
        try:
            self._channel: Final = open_channel(place.target, place.ca)
        except BadSetting as problem:
            raise WrongUse(str(problem)) from problem
        self._stub: Final = MatchServiceStub(self._channel)
        self._log_stub: Final = PublicLogServiceStub(self._channel)
        self._metadata: Final = (("authorization", f"Bearer {place.token}"),) if place.token else ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def create(self, request: matches_pb2.CreateMatchRequest) -> matches_pb2.CreateMatchResponse:
        """Makes a match."""
        with self._explained():
            return self._stub.CreateMatch(request, timeout=CALL_LIMIT_S, metadata=self._metadata)

    def matches(
        self, phase: matches_pb2.MatchPhase.ValueType, count: int, labels: Mapping[str, str]
    ) -> list[matches_pb2.MatchSummary]:
        """At most this many matches in a phase and with all of these labels, newest first."""
        found: list[matches_pb2.MatchSummary] = []
        token = ""
        while len(found) < count:
            size = min(count - len(found), PAGE_SIZE_MAX)
            request = matches_pb2.ListMatchesRequest(phase=phase, page_size=size, page_token=token, labels=labels)
            with self._explained():
                page = self._stub.ListMatches(request, timeout=CALL_LIMIT_S, metadata=self._metadata)
            found += page.matches
            token = page.next_page_token
            if not token:
                break
        return found[:count]

    def get(self, match: str) -> matches_pb2.GetMatchResponse:
        """One match, with what proves its end."""
        request = matches_pb2.GetMatchRequest(match=match)
        with self._explained():
            return self._stub.GetMatch(request, timeout=CALL_LIMIT_S, metadata=self._metadata)

    def cancel(self, match: str, why: str) -> matches_pb2.MatchSummary:
        """Voids a match."""
        request = matches_pb2.CancelMatchRequest(match=match, why=why)
        with self._explained():
            return self._stub.CancelMatch(request, timeout=CALL_LIMIT_S, metadata=self._metadata).match

    def record(self, match: str) -> Iterator[bytes]:
        """The record of a match, piece by piece."""
        request = matches_pb2.FetchRecordRequest(match=match)
        with self._explained():
            for piece in self._stub.FetchRecord(request, timeout=FETCH_LIMIT_S, metadata=self._metadata):
                yield piece.data

    def log_page(self, first: int) -> public_log_pb2.ReadLogResponse:
        """Lines of the public log from one of them on, and its head."""
        with self._explained():
            return self._log_stub.ReadLog(public_log_pb2.ReadLogRequest(first=first), timeout=CALL_LIMIT_S)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call):  # every error of a call is one as well: it has a status
                raise
            raise _problem(error, self._place.target) from error


def _problem(call: grpc.Call, target: Target) -> Exception:
    """What a status means: wrong use, or a failure."""
    details = call.details() or ""
    found = _REASON.fullmatch(details)
    text = found["text"] if found else details
    match call.code():
        case grpc.StatusCode.INVALID_ARGUMENT:
            return WrongUse(text)
        case grpc.StatusCode.UNAUTHENTICATED:
            return CommandFailed(f"{target} does not know this token; matches want the operator's ({text})")
        case grpc.StatusCode.PERMISSION_DENIED:
            return CommandFailed(f"this is not the operator's token ({text})")
        case grpc.StatusCode.UNAVAILABLE if _NOT_TRUSTED in details:
            return CommandFailed(f"the certificate of {target} is not trusted: set {CA_VARIABLE} to the file that vouches for it")
        case grpc.StatusCode.UNAVAILABLE if not found:
            return CommandFailed(f"cannot reach {target}: does the server run, and is this its address? ({text})")
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return CommandFailed(f"{target} did not answer in time; try again")
        case grpc.StatusCode.UNIMPLEMENTED if not found:
            return CommandFailed(f"{target} is no Mergemaker referee, or an older one")
        case (
            grpc.StatusCode.NOT_FOUND
            | grpc.StatusCode.FAILED_PRECONDITION
            | grpc.StatusCode.RESOURCE_EXHAUSTED
            | grpc.StatusCode.UNIMPLEMENTED
        ):
            return CommandFailed(text)
        case code:
            return CommandFailed(f"{target} answered {code.name}: {text}")
