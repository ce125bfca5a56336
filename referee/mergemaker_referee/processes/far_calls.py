"""The operator's calls before several processes: each goes to the process whose match it is about, or to all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog
import trio
from mergemaker.v1 import matches_pb2
from mergemaker_engine.shown import shown

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.matches import operator_calls
from mergemaker_referee.matches.log_calls import log_entries, read_log
from mergemaker_referee.matches.made_requests import MadeByRequest
from mergemaker_referee.matches.operator_calls import CallProblem
from mergemaker_referee.processes.far_matches import FarMatch
from mergemaker_referee.processes.house import PROCESS_GONE, House, HouseGone
from mergemaker_referee.processes.match_book import MatchBook
from mergemaker_referee.processes.player import LIST_CURRENT
from mergemaker_referee.records.disks import SYSTEM_DISK
from mergemaker_referee.records.signing import signature_of
from mergemaker_referee.rpc.front import Reply

_LOG = structlog.get_logger(__name__)


class FarCalls:
    """Answers single calls."""

    def __init__(self, book: MatchBook, houses: Sequence[House], limits: Limits) -> None:
        self._book: Final = book
        self._houses: Final = houses
        self._limits: Final = limits

    async def answer(self, method: str, request: bytes, reply: Reply) -> None:
        """Answers a call, or says why not."""
        handler = getattr(self, f"_call_{method}")
        try:
            reply(await handler(request))
        except CallProblem as problem:
            reply(problem.closing)
        except HouseGone:
            reply(PROCESS_GONE)
        except OSError as problem:
            reply(Closing(CloseCode.UNAVAILABLE, "disk", f"the referee cannot read or write: {problem.strerror or problem}"))
        except Exception:  # noqa: BLE001 - a fault in a call ends only this call
            _LOG.exception("a call broke", method=method)
            reply(Closing(CloseCode.INTERNAL, "fault", "a fault of the referee; its log says more"))

    async def _call_CreateMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.CreateMatchRequest, data)
        key = operator_calls.request_key(request)
        if key is None:
            response = matches_pb2.CreateMatchResponse.FromString(await self._chosen_house().call("CreateMatch", data))
            made = MadeByRequest(response.match.match, tuple(response.seat_tokens))
        else:
            made = await self._book.requests.once(key, lambda: self._make(data, key.key))
        summary = await self._summary(made.match)
        return matches_pb2.CreateMatchResponse(match=summary, seat_tokens=made.tokens).SerializeToString()

    async def _make(self, data: bytes, key: str) -> MadeByRequest:
        """Has a match made for a request that may come again, also if the process that makes it dies meanwhile."""
        while True:
            house = self._chosen_house()
            try:
                response = matches_pb2.CreateMatchResponse.FromString(await house.call("CreateMatch", data))
                return MadeByRequest(response.match.match, tuple(response.seat_tokens))
            except HouseGone:
                await house.came.wait()  # it may have made the match
            requests = ((match.id, match.announced.request) for match in self._book.seating.matches.values())
            made = [id_ for id_, request in requests if request is not None and request.key == key]
            if made:
                return MadeByRequest(made[0])

    def _chosen_house(self) -> House:
        """The process with the fewest matches."""
        there = [house for house in self._houses if house.is_there]
        most = self._limits.matches_max
        if sum(house.load for house in self._houses) >= most:
            text = f"{most} matches run, which is the limit"
            raise CallProblem(CloseCode.RESOURCE_EXHAUSTED, "too-many-matches", text)
        if not there:
            text = "no process of the referee can play now; they are being started again"
            raise CallProblem(CloseCode.UNAVAILABLE, "no-process", text)
        return min(there, key=lambda house: (house.load, house.number))

    async def _call_ListMatches(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.ListMatchesRequest, data)
        found: list[matches_pb2.MatchSummary] = []
        async with trio.open_nursery() as nursery:
            for house in self._houses:
                nursery.start_soon(self._list_house, house, found)
        finished = {match: summary for match, (summary, _) in self._book.finished.items()}
        current = [each for each in found if each.match not in finished]
        return operator_calls.page_of(current, finished, request, self._book.made).SerializeToString()

    async def _list_house(self, house: House, found: list[matches_pb2.MatchSummary]) -> None:
        try:
            listed = matches_pb2.ListMatchesResponse.FromString(await house.call(LIST_CURRENT, b""))
        except HouseGone:
            found += [self._suspended(match) for match in map(self._book.seating.matches.get, house.matches) if match is not None]
            return
        found += [self._completed(summary) for summary in listed.matches]

    def _suspended(self, match: FarMatch) -> matches_pb2.MatchSummary:
        """A match whose process is not there at the moment."""
        summary = matches_pb2.MatchSummary.FromString(match.announced.summary)
        summary.phase = matches_pb2.MATCH_PHASE_SUSPENDED
        summary.connected[:] = [False] * len(summary.connected)
        return summary

    def _completed(self, summary: matches_pb2.MatchSummary) -> matches_pb2.MatchSummary:
        """Adds which bots a match waits for: that is known here."""
        match = self._book.seating.matches.get(summary.match)
        if match is not None and match.waits_to_join:
            summary.awaited.extend(matches_pb2.AwaitedBot(bot_id=bot, why=why) for bot, why in match.awaited().items())
        return summary

    async def _call_GetMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.GetMatchRequest, data)
        summary = await self._summary(request.match)
        response = matches_pb2.GetMatchResponse(match=summary, log_entries=log_entries(self._book.log, request.match))
        if (finished := self._book.finished.get(request.match)) is not None:
            response.end_signature = await signature_of(finished[1], SYSTEM_DISK, self._book.writer)
        return response.SerializeToString()

    async def _summary(self, match: str) -> matches_pb2.MatchSummary:
        if match in self._book.finished:
            return self._book.finished[match][0]
        known = self._known(match)
        request = matches_pb2.GetMatchRequest(match=match).SerializeToString()
        try:
            return self._completed(matches_pb2.GetMatchResponse.FromString(await known.house.call("GetMatch", request)).match)
        except HouseGone:
            return self._suspended(known)

    def _known(self, match: str) -> FarMatch:
        found = self._book.seating.matches.get(match)
        if found is None:
            raise CallProblem(CloseCode.NOT_FOUND, "unknown-match", f"there is no match {shown(match)} here")
        return found

    async def _call_CancelMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.CancelMatchRequest, data)
        if request.match in self._book.finished:
            raise CallProblem(CloseCode.FAILED_PRECONDITION, "match-over", f"the match {request.match} is over")
        return await self._known(request.match).house.call("CancelMatch", data)

    async def _call_FetchRecord(self, data: bytes) -> Path:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.FetchRecordRequest, data)
        if request.match not in self._book.finished:
            match = self._known(request.match)
            if match.is_over and (released := self._book.released.get(match.id)) is not None:
                await released.wait()  # its bots know already; a moment later it is a finished match
        if request.match not in self._book.finished:
            raise CallProblem(CloseCode.FAILED_PRECONDITION, "not-released", "the record is released when the match is over")
        return self._book.finished[request.match][1]

    async def _call_ReadLog(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        return await read_log(self._book.log, data)
