"""Passes bytes on between a bot, alone in its own network, and the referee outside, which the bot finds at its usual address.

The listening sockets were made in the bot's network and passed out, so that none of this code runs where the bot is. What one
side does not take is kept up to a limit; beyond it, nothing more is read from the other side.
"""

import contextlib
import errno
import select
import socket

CONNECTIONS_MAX = 32
"""If a bot opens more, they are closed at once."""
HELD_BYTES_MAX = 262_144
"""For each direction of a connection."""
READ_BYTES = 65_536
_ENDED = select.POLLHUP | select.POLLERR | select.POLLNVAL


class _Way:
    """One direction of a connection."""

    __slots__ = ("has_ended", "held", "source", "target")

    def __init__(self, source: socket.socket, target: socket.socket) -> None:
        self.source = source
        self.target = target
        self.held = bytearray()
        self.has_ended = False

    def move(self, events: int) -> None:
        """Reads what has come, and writes what can be written; raises `OSError` where a side is broken."""
        if events & (select.POLLIN | _ENDED) and self.reads:
            with contextlib.suppress(BlockingIOError):
                data = self.source.recv(READ_BYTES)
                self.held += data
                self.has_ended = not data
        if self.held:
            with contextlib.suppress(BlockingIOError):
                del self.held[: self.target.send(self.held)]
        if self.has_ended and not self.held:
            with contextlib.suppress(OSError):  # the other side is gone
                self.target.shutdown(socket.SHUT_WR)

    def drop(self) -> None:
        """Drops what nobody will take, and reads no more."""
        self.held.clear()
        self.has_ended = True

    @property
    def reads(self) -> bool:
        """Whether more may come, and there is room for it."""
        return not self.has_ended and len(self.held) < HELD_BYTES_MAX

    @property
    def is_over(self) -> bool:
        return self.has_ended and not self.held


class _Connection:
    """A bot's connection, and the one to the referee that belongs to it."""

    __slots__ = ("has_hung_up", "is_broken", "is_connecting", "sides", "ways")

    def __init__(self, bot: socket.socket, referee: socket.socket) -> None:
        self.sides = (bot, referee)
        self.ways = (_Way(bot, referee), _Way(referee, bot))
        self.has_hung_up = [False, False]
        self.is_connecting = True
        self.is_broken = False

    def wanted(self, side: int) -> int | None:
        """The events to wait for at one of its sides; None for none at all, as its end would be reported again and again."""
        if self.is_connecting:
            return select.POLLOUT if side else 0
        there, back = self.ways[side], self.ways[1 - side]
        if self.has_hung_up[side] and not there.reads:
            return None
        return (select.POLLIN if there.reads else 0) | (select.POLLOUT if back.held else 0)

    def attend(self, side: int, events: int) -> None:
        """Handles an event at one of its sides."""
        try:
            if self.is_connecting:
                # The bot may leave meanwhile; the referee may take no connections.
                self.is_broken = bool(events & _ENDED or (side and self._failed()))
                self.is_connecting = not side
                return
            way, back = self.ways[side], self.ways[1 - side]
            self.has_hung_up[side] = bool(events & _ENDED)
            if self.has_hung_up[side] and way.has_ended:
                back.drop()  # nothing more goes there; the other side may still have to take what came from there
            way.move(events)
            back.move(0)
            self.is_broken = self.ways[0].is_over and self.ways[1].is_over
        except OSError:
            self.is_broken = True

    def _failed(self) -> int:
        return self.sides[1].getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)

    def close(self) -> None:
        for side in self.sides:
            side.close()


class Relay:
    """All connections of one bot. The caller polls, and passes the events on."""

    def __init__(self, poll: select.poll, listeners: list[socket.socket], referee: tuple[str, int]) -> None:
        self._poll = poll
        self._listeners = {listener.fileno(): listener for listener in listeners}
        self._referee = referee
        self._sides: dict[int, tuple[_Connection, int]] = {}
        for listener in listeners:
            listener.setblocking(False)
            poll.register(listener, select.POLLIN)

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._sides) // 2

    def is_listener(self, file: int) -> bool:
        """Whether this descriptor listens: its events are handled last, so that no number means two connections."""
        return file in self._listeners

    def attend(self, file: int, events: int) -> bool:
        """Handles an event; False if the descriptor is not of this relay."""
        if file in self._listeners:
            self._accept(self._listeners[file])
        elif file in self._sides:
            connection, side = self._sides[file]
            connection.attend(side, events)
            self._settle(connection)
        else:
            return False
        return True

    def close(self) -> None:
        """Closes all connections and stops listening."""
        for connection in {id(each): each for each, _ in self._sides.values()}.values():
            connection.close()
        for listener in self._listeners.values():
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        try:
            bot, _ = listener.accept()
        except OSError:  # it has gone again
            return
        if self.connections >= CONNECTIONS_MAX:
            bot.close()
            return
        referee = socket.socket(socket.AF_INET6 if ":" in self._referee[0] else socket.AF_INET, socket.SOCK_STREAM)
        for side in (bot, referee):
            side.setblocking(False)
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = _Connection(bot, referee)
        if referee.connect_ex(self._referee) not in (0, errno.EINPROGRESS):
            connection.close()
            return
        for number, side in enumerate((bot, referee)):
            self._sides[side.fileno()] = (connection, number)
        self._settle(connection)

    def _settle(self, connection: _Connection) -> None:
        """Registers what the connection waits for next, or closes it."""
        for number, side in enumerate(connection.sides):
            wanted = None if connection.is_broken else connection.wanted(number)
            if wanted is not None:
                self._poll.register(side, wanted)
            else:
                with contextlib.suppress(KeyError):  # it was not waited for
                    self._poll.unregister(side)
            if connection.is_broken:
                del self._sides[side.fileno()]
        if connection.is_broken:
            connection.close()
