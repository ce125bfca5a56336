"""Matches that are watched: each is followed once, as a spectator, and each of its events is encoded once for all who watch."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
import structlog
import trio
from mergemaker.v1 import spectate_pb2
from mergemaker_engine.events import Event
from mergemaker_engine.rules import Rules
from mergemaker_engine.views import View
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_wire.enums import ENDINGS
from mergemaker_wire.errors import WireError
from mergemaker_wire.events import event_from_message
from mergemaker_wire.rules import rules_from_message
from mergemaker_wire.views import view_from_message

from mergemaker_web.server.messages import (
    ENCODER,
    LiveEnd,
    LiveMatch,
    LiveProblem,
    PublicView,
    Standing,
    event_message,
    view_message,
)
from mergemaker_web.server.port import Ear, RefereePort
from mergemaker_web.server.problems import WebProblem, from_referee
from mergemaker_web.server.public_game import PublicGame

START_LIMIT_S: Final = 5.0
"""How long a match may take to say what is played."""
SETTLE_S: Final = 0.3
"""How long somebody waits for the first position: it comes at once, or with the delay, or with the deal."""
KEPT_S: Final = 60.0
"""How long a match is kept after its end, for browsers whose connection was lost then."""
FRAMES_KEPT: Final = 8
"""Most who watch are at the same place: this many frames are kept for the others."""
_LOG = structlog.get_logger(__name__)


class Followed:
    """One match as everybody may know it, from when somebody began to watch."""

    def __init__(self, match: str, on_news: "Callable[[Followed], None]") -> None:
        self.match: Final = match
        self.rules: Rules | None = None
        self.bots: tuple[str, ...] = ()
        self.delay_ms = 0
        self.events: Final[list[bytes]] = []
        """Public events as JSON."""
        self.first_event = 1
        """The number of the first of them."""
        self.view: PublicView | None = None
        """The position before them; None: they tell the set-up."""
        self.game: PublicGame | None = None
        """The position after them."""
        self.ended: LiveEnd | None = None
        self.problem: WebProblem | None = None
        """Why it is not followed."""
        self.started: Final = trio.Event()
        """Set when it is known what is played, or that it is not followed."""
        self.settled: Final = trio.Event()
        """Set when there is a position, or the end."""
        self.ear: Final = Ear(self._hear, self._closed)
        self._on_news: Final = on_news
        self._frames: Final[dict[int, bytes]] = {}

    @property
    def next_event(self) -> int:
        """The number that the next event gets."""
        return self.first_event + len(self.events)

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.ended is not None or self.problem is not None

    def document(self) -> bytes:
        """The match so far, as a `LiveMatch`."""
        rules = self.rules
        assert rules is not None, "it has started"
        events: Any = [msgspec.Raw(event) for event in self.events]  # encoded before
        message = LiveMatch(
            match=self.match,
            seats=len(self.bots),
            bots=list(self.bots),
            rules=rules.knobs(),
            rules_version=rules.version,
            delay_ms=self.delay_ms,
            view=self.view,
            first_event=self.first_event,
            events=events,
            ended=self.ended,
        )
        return ENCODER.encode(message)

    def frame(self, place: int) -> bytes:
        """What somebody gets who has all events before a place: everything from there on, as one event of the stream.

        If there is no such place here, the browser has to ask for the match anew.
        """
        found = self._frames.get(place)
        if found is None:
            if len(self._frames) >= FRAMES_KEPT:
                self._frames.clear()
            is_known = self.first_event <= place <= self.next_event
            found = self._frames[place] = self._frame(place) if is_known else self._reset()
        return found

    def _reset(self) -> bytes:
        return b'event: reset\ndata: {"match":%b}\n\n' % ENCODER.encode(self.match)

    def _frame(self, place: int) -> bytes:
        match = ENCODER.encode(self.match)
        said = b""
        if place < self.next_event:
            events = b",".join(self.events[place - self.first_event :])
            said = b'event: events\ndata: {"match":%b,"first_event":%d,"events":[%b]}\n\n' % (match, place, events)
        if self.ended is not None:
            said += b'event: over\ndata: {"match":%b,"ended":%b}\n\n' % (match, ENCODER.encode(self.ended))
        elif self.problem is not None:
            said += b"event: problem\ndata: %b\n\n" % ENCODER.encode(LiveProblem(match=self.match, problem=self.problem.problem))
        return said

    def _hear(self, response: spectate_pb2.WatchResponse) -> None:
        try:
            self._take(response)
        except WireError as error:  # a fault of this program: what the referee says can be read
            _LOG.exception("a live match cannot be followed", match=self.match)
            self._refuse(
                WebProblem(500, error.reason, f"the live match cannot be shown: {error}", "Watch the record after the end.")
            )
            self.ear.gone()

    def _take(self, response: spectate_pb2.WatchResponse) -> None:
        if response.HasField("started"):
            self.rules = rules_from_message(response.started.rules)
            self.bots = tuple(bot.name for bot in response.started.bots)
            self.delay_ms = response.started.delay_ms
            self.game = PublicGame(self.rules, len(self.bots))
        assert self.rules is not None, "the first response says what is played"
        assert self.game is not None, "likewise"
        for message in response.events:
            self._take_event(event_from_message(message))
        if response.HasField("view"):
            self._take_view(view_from_message(response.view, self.rules), response.view.last_event)
        if response.HasField("ended"):
            self.ended = _end_of(response.ended)
        self._news()

    def _take_view(self, view: View, last_event: int) -> None:
        """How the match stands when it begins to be followed, and at its end."""
        assert self.game is not None, "there are rules before views"
        if self.events or self.view is not None:
            if not _agree(self.game.view(), view):
                _LOG.error("what spectators were shown is not how the game stands", match=self.match)
            return
        self.game = PublicGame.of_view(view)
        self.first_event = last_event + 1
        self.view = view_message(view, self.game.last_tile, self.game.survivor)

    def _take_event(self, event: Event) -> None:
        assert self.game is not None, "there are rules before events"
        self.game.take(event)
        self.events.append(ENCODER.encode(event_message(event)))

    def _news(self) -> None:
        self._frames.clear()
        self.started.set()
        if self.events or self.view is not None or self.is_over:
            self.settled.set()
        self._on_news(self)

    def _refuse(self, problem: WebProblem) -> None:
        self.problem = problem
        self._news()

    def _closed(self, closing: Closing) -> None:
        if closing.code is not CloseCode.OK or self.ended is None:
            self._refuse(from_referee(closing))


def _agree(one: View, other: View) -> bool:
    """Whether two views show the same position."""
    return (one.board, one.market, one.pile, one.cash) == (other.board, other.market, other.pile, other.cash)


def _end_of(message: spectate_pb2.WatchEnded) -> LiveEnd:
    standings = [Standing(seat=each.seat, place=each.place, cash=each.cash) for each in message.standings]
    return LiveEnd(ending=str(ENDINGS.read(message.ending, "ended.ending")), standings=standings)


class Hall:
    """All matches that are followed."""

    def __init__(self, port: RefereePort, delay_ms: int, on_news: Callable[[Followed], None]) -> None:
        self._port: Final = port
        self._delay_ms: Final = delay_ms
        self._on_news: Final = on_news
        self._followed: Final[dict[str, Followed]] = {}
        self._over_at: Final[dict[str, float]] = {}

    def known(self, match: str) -> Followed | None:
        """The match, if it is followed."""
        return self._followed.get(match)

    async def follow(self, match: str) -> Followed:
        """The match, which is followed from now on; raises why it cannot be."""
        self._forget_old()
        followed = self._followed.get(match)
        if followed is None:
            followed = self._followed[match] = Followed(match, self._heard)
            self._port.watch(match, self._delay_ms, followed.ear)
        with trio.move_on_after(START_LIMIT_S):
            await followed.started.wait()
        with trio.move_on_after(SETTLE_S):
            await followed.settled.wait()
        if followed.problem is not None:
            self._followed.pop(match, None)
            raise followed.problem
        if followed.rules is None:
            raise WebProblem(503, "slow", f"the match {match} did not say what is played", "Try again in a moment.")
        return followed

    def close(self) -> None:
        """Follows nothing any more."""
        for followed in self._followed.values():
            followed.ear.gone()
        self._followed.clear()

    def _heard(self, followed: Followed) -> None:
        if followed.is_over:
            self._over_at.setdefault(followed.match, trio.current_time())
        self._on_news(followed)

    def _forget_old(self) -> None:
        before = trio.current_time() - KEPT_S
        for match in [match for match, at in self._over_at.items() if at < before]:
            del self._over_at[match]
            self._followed.pop(match, None)
