"""The operator: makes matches, cancels them, and queries their state, through the referee's own calls."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from google.protobuf.message import Message
from mergemaker.v1 import matches_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import Rules, preset
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import Closing
from mergemaker_referee.matches import telling
from mergemaker_referee.tokens import TokenKind, token_hash
from mergemaker_table.terms import CLOCKS, ClockTerms, FaultTerms
from mergemaker_wire.enums import DEAL_MODES
from mergemaker_wire.rules import rules_to_message

from .lives import Machine

OPERATOR: Final = TokenKind.OPERATOR + "simulated-operator"


def bot_token(name: str) -> str:
    """The token of a known bot."""
    return f"{TokenKind.BOT}simulated-{name}"


def settings_with(*bots: str, **changes: object) -> Settings:
    """A referee's settings, with an operator, these known bots, and other changes."""
    known = {name: token_hash(bot_token(name)) for name in bots}
    return Settings(operator_token_hash=token_hash(OPERATOR), bots=known, **changes)  # type: ignore[arg-type]  # as Settings takes them


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A match to make."""

    rules: Rules = preset("renegade-classic")  # noqa: RUF009 - immutable
    seats: tuple[str | None, ...] = (None, None)
    """By seat: a known bot's name, or None for the one who holds the seat's token."""
    clock: ClockTerms = CLOCKS["standard"]
    faults: FaultTerms = FaultTerms()  # noqa: RUF009 - immutable
    mode: DealMode = DealMode.SERVER
    seed: bytes = b""
    """In plain mode: the seed of the deal."""
    join_from: datetime | None = None
    """When the time to join begins; None: as soon as the match can start."""

    def request(self) -> matches_pb2.CreateMatchRequest:
        """The operator's request."""
        request = matches_pb2.CreateMatchRequest(
            rules=rules_to_message(self.rules),
            seats=[matches_pb2.SeatPlan(name=bot or f"seat {seat}", bot_id=bot or "") for seat, bot in enumerate(self.seats)],
            clock=telling.clock_message(self.clock),
            faults=telling.faults_message(self.faults),
            deal_mode=DEAL_MODES.numbers[self.mode],
            seed=self.seed,
        )
        if self.join_from is not None:
            request.join_from.FromDatetime(self.join_from)
        return request


@dataclass(frozen=True, slots=True)
class Made:
    """A match that exists."""

    wanted: Wanted
    match: str
    tokens: tuple[str, ...]
    """By seat: its token, also for known bots."""


class Office:
    """The operator of a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine: Final = machine
        self.refusals: Final[list[Closing]] = []

    def create(self, wanted: Wanted, made: Callable[[Made], None], refused: Callable[[Closing], None] | None = None) -> None:
        """Makes a match, then calls `made`; never, if the referee is killed before."""

        def reply(found: bytes | Path | Closing) -> None:
            if isinstance(found, Closing):
                self.refusals.append(found)
                if refused is not None:
                    refused(found)
                return
            assert isinstance(found, bytes)
            response = matches_pb2.CreateMatchResponse.FromString(found)
            tokens = [bot_token(bot) if bot else token for bot, token in zip(wanted.seats, response.seat_tokens, strict=True)]
            made(Made(wanted, response.match.match, tuple(tokens)))

        self._call("CreateMatch", wanted.request(), reply)

    def cancel(self, match: str, why: str = "") -> None:
        """Voids a match."""
        self._call("CancelMatch", matches_pb2.CancelMatchRequest(match=match, why=why), lambda _: None)

    def listed(self, reply: Callable[[list[matches_pb2.MatchSummary]], None]) -> None:
        """Lists all known matches; nothing comes if the referee is killed before."""

        def found(response: bytes | Path | Closing) -> None:
            if isinstance(response, bytes):
                reply(list(matches_pb2.ListMatchesResponse.FromString(response).matches))

        self._call("ListMatches", matches_pb2.ListMatchesRequest(), found)

    def fetch(self, match: str, reply: Callable[[bytes | Path | Closing], None]) -> None:
        """The record of a match: its path, or why it is not released."""
        self._call("FetchRecord", matches_pb2.FetchRecordRequest(match=match), reply)

    def _call(self, method: str, request: Message, reply: Callable[[bytes | Path | Closing], None]) -> None:
        self._machine.network.call(OPERATOR, method, request.SerializeToString(), reply)
