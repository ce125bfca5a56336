"""Drives a table as a referee does, with its own time: it never waits, and equal scripts give equal records.

driver = TableDriver(Table(table_setup(rules, 3)), [random_player] * 3)
driver.play()
verify(driver.lines)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from mergemaker_engine.deal import Chances, derived_seed
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.playout import declares_end
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.commitments import DealMode, commitment, seat_commitment
from mergemaker_engine.record.lines import DecisionLine, Incident, Line, Promise
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import Rules
from mergemaker_table import CLOCKS, Phase, Setup, Table, Terms
from mergemaker_table.driving import Driver
from mergemaker_table.inputs import (
    Answer,
    Answered,
    AnswerIndex,
    Handed,
    Joined,
    SeatCommitted,
    SeatRevealed,
    Tick,
)
from mergemaker_table.outputs import Ask, Ended, Output, Request, SeatsCommitted

MATCH: Final = "m-1"
NONCE: Final = bytes(range(32))
SEED: Final = bytes(range(32, 64))
STEPS_MAX: Final = 20_000
"""Steps of one match; more means that it does not end."""
_MODEST_OFFERS: Final = 60
_OutputT = TypeVar("_OutputT")


@dataclass(frozen=True, slots=True)
class Said:
    """What a player answers, and how long it thinks."""

    answer: Answer
    after_ms: int = 0
    note: str | None = None


Player: TypeAlias = Callable[[Request, bytes, int], "Said | None"]
"""From a request, the seat's nonce, and the number of refusals for this request; None means that no answer ever comes."""


def request_chance(request: Request, nonce: bytes) -> Chances:
    """Chances that depend only on the nonce, the last event seen and the kind of decision."""
    label = f"play/{request.events_seen % 100_000}"
    return Chances(derived_seed(nonce, type(request.decision).__name__, 0), label)


def random_player(request: Request, nonce: bytes, refused: int = 0) -> Said:
    """Any legal answer at once; declares the end as soon as possible. It does not repeat refused answers."""
    chance = request_chance(request, nonce)
    among = min(_MODEST_OFFERS, len(request.answers)) if isinstance(request.decision, ChooseOffer) else len(request.answers)
    ending = [at for at in range(among) if declares_end(request.answers[at])]
    indices: Sequence[int] = ending or range(among)
    return Said(AnswerIndex(indices[(chance.below(len(indices)) + refused) % len(indices)]))


def silent_player(request: Request, nonce: bytes, refused: int) -> None:
    """Never answers."""


def table_setup(
    rules: Rules,
    seats: int,
    clock: str | Terms = "fast",
    mode: DealMode = DealMode.SERVER,
    seed: bytes = SEED,
) -> Setup:
    """A match's set-up; `seed` is the server's."""
    terms = clock if isinstance(clock, Terms) else Terms(CLOCKS[clock])
    plain = mode is DealMode.PLAIN
    return Setup(
        rules=rules,
        bots=tuple(f"bot {seat}" for seat in range(seats)),
        terms=terms,
        mode=mode,
        match=MATCH,
        promise=None if plain else Promise(MATCH, commitment(MATCH, NONCE, seed)),
        secrets=Secrets(seed) if plain else Secrets(seed, seed, NONCE),
        software="mergemaker",
        started="2026-11-18T15:38:32Z",
    )


def seat_part(seat: int) -> bytes:
    """A seat's part of the seed, in joint mode."""
    return derived_seed(SEED, "part", seat)


class TableDriver(Driver):
    """A table, its time, and its players. It does at once what the table wants done, except for what players do."""

    def __init__(self, table: Table, players: Sequence[Player], now_ns: int = 0) -> None:
        super().__init__(table, now_ns)
        self.players: Final = list(players)
        self.outputs: list[Output] = []
        self._refused: dict[tuple[int, int], int] = {}

    def crash(self) -> None:
        """The referee dies and restarts: its time begins anew, and all connections are gone. Everything written stays."""
        self.table = Table.recovered(read_record(self.lines), self.table.setup.secrets)
        self.asked = self.barrier = None
        self.now_ns = 0
        self.open()

    def _deliver(self, batch: tuple[Output, ...]) -> tuple[Output, ...]:
        self.outputs += batch
        return super()._deliver(batch)

    def of_kind(self, kind: type[_OutputT], seat: int | None = None) -> list[_OutputT]:
        """The outputs of a kind so far, or only those for one seat."""
        everything: Sequence[object] = self.outputs
        found = [output for output in everything if isinstance(output, kind)]
        return found if seat is None else [output for output in found if getattr(output, "seat", None) == seat]

    @property
    def ended(self) -> Ended:
        """How the match ended; it must have ended."""
        assert self.table.ended is not None, "the match goes on"
        return self.table.ended

    def join(self, *seats: int) -> None:
        """Lets seats join: these, or all."""
        for seat in seats or range(len(self.players)):
            self.feed(Joined(seat))

    def commit(self, *seats: int) -> None:
        """Joint mode: lets seats commit themselves."""
        promise = self.table.setup.promise
        assert promise is not None
        for seat in seats:
            self.feed(SeatCommitted(seat, seat_commitment(promise.commitment, seat, seat_part(seat))))

    def reveal(self, *seats: int) -> None:
        """Joint mode: lets seats reveal their parts."""
        for seat in seats:
            self.feed(SeatRevealed(seat, seat_part(seat)))

    def start(self, *seats: int) -> None:
        """Opens the table, and lets seats join, commit and reveal: these, or all."""
        there = seats or tuple(range(len(self.players)))
        self.open()
        self.join(*there)
        if self.table.setup.mode is DealMode.JOINT and self.table.phase is Phase.JOINING:
            if not self.of_kind(SeatsCommitted):
                self.commit(*there)
            while self.table.phase is Phase.JOINING and not self.of_kind(SeatsCommitted):
                self.step()
            self.reveal(*there)

    def opened(self) -> list[Line]:
        """The lines so far, as values."""
        chains = Chains()
        return [chains.open(line.removesuffix(b"\n")) for line in self.lines]

    def incidents(self, what: str) -> list[Incident]:
        """The incidents of this kind so far."""
        return [line for line in self.opened() if isinstance(line, Incident) and line.what == what]

    def last_decision(self) -> DecisionLine:
        """The last decision written."""
        return [line for line in self.opened() if isinstance(line, DecisionLine)][-1]

    def play(self) -> Ended:
        """Plays a match from its start to its end."""
        self.start()
        return self.play_on()

    def play_on(self, decisions_max: int = STEPS_MAX) -> Ended:
        """Plays to the end, within this number of steps."""
        for _ in range(decisions_max):
            if self.table.ended is not None:
                return self.table.ended
            self.step()
        raise AssertionError("the match does not end")

    def step(self) -> None:
        """The next thing that happens: an answer, a completed barrier, or the end of somebody's time."""
        if self.barrier is not None:
            self.pass_barrier()
            return
        if self.asked is not None:
            asked, self.asked = self.asked, None
            self.feed(Handed(asked.seat, asked.request.decision_id, self.now_ns))
            self._answer(asked)
            return
        self.wake()

    def look_at_clock(self) -> None:
        """Does what is due now: a tick, and the barrier that it sends."""
        self.feed(Tick())
        if self.barrier is not None:
            self.pass_barrier()

    def _answer(self, asked: Ask) -> None:
        seat, request = asked.seat, asked.request
        number = request.decision_id
        before = self._refused.get((seat, number), 0)
        nonce = self.table.setup.seat_nonce(seat)
        said = self.players[seat](request, nonce, before)
        if said is None:
            return
        self.pass_ms(said.after_ms)
        batch = self.feed(Answered(seat, number, said.answer, said.note, self.now_ns))
        if self.asked is None and any(getattr(output, "refusals_left", None) for output in batch):
            # Refused, with a try left.
            self._refused[seat, number] = before + 1
            self.asked = asked
