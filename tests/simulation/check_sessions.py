"""Whether tokens, sessions and streams keep their promises, and spectators see what everybody may, late enough."""

from collections.abc import Iterator
from typing import Final

from mergemaker.v1 import events_pb2, view_pb2
from mergemaker_wire.enums import ENDINGS

from .book import Book
from .notebook import Notebook, Shown
from .scenario_run import ScenarioRun
from .world import MS


def session_problems(notebook: Notebook) -> Iterator[str]:
    """Resume tokens are always new and work once; one bot has one open stream; all streams end."""
    good: dict[str, tuple[int, object]] = {}
    used: set[str] = set()
    given: set[str] = set()
    sessions: dict[tuple[int, str], str] = {}
    welcomes = [
        (told.order, told, note) for note in notebook.streams.values() for told in note.told if told.response.HasField("welcome")
    ]
    for _, told, note in sorted(welcomes, key=lambda each: each[0]):
        welcome = told.response.welcome
        shown = next((came.request.hello.resume.resume_token for came in note.came), "")
        key = told.life, welcome.session
        if welcome.resumed:
            if good.get(shown) != (told.life, note.identity):
                yield f"stream {note.stream.number} takes a session up with a token that is not good for it"
            if sessions.get(key) != shown:
                yield f"stream {note.stream.number} takes up session {welcome.session}, whose token is another one"
        elif key in sessions:
            yield f"session {welcome.session} is made twice"
        used.add(shown)
        good.pop(shown, None)
        if welcome.resume_token in given:
            yield f"stream {note.stream.number} is given a resume token that was given before"
        given.add(welcome.resume_token)
        good[welcome.resume_token] = told.life, note.identity
        sessions[key] = welcome.resume_token
    for note in notebook.streams.values():
        if note.left_open_for is not None:
            yield f"stream {note.stream.number} is still open when stream {note.left_open_for} takes its place"
        if note.closed_ns is None:
            yield f"stream {note.stream.number} of {note.identity} never ends"


def bots_told(run: ScenarioRun) -> Iterator[str]:
    """A bot that still plays when a match ends receives its end."""
    for played in run.matches:
        for player in played.players.values():
            bot = player.bot.twin or player.bot
            habits = player.plan.habits
            if habits.stays and bot.still_waits:
                yield f"the bot {bot.name} ({habits.name}) of match {played.match} still waits"


def spectator_problems(run: ScenarioRun, books: dict[str, Book]) -> Iterator[str]:
    """Spectators get what everybody may know: in order, complete, once, recorded, and late enough."""
    notebook = run.notebook
    for number, match in notebook.watched.items():
        book, shown = books.get(match), notebook.shown.get(number, [])
        if not all(each.is_end_kept for each in shown):
            yield f"spectator {number}: an end of match {match} is shown that a restart would not keep"
        if book is None or not shown:
            continue
        if not shown[0].response.HasField("started"):
            yield f"spectator {number}: the first response does not say what is watched"
            continue
        path = notebook.path_of(match)
        assert path is not None, "the match has a record"
        watched = _Watched(book, notebook.sizes[path], shown[0].response.started.delay_ms * MS)
        yield from (f"spectator {number}: {problem}" for each in shown for problem in watched.take(each))


class _Watched:
    """What one spectator got so far."""

    def __init__(self, book: Book, sizes: list[tuple[int, int]], delay_ns: int) -> None:
        self._book: Final = book
        self._sizes: Final = sizes
        self._delay_ns: Final = delay_ns
        self._due: int | None = None
        """The next event's number; None before the first response."""

    def take(self, shown: Shown) -> Iterator[str]:
        """The problems of one more response."""
        lines: list[int] = []
        for event in shown.response.events:
            yield from self._event(event, lines)
        if shown.response.HasField("view"):
            yield from self._view(shown.response.view, lines)
        if shown.response.HasField("ended"):
            lines.append(self._book.record.lines)
            end = self._book.record.end
            if end is not None and ENDINGS.numbers[end.why] != shown.response.ended.ending:
                yield "another end is told than is written"
        for line in lines:
            yield from self._time(shown, line)

    def _event(self, event: events_pb2.Event, lines: list[int]) -> Iterator[str]:
        known = self._book.public
        due = 1 if self._due is None else self._due
        if event.number != due:
            yield f"event {event.number} comes where {due} is due"
        self._due = event.number + 1
        if not 1 <= event.number <= len(known) or known[event.number - 1].message != event:
            yield f"event {event.number} is not what everybody may know"
        else:
            lines.append(known[event.number - 1].line)

    def _view(self, view: view_pb2.View, lines: list[int]) -> Iterator[str]:
        if self._due is not None and view.last_event != self._due - 1:
            yield f"the view knows of event {view.last_event}, and {self._due - 1} were told"
        self._due = view.last_event + 1
        if not self._book.knows_view(None, view):
            yield f"the view is not what everybody may know after event {view.last_event}"
        elif self._book.record.deal is not None:
            lines.append(self._book.line_of_event(None, view.last_event))

    def _time(self, shown: Shown, line: int) -> Iterator[str]:
        written = next((at for at, size in self._sizes if size >= self._book.ends[line]), None)
        if shown.durable < self._book.ends[line] or written is None:
            yield f"line {line} is told before it is written"
        elif shown.at_ns < written + self._delay_ns:
            yield f"line {line} is told at {shown.at_ns}, less than {self._delay_ns} after {written}"
