"""What the live board shows, as lines for a screen of a given size: board, chains, seats and events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_engine.rules import Rules
from mergemaker_engine.views import View
from rich.text import Text

from mergemaker_tools.board_picture import board_picture
from mergemaker_tools.options import rules_in_words
from mergemaker_tools.play.seat_rows import head_row, left_row, seat_rows

_HEAD: Final = "bold"
_FAINT: Final = "dim"
KEYS: Final = "space pauses · + - pace · Enter to the end · c clocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A moment of a match, as watchers may see it."""

    rules: Rules
    bots: Sequence[str]
    view: View | None
    """None before the deal."""
    joined: Sequence[bool]
    thinking: int | None
    """The seat that is asked."""
    thinks_s: float
    banks_ms: Sequence[int | None]
    """By seat; None without a limit."""
    happened: Sequence[str]
    """A line for each turn, the latest last."""
    pace: str
    is_over: bool
    with_keys: bool
    shows_clocks: bool = False
    """Whether each seat's bank is shown."""


def frame(scene: Scene, width: int, height: int) -> Text:
    """The lines of a scene, cut to the size of the screen."""
    lines = _waiting(scene) if scene.view is None else _game(scene, scene.view, width, height)
    lines = lines[: max(height, 1)]
    for line in lines:
        line.truncate(max(width, 1), overflow="ellipsis")
    return Text("\n").join(lines)


def _waiting(scene: Scene) -> list[Text]:
    missing = [f"seat {seat} ({bot})" for seat, bot in enumerate(scene.bots) if not scene.joined[seat]]
    return [Text(f"waiting for {', '.join(missing)}" if missing else "the tiles are dealt", style=_FAINT)]


def _game(scene: Scene, view: View, width: int, height: int) -> list[Text]:
    title = Text(f"turn {view.turn}", style=_HEAD)
    title.append(f" · {rules_in_words(scene.rules)} · {view.pile} tiles in the pile", style="")
    lines = [title, *board_picture(view).split("\n"), *_seats(scene, view)]
    footer = [] if scene.is_over else [_footer(scene)]
    room = max(height - len(lines) - len(footer), 0)
    happened: list[Text] = []
    for words in reversed(scene.happened):
        wrapped = _wrapped(words, width)
        if len(happened) + len(wrapped) > room and happened:
            break
        happened = wrapped + happened
    return [*lines, *happened[:room], *footer]


def _wrapped(words: str, width: int) -> list[Text]:
    """A text in as many lines as it needs."""
    from textwrap import wrap  # noqa: PLC0415 - slow to import

    return [Text(line) for line in wrap(words, width, subsequent_indent="  ")]


def _seats(scene: Scene, view: View) -> list[Text]:
    head = head_row(view)
    if scene.shows_clocks:
        head.append(f" {'bank':>7}")
    lines = [head]
    for seat, row in enumerate(seat_rows(view, scene.bots)):
        clock = f" {_clock(scene, seat):>7}" if scene.shows_clocks else ""
        lines.append(row.append(f"{clock}{_state(scene, seat)}"))
    return [*lines, left_row(view)]


def _clock(scene: Scene, seat: int) -> str:
    bank = scene.banks_ms[seat]
    return "-" if bank is None else f"{bank / 1_000:.1f} s"


def _state(scene: Scene, seat: int) -> str:
    if not scene.joined[seat]:
        return " gone"
    if scene.thinking != seat or scene.is_over:
        return ""
    return f" thinks {scene.thinks_s:.0f} s" if scene.thinks_s >= 1 else " thinks"


def _footer(scene: Scene) -> Text:
    return Text(f"{KEYS} · {scene.pace}" if scene.with_keys else scene.pace, style=_FAINT)
