"""A toy server for the operator's calls: it keeps each request, and answers with invented matches."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from mergemaker.v1 import match_pb2, matches_pb2, matches_pb2_grpc, public_log_pb2
from mergemaker_engine.rules import preset

from mergemaker_testkit.recorded import recorded_match

TOKEN = "mmo_test"  # noqa: S105 - of the toy server
RECORD = b"".join(recorded_match(preset("renegade-classic"), 2, bytes(32)))
MATCH = "ab12"
ALICE = match_pb2.SeatBot(name="alice")
BOB = match_pb2.SeatBot(name="bob", id="bob-2", version="2.1")
CREATED = Timestamp(seconds=1795016312)
"""2026-11-18T15:38:32Z"""


def _over() -> matches_pb2.MatchSummary:
    return matches_pb2.MatchSummary(
        match=MATCH,
        phase=matches_pb2.MATCH_PHASE_OVER,
        bots=[ALICE, BOB],
        connected=[False, False],
        turn=70,
        clock="fast",
        rules_fingerprint="f" * 32,
        created=CREATED,
        ending=match_pb2.ENDING_DECLARED,
        standings=[
            match_pb2.Standing(seat=0, bot=ALICE, cash=12_300, place=2, status=match_pb2.SEAT_STATUS_NEVER_JOINED),
            match_pb2.Standing(
                seat=1,
                bot=BOB,
                cash=45_600,
                place=1,
                status=match_pb2.SEAT_STATUS_FINISHED,
                faults=[match_pb2.FaultCount(cause=match_pb2.FAULT_CAUSE_TIMEOUT, count=2)],
            ),
        ],
    )


@dataclass
class Toy(matches_pb2_grpc.MatchServiceServicer):
    """Gives the answers that a test sets, and keeps the requests."""

    problem: tuple[grpc.StatusCode, str] | None = None
    record: list[bytes] = field(default_factory=lambda: [RECORD[:1000], RECORD[1000:]])
    count: int = 3
    found: matches_pb2.MatchSummary = field(default_factory=_over)
    listed: matches_pb2.MatchSummary = field(default_factory=matches_pb2.MatchSummary)
    """The common part of all listed matches."""
    made: matches_pb2.MatchSummary = field(default_factory=matches_pb2.MatchSummary)
    """The answer's fields for a new match, except its bots."""
    end_signature: bytes = b""
    log_entries: public_log_pb2.LogEntries | None = None
    requests: list[object] = field(default_factory=list)
    port: int = 0

    def _came(self, request: object, context: grpc.ServicerContext) -> None:
        self.requests.append(request)
        if dict(context.invocation_metadata())["authorization"] != f"Bearer {TOKEN}":
            self._abort(context, grpc.StatusCode.UNAUTHENTICATED, "wrong-token: nobody here has it")
        if self.problem:
            self._abort(context, *self.problem)

    @staticmethod
    def _abort(context: grpc.ServicerContext, code: grpc.StatusCode, details: str) -> NoReturn:
        context.abort(code, details)
        raise AssertionError("abort raises")

    def CreateMatch(  # noqa: N802 - the generated name
        self, request: matches_pb2.CreateMatchRequest, context: grpc.ServicerContext
    ) -> matches_pb2.CreateMatchResponse:
        self._came(request, context)
        summary = matches_pb2.MatchSummary(match=MATCH, bots=[match_pb2.SeatBot(name=seat.name) for seat in request.seats])
        summary.MergeFrom(self.made)
        tokens = ["" if seat.bot_id else f"mms_{number}" for number, seat in enumerate(request.seats)]
        return matches_pb2.CreateMatchResponse(match=summary, seat_tokens=tokens)

    def ListMatches(  # noqa: N802 - the generated name
        self, request: matches_pb2.ListMatchesRequest, context: grpc.ServicerContext
    ) -> matches_pb2.ListMatchesResponse:
        self._came(request, context)
        start = int(request.page_token or 0)
        end = min(start + request.page_size, self.count)
        matches = []
        for number in range(start, end):
            summary = matches_pb2.MatchSummary(match=f"m{number}", phase=request.phase or matches_pb2.MATCH_PHASE_PLAYING)
            summary.MergeFrom(self.listed)
            matches.append(summary)
        return matches_pb2.ListMatchesResponse(matches=matches, next_page_token=str(end) if end < self.count else "")

    def GetMatch(  # noqa: N802 - the generated name
        self, request: matches_pb2.GetMatchRequest, context: grpc.ServicerContext
    ) -> matches_pb2.GetMatchResponse:
        self._came(request, context)
        return matches_pb2.GetMatchResponse(match=self.found, end_signature=self.end_signature, log_entries=self.log_entries)

    def CancelMatch(  # noqa: N802 - the generated name
        self, request: matches_pb2.CancelMatchRequest, context: grpc.ServicerContext
    ) -> matches_pb2.CancelMatchResponse:
        self._came(request, context)
        summary = matches_pb2.MatchSummary(match=MATCH, phase=matches_pb2.MATCH_PHASE_OVER, ending=match_pb2.ENDING_VOIDED)
        summary.bots.extend([ALICE, BOB])
        summary.connected.append(True)
        return matches_pb2.CancelMatchResponse(match=summary)

    def FetchRecord(  # noqa: N802 - the generated name
        self, request: matches_pb2.FetchRecordRequest, context: grpc.ServicerContext
    ) -> Iterator[matches_pb2.FetchRecordResponse]:
        self._came(request, context)
        for piece in self.record:
            yield matches_pb2.FetchRecordResponse(data=piece)
