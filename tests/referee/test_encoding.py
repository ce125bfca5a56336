"""Events are encoded once for all receivers, each under its reader's number."""

from mergemaker.v1 import referee_pb2
from mergemaker_engine.events import TilesDrawn, TilesReceived, TurnBegan
from mergemaker_referee.matches.encoding import EventEncoder

DRAWN, TURN = TilesDrawn(0, 1), TurnBegan(1, 2)
OWN = TilesReceived(0, (3,))


def _told(parts: list[bytes]) -> list[tuple[int, str | None]]:
    events = referee_pb2.PlayResponse.FromString(b"".join(parts)).events
    return [(event.number, event.WhichOneof("kind")) for event in events]


def test_each_reader_has_numbers_of_his_own() -> None:
    encoder = EventEncoder()
    assert _told(encoder.parts(4, (DRAWN, TURN))) == [(4, "tiles_drawn"), (5, "turn_began")]
    assert _told(encoder.parts(6, (DRAWN, TURN))) == [(6, "tiles_drawn"), (7, "turn_began")]


def test_who_sees_more_is_told_more_though_it_begins_alike() -> None:
    encoder = EventEncoder()
    assert _told(encoder.parts(4, (DRAWN, TURN))) == [(4, "tiles_drawn"), (5, "turn_began")]
    assert _told(encoder.parts(4, (DRAWN, OWN, TURN))) == [(4, "tiles_drawn"), (5, "tiles_received"), (6, "turn_began")]
    assert _told(encoder.parts(4, (TURN, DRAWN))) == [(4, "turn_began"), (5, "tiles_drawn")]


def test_those_who_look_on_get_messages_of_their_own_kind() -> None:
    encoder = EventEncoder()
    encoder.parts(1, (TURN,))
    assert encoder.watch_parts(1, (TURN,)) != []
    assert encoder.watch_parts(1, (TURN,)) == EventEncoder().watch_parts(1, (TURN,))


def test_the_same_seen_by_many_is_encoded_once() -> None:
    encoder = EventEncoder()
    assert encoder.parts(4, (DRAWN, TURN)) is encoder.parts(4, (DRAWN, TURN))
