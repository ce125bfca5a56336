"""A record during its replay: its story, the keys pressed, and the resulting screen."""

from functools import lru_cache

from mergemaker_engine.record.reading import read_record
from mergemaker_tools.replaying.frame import HEIGHT_MIN, WIDTH_MIN, frame
from mergemaker_tools.replaying.player import Player, press
from mergemaker_tools.replaying.story import Story, tell

from mergemaker_testkit.replayed import match_of

SCREEN = (WIDTH_MIN, HEIGHT_MIN)


@lru_cache(maxsize=16)
def story_of(name: str = "renegade-classic", seats: int = 4, note: str | None = None) -> Story:
    """The story of a random match, the same one on every call."""
    return tell(read_record(match_of(name, seats, note=note)))


def after(player: Player, *keys: str) -> Player:
    """The player's state after these keys."""
    for key in keys:
        player = press(player, key)
    return player


def rows_of(player: Player, size: tuple[int, int] = SCREEN) -> list[str]:
    """The rows of the screen, without colours."""
    return frame(player, *size).plain.split("\n")
