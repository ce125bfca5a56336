"""How fast a game is shown, as a value: a key makes the next value."""

from dataclasses import dataclass, replace
from typing import Final

USUAL_PACE_S: Final = 0.15
"""How long each decision is shown: a match then takes about half a minute."""
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
    """Whether to run to the end without pauses."""

    @property
    def due_s(self) -> float | None:
        """How long the next decision stays; None until a key comes."""
        if self.to_the_end:
            return 0.0
        return None if self.paused else self.stay_s

    @property
    def in_words(self) -> str:
        """The pace in words."""
        if self.to_the_end:
            return "to the end"
        return "paused" if self.paused else f"{self.stay_s:.2g} s a decision"


def pressed(pace: Pace, key: str) -> Pace:
    """The value after a key; unknown keys change nothing."""
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
