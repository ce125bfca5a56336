"""A record as it is watched: its story, keys pressed on it, and what is then on the screen."""

from functools import lru_cache

from mergemaker_engine.record.reading import read_record
from mergemaker_tools.replaying.frame import HEIGHT_MIN, WIDTH_MIN, frame
from mergemaker_tools.replaying.player import Player, press
from mergemaker_tools.replaying.story import Story, tell

from mergemaker_testkit.replayed import match_of

SCREEN = (WIDTH_MIN, HEIGHT_MIN)


@lru_cache(maxsize=16)
def story_of(name: str = "renegade-classic", seats: int = 4, note: str | None = None) -> Story:
    """What a match by chance tells; the same one whenever it is asked for."""
    return tell(read_record(match_of(name, seats, note=note)))


def after(player: Player, *keys: str) -> Player:
    """What has become of a player when these keys were pressed."""
    for key in keys:
        player = press(player, key)
    return player


def rows_of(player: Player, size: tuple[int, int] = SCREEN) -> list[str]:
    """The rows of the screen, without their colours."""
    return frame(player, *size).plain.split("\n")
