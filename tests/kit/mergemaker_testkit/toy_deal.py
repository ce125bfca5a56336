"""The deal of a toy referee, with the promises and proofs of a real one."""

from typing import Final

from mergemaker.v1 import referee_pb2
from mergemaker.v1.referee_pb2 import PlayResponse
from mergemaker_engine.deal import derived_seed
from mergemaker_engine.record.commitments import DealMode, commitment, joint_seed, seat_commitment


class ToyDeal:
    """One match's deal. The client has seat 0; the toy provides the parts of all other seats."""

    def __init__(self, match: str, seats: int, seed: bytes, mode: DealMode) -> None:
        self.match: Final = match
        self.mode: Final = mode
        self.server_seed: Final = seed
        self.seed = seed
        self.nonce: Final = derived_seed(seed, "nonce", 0)
        self.parts = [b"", *(derived_seed(seed, "part", seat) for seat in range(1, seats))]

    @property
    def commitment(self) -> bytes:
        """The promise before the first tile."""
        return b"" if self.mode is DealMode.PLAIN else commitment(self.match, self.nonce, self.server_seed)

    def committed(self, own: bytes) -> PlayResponse:
        """All seats' promises, including the client's."""
        others = [seat_commitment(self.commitment, seat, part) for seat, part in enumerate(self.parts) if seat]
        return PlayResponse(match=self.match, seats_committed=referee_pb2.SeatsCommitted(commitments=[own, *others]))

    def reveal(self, part: bytes) -> None:
        """Takes the client's part and makes the seed from it."""
        self.parts[0] = part
        self.seed = joint_seed(self.server_seed, self.parts)

    def proof(self) -> referee_pb2.DealProof:
        """What made up the deal."""
        if self.mode is DealMode.PLAIN:
            return referee_pb2.DealProof(seed=self.seed)
        parts = self.parts if self.mode is DealMode.JOINT else []
        return referee_pb2.DealProof(seed=self.seed, server_seed=self.server_seed, nonce=self.nonce, parts=parts)
