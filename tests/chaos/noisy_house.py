"""A server with a guest and good bots, whose matches never run out: the guest's effect on others is measured from outside."""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2
from mergemaker_referee.tokens import TokenKind, fresh_token

from tests.chaos.guests import MATCHES, Target
from tests.chaos.noises import PLAYS
from tests.chaos.played_matches import KINDS, Plan, check_untouched, is_ended, records_of
from tests.chaos.quick_bots import PLAY, QuickBot, Told, bearer, hello, program, quick_bots
from tests.chaos.server_process import Operator, ServerProcess, server_process, until
from tests.chaos.watched_process import Look, look_at

GUEST: Final = "guest"
PARTNER: Final = "partner"
"""Plays only with the guest."""
NEWCOMERS: Final = 50
CALL_LIMIT_S: Final = 30.0
"""How long a newcomer or the operator tries before it counts as refused."""
PUMP_S: Final = 0.02
OVER_LIMIT_S: Final = 120.0
UNTIMED: Final = match_pb2.ClockTerms(name="none")


@dataclass(slots=True)
class House:
    """A server with matches."""

    server: ServerProcess
    good: Told
    """The good bots and the guest's partner."""
    seed: int
    at_once: int
    """How many matches of good bots are kept under way."""
    plans: list[Plan] = field(default_factory=list)
    live: dict[str, None] = field(default_factory=dict)
    """Those of good bots, the oldest first."""
    guests: dict[str, None] = field(default_factory=dict)
    """The guest's own."""
    newcomers: int = 0
    in_vain: list[str] = field(default_factory=list)
    """The refusals of newcomers and of the operator."""

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def look(self) -> Look:
        assert self.server.process is not None
        return look_at(self.server.process.pid)

    def answered(self) -> int:
        """How many questions good bots have answered so far."""
        told = self.good.answered
        return sum(told[name] for name in KINDS)

    def lost(self) -> list[str]:
        """Broken streams of good bots."""
        return [f"{count} times {what}" for what, count in self.good.lost.items() if not what.startswith(PARTNER)]

    # --- matches ---

    def make_one(self, operator: Operator) -> None:
        """Makes the next match of good bots."""
        self.plans.append(Plan(self.seed, len(self.plans)))
        self.live[self.plans[-1].make(operator)] = None

    def make(self, guest_deal: int) -> None:
        """Makes as many matches as are missing; the guest's have this deal mode."""
        while self.good.ended:
            _, match = self.good.ended.popleft()
            self.live.pop(match, None)
            self.guests.pop(match, None)
        with self.server.operator() as operator:
            while len(self.live) < self.at_once:
                self.make_one(operator)
            while len(self.guests) < MATCHES:
                made = operator.call("CreateMatch", _guests_match(guest_deal))
                self.guests[made.match.match] = None

    def cancel_guests(self) -> None:
        """Ends the guest's remaining matches."""
        with self.server.operator() as operator:
            for match in tuple(self.guests):
                with contextlib.suppress(grpc.RpcError):  # it is over
                    operator.call("CancelMatch", matches_pb2.CancelMatchRequest(match=match))
        self.guests.clear()

    @contextlib.contextmanager
    def pumping(self, guest_deal: int) -> Iterator[None]:
        """Replaces matches that end, in its own thread."""
        enough = threading.Event()

        def pump() -> None:
            while not enough.is_set():
                with contextlib.suppress(grpc.RpcError):  # the operator's answers are checked elsewhere
                    self.make(guest_deal)
                enough.wait(PUMP_S)

        thread = threading.Thread(target=pump, daemon=True)
        thread.start()
        try:
            yield
        finally:
            enough.set()
            thread.join()

    def newest(self) -> str:
        """The most recent match of good bots."""
        return next(reversed(tuple(self.live)), "")

    # --- newcomers and the operator ---

    def newcomer_s(self) -> float | None:
        """How long a new bot takes to get its welcome; None if it gets none."""
        self.newcomers += 1
        token = self.server.bots[f"newcomer-{self.newcomers % NEWCOMERS}"]
        began, done = time.monotonic(), threading.Event()

        def said() -> Iterator[bytes]:
            yield hello(evict=True)
            done.wait(CALL_LIMIT_S)

        with self.server.channel() as channel:
            play: Any = channel.stream_stream(PLAY, response_deserializer=referee_pb2.PlayResponse.FromString)
            try:
                first = next(play(said(), metadata=bearer(token), timeout=CALL_LIMIT_S, wait_for_ready=True))
                return time.monotonic() - began if first.HasField("welcome") else None
            except (grpc.RpcError, StopIteration) as problem:
                self.in_vain.append(f"a newcomer was not welcomed: {_status(problem)}")
                return None
            finally:
                done.set()

    def operator_s(self) -> float | None:
        """How long the operator waits for a list; None if there is none."""
        began = time.monotonic()
        with self.server.operator() as operator:
            try:
                metadata = bearer(operator.token)
                operator.stub.ListMatches(matches_pb2.ListMatchesRequest(), metadata=metadata, timeout=CALL_LIMIT_S)
            except grpc.RpcError as problem:
                self.in_vain.append(f"the operator was not answered: {_status(problem)}")
                return None
        return time.monotonic() - began

    # --- the guest ---

    @contextlib.contextmanager
    def guest(self, kind: str = PLAYS) -> Iterator[Told]:
        """A guest connects, and has its own matches to play."""
        errors = self.server.folder / "guest.err"
        where = Target(kind=kind, target=self.target, token=self.server.bots[GUEST])
        deal = match_pb2.DEAL_MODE_JOINT if "joint" in kind else match_pb2.DEAL_MODE_UNSPECIFIED
        with self.pumping(deal), program("tests.chaos.noises", asdict(where), errors) as told:
            yield told
        self.cancel_guests()

    def tell(self, guest: Told) -> None:
        """Names a match that the guest may disturb."""
        assert guest.process.poll() is None, (self.server.folder / "guest.err").read_text("utf-8")[-2_000:]
        assert guest.process.stdin is not None
        guest.process.stdin.write(self.newest() + "\n")
        guest.process.stdin.flush()

    # --- the end ---

    def finish(self) -> None:
        """Waits until all matches of good bots are over."""
        records = records_of(self.server, self.plans).values()
        until(lambda: all(map(is_ended, records)), "all matches of good bots are over", OVER_LIMIT_S)

    def charged(self) -> list[str]:
        """Matches of good bots with a charge or an incomplete record, each with the reason."""
        found = []
        for plan_number, record in records_of(self.server, self.plans).items():
            try:
                check_untouched(record)
            except Exception as problem:  # noqa: BLE001 - every problem is reported
                found.append(f"match {plan_number}: {str(problem)[:300]}")
        return found

    def faults(self) -> list[str]:
        """The server's own errors in its log."""
        return [line for line in self.server.log_text().splitlines() if '"level":"error"' in line.replace(" ", "")]


def _status(problem: BaseException) -> str:
    return f"{problem.code().name}: {problem.details()}" if isinstance(problem, grpc.Call) else repr(problem)


def _guests_match(deal: int) -> matches_pb2.CreateMatchRequest:
    seats = [matches_pb2.SeatPlan(name=name, bot_id=name) for name in (GUEST, PARTNER)]
    return matches_pb2.CreateMatchRequest(seats=seats, clock=UNTIMED, deal_mode=deal)  # type: ignore[arg-type]  # an enum's number


@contextlib.contextmanager
def house(folder: Path, seed: int, at_once: int) -> Iterator[House]:
    """A server, with good bots that play on it."""
    names = [*KINDS, PARTNER, GUEST, *(f"newcomer-{number}" for number in range(NEWCOMERS))]
    tokens = {name: fresh_token(TokenKind.BOT) for name in names}
    with server_process(folder, bots=tokens) as server:
        server.serve()
        bots = [QuickBot(name=name, token=tokens[name], target=f"127.0.0.1:{server.port}") for name in (*KINDS, PARTNER)]
        with quick_bots(bots, folder / "bots.err") as good:
            yield House(server, good, seed, at_once)
