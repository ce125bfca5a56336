"""Which bot may take which seat, and which bots wait for one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from mergemaker_engine.errors import Refusal
from mergemaker_engine.shown import shown

from mergemaker_referee.identities import Identity, KnownBot, Player, SeatHolder
from mergemaker_referee.matches.seat_link import SeatedMatch
from mergemaker_referee.records.secrets_file import SeatKey
from mergemaker_referee.sessions.ahead import AheadMatches
from mergemaker_referee.sessions.session import Session
from mergemaker_referee.tokens import TokenBook

Seated = TypeVar("Seated", bound=SeatedMatch)


@dataclass(slots=True)
class Waiting:
    """A bot that waits."""

    session: Session
    matches: int = 0
    """The number of matches that it waits for without naming one."""
    named: set[str] = field(default_factory=set)
    """The matches that it asked for by name, and whose time to join has not begun."""


class Seating(Generic[Seated]):
    """The tokens of everyone that may come in, the seats of all current matches, and the bots that wait."""

    def __init__(self, book: TokenBook[Identity]) -> None:
        self.book: Final = book
        self.matches: Final[dict[str, Seated]] = {}
        """The current ones, by id, in the order in which they were made."""
        self._keys: Final[dict[str, tuple[SeatKey, ...]]] = {}
        self._seats: Final[dict[str, dict[tuple[str, int], Seated]]] = {}
        """By known bot: its own seats, in the order in which their matches were made."""
        self.waiting: Final[dict[str, Waiting]] = {}
        """Bots with a token of their own that wait for a match, by session."""
        self.ahead: Final = AheadMatches()
        """Matches whose time to join has not begun: known bots cannot take their seats yet."""
        self._never_begun: Final[set[str]] = set()
        """Matches that ended in that state. Bots that name no match were not meant to play them, and are not shown them."""

    def add(self, match: Seated, keys: Sequence[SeatKey]) -> None:
        """A match has seats to take."""
        self.matches[match.id] = match
        self._keys[match.id] = tuple(keys)
        for seat, key in enumerate(keys):
            if key.token_hash is not None:
                self.book.add(key.token_hash, SeatHolder(match.id, seat))
            if key.bot is not None:
                self._seats.setdefault(key.bot, {})[match.id, seat] = match

    def keys_of(self, match: str) -> tuple[SeatKey, ...]:
        """Who may take the seats of a current match."""
        return self._keys[match]

    def remove(self, match: Seated) -> None:
        """A match has been over long enough: nobody comes back for it."""
        self.matches.pop(match.id, None)
        self._never_begun.discard(match.id)
        for seat, key in enumerate(self._keys.pop(match.id, ())):
            if key.token_hash is not None:
                self.book.remove(key.token_hash)
            if key.bot is not None:
                self._let_go(key.bot, match.id, seat)

    def _let_go(self, bot: str, match: str, seat: int) -> None:
        seats = self._seats[bot]
        del seats[match, seat]
        if not seats:
            del self._seats[bot]

    def find(self, session: Session, match: str, seat: int | None) -> tuple[Seated, int] | Refusal | None:
        """The seat that a bot may take; None if it has to wait for one."""
        if match and match not in self.matches:
            return Refusal("unknown-match", f"there is no match {match} here that a seat could be taken of")
        mine = [(each, number) for each, number in self._seats_of(session.identity) if match in ("", each.id)]
        if not mine:
            if match:
                return Refusal("not-your-seat", f"no seat of the match {match} is this bot's: its token gives it others")
            return None
        wanted = [(each, number) for each, number in mine if seat in (None, number)]
        if not wanted:
            return Refusal("not-your-seat", f"seat {seat} is not this bot's; its own are {', '.join(str(n) for _, n in mine)}")
        fitting = [(each, number) for each, number in wanted if self._is_version(each, number, session.bot_version)]
        if not fitting and (match or isinstance(session.identity, SeatHolder)):
            each, number = wanted[0]
            return self._other_version(each, number, session.bot_version)
        wanted = fitting
        is_known = isinstance(session.identity, KnownBot)
        ahead = [each for each, _ in wanted if is_known and each.id in self.ahead and not each.is_over]
        is_any = not match and is_known
        if not match and not is_known and session.declined.intersection(each.id for each, _ in wanted):
            return Refusal("declined-seat", "this bot has given the seat back; a TakeSeat that names the match takes it again")
        free = [each for each in wanted if each[0] not in ahead and self._may_take(*each, session, is_any=is_any)]
        if free:
            return free[0]
        return self._find_over(session, wanted, match, is_taken=not ahead and bool(match or seat is not None))

    def _find_over(
        self, session: Session, wanted: Sequence[tuple[Seated, int]], match: str, *, is_taken: bool
    ) -> tuple[Seated, int] | Refusal | None:
        """If no seat is free: one whose match is over, if the bot was not sent its end."""
        is_any = not match and isinstance(session.identity, KnownBot)
        over = [(each, number) for each, number in wanted if each.is_over]
        untold = [each for each in over if self._is_untold(each[0], session, is_any=is_any)]
        if untold:
            return untold[0]  # it was away at the end, so it is shown the result
        if over and (match or isinstance(session.identity, SeatHolder)):
            return Refusal("match-over", f"the match {over[0][0].id} is over, and this bot has been told how it ended")
        if is_taken:
            return Refusal("taken-seat", "another session plays this seat; a Hello with `evict` ends that one")
        return None

    def _may_take(self, match: Seated, seat: int, session: Session, *, is_any: bool) -> bool:
        """Whether a seat is free for a bot that asks for it, or for any match."""
        if match.is_over or not self._is_free(match, seat, session):
            return False
        # It asks for one more match, not for one that it already plays or has given back.
        return not is_any or (match.id not in session.links and match.id not in session.declined)

    def _is_untold(self, match: Seated, session: Session, *, is_any: bool) -> bool:
        """Whether the end of a match is news to a bot that asks for it, or for any match."""
        # Which bots an earlier server told is unknown: a bot that did not hear of the end asks for its match by name.
        is_old = match.is_shown_again or match.id in self._never_begun
        return match.id not in session.told_ends and not (is_any and is_old)

    def over_ahead(self, match: Seated) -> bool:
        """A match is over; returns whether its time to join never began."""
        if match.id not in self.ahead:
            return False
        self.ahead.remove(match.id)
        self._never_begun.add(match.id)
        return True

    def wait(self, session: Session, match: str = "") -> None:
        """A bot waits for one more match, or for this one."""
        waiting = self.waiting.setdefault(session.id, Waiting(session))
        if match:
            waiting.named.add(match)
        else:
            waiting.matches += 1

    def is_waiting(self, session: Session, match: str) -> bool:
        """Whether a bot waits for a match: for this one, or for any."""
        waiting = self.waiting.get(session.id)
        return waiting is not None and (waiting.matches > 0 or match in waiting.named)

    def stop_waiting(self, session: Session, match: str) -> bool:
        """A bot gets a match; returns whether it waited for one."""
        if not self.is_waiting(session, match):
            return False
        waiting = self.waiting[session.id]
        if match in waiting.named:
            waiting.named.remove(match)
        else:
            waiting.matches -= 1
        if not waiting.matches and not waiting.named:
            del self.waiting[session.id]
        return True

    def awaited_by(self, session: Session) -> int:
        """How many matches a bot waits for."""
        return self.waiting[session.id].matches if session.id in self.waiting else 0

    def seat_for(self, session: Session, bot: str, match: Seated) -> int | None:
        """The first seat of a match that is for this version of a known bot."""
        seats = [seat for id_, seat in self._seats[bot] if id_ == match.id]
        return next((seat for seat in seats if self._is_version(match, seat, session.bot_version)), None)

    def bots_of(self, match: Seated) -> tuple[str, ...]:
        """The known bots that have seats in a match."""
        return tuple(key.bot for key in self._keys.get(match.id, ()) if key.bot is not None)

    def free_seats_of(self, bot: str, session: Session) -> Iterator[tuple[Seated, int]]:
        """Seats that wait for a known bot, and that this session may take."""
        for match, seat in self._seats_of(KnownBot(bot)):
            fits = match.id not in session.declined and self._is_version(match, seat, session.bot_version)
            if fits and match.links[seat] is None and not match.is_over:
                yield match, seat

    def _seats_of(self, identity: Player) -> Iterator[tuple[Seated, int]]:
        if isinstance(identity, SeatHolder):
            if identity.match in self.matches:
                yield self.matches[identity.match], identity.seat
            return
        for (_, seat), match in self._seats.get(identity.name, {}).items():
            yield match, seat

    def _is_version(self, match: Seated, seat: int, version: str) -> bool:
        """Whether a seat is for this version of its bot."""
        return self._keys[match.id][seat].version in ("", version)

    def _other_version(self, match: Seated, seat: int, version: str) -> Refusal:
        wanted = self._keys[match.id][seat].version
        text = (
            f"seat {seat} of the match {match.id} is for version {shown(wanted)} of its bot, and the Hello says {shown(version)}"
        )
        return Refusal("other-version", text)

    def _is_free(self, match: Seated, seat: int, session: Session) -> bool:
        link = match.links[seat]
        if link is None or link.session is session:
            return True
        return link.session.identity == session.identity and link.session.connection is None
