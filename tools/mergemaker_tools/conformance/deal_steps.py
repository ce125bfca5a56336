"""Steps about the deal: the parts of the seed in joint mode, and the tiles."""

from collections.abc import Callable, Mapping
from typing import Final

from mergemaker.v1 import referee_pb2
from mergemaker_engine.record.commitments import CONTRIBUTION_BYTES, seat_commitment

from mergemaker_tools.conformance.cases import Step
from mergemaker_tools.conformance.stage import Stage
from mergemaker_tools.conformance.talk import CaseFailed


def _ready(stage: Stage, step: Step) -> None:
    """In joint mode the client promises its part of the seed, after a break the same one."""
    match = stage.match(step)
    ready = stage.talk.expect("seat_ready", "promises its part of the seed", match.name).seat_ready
    promise = match.promise
    if promise.own_commitment and promise.own_commitment != ready.commitment:
        raise CaseFailed("the client promises another part of the seed than before the break")
    promise.own_commitment = ready.commitment


def _reveal(stage: Stage, step: Step) -> None:
    """The client is told what all seats have promised, and reveals its part."""
    match = stage.match(step)
    promise = match.promise
    response = referee_pb2.PlayResponse(match=match.name)
    response.seats_committed.commitments.extend(promise.commitments())
    stage.talk.send(response)
    part = stage.talk.expect("seat_reveal", "reveals its part of the seed", match.name).seat_reveal.part
    if len(part) != CONTRIBUTION_BYTES:
        raise CaseFailed(f"the part of the seed has {len(part)} bytes, expected are {CONTRIBUTION_BYTES}")
    if len(set(part)) == 1:
        raise CaseFailed("the part of the seed is not random: all its bytes are the same")
    if promise.own_commitment != seat_commitment(promise.commitment, match.dialogue.seat, part):
        raise CaseFailed("the part of the seed is not the one that the client promised")
    promise.part = part


def _deal(stage: Stage, step: Step) -> None:
    """The client learns which tiles are dealt, and is asked nothing."""
    match = stage.match(step)
    response = referee_pb2.PlayResponse(match=match.name, events=match.promise.dealt())
    match.told = response.events[-1].number
    stage.talk.send(response)


STEPS: Final[Mapping[str, Callable[[Stage, Step], None]]] = {"ready": _ready, "reveal": _reveal, "deal": _deal}
"""By word."""
