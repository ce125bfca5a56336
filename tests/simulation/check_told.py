"""Whether each bot got what its seat may know: in order, complete, once, and never before it was recorded."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_referee.identities import KnownBot, Player, SeatHolder
from mergemaker_wire.enums import ENDINGS, FAULT_CAUSES
from mergemaker_wire.matches import receipt_to_message
from mergemaker_wire.views import view_to_message

from .book import Book
from .notebook import StreamNote, Told

_RESPONSES: Final = ("match_offered", "seats_committed", "match_started", "answer_accepted", "answer_refused", "default_taken")
_VOIDED_BY_THE_DISK: Final = ("a fault of the referee: JournalError", "a fault of the referee: DiskStalled")
_OF_A_SEAT: Final = frozenset((*_RESPONSES, "events", "decision", "match_ended"))


@dataclass(slots=True)
class _Showing:
    """A seat's match on one stream, from the first response about it."""

    next_event: int
    last_decision: int = 0


def seat_of(book: Book, match: str, identity: Player) -> int | None:
    """Somebody's seat in a match."""
    if isinstance(identity, SeatHolder):
        return identity.seat if identity.match == match else None
    assert isinstance(identity, KnownBot), "nobody else plays"
    return book.bots.index(identity.name) if identity.name in book.bots else None


class ToldCheck:
    """Checks every response of every stream."""

    def __init__(self, books: dict[str, Book], unbegun: set[str]) -> None:
        """The first line of `unbegun` matches could not be written for longer than the referee tries: they were voided."""
        self._books: Final = books
        self._unbegun: Final = unbegun
        self._nonces: Final[dict[tuple[str, int], bytes]] = {}
        self._refused: Final[dict[tuple[str, int, int], int]] = {}
        self._highest: Final[dict[tuple[str, int], int]] = {}

    def stream(self, note: StreamNote) -> Iterator[str]:
        """The problems of one stream's responses."""
        showings: dict[str, _Showing] = {}
        seen: dict[str, int] = {}
        for came in note.came[:1]:
            seen = {each.match: each.last_event for each in came.request.hello.resume.seen}
        is_resumed = False
        for told in note.told:
            is_resumed |= told.response.welcome.resumed
            match = told.response.match
            if not told.is_end_kept:
                yield f"stream {note.stream.number}, at {told.at_ns}: an end of {match} is told that a restart would not keep"
            if not match or match in self._unbegun:
                continue
            is_about_a_seat = not {field.name for field, _ in told.response.ListFields()}.isdisjoint(_OF_A_SEAT)
            book = self._books.get(match)
            if book is None or seat_of(book, match, note.identity) is None:
                if is_about_a_seat and not _is_of_no_match(told.response):
                    yield f"stream {note.stream.number} of {note.identity} is sent match {match}, in which it has no seat"
                continue
            if told.response.HasField("match_offered"):
                first = seen.pop(match, 0) if is_resumed else 0
                showings[match] = _Showing(first + 1)
            showing = showings.get(match)
            if showing is None:
                if is_about_a_seat and not _is_of_no_match(told.response):
                    kinds = ", ".join(each.name for each, _ in told.response.ListFields())
                    yield f"stream {note.stream.number} is sent match {match} ({kinds}) before its offer"
                continue
            seat = seat_of(book, match, note.identity)
            assert seat is not None, "looked up above"
            for problem in self._response(book, seat, told, showing):
                yield f"stream {note.stream.number}, match {match}, seat {seat}, at {told.at_ns}: {problem}"

    def _response(self, book: Book, seat: int, told: Told, showing: _Showing) -> Iterator[str]:
        response = told.response
        for name in _RESPONSES:
            if response.HasField(name):
                yield from getattr(self, f"_{name}")(book, seat, told)
        yield from self._events(book, seat, told, showing)
        if response.HasField("decision"):
            yield from self._decision(book, seat, told, showing)
        if response.HasField("match_ended"):
            yield from self._match_ended(book, seat, told, showing)

    # --- one kind of response each ---

    def _match_offered(self, book: Book, seat: int, told: Told) -> Iterator[str]:
        offered = told.response.match_offered
        promise = book.record.header.promise
        yield from _written(book, told, 1, "an offer")
        if offered.seat != seat or offered.seats != book.seats:
            yield f"seat {offered.seat} of {offered.seats} is offered"
        if offered.commitment != (promise.commitment if promise else b""):
            yield "another commitment than the header's is told"

    def _seats_committed(self, book: Book, seat: int, told: Told) -> Iterator[str]:  # noqa: ARG002 - the match does not matter
        found = book.incidents("committed")
        if not found:
            yield "promises are told that are not written"
            return
        number, line = found[0]
        yield from _written(book, told, number, "the seats' promises")
        written = [bytes.fromhex(each) if isinstance(each, str) else b"" for each in line.run["commitments"]]  # type: ignore[attr-defined]  # a list
        if written != list(told.response.seats_committed.commitments):
            yield "other promises are told than are written"

    def _match_started(self, book: Book, seat: int, told: Told) -> Iterator[str]:
        started = told.response.match_started
        if book.record.deal is None:
            yield "the start is told, and there is no deal line"
            return
        yield from self._view(book, seat, told, started.view, "at the start")
        if self._nonces.setdefault((told.response.match, seat), started.nonce) != started.nonce:
            yield "another nonce is told than before"

    def _answer_accepted(self, book: Book, seat: int, told: Told) -> Iterator[str]:
        decision = told.response.answer_accepted.decision
        asked = book.asked(seat, decision)
        if asked is None or asked[1] is None or asked[1].by is not AnsweredBy.BOT:
            yield f"an answer to decision {decision} is acknowledged, and the record has none"
        else:
            yield from _written(book, told, book.line_number(asked[1]), f"the answer to decision {decision}")

    def _answer_refused(self, book: Book, seat: int, told: Told) -> Iterator[str]:
        refused = told.response.answer_refused
        if not refused.HasField("refusals_left"):
            return
        found = [number for number, line in book.incidents("rejected", seat) if line.run.get("id") == refused.decision]
        nth = book.terms.faults.refusals_max - refused.refusals_left
        if not 1 <= nth <= len(found):
            yield f"refusal {nth} of decision {refused.decision} is told, and {len(found)} are written"
        else:
            yield from _written(book, told, found[nth - 1], f"refusal {nth} of decision {refused.decision}")

    def _default_taken(self, book: Book, seat: int, told: Told) -> Iterator[str]:
        taken = told.response.default_taken
        if not taken.decision:
            return
        asked = book.asked(seat, taken.decision)
        line = None if asked is None else asked[1]
        if line is None or line.by is AnsweredBy.BOT or FAULT_CAUSES.numbers.get(line.by) != taken.cause:
            yield f"a default of decision {taken.decision} is told, cause {taken.cause}, and the record says {line and line.by}"
        else:
            yield from _written(book, told, book.line_number(line), f"the default of decision {taken.decision}")

    def _events(self, book: Book, seat: int, told: Told, showing: _Showing) -> Iterator[str]:
        known = book.events[seat]
        for event in told.response.events:
            number = event.number
            if number != showing.next_event:
                yield f"event {number} comes where {showing.next_event} is due"
            showing.next_event = number + 1
            if not 1 <= number <= len(known) or known[number - 1].message != event:
                yield f"event {number} is not what happened to this seat's knowledge: {event}"
            else:
                yield from _written(book, told, known[number - 1].line, f"event {number}")

    def _decision(self, book: Book, seat: int, told: Told, showing: _Showing) -> Iterator[str]:
        decision = told.response.decision
        asked = book.asked(seat, decision.id)
        if asked is None:
            yield f"decision {decision.id} is put, and the record has {len(book.put[seat])} of this seat"
            return
        game, line, line_before = asked
        key = told.response.match, seat
        if decision.id < self._highest.get(key, 0):
            yield f"decision {decision.id} is put after {self._highest[key]}"
        self._highest[key] = decision.id
        yield from _written(book, told, line_before, f"what decision {decision.id} rests on")
        if line is not None and told.durable >= book.ends[book.line_number(line)]:
            yield f"decision {decision.id} is put though its answer is written"
        if decision.view.last_event != showing.next_event - 1:
            yield f"decision {decision.id} knows of event {decision.view.last_event}, and {showing.next_event - 1} were told"
        if view_to_message(game.view(seat), decision.view.last_event) != decision.view:
            yield f"decision {decision.id} has another view than its seat may know"
        if decision.answers.count != len(game.legal()):
            yield f"decision {decision.id} has {decision.answers.count} answers, and {len(game.legal())} are legal"

    def _match_ended(self, book: Book, seat: int, told: Told, showing: _Showing) -> Iterator[str]:
        ended = told.response.match_ended
        end = book.record.end
        if end is None:
            if ended.ending != match_pb2.ENDING_VOIDED or not ended.text.startswith(_VOIDED_BY_THE_DISK):
                yield f"an end is told that is not written: {ended.text}"
            if ended.HasField("receipt"):
                yield "a receipt is told for a record without an end"
            return
        yield from _written(book, told, book.record.lines, "the end")
        if ended.ending != ENDINGS.numbers[end.why] or ended.proof.seed != end.seed:
            yield "another end is told than is written"
        if [(each.cash, each.place) for each in ended.standings] != list(zip(end.cash or (), end.places or (), strict=True)):
            yield "other standings are told than are written"
        if ended.receipt != receipt_to_message(book.record.receipt):
            yield "another receipt is told than that of the record"
        if showing.next_event != len(book.events[seat]) + 1:
            yield f"the end is told after event {showing.next_event - 1} of {len(book.events[seat])}"

    def _view(self, book: Book, seat: int, told: Told, view: object, when: str) -> Iterator[str]:
        assert isinstance(view, type(referee_pb2.MatchStarted().view)), "a view"
        if not 0 <= view.last_event <= len(book.events[seat]):
            yield f"the view {when} knows of event {view.last_event} of {len(book.events[seat])}"
            return
        yield from _written(book, told, book.line_of_event(seat, view.last_event), f"the view {when}")
        if not book.knows_view(seat, view):
            yield f"the view {when} is not what this seat may know after event {view.last_event}"


def _is_of_no_match(response: referee_pb2.PlayResponse) -> bool:
    """Whether a refusal only repeats the name that a client gave."""
    return response.HasField("answer_refused") and response.answer_refused.problem.reason == "unknown-match"


def _written(book: Book, told: Told, line: int, what: str) -> Iterator[str]:
    if told.durable < book.ends[line]:
        yield f"{what} is told before it is written: line {line} ends at {book.ends[line]}, and {told.durable} are durable"


def leaks(match: str, book: Book, streams: list[StreamNote], tokens: dict[str, Player]) -> Iterator[str]:
    """Secrets in the bytes that somebody got before the end: of the deal, of other seats, and other bots' tokens."""
    secrets = {name: bytes.fromhex(book.secrets[name]) for name in ("seed", "server_seed", "nonce") if book.secrets[name]}
    parts = book.record.deal.contributions if book.record.deal else ()
    nonces = {
        (told.response.match, seat_of(book, match, note.identity)): told.response.match_started.nonce
        for note in streams
        for told in note.told
        if told.response.match == match and told.response.HasField("match_started")
    }
    for note in streams:
        seat = seat_of(book, match, note.identity)
        needles = dict(secrets)
        needles |= {f"seat {each}'s part": part for each, part in enumerate(parts) if part and each != seat and any(part)}
        needles |= {f"seat {each}'s nonce": nonce for (_, each), nonce in nonces.items() if each != seat and seat is not None}
        before = _before_the_end(note, match)
        for name, needle in needles.items():
            if needle and needle in before:
                yield f"stream {note.stream.number} of {note.identity} is told {name} of match {match}"
    for note in streams:
        everything = b"".join(told.raw for told in note.told)
        for token, holder in tokens.items():
            if holder != note.identity and token.encode() in everything:
                yield f"stream {note.stream.number} of {note.identity} is told a token of {holder}"


def _before_the_end(note: StreamNote, match: str) -> bytes:
    found = []
    for told in note.told:
        if told.response.match == match and told.response.HasField("match_ended"):
            break
        found.append(told.raw)
    return b"".join(found)
