"""How fast a game goes by for those who look on, as a value: keys make the next one of it."""

from dataclasses import dataclass, replace
from typing import Final

USUAL_PACE_S: Final = 0.15
"""How long what happened at a decision stays: a match then takes about half a minute."""
PACE_S_MAX: Final = 60.0
FASTER: Final = 0.5
"""What + and - multiply or divide by."""
PACE_S_MIN: Final = 0.01


@dataclass(frozen=True, slots=True)
class Pace:
    """How long each decision stays, and whether it goes on by itself."""

    stay_s: float = USUAL_PACE_S
    paused: bool = False
    to_the_end: bool = False
    """Whether nobody wants to follow any more."""

    @property
    def due_s(self) -> float | None:
        """How long the next decision stays; None until a key comes."""
        if self.to_the_end:
            return 0.0
        return None if self.paused else self.stay_s

    @property
    def in_words(self) -> str:
        """How it goes on now."""
        if self.to_the_end:
            return "to the end"
        return "paused" if self.paused else f"{self.stay_s:.2g} s a decision"


def pressed(pace: Pace, key: str) -> Pace:
    """What a key makes of it; a key that means nothing changes nothing."""
    match key:
        case " ":
            return replace(pace, paused=not pace.paused, to_the_end=False)
        case "enter":
            return replace(pace, paused=False, to_the_end=True)
        case "+" | "=":
            return replace(pace, stay_s=max(pace.stay_s * FASTER, PACE_S_MIN))
        case "-" | "_":
            return replace(pace, stay_s=min(pace.stay_s / FASTER, PACE_S_MAX))
        case _:
            return pace
