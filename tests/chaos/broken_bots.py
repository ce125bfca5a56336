"""Broken bots, each in its own way and its own process.

    python -m tests.chaos.broken_bots KIND

It prints `ready`, reads target, token and match as a line of JSON, misbehaves, and prints another line of JSON: how its
last stream ended, and why requests were refused. Imports are few, because many of these start at once.
"""

import contextlib
import itertools
import json
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Final

from mergemaker.v1 import referee_pb2
from mergemaker_testkit import attackers

from tests.chaos.broken_bot import Broken
from tests.chaos.broken_talk import Ended, Talk
from tests.chaos.wrong_requests import (
    _chooses_nothing,
    _places_what_it_does_not_have,
    answers_each,
    answers_once,
    garbage_for_a_hello,
    garbage_for_a_seat,
    half_a_message,
    sends_while_asked,
)

LATE_S: Final = 1.0
"""How late an answer is: a referee that waited for a processor gives back at most half of that."""
GARBAGE: Final = b"\xff\xff\xff\xff\x00not a message"
NOBODYS_MATCH: Final = "0000deadbeef"
OVERLONG_BYTES: Final = 200_000
QUIET_S: Final = 1.0
"""If nothing comes for this long, everything sent before an answer has come."""
FLOOD: Final = 5_000
"""Requests always on their way: more than the referee reads in a second."""
ANSWERS: Final = 2_000
"""More than the referee keeps for a bot that does not read."""
SMALL_MEMORY: Final = 16_384
"""How many unread bytes gRPC accepts, so that the rest waits at the referee."""
PAUSE_S: Final = 0.02
"""The pause between the streams of bots that reconnect repeatedly, so that they do not use the whole machine."""


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# --- bots that come late, or never ---


def never_comes(_: Broken) -> None:
    """Runs, but does nothing."""
    time.sleep(attackers.CONNECT_LIMIT_S)


def says_nothing(bot: Broken) -> None:
    """Opens a stream, but sends nothing."""
    bot.open().listen()


def never_takes_its_seat(bot: Broken) -> None:
    talk = bot.open()
    talk.hello()
    talk.listen()


def of_protocol(version: int) -> Callable[[Broken], None]:
    def says_hello(bot: Broken) -> None:
        talk = bot.open()
        talk.hello(version)
        talk.listen()

    return says_hello


# --- bots that do not answer in time ---


def never_answers(bot: Broken) -> None:
    bot.seated().listen()


def hangs_in_one_decision(bot: Broken) -> None:
    """Thinks forever, while its library answers pings."""
    bot.seated().play(3)
    time.sleep(attackers.CONNECT_LIMIT_S)


def is_late(bot: Broken) -> None:
    talk = bot.seated()
    for decision in talk.decisions():
        time.sleep(decision.time_left_ms / 1_000 + LATE_S)
        talk.answer(decision.id, decision.default_index)


def floods_with_requests(bot: Broken) -> None:
    """Only asks for pongs, far faster than they arrive."""
    talk, _ = bot.asked()
    numbers = itertools.count(1)
    while not talk.is_over:
        last = 0
        for last in itertools.islice(numbers, FLOOD):
            talk.send(referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=last)))
        while not talk.is_over:
            response = talk.next()
            if response.HasField("pong") and response.pong.id > last - FLOOD:
                break


# --- bots that send impossible requests ---


def garbage_again_and_again(bot: Broken) -> None:
    """Reconnects each time that it is thrown out, and ignores the reasons."""
    _insist(bot, lambda talk: talk.send(GARBAGE))


# --- bots whose connection breaks ---


def _raw_connection(bot: Broken, behind: bytes) -> socket.socket:
    """A connection of raw bytes, on which the seat is taken; then it sends the rest."""
    take = referee_pb2.PlayRequest(match=bot.match, take_seat=referee_pb2.TakeSeat()).SerializeToString()
    said = attackers.HELLO + attackers.message(take)
    connection = attackers.connect(bot.target)
    settled = attackers.frame(attackers.SETTINGS, 1, 0)  # its acknowledgement
    connection.sendall(attackers.call(token=bot.token) + settled + attackers.frame(attackers.DATA, 0, 1, said) + behind)
    return connection


def half_a_frame(bot: Broken) -> None:
    """Announces a longer frame of HTTP/2 than it ever sends."""
    connection = _raw_connection(bot, attackers.frame(attackers.DATA, 0, 1, b"half", length=1_000))
    while not attackers.is_closed(connection):
        time.sleep(PAUSE_S)


def resets_its_connection(bot: Broken) -> None:
    connection = _raw_connection(bot, b"")
    connection.settimeout(QUIET_S)
    with contextlib.suppress(TimeoutError):
        while connection.recv(65_536):
            pass
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hangs_up(bot: Broken) -> None:
    """Ends its side of the stream in the middle of a game."""
    talk, _ = bot.asked()
    talk.leave()
    talk.listen()


def stops_reading(bot: Broken) -> None:
    """Makes the referee send, and reads nothing of it."""
    talk = bot.open(memory=SMALL_MEMORY)
    talk.join()
    talk.until("decision")
    talk.stop_reading()
    for _ in range(ANSWERS):
        # The response contains the name of the unknown match, which is as long as possible.
        talk.send(referee_pb2.PlayRequest(match=NOBODYS_MATCH * 5, take_seat=referee_pb2.TakeSeat()))
    time.sleep(attackers.CONNECT_LIMIT_S)


def answers_no_pings(bot: Broken) -> None:
    talk = bot.open(pongs=False)
    talk.join()
    talk.listen()


def freezes(bot: Broken) -> None:
    """Stops as if by Ctrl-Z, with its connection open."""
    bot.asked()
    os.kill(os.getpid(), signal.SIGSTOP)


# --- bots that die ---


def dies(at: str) -> Callable[[Broken], None]:
    def plays(bot: Broken) -> None:
        if at == "at once":
            _die()
        talk = bot.open()
        talk.hello()
        talk.until("welcome")
        if at == "after its welcome":
            _die()
        talk.take_seat()
        talk.until("match_offered")
        if at == "after its offer":
            _die()
        if at == "after the start":
            talk.until("match_started")
            _die()
        for number, decision in enumerate(talk.decisions()):
            if at == "while it is asked":
                _die()
            talk.answer(decision.id, decision.default_index)
            if number == (10 if at == "after ten answers" else 1):
                break
        _die()

    return plays


def crashes(bot: Broken) -> None:
    """Ends with a traceback, like an untested bot."""
    talk, decision = bot.asked()
    talk.answer(decision.id, len(decision.view.asked.ListFields()) // 0)


# --- bots that reconnect repeatedly ---


def _insist(bot: Broken, act: Callable[[Talk], None], *, evict: bool = False) -> None:
    """Opens stream after stream, until the match is over and the seat's token has expired."""
    while True:
        talk = bot.open()
        talk.hello(evict=evict)
        talk.take_seat()
        act(talk)
        with contextlib.suppress(Ended):
            response = talk.until("match_started", "match_ended", "goodbye", "request_refused")
            if response.HasField("match_ended") or "match-over" in talk.refused:
                return
        talk.drop()
        time.sleep(PAUSE_S)


def reconnects_in_a_storm(bot: Broken) -> None:
    _insist(bot, lambda _: None)


def takes_itself_over(bot: Broken) -> None:
    """Two processes of the same bot throw each other out."""
    kept: list[Talk] = []

    def keep(talk: Talk) -> None:
        other = Talk(bot.target, bot.token, bot.match)
        other.hello(evict=True)
        other.take_seat()
        kept.append(other)
        if len(kept) > 2:
            kept.pop(0).drop()
        assert talk is bot.talk

    _insist(bot, keep, evict=True)


# --- bots that are strange, but not at fault ---


def answers_twice(bot: Broken) -> None:
    talk = bot.seated()
    for decision in talk.decisions():
        for _ in range(2):
            talk.answer(decision.id, decision.default_index)


def answers_before_it_is_asked(bot: Broken) -> None:
    talk = bot.seated()
    talk.until("match_offered")
    for number in range(2_000, 2_040):
        talk.answer(number, 0)
    talk.play()


def says_what_is_not_known(bot: Broken) -> None:
    """Adds a field and a kind of request from a future protocol to correct requests."""
    talk = bot.seated()
    unknown_field, unknown_kind = b"\xf2\x3f\x05later", b"\xca\x0c\x02\x08\x01"
    for decision in talk.decisions():
        answer = referee_pb2.PlayRequest(
            match=talk.match, answer=referee_pb2.Answer(decision=decision.id, index=decision.default_index)
        )
        talk.send(referee_pb2.PlayRequest(match=talk.match).SerializeToString() + unknown_kind)
        talk.send(answer.SerializeToString() + unknown_field)


def has_a_part_in_a_deal_that_has_none(bot: Broken) -> None:
    talk, decision = bot.asked()
    talk.send(referee_pb2.PlayRequest(match=talk.match, seat_ready=referee_pb2.SeatReady(commitment=bytes(32))))
    talk.send(referee_pb2.PlayRequest(match=talk.match, seat_reveal=referee_pb2.SeatReveal(part=bytes(32))))
    talk.answer(decision.id, decision.default_index)
    talk.play()


def resigns(bot: Broken) -> None:
    talk, _ = bot.asked()
    talk.send(referee_pb2.PlayRequest(match=talk.match, resign=referee_pb2.Resign()))
    talk.listen()


HELLO_AGAIN: Final = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])).SerializeToString()

ACTS: Final[dict[str, Callable[[Broken], None]]] = {
    "never comes": never_comes,
    "says nothing": says_nothing,
    "never takes its seat": never_takes_its_seat,
    "speaks only the protocol that comes next": of_protocol(2),
    "speaks a protocol that is too new": of_protocol(99),
    "says garbage for a hello": garbage_for_a_hello,
    "says garbage for a seat": garbage_for_a_seat,
    "dies at once": dies("at once"),
    "dies after its welcome": dies("after its welcome"),
    "dies after its offer": dies("after its offer"),
    "dies after the start": dies("after the start"),
    "dies while it is asked": dies("while it is asked"),
    "dies after an answer": dies("after an answer"),
    "dies after ten answers": dies("after ten answers"),
    "crashes": crashes,
    "never answers": never_answers,
    "hangs in one decision": hangs_in_one_decision,
    "is late": is_late,
    "floods with requests": floods_with_requests,
    "answers with an index that is not there": answers_each(lambda talk, asked: talk.answer(asked.id, 100_000)),
    "places a tile that it does not have": answers_each(_places_what_it_does_not_have),
    "answers and chooses nothing": answers_each(_chooses_nothing),
    "says too much beside its answer": answers_each(lambda talk, asked: talk.answer(asked.id, asked.default_index, "x" * 1_025)),
    "answers what was not asked": answers_once(lambda talk, asked: talk.answer(asked.id + 1_000, 0)),
    "answers what was asked before": answers_once(lambda talk, asked: talk.answer(asked.id - 1, 0)),
    "answers in another's match": answers_once(lambda talk, asked: talk.answer(asked.id, 0, match=NOBODYS_MATCH)),
    "says garbage while it is asked": sends_while_asked(GARBAGE),
    "says garbage again and again": garbage_again_and_again,
    "says half a message": sends_while_asked(half_a_message()),
    "says hello again": sends_while_asked(HELLO_AGAIN),
    "says more than a request may hold": sends_while_asked(bytes(OVERLONG_BYTES)),
    "sends half a frame": half_a_frame,
    "resets its connection": resets_its_connection,
    "hangs up": hangs_up,
    "stops reading": stops_reading,
    "answers no pings": answers_no_pings,
    "freezes": freezes,
    "reconnects in a storm": reconnects_in_a_storm,
    "takes itself over": takes_itself_over,
    "resigns": resigns,
    "answers twice": answers_twice,
    "answers before it is asked": answers_before_it_is_asked,
    "says what is not known": says_what_is_not_known,
    "has a part in a deal that has none": has_a_part_in_a_deal_that_has_none,
}


def main() -> None:
    """Plays one match."""
    act = ACTS[sys.argv[1]]
    print("ready", flush=True)
    bot = Broken(**json.loads(sys.stdin.readline()))
    ended = ""
    try:
        act(bot)
    except Ended as end:
        ended = str(end)
    refused = sorted(bot.talk.refused) if bot.talk else []
    print(json.dumps({"ended": ended, "refused": refused}), flush=True)
    os._exit(0)  # even if threads still run


if __name__ == "__main__":
    main()
