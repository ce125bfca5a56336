"""What a table says, sent to the seats once its lines are written; and the barriers that it asks for."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from mergemaker_table.inputs import BarrierPassed, FollowedUp, Handed
from mergemaker_table.outputs import Autopilot, Barrier, Ended, FollowUp, Output, Publish, Tell, WriteLine
from mergemaker_table.table import Table
from mergemaker_wire.matches import SeatBot

from mergemaker_referee.matches import telling
from mergemaker_referee.matches.encoding import EventEncoder
from mergemaker_referee.matches.fault_notes import note_fault
from mergemaker_referee.matches.inbox import Inbox
from mergemaker_referee.matches.own_delays import OwnDelays
from mergemaker_referee.matches.record_keeping import NS_PER_MS, RecordKeeper
from mergemaker_referee.matches.seat_link import SeatLink
from mergemaker_referee.matches.services import RefereeServices


class Speaker:
    """Speaks to the seats of one match. What comes back of it goes into the match's inbox."""

    def __init__(
        self,
        table: Table,
        links: Sequence[SeatLink | None],
        services: RefereeServices,
        keeper: RecordKeeper,
        inbox: Inbox,
        delays: OwnDelays,
        bots: Callable[[], Sequence[SeatBot]],
    ) -> None:
        """`links` and `bots` are by seat; both change."""
        self._table: Final = table
        self._links: Final = links
        self._services: Final = services
        self._limits: Final = services.limits
        self._keeper: Final = keeper
        self._inbox: Final = inbox
        self._delays: Final = delays
        self._bots: Final = bots

    def tell(self, outputs: Sequence[Output]) -> None:
        """Tells the seats."""
        if not outputs:
            return
        encoder = EventEncoder()
        for output in outputs:
            match output:
                case Tell(seat, first_number, events):
                    link = self.told_link(seat)
                    if link is not None:
                        link.add_events(encoder.parts(first_number, events), self._limits)
                case WriteLine() | Publish() | Autopilot():
                    pass  # written; for spectators; reported by the default that led to it
                case Ended():
                    self._say_ended(output)
                case Barrier():
                    self._send_barrier(output)
                case FollowUp():
                    self._follow_up(output)
                case _:
                    self._say(output)
        self._end_batch()

    def _end_batch(self) -> None:
        """Sends what was said; measures the way to bots that have nothing to do."""
        asked = self._table.asked_seat
        for link in self._links:
            if link is None or not link.is_shown:
                continue
            was_asked, link.is_asked = link.is_asked, link.seat == asked
            if link.is_due or link.session.wants_events_at_once:
                link.end_batch()
            if was_asked and not link.is_asked:
                link.session.ping_if_due(self._services.awake_ns(), self._limits.ping_interval_ms * NS_PER_MS)

    def _say(self, output: telling.Said) -> None:
        note_fault(output, self._services.measures)
        link = self.told_link(output.seat)
        if link is not None:
            part = telling.said(output, self._bots)
            link.add(part, None if part.asks is None else partial(self._handed, link, part.asks))

    def told_link(self, seat: int) -> SeatLink | None:
        """The link that gets a seat's responses; None before it was shown how the match stands."""
        link = self._links[seat]
        return link if link is not None and link.is_shown and link.session.connection is not None else None

    def told_links(self) -> Iterator[SeatLink]:
        """The links that get responses."""
        return (link for link in map(self.told_link, range(len(self._links))) if link is not None)

    def _handed(self, link: SeatLink, decision_id: int, at_ns: int) -> None:
        link.session.question_handed()
        # It changes only when time is up. A bot that answers at once is faster than this.
        self._inbox.post_soon(Handed(link.seat, decision_id, at_ns))

    def _send_barrier(self, barrier: Barrier) -> None:
        link = self._links[barrier.seat]
        connection = None if link is None else link.session.connection
        send = self._services.barrier if connection is None else connection.barrier
        send(partial(self._pass_barrier, BarrierPassed(barrier.seat, barrier.decision_id, barrier.nth)))

    def _follow_up(self, behind: FollowUp) -> None:
        link = self._links[behind.seat]
        if link is not None and link.session.connection is not None:
            # The request goes out with the rest of its batch, and the barrier takes the same way.
            link.session.connection.barrier(partial(self._inbox.post, FollowedUp(behind.seat, behind.decision_id)))

    def _pass_barrier(self, passed: BarrierPassed) -> None:
        if self._delays.holds(passed):
            self._inbox.wake()  # it is due a little later
        else:
            self._inbox.post(passed)

    def _say_ended(self, ended: Ended) -> None:
        for link in self.told_links():
            link.add(telling.ended(ended, link.seat, self._keeper.receipt, keeps_seed=self._table.setup.keeps_seed))
            link.session.told_ends.add(self._table.setup.match)
