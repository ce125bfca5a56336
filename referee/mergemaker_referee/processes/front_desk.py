"""The referee of the process that serves: bots, spectators and the operator come to it, and other processes play their matches.

Sessions, seats and lists are here, so that all processes look like one server. What concerns a match goes to its process.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio
from google.protobuf.message import DecodeError
from mergemaker.v1 import spectate_pb2
from mergemaker_engine.shown import shown

from mergemaker_referee.about import About
from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import (
    NO_TOKEN,
    NOT_A_PLAYER,
    NOT_THE_OPERATOR,
    WRONG_TOKEN,
    CloseCode,
    Closing,
    Connection,
    Listener,
    Nobody,
)
from mergemaker_referee.identities import Identity, KnownBot, Onlooker, Operator, SeatHolder
from mergemaker_referee.matches.spectating import Places
from mergemaker_referee.processes.far_calls import FarCalls
from mergemaker_referee.processes.frames import Kind, identity_text, pair
from mergemaker_referee.processes.hearing import Hearing
from mergemaker_referee.processes.house import PROCESS_GONE, House
from mergemaker_referee.processes.match_book import MatchBook
from mergemaker_referee.records.signing import Signing
from mergemaker_referee.rpc.front import READ_LOG, Reply
from mergemaker_referee.rpc.starvation import python_threads

HOUSEKEEPING_S: Final = 1.0


class FrontDesk:
    """A `Front` before several processes. All of it belongs to the referee's thread."""

    def __init__(
        self,
        settings: Settings,
        about: About,
        clocks: Clocks,
        book: MatchBook,
        houses: Sequence[House],
        signing: Signing | None,
        nursery: trio.Nursery,
    ) -> None:
        self.about: Final = about.message().SerializeToString()
        self.houses: Final = houses
        self.hearing: Final = Hearing(book, clocks, settings.limits, nursery)
        self._settings: Final = settings
        self.book: Final = book
        self._calls: Final = FarCalls(book, houses, settings.limits)
        self._signing: Final = signing
        self._nursery: Final = nursery
        self._places: Final = Places(settings.limits)
        self._threads: frozenset[int] = frozenset()

    async def run(self) -> None:
        """Looks after sessions until it is cancelled."""
        while True:
            await trio.sleep(HOUSEKEEPING_S)
            self.book.lobby.look_after_sessions()
            self.book.lobby.look_after_matches_ahead()
            self.book.let_go_of_finished()
            self._tell_threads()

    @property
    def sessions(self) -> int:
        """How many bots are known, with and without a stream."""
        return self.book.lobby.sessions

    async def remember(self, folders: Sequence[Path]) -> None:
        """Lists matches that ended earlier, and has their ends signed if they are not."""
        ends = await self.book.remember(folders)
        if self._signing is not None and ends:
            self._nursery.start_soon(self._signing.sign, ends)

    # --- processes ---------------------------------------------------------------------------------------------------

    async def is_ready(self, house: House) -> None:
        """A process has announced all its matches."""
        house.is_there = True
        house.send(Kind.THREADS, data=_threads_data(self._threads))
        await self.book.all_are_there(house)
        house.came.set()

    def lost(self, house: House) -> None:
        """A process is gone. Its bots come back, with what they have seen."""
        house.lost(lambda link: link.session.close(PROCESS_GONE))
        if self.hearing.metrics is not None:
            self.hearing.metrics.ended(house.number)

    def _tell_threads(self) -> None:
        threads = python_threads()
        if threads != self._threads:
            self._threads = threads
            for house in self.houses:
                house.send(Kind.THREADS, data=_threads_data(threads))

    # --- the transport's side ---

    def identify(self, token: str | None) -> Identity | Closing:
        """Who has this token."""
        if token is None:
            return Onlooker() if self._settings.spectating_open else NO_TOKEN
        return self.book.tokens.find(token) or WRONG_TOKEN

    def play(self, connection: Connection, identity: Identity) -> Listener:
        """A bot's stream is open."""
        if isinstance(identity, KnownBot | SeatHolder):
            return self.book.lobby.play(connection, identity)
        connection.close(NO_TOKEN if isinstance(identity, Onlooker) else NOT_A_PLAYER)
        return Nobody()

    def watch(self, connection: Connection, identity: Identity, request: bytes) -> Listener:
        """A spectator's stream is open."""
        try:
            match_id = spectate_pb2.WatchRequest.FromString(request).match
        except DecodeError:
            match_id = ""
        match = self.book.seating.matches.get(match_id)
        if match is None or not match.house.is_there:
            text = f"there is no match {shown(match_id)} here"
            gone = Closing(CloseCode.NOT_FOUND, "unknown-match", text) if match is None else PROCESS_GONE
            connection.close(gone)
            return Nobody()
        if (full := self._places.refusal(identity)) is not None:
            connection.close(full)
            return Nobody()
        self._places.take(identity)
        house = match.house
        number = house.fresh()
        house.watchers[number] = connection
        house.send(Kind.WATCH, number, data=pair(identity_text(identity), request))
        return FarWatcher(house, number, partial(self._places.leave, identity))

    def call(self, method: str, identity: Identity, request: bytes, reply: Reply) -> None:
        """A single call came."""
        if not isinstance(identity, Operator) and method != READ_LOG:
            reply(NO_TOKEN if isinstance(identity, Onlooker) else NOT_THE_OPERATOR)
            return
        self._nursery.start_soon(self._calls.answer, method, request, reply)


def _threads_data(threads: frozenset[int]) -> bytes:
    return json.dumps(sorted(threads)).encode("ascii")


class FarWatcher:
    """A spectator whose match is in another process."""

    def __init__(self, house: House, number: int, left: Callable[[], None]) -> None:
        self._house: Final = house
        self._number: Final = number
        self._left: Final = left

    def received(self, request: bytes, at_ns: int) -> None:
        """Only the first request comes."""

    def gone(self, why: str) -> None:  # noqa: ARG002 - why somebody stopped watching does not matter
        """The stream is over."""
        self._left()
        self._house.watchers.pop(self._number, None)
        self._house.send(Kind.GONE, self._number)
