"""The referee's transport in memory: the crossing between its thread and the referee's, and all streams."""

from collections.abc import Callable
from typing import Any, Final, Protocol

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import Closing
from mergemaker_referee.rpc.front import Front

from .world import World


class OpenStream(Protocol):
    """A stream as its transport holds it."""

    def end_from_transport(self, closing: Closing) -> None:
        """The server stops."""

    def reset(self, why: str) -> None:
        """The referee's process is gone."""

    def is_not_answered(self, given_up_after_ns: int, noticed_after_ns: int) -> None:
        """The client's probe gets no answer, so the client gives the connection up."""

    def give_up(self) -> None:
        """The referee's own probe got no answer in time."""


class Transport:
    """The transport of one referee: its thread's side of the crossing, and all streams. It dies with the referee."""

    def __init__(self, world: World, front: Front, limits: Limits, since_boot_ns: Callable[[], int]) -> None:
        self.world: Final = world
        self.front: Final = front
        self.limits: Final = limits
        self.since_boot_ns: Final = since_boot_ns
        """The referee's own clock."""
        self.streams: Final[dict[OpenStream, None]] = {}
        self.is_dead = False
        self._crossing_free_ns = 0
        self._held_up: tuple[int, int] | None = None
        self.stood_ns = 0
        """How long its process has stood still so far."""
        self._stands = self._is_deaf = False
        self._put_off: Final[list[tuple[Callable[..., None], tuple[Any, ...]]]] = []
        self._unread: Final[list[tuple[Callable[..., None], tuple[Any, ...]]]] = []

    def stand_still(self) -> None:
        """The process is stopped: it does nothing, and data waits in sockets."""
        self._stands = self._is_deaf = True

    def go_on(self, seen_since_ns: int, for_ns: int, deaf_ns: int) -> None:
        """It continues, and knows when it stopped running; it finds the data in sockets then, or a little later."""
        self._stands = False
        self.stood_ns += for_ns
        self._held_up = (seen_since_ns, self.world.now_ns)
        self._do(self._put_off)
        if deaf_ns:
            self.world.after(deaf_ns, self._hear)
        else:
            self._hear()

    def _hear(self) -> None:
        self._is_deaf = self._stands
        if not self._is_deaf:
            self._do(self._unread)

    def _do(self, calls: list[tuple[Callable[..., None], tuple[Any, ...]]]) -> None:
        for call, arguments in calls:
            self.world.after(0, call, *arguments)
        calls.clear()

    def puts_off(self, call: Callable[..., None], *arguments: Any) -> bool:
        """Whether the loop does not run: it does its work when it continues."""
        if self._stands:
            self._put_off.append((call, arguments))
        return self._stands

    def leaves_unread(self, call: Callable[..., None], *arguments: Any) -> bool:
        """Whether sockets are not read: their data is handled when they are."""
        if self._is_deaf:
            self._unread.append((call, arguments))
        return self._is_deaf

    def hold_up(self, for_ns: int, *, stamps_too: bool) -> None:
        """Nothing crosses for a time.

        With `stamps_too` the transport's thread also stops; what it then finds gets the time when it should have looked.
        """
        now = self.world.now_ns
        self._crossing_free_ns = max(self._crossing_free_ns, now + for_ns)
        if stamps_too:
            self._held_up = (now, now + for_ns)

    def stamp_ns(self) -> int:
        """When data that is found now arrived, by the world's clock."""
        now = self.world.now_ns
        return self._held_up[0] if self._held_up and self._held_up[0] <= now <= self._held_up[1] else now

    def cross(self, call: Callable[..., None], *arguments: Any) -> None:
        """Makes the other thread call this, after all earlier calls."""
        due = self._crossing_free_ns = max(self.world.now_ns, self._crossing_free_ns)
        self.world.at(due, self._arrive, call, arguments)

    def barrier(self, passed: Callable[[], None]) -> None:
        """Calls back after everything that has arrived."""
        self.cross(self.cross, passed)

    def _arrive(self, call: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        if not self.is_dead and not self.puts_off(self._arrive, call, arguments):
            call(*arguments)

    def stop(self, closing: Closing) -> None:
        """The server stops: it ends all streams, and neither receives nor sends anything more."""
        for stream in tuple(self.streams):
            stream.end_from_transport(closing)
        self.is_dead = True

    def die(self) -> None:
        """The process is gone: every client's connection is reset."""
        self.is_dead = True
        for stream in tuple(self.streams):
            stream.reset("the referee's process is gone")
        self._stands = self._is_deaf = False
        self._do(self._unread)  # refuses clients that connected meanwhile
