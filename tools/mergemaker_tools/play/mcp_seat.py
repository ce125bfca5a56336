"""A seat as a server of the Model Context Protocol: tools by which a language model reads questions and answers them.

It needs the extra `mcp`. The match begins with the first call, in a thread of its own.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Final

from mergemaker_client.answer import Noted
from mergemaker_client.errors import BotError
from mergemaker_client.in_words import DEFAULT, FORMS, RULES_IN_SHORT, answer_in, note_of, turn_text
from mergemaker_client.turn import MatchResult, Turn
from mergemaker_engine.catalogue import CATALOGUE

from mergemaker_tools.play.desk import Desk

WAIT_S: Final = 20.0
"""How long a call waits for the next question, if nothing else is said: clients of the protocol often give up after a minute."""
WAIT_S_MAX: Final = 50.0
PIECE_S: Final = 0.5
INSTRUCTIONS: Final = (
    f"{RULES_IN_SHORT} Call `question` to read what you are asked, and `answer` with a legal answer; its result is the next "
    "question. Go on until the match is over. If nothing has come yet, call `question` again."
)


class McpSeat:
    """The tools, and the thread that plays."""

    def __init__(self, desk: Desk, play: Callable[[], None], *, answers: bool) -> None:
        """`play` plays the match of the desk's bot to its end. With `answers`, each question lists the legal ones."""
        self._desk: Final = desk
        self._play: Final = play
        self._answers: Final = answers
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serves the client on standard input and output until it leaves."""
        server = self._server()
        try:
            server.run("stdio")
        finally:
            self._desk.end("the client has left")

    def tools(self) -> list[dict[str, object]]:
        """The tools as the client will see them."""
        listed = asyncio.run(self._server().list_tools())
        return [{"name": tool.name, "description": tool.description, "input": tool.input_schema} for tool in listed]

    def _server(self) -> Any:  # noqa: ANN401 - a class of an extra
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415 - an extra

        server = MCPServer("mergemaker", instructions=INSTRUCTIONS, log_level="WARNING")
        for tool in (self.question, self.answer, self.rules):
            server.add_tool(tool, structured_output=False)
        return server

    async def question(self, wait_s: float = WAIT_S) -> str:
        """What you are asked now, with everything that you may know; waits for it up to wait_s seconds."""
        self._start()
        return await self._next(wait_s)

    async def answer(self, answer: str, reason: str = "", wait_s: float = WAIT_S) -> str:
        """Answers the open question by number or words (or 'default'), with a reason for the record; gives the next question."""
        self._start()
        turn = self._desk.question(0)
        if turn is None:
            return await self._next(0)
        try:
            action = answer_in(answer, turn)
        except BotError as error:
            return f"That is not an answer: {error}\nThe question is still open."
        settled = "" if self._desk.give(turn, Noted(action, note_of(reason))) else "The question was settled without you.\n\n"
        return settled + await self._next(wait_s)

    async def rules(self) -> str:
        """All rules of the game by their ids, and how answers are written."""
        return "\n".join([RULES_IN_SHORT, FORMS, f"`{DEFAULT}` is the referee's choice.", "", *_catalogue()])

    def _start(self) -> None:
        """Begins the match with the first call."""
        if self._thread is None:
            # A daemon does not keep the process from ending when the client leaves.
            self._thread = threading.Thread(target=self._run_play, name="match", daemon=True)
            self._thread.start()

    def _run_play(self) -> None:
        try:
            self._play()
        except Exception as error:  # noqa: BLE001 - whatever ends the match is what the model must learn
            self._desk.end(f"{type(error).__name__}: {error}")
        else:
            self._desk.end("there are no more matches")

    async def _next(self, wait_s: float) -> str:
        left_s = min(max(wait_s, 0.0), WAIT_S_MAX)
        turn = self._desk.question(0)
        while turn is None and left_s > 0 and not self._desk.is_over:
            # In pieces: a client that leaves meanwhile waits for no more than one of them.
            turn = await asyncio.to_thread(self._desk.question, min(left_s, PIECE_S))
            left_s -= PIECE_S
        if self._desk.is_over:
            return self._ended()
        return self._nothing() if turn is None else self._text(turn)

    def _text(self, turn: Turn) -> str:
        time_left = "" if turn.time_left_ms is None else f"\n\nYou have {turn.time_left_ms / 1_000:.0f} s for this answer."
        return turn_text(turn, answers=self._answers) + time_left

    def _nothing(self) -> str:
        return "No question has come yet: the others think. Call `question` again."

    def _ended(self) -> str:
        result = self._desk.result
        if result is None:
            return f"The match cannot go on: {self._desk.problem}"
        match = self._desk.match
        assert match is not None, "a match that has ended has begun"
        return _result_text(result, match.seat)


def _result_text(result: MatchResult, seat: int) -> str:
    lines = [f"The match is over ({result.why})."]
    for standing in sorted(result.standings, key=lambda standing: (standing.place, standing.seat)):
        who = "you" if standing.seat == seat else standing.bot
        lines.append(f"  place {standing.place}: seat {standing.seat} ({who}) with ${standing.cash:,}")
    return "\n".join(lines)


def _catalogue() -> list[str]:
    return [f"{entry.id}: {entry.text}" for entry in CATALOGUE]
