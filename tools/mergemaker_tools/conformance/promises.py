"""What the scripted referee promises of a deal, and the proof that it shows at the end, which can be wrong in one point.

The promise is that of `engine/RECORDS.md`. A dialogue tells the seed of its deal, so the referee can promise that seed in server
mode. In joint mode the seed comes from all seats, and only the client knows its own part; there the referee tells a deal that
it makes of the seed, and asks no question.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker.v1.events_pb2 import Event
from mergemaker_engine.deal import Deal
from mergemaker_engine.record.commitments import WITHHELD, commitment, joint_seed, seat_commitment

from mergemaker_tools.conformance.dialogues import Dialogue

NONCE: Final = bytes(range(32, 64))
OTHER_NONCE: Final = bytes(range(64, 96))
JOINT_SERVER_SEED: Final = bytes(range(32))
OTHER_SEED: Final = bytes(range(96, 128))
OTHER_PART: Final = bytes(range(128, 160))

PROMISES: Final = ("plain", "server", "joint")
"""What an offer can promise: `plain` promises nothing."""
FALSE_PROMISES: Final = ("other", "none")
"""What can be wrong with a promise in server mode: it is about another deal, or it is empty."""
PROOFS: Final = ("right", "nonce", "seed", "part", "own-part")
"""What a proof can be: right, or wrong in the nonce, in the deal's seed, in another seat's part, in the client's own part."""


def _part(seat: int) -> bytes:
    """The part of the seed that a seat reveals which is not the client's."""
    return bytes([seat + 1]) * len(WITHHELD)


@dataclass(slots=True)
class Promise:
    """The promise of one match."""

    dialogue: Dialogue
    mode: str = "plain"
    server_seed: bytes = b""
    commitment: bytes = b""
    part: bytes = b""
    """In joint mode: what the client has revealed."""
    own_commitment: bytes = b""
    """In joint mode: what the client has promised."""
    false: str = field(default="")
    """What is wrong with it, of FALSE_PROMISES."""

    @property
    def _recorded_seed(self) -> bytes:
        return self.dialogue.end.match_ended.proof.seed

    def make(self, mode: str, false: str) -> None:
        """Makes the promise anew; it is the same one after a break."""
        self.mode, self.false = mode, false
        self.server_seed = JOINT_SERVER_SEED if mode == "joint" else OTHER_SEED if false == "other" else self._recorded_seed
        made = commitment(self.dialogue.offered.promise_match or self.dialogue.name, NONCE, self.server_seed)
        self.commitment = b"" if false == "none" or mode == "plain" else made

    def put_into(self, offered: referee_pb2.MatchOffered, *, is_changed: bool = False) -> None:
        """Says it in an offer; with `is_changed`, another promise than before."""
        if self.mode == "plain":
            return
        offered.deal_mode = match_pb2.DEAL_MODE_JOINT if self.mode == "joint" else match_pb2.DEAL_MODE_SERVER
        if self.mode == "joint":
            offered.requires.append("joint-deal")
        offered.commitment = bytes(reversed(self.commitment)) if is_changed else self.commitment

    def commitments(self) -> Iterable[bytes]:
        """In joint mode: what all seats promise."""
        for seat in range(self.dialogue.offered.seats):
            is_own = seat == self.dialogue.seat
            yield self.own_commitment if is_own else seat_commitment(self.commitment, seat, _part(seat))

    def _parts(self, what: str) -> list[bytes]:
        own = self.dialogue.seat
        parts = [self.part if seat == own else _part(seat) for seat in range(self.dialogue.offered.seats)]
        if what == "part":
            parts[(own + 1) % len(parts)] = OTHER_PART
        if what == "own-part":
            parts[own] = b""
        return parts

    def _joint_seed(self, parts: Iterable[bytes]) -> bytes:
        return joint_seed(self.server_seed, [part or WITHHELD for part in parts])

    def proof(self, what: str) -> referee_pb2.DealProof:
        """The proof, right or wrong as PROOFS says."""
        proof = referee_pb2.DealProof(seed=self._recorded_seed)
        if self.mode != "plain":
            proof.server_seed = self.server_seed
            proof.nonce = OTHER_NONCE if what == "nonce" else NONCE
            proof.seed = self.server_seed
        if self.mode == "joint":
            parts = self._parts(what)
            proof.parts.extend(parts)
            proof.seed = self._joint_seed(parts)
        if what == "seed":
            proof.seed = OTHER_SEED
        return proof

    def dealt(self) -> list[Event]:
        """The events of the deal, up to the first question: in joint mode with the tiles that the joint seed brings."""
        events = list(self.dialogue.questions[0].response.events)
        if self.mode != "joint":
            return events
        recorded, joint = Deal.from_seed(self._recorded_seed).order, Deal.from_seed(self._joint_seed(self._parts(""))).order
        moved = dict(zip(recorded, joint, strict=True))
        return [_with_squares(event, moved) for event in events]


def _with_squares(event: Event, moved: dict[int, int]) -> Event:
    """The same event with other squares."""
    made = Event()
    made.CopyFrom(event)
    match event.WhichOneof("kind"):
        case "start_tile_placed":
            made.start_tile_placed.square = moved[event.start_tile_placed.square]
        case "tile_placed":
            made.tile_placed.square = moved[event.tile_placed.square]
        case "tiles_received":
            made.tiles_received.squares[:] = sorted(moved[square] for square in event.tiles_received.squares)
        case _:
            pass
    return made
