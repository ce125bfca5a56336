"""Seeds, nonces, tiles and tokens: in no log, no error, no metric, no list, no trace and no message before their time."""

import base64
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from mergemaker.v1 import matches_pb2, referee_pb2, spectate_pb2
from mergemaker_engine.deal import Deal
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.wording import square_name
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit.live_referee import WAIT_LIMIT_S, RawBot, StreamEnd, bearer, match_stub, spectate_stub
from mergemaker_testkit.served import Served, environment, served

OPERATOR, KNOWN = fresh_token(TokenKind.OPERATOR), fresh_token(TokenKind.BOT)
CONFIGURATION = f"""
[server]
listen = "127.0.0.1:0"
[operator]
token_hash = "{token_hash(OPERATOR)}"
[bots]
known = "{token_hash(KNOWN)}"
[matches]
automatic_delay_ms_max = 5
[spectating]
open = true
[metrics]
listen = "127.0.0.1:0"
[log]
level = "debug"
"""
TILES_IN_ORDER = 5
"""This many undealt tiles in order are no accident."""
DECISIONS = 12


@dataclass
class Heard:
    """All output of a server, by place."""

    texts: dict[str, bytes] = field(default_factory=dict)

    def add(self, where: str, text: str | bytes) -> None:
        self.texts[where] = self.texts.get(where, b"") + b"\n" + (text.encode() if isinstance(text, str) else text)

    def places_of(self, wanted: Iterable[bytes], but: Sequence[str] = ()) -> list[str]:
        """The places where any of these occur."""
        return [where for where, text in self.texts.items() if where not in but and any(each in text for each in wanted)]


def forms_of(secret: bytes) -> set[bytes]:
    """The forms in which a secret may be written: raw, hexadecimal, base64, as numbers, as Python shows it."""
    forms = {secret, secret.hex().encode(), secret.hex().upper().encode(), secret.hex(" ").encode(), secret.hex(":").encode()}
    forms |= {base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"="), base64.b32encode(secret)}
    forms |= {str(list(secret)).encode(), ",".join(map(str, secret)).encode(), repr(secret)[2:-1].encode()}
    # A part is as bad as the whole.
    return forms | {secret[:16].hex().encode(), secret[16:].hex().encode()}


def forms_of_tiles(tiles: Sequence[int]) -> set[bytes]:
    """The forms in which a run of tiles may be written."""
    names = [square_name(tile) for tile in tiles]
    forms = {bytes(tiles)}
    for words in (names, [str(tile) for tile in tiles], [repr(name) for name in names], [json.dumps(name) for name in names]):
        forms |= {mark.join(words).encode() for mark in (" ", ",", ", ", "|", "-", "\n")}
    return forms


def undealt(seed: bytes) -> set[bytes]:
    """Runs of tiles that nobody has so early in a match, forwards and backwards."""
    last = Deal.from_seed(seed).order[-40:]
    runs = [last[at : at + TILES_IN_ORDER] for at in range(len(last) - TILES_IN_ORDER + 1)]
    return {form for run in runs for each in (run, run[::-1]) for form in forms_of_tiles(each)}


@contextmanager
def bot_process(server: Served, folder: Path, name: str, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """A bot process that traces all responses."""
    told = environment(server.url, token, {"MERGEMAKER_TRACE": str(folder / f"{name}.trace")})
    command = [sys.executable, "-m", "mergemaker_tools", "bot", "random", "--json"]
    with (folder / f"{name}.out").open("wb") as out, subprocess.Popen(command, env=told, stdout=out, stderr=out) as process:
        try:
            yield process
        finally:
            process.kill()


def provoke(server: Served, match: str, heard: Heard, seat_token: str) -> None:
    """Makes mistakes of all kinds, and collects the replies."""
    stub_requests: list[tuple[str, Any]] = [
        ("GetMatch", matches_pb2.GetMatchRequest(match=match)),
        ("GetMatch", matches_pb2.GetMatchRequest(match="../../etc/passwd")),
        ("FetchRecord", matches_pb2.FetchRecordRequest(match=match)),
        ("CreateMatch", matches_pb2.CreateMatchRequest(seats=[matches_pb2.SeatPlan(bot_id="nobody")] * 2, seed=b"short")),
        ("ListMatches", matches_pb2.ListMatchesRequest(page_size=10_000)),
    ]
    wrong = fresh_token(TokenKind.SEAT)
    with server.channel() as channel:
        stub = match_stub(channel)
        for name, request in stub_requests:
            for token in (None, wrong, OPERATOR, KNOWN, seat_token, OPERATOR[:-1]):
                try:
                    found = getattr(stub, name)(request, metadata=bearer(token))
                    heard.add("errors", str(list(found) if name == "FetchRecord" else found))
                except grpc.RpcError as error:
                    heard.add("errors", str(error))
    for token in (None, wrong, OPERATOR, KNOWN + "x"):
        bot = RawBot(server, token)
        heard.add("errors", str(bot.end()))
        bot.close()
    for request in (
        referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[7], bot_name=wrong)),
        referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], bot_name="a\n")),
        b"\xff\xff",
    ):
        bot = RawBot(server, seat_token)
        bot.send(request)
        heard.add("errors", "\n".join(map(str, bot.goodbye())))
        bot.close()


def play_some(bot: RawBot, match: str, heard: Heard) -> None:
    """Plays until the match is far enough, with mistakes, and collects everything; then never answers again."""
    answered = 0
    while answered < DECISIONS:
        response = bot.next()
        assert not isinstance(response, StreamEnd), response
        # Its resume token belongs to the bot, and nobody else gets it.
        response.welcome.ClearField("resume_token")
        heard.add("raw bot", response.SerializeToString())
        heard.add("raw bot", str(response))
        if response.HasField("decision"):
            bot.answer(match, response.decision.id, 10_000)
            bot.answer(match, response.decision.id + 5, 0)
            bot.answer(match, response.decision.id, response.decision.default_index, note="a note")
            answered += 1


def look(server: Served, folder: Path, match: str, heard: Heard) -> None:
    """Gathers everything that anybody can read."""
    for name in ("server.log", "known.trace", "known.out", "stranger.trace", "stranger.out"):
        heard.add(name, (folder / name).read_bytes())
    for record in folder.rglob("*.jsonl"):
        heard.add("record", record.read_bytes())
    with urllib.request.urlopen(server.said["metrics"], timeout=WAIT_LIMIT_S) as page:  # noqa: S310 - of this machine
        heard.add("metrics", page.read())
    for arguments in (("list", "--json"), ("get", match), ("fetch", match)):
        command = [sys.executable, "-m", "mergemaker_tools", "matches", *arguments]
        done = subprocess.run(
            command, env=environment(server.url, OPERATOR), capture_output=True, cwd=folder, timeout=WAIT_LIMIT_S, check=False
        )
        heard.add("mergemaker matches", done.stdout + done.stderr)
    with server.channel() as channel:
        watching = spectate_stub(channel).Watch(spectate_pb2.WatchRequest(match=match))
        for _ in range(2):
            response = next(watching)
            heard.add("spectator", response.SerializeToString())
            heard.add("spectator", str(response))
        watching.cancel()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "console"])
def test_no_secret_is_told_before_its_time(tmp_path: Path, form: str, is_long: bool) -> None:
    if form == "console" and not is_long:
        pytest.skip("pytest tests/security --long has it")
    heard = Heard()
    with served(tmp_path, CONFIGURATION + f'format = "{form}"\n') as server, server.channel() as channel:
        plan = [matches_pb2.SeatPlan(bot_id="known"), matches_pb2.SeatPlan(name="stranger"), matches_pb2.SeatPlan(name="raw")]
        wish = matches_pb2.CreateMatchRequest(seats=plan)
        wish.clock.name = "none"
        made = match_stub(channel).CreateMatch(wish, metadata=bearer(OPERATOR))
        match, tokens = made.match.match, list(made.seat_tokens)
        (file,) = tmp_path.rglob("*.secrets")
        document = json.loads(file.read_text("ascii"))
        bot = RawBot(server, tokens[2])
        resume = bot.hello().resume_token
        with bot_process(server, tmp_path, "known", KNOWN), bot_process(server, tmp_path, "stranger", tokens[1]):
            bot.take_seat()
            play_some(bot, match, heard)
            provoke(server, match, heard, tokens[2])
            look(server, tmp_path, match, heard)
            kept = [bytes.fromhex(document[name]) for name in ("seed", "server_seed", "nonce")]
            shown = [token for token in (OPERATOR, KNOWN, resume, *tokens) if token]
            hashes = [seat["token_hash"] for seat in document["seats"] if seat["token_hash"]] + [token_hash(resume)]
            # The search finds what is there.
            assert heard.places_of(forms_of_tiles(Deal.from_seed(kept[0]).order[:1])) != []
            everywhere = {"raw bot", "errors", "server.log", "known.trace", "stranger.trace", "record", "mergemaker matches"}
            assert everywhere <= set(heard.places_of([match.encode(), b"a bot is there"]))
            assert heard.places_of([b"mergemaker_"]) == ["metrics"]
            assert [heard.places_of(forms_of(secret)) for secret in kept] == [[]] * 3
            assert heard.places_of(undealt(kept[0])) == []
            assert [heard.places_of([token.encode(), token[4:].encode()]) for token in shown] == [[]] * len(shown)
            assert heard.places_of([each.encode() for each in hashes]) == []
            match_stub(channel).CancelMatch(matches_pb2.CancelMatchRequest(match=match), metadata=bearer(OPERATOR))
            bot.close()
    # After the end, the record and the bots know them. The log and the metrics never do.
    heard.add("server.log", (tmp_path / "server.log").read_bytes())
    ever = [where for secret in kept for where in heard.places_of(forms_of(secret)) if where in ("server.log", "metrics")]
    assert ever == []
    assert heard.places_of(undealt(kept[0])) == []


def test_the_search_finds_secrets_in_every_form() -> None:
    seed = bytes(range(200, 232))
    heard = Heard()
    heard.add("quiet", "nothing")
    forms: list[str | bytes] = [seed.hex(), base64.b64encode(seed).decode(), str(list(seed)), repr(seed), seed]
    for number, form in enumerate(forms):
        heard.add(f"form {number}", form)
    assert heard.places_of(forms_of(seed)) == [f"form {number}" for number in range(len(forms))]
    tiles = Deal.from_seed(seed).order[-20:]
    runs: list[str | bytes] = [json.dumps(list(tiles)), " ".join(map(square_name, tiles)), bytes(tiles[::-1])]
    for number, form in enumerate(runs):
        heard.add(f"tiles {number}", form)
    assert heard.places_of(undealt(seed)) == [f"tiles {number}" for number in range(3)]


def test_secrets_are_not_shown_by_chance() -> None:
    seed, nonce = bytes(range(32)), bytes(range(32, 64))
    shown = repr(Secrets(seed, seed, nonce)).encode()
    assert not any(form in shown for secret in (seed, nonce) for form in forms_of(secret))
