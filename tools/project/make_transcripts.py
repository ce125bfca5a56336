"""Makes the missing transcripts of the present Python client, and overwrites none.

A transcript is what clients of one version sent, and it is kept: if a test says that one does not play any more, the
referee no longer serves that client. A new version of the protocol gets its own transcripts, in its own folder.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from google.protobuf.message import Message
from mergemaker.v1.referee_pb2 import PlayResponse
from mergemaker_client import Answer, Bot, Noted, Turn
from mergemaker_client.bots import parse
from mergemaker_client.connection import Connection
from mergemaker_client.environment import Environment
from mergemaker_client.factories import AnyKind, factory_of
from mergemaker_client.outputs import Ask, Begin, Close, End, Output, Tell
from mergemaker_client.playing import OnError, Player
from mergemaker_client.protocol import Conversation
from mergemaker_client.reconnecting import Patience
from mergemaker_client.wishes import EventMode, Wishes
from mergemaker_engine.actions import STOP
from mergemaker_testkit.transcripts import (
    PLACEHOLDER,
    Client,
    Request,
    Stream,
    Transcript,
    facts,
    game_hashes,
    meaning,
    referee_for,
    reply_to,
    text_of,
)

TRANSCRIPTS: Final = Path(__file__).resolve().parent.parent.parent / "tests" / "golden" / "transcripts" / "v1"
LIBRARY: Final = "mergemaker-python 0.1.0"
LIMIT_S: Final = 60
"""How long a client may wait for a message, and take to end."""
QUICK: Final = Patience(reconnect_ms_min=1, reconnect_ms_max=2)


class Clumsy(Bot):
    """Answers once what is illegal, once with a note, and otherwise the last answer."""

    def answer(self, turn: Turn) -> Answer:
        """Answers."""
        if turn.number == 2:
            return STOP
        last = turn.answers[-1]
        return Noted(last, "ä note") if turn.number == 3 else last


class Recorder:
    """Records what a connection sends and receives, and breaks streams after certain questions."""

    def __init__(self, cuts: Sequence[str]) -> None:
        self.streams: list[Stream] = []
        self.connection: Any = None
        self._cuts = set(cuts)
        self._seen: list[str] = []
        self._responses: list[PlayResponse] = []
        self._resume = PLACEHOLDER

    def sent(self, message: Message) -> None:
        """Takes a request."""
        request: Any = message
        if request.HasField("hello"):
            self._close_stream()
            self.streams.append(Stream())
            self._seen, self._responses = [], []
        if self.streams[-1].cut or request.HasField("pong"):
            return
        data = request.SerializeToString().replace(self._resume.encode("ascii"), PLACEHOLDER.encode("ascii"))
        self.streams[-1].requests.append(Request(reply_to(request, self._seen), data))

    def received(self, message: Message) -> None:
        """Takes a response."""
        response: Any = message
        if response.HasField("ping"):
            return
        stream = self.streams[-1]
        if stream.cut:
            return
        self._responses.append(response)
        if response.HasField("welcome"):
            self._resume = response.welcome.resume_token
        for fact in facts(response):
            self._seen.append(fact)
            if fact in self._cuts:
                self._cuts.remove(fact)
                stream.cut = True
                stream.until = [fact]
                self.connection._cancel()  # noqa: SLF001 - as a network breaks

    def stream(self, what: str) -> None:
        """A stream has ended; later messages show the result."""

    def _close_stream(self) -> None:
        if self.streams:
            stream = self.streams[-1]
            stream.told = meaning(self._responses)
            if not stream.cut:
                stream.until = [fact for fact in self._seen if fact.startswith(("ended ", "no "))]

    def done(self) -> list[Stream]:
        """All streams."""
        self._close_stream()
        return self.streams


def record_client(target: str, token: str, bot: AnyKind, part: bytes, wishes: Wishes, cuts: Sequence[str]) -> Client:
    """Lets a client play, and records what it sends and receives."""
    environment = Environment.read({"MERGEMAKER_SERVER": target, "MERGEMAKER_TOKEN": token})
    inbox: SimpleQueue[Output] = SimpleQueue()
    recorder = Recorder(cuts)
    conversation = Conversation(wishes, lambda: part)
    connection = Connection(environment, conversation, inbox.put, trace=recorder, patience=QUICK)  # type: ignore[arg-type]  # it takes a trace's place
    recorder.connection = connection
    player = Player(factory_of(bot), connection.answer, OnError.DEFAULT, lambda _: None)
    connection.start()
    while not isinstance(output := inbox.get(timeout=LIMIT_S), Close):
        match output:
            case Ask():
                asked = player.turn(output, 0, 0)
                assert asked is not None, "it can be read"
                sync: Any = asked[0]
                player.returned(output, asked[1], sync.answer(asked[1]))
            case Tell():
                player.tell(output)
            case Begin():
                player.begin(output)
            case End():
                player.end(output)
            case _:
                pass
    connection.close()
    return Client(token, recorder.done())


def _match(name: str, rules: str, mode: str, **seats: list[str]) -> dict[str, Any]:
    return {"match": name, "rules": rules, "mode": mode, "seed": bytes([len(name)] * 32).hex(), **seats}


SEATS: Final = ["first", "second", "third"]
Voice = tuple["AnyKind", EventMode, tuple[str, ...]]
SCENARIOS: Final[dict[str, tuple[str, list[dict[str, Any]], list[Voice]]]] = {
    "held": (
        "a whole match with held events",
        [_match("held", "renegade-classic", "plain", seats=SEATS[:2])],
        [(parse("greedy"), EventMode.HELD, ()), (parse("random"), EventMode.HELD, ())],
    ),
    "immediate": (
        "a whole match with immediate events, an illegal answer and a note",
        [_match("immediate", "avalon-hill-powers", "server", seats=SEATS)],
        [
            (Clumsy, EventMode.IMMEDIATE, ()),
            (parse("random"), EventMode.IMMEDIATE, ()),
            (parse("greedy"), EventMode.HELD, ()),
        ],
    ),
    "resumed": (
        "a whole match with streams that break while a question is open, and are taken up again",
        [_match("resumed", "corporations", "server", seats=SEATS[:2])],
        [
            (parse("random"), EventMode.HELD, ("decision resumed 3", "decision resumed 9")),
            (parse("greedy"), EventMode.IMMEDIATE, ("decision resumed 5",)),
        ],
    ),
    "several": (
        "two whole matches at once on each stream, of bots with tokens of their own",
        [_match(name, "renegade-classic", "server", bots=["ann", "bea"]) for name in ("several-1", "several-22")],
        [(parse("random"), EventMode.HELD, ()), (parse("greedy"), EventMode.IMMEDIATE, ())],
    ),
    "joint": (
        "a whole match whose deal comes from all seats",
        [_match("joint", "renegade-tycoon", "joint", seats=SEATS)],
        [(parse(name), EventMode.HELD, ()) for name in ("random", "greedy", "random")],
    ),
}


def make(name: str) -> Transcript:
    """Plays a scenario with real clients."""
    what, matches, voices = SCENARIOS[name]
    is_known = "bots" in matches[0]
    names = matches[0]["bots"] if is_known else matches[0]["seats"]
    clients = [Client(f"{'mmb' if is_known else 'mms'}_transcript_{each}", []) for each in names]
    transcript = Transcript(what, matches, clients)
    with tempfile.TemporaryDirectory() as folder, referee_for(transcript, Path(folder)) as (referee, made):

        def play(seat: int) -> None:
            bot, events, cuts = voices[seat]
            wishes = Wishes(
                name=names[seat],
                version="1",
                library=LIBRARY,
                events=events,
                matches=len(matches) if is_known else None,
                matches_at_once=len(matches),
            )
            token = transcript.clients[seat].token
            transcript.clients[seat] = record_client(referee.address, token, bot, bytes([seat + 1] * 32), wishes, cuts)

        threads = [threading.Thread(target=play, args=(seat,)) for seat in range(len(names))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT_S)
        transcript.games = game_hashes(made)
    return transcript


def main() -> int:
    """Makes what is missing."""
    TRANSCRIPTS.mkdir(parents=True, exist_ok=True)
    for name in SCENARIOS:
        path = TRANSCRIPTS / f"{name}.json"
        if path.exists():
            print(f"{name} is there")
            continue
        began = time.monotonic()
        path.write_text(text_of(make(name)), encoding="utf-8")
        print(f"{name}: {path.stat().st_size} bytes, {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
