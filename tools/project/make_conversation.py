"""Makes `clients/TRANSCRIPT.md`: what the simplest bot and a referee say to each other in a whole match, as text.

The bot sends what the guide says, and the referee is the real one, over gRPC. What varies between runs (tokens,
the session) is not shown. With `--check` the file is compared, and nothing is written.
"""

import json
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from make_transcripts import record_client
from mergemaker.v1 import referee_pb2
from mergemaker_client.bots import parse
from mergemaker_client.wishes import Wishes
from mergemaker_testkit.live_referee import RawBot, StreamEnd
from mergemaker_testkit.transcripts import Client, Transcript, referee_for

PATH: Final = Path(__file__).resolve().parent.parent.parent / "clients" / "TRANSCRIPT.md"
WIDTH: Final = 150
QUESTIONS_SHOWN: Final = 3
"""How many questions are shown, beside the last one."""
EVENTS_SHOWN: Final = 3
LIMIT_S: Final = 60
MATCH: Final = "first-match"
TOKENS: Final = ("mms_transcript_simple", "mms_transcript_other")
NOT_SHOWN: Final = frozenset({"line", "log_head", "resume_token", "session", "software", "trace"})
"""Fields that vary between runs or versions."""
_REST: Final = "…"
"""Stands for fields that are not shown."""
VIEW_SHOWN: Final = ("last_event", "seat", "turn", "turn_seat", "hand", "asked")
"""Of every view but the first."""

HEAD: Final = """# A match, message by message

This page shows what the [simplest bot of all](README.md#from-nothing-to-a-whole-match) and a referee send to each other in a
whole match for two, shortened. `>>>` marks what the bot sends (`PlayRequest`), `<<<` what it receives (`PlayResponse`), in
protobuf's text form. A message about a match begins with `match`. As on the wire, a field that is 0, empty or false is not
written, unless it is `optional` or in a `oneof`. So `match_offered` has no `seat` for seat 0, but an answer has `index: 0`. Lists
are in brackets, and `…` marks what was left out. `greedy` plays the other seat.

The metadata of the call has `authorization: Bearer TOKEN`. `tools/project/make_conversation.py` made this page, and a test
makes it again.

```
"""
TAIL: Final = "```\n"


class Shown:
    """Messages as text, shortened."""

    def __init__(self) -> None:
        self._views = 0

    def message(self, message: Message, sign: str) -> Iterator[str]:
        """Its lines."""
        left = sum(name == "events" for name, _ in _fields(message))
        most = max(0, left - EVENTS_SHOWN)
        for name, value in _fields(message):
            if name == "events":
                left -= 1
                if left < most:
                    if left == 0:
                        yield f"{sign} … {most} more"
                    continue
            yield from (f"{sign} {line}" for line in self._lines(name, value, ""))

    def _lines(self, name: str, value: Any, indent: str) -> list[str]:  # noqa: ANN401 - a message, or text of a plain value
        if not hasattr(value, "ListFields"):
            return [f"{indent}{name}: {value}" if name != _REST else f"{indent}{_REST}"]
        inner = list(_fields(value))
        if name == "view":
            self._views += 1
            if self._views > 1:
                inner = [(each, part) for each, part in inner if each in VIEW_SHOWN] + [(_REST, "")]
        parts = [self._lines(each, part, "") for each, part in inner]
        flat = f"{indent}{name} {{ {' '.join(line.strip() for part in parts for line in part)} }}"
        if len(flat) <= WIDTH:
            return [flat if inner else f"{indent}{name} {{ }}"]
        found = [f"{indent}{name} {{"]
        line = ""
        for part in parts:
            text = part[0] if len(part) == 1 else ""
            if line and (not text or len(line) + len(text) + 1 > WIDTH):
                found.append(line)
                line = ""
            if text:
                line = f"{line} {text}" if line else f"{indent}  {text}"
            else:
                found.extend(f"{indent}  {each}" for each in part)
        return [*found, *([line] if line else []), f"{indent}}}"]


def _fields(message: Message) -> Iterator[tuple[str, Any]]:
    """The set fields, in their order; lists of plain values as one text."""
    for field, value in message.ListFields():
        if field.name in NOT_SHOWN:
            yield field.name, _REST
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            yield from ((field.name, each) for each in (value if field.is_repeated else [value]))
        elif field.is_repeated:
            yield field.name, f"[{', '.join(_plain(field, each) for each in value)}]"
        else:
            yield field.name, _plain(field, value)


def _plain(field: FieldDescriptor, value: Any) -> str:  # noqa: ANN401 - a value of any field
    if field.enum_type is not None:
        return str(field.enum_type.values_by_number[value].name)
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    return json.dumps(value, ensure_ascii=False)


class Talk:
    """The bot's side, written down."""

    def __init__(self, bot: RawBot) -> None:
        self._bot = bot
        self._shown = Shown()
        self.lines: list[str] = []
        self.is_shown = True

    def note(self, text: str) -> None:
        """A line between messages."""
        self.lines += ["", f"# {text}"]

    def send(self, **parts: Any) -> None:  # noqa: ANN401 - the request's fields
        """Sends a request."""
        request = referee_pb2.PlayRequest(**parts)
        if self.is_shown:
            self.lines += self._shown.message(request, ">>>")
        self._bot.send(request)

    def next(self) -> referee_pb2.PlayResponse:
        """The next message; questions beyond the shown ones are left out."""
        response = self._bot.next()
        assert not isinstance(response, StreamEnd), response
        if self.is_shown or not response.HasField("decision"):
            self.lines += self._shown.message(response, "<<<")
        return response


def converse(bot: RawBot, start_other: threading.Thread) -> list[str]:
    """A whole match, as in the guide; returns its text."""
    talk = Talk(bot)
    talk.note("Say hello (step 3).")
    hello = referee_pb2.Hello(protocols=[1], bot_name="simple", library="by-hand 0.1.0", event_mode=referee_pb2.EVENT_MODE_HELD)
    talk.send(hello=hello)
    assert talk.next().HasField("welcome")
    talk.note("Take a seat (4).")
    talk.send(take_seat=referee_pb2.TakeSeat())
    assert talk.next().HasField("match_offered")
    talk.note("The other seat is taken, too, and the match starts (5).")
    start_other.start()
    response = talk.next()
    asked = 0
    while not response.HasField("match_ended"):
        if response.HasField("decision"):
            asked += 1
            if asked == QUESTIONS_SHOWN + 1:
                talk.note("This goes on, question by question, until the end (7).")
                talk.is_shown = False
            elif talk.is_shown:
                talk.note("Answer by the default's index (6).")
            decision = response.decision
            answer = referee_pb2.Answer(decision=decision.id, index=decision.default_index)
            talk.send(match=response.match, answer=answer)
        response = talk.next()
    talk.is_shown = True
    talk.note("Is there another match for this token? There is not: close this side of the stream, and end (7).")
    talk.send(take_seat=referee_pb2.TakeSeat())
    while not talk.next().HasField("request_refused"):
        pass
    bot.leave()
    end = bot.end()
    talk.note(f"The referee ends the stream: {end.code.name}.")
    return talk.lines


def made() -> str:
    """Plays the match, and returns the page."""
    match = {"match": MATCH, "rules": "renegade-classic", "mode": "server", "seed": "07" * 32, "seats": ["simple", "greedy"]}
    transcript = Transcript("", [match], [Client(token, []) for token in TOKENS])
    with tempfile.TemporaryDirectory() as folder, referee_for(transcript, Path(folder)) as (referee, _):
        wishes = Wishes(name="greedy", library="mergemaker-python 0.1.0")
        other = partial(record_client, referee.address, TOKENS[1], parse("greedy"), bytes(32), wishes, ())
        thread = threading.Thread(target=other, daemon=True)
        bot = RawBot(referee, TOKENS[0])
        try:
            lines = converse(bot, thread)
        finally:
            bot.drop()
            bot.close()
        thread.join(LIMIT_S)
        assert not thread.is_alive(), "the other bot has ended"
    return HEAD + "\n".join(lines).lstrip("\n") + "\n" + TAIL


def main(arguments: Sequence[str]) -> int:
    """Writes the page, or says that it differs."""
    content = made()
    if "--check" not in arguments:
        PATH.write_text(content, encoding="utf-8", newline="\n")
    elif not PATH.exists() or PATH.read_text(encoding="utf-8") != content:
        print(f"{PATH} is not what make_conversation.py makes")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
