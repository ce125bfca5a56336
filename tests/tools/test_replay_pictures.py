"""`mergemaker replay --png` and `--gif`: pictures of a match."""

import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from mergemaker_engine.board_svg import PAINTS
from mergemaker_engine.record.reading import read_record
from mergemaker_testkit.replayed import match_of
from mergemaker_web import pictures
from mergemaker_web.pictures import GIF_BYTES_MAX
from PIL import Image

from tests.tools.conftest import Run

Command = Callable[..., Run]
Written = Callable[..., str]


def opened(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(path.read_bytes()))


def test_a_picture_of_a_decision(run: Command, written: Written, tmp_path: Path) -> None:
    shown = run("replay", written(match_of()), "--png", "60", "-o", str(tmp_path / "a.png"))
    assert (shown.status, shown.out) == (0, "")
    assert shown.err.startswith(f"wrote {tmp_path / 'a.png'}, ")
    picture = opened(tmp_path / "a.png").convert("RGB")
    colours = {f"#{red:02x}{green:02x}{blue:02x}" for _, (red, green, blue) in picture.getcolors(10**6)}  # type: ignore[union-attr, misc]  # RGB
    assert len(colours & {paint.fill for paint in PAINTS}) >= 2


def test_the_set_up_differs_from_the_first_decision(run: Command, written: Written, tmp_path: Path) -> None:
    path = written(match_of())
    for number in (0, 1):
        assert run("replay", path, "--png", str(number), "-o", str(tmp_path / f"{number}.png")).status == 0
    first, second = (opened(tmp_path / f"{number}.png").convert("RGB") for number in (0, 1))
    assert first.size == second.size
    assert first.tobytes() != second.tobytes()


def test_a_moving_picture_is_small_shows_every_tile_and_ends_with_the_end(run: Command, written: Written, tmp_path: Path) -> None:
    lines = match_of("reference-trading", 3)
    shown = run("replay", written(lines), "--gif")
    assert (shown.status, shown.out) == (0, ""), shown.err
    (made,) = tmp_path.glob("*.gif")
    assert made.stat().st_size <= GIF_BYTES_MAX
    assert "positions to keep it small" in shown.err
    record = read_record(lines)
    boards = [record.start().public_view().board, *(step.before.public_view().board for step in record.steps())]
    changes = sum(one != other for one, other in pairwise(boards))
    moving = opened(made)
    assert moving.n_frames >= changes > 40  # type: ignore[attr-defined]  # a GIF has it
    moving.seek(moving.n_frames - 1)  # type: ignore[attr-defined]  # likewise
    assert moving.info["duration"] == pictures.LAST_FRAME_MS


def test_a_frame_of_a_moving_picture_is_the_picture(run: Command, written: Written, tmp_path: Path) -> None:
    """Only what has changed is written: put together, the frames are the pictures all the same."""
    path = written(match_of())
    assert run("replay", path, "--gif", "20..30", "-o", str(tmp_path / "a.gif")).status == 0
    assert run("replay", path, "--png", "27", "-o", str(tmp_path / "a.png")).status == 0
    moving, still = opened(tmp_path / "a.gif"), opened(tmp_path / "a.png")
    assert moving.n_frames == 11  # type: ignore[attr-defined]  # a GIF has it
    moving.seek(7)
    assert moving.convert("RGB").tobytes() == still.convert("RGB").tobytes()


@pytest.mark.parametrize("words", [["--gif=10..20"], ["--gif", "10..20"]])
def test_some_decisions_alone(run: Command, written: Written, tmp_path: Path, words: list[str]) -> None:
    shown = run("replay", written(match_of()), *words, "-o", str(tmp_path / "a.gif"))
    assert shown.status == 0
    assert "keep it small" not in shown.err
    assert opened(tmp_path / "a.gif").n_frames == 11  # type: ignore[attr-defined]  # a GIF has it


@pytest.mark.parametrize("text", ["20..10", "1..99999", "x", "5", "..", "-1..3"])
def test_other_ranges_are_refused(run: Command, written: Written, tmp_path: Path, text: str) -> None:
    shown = run("replay", written(match_of()), f"--gif={text}")
    assert (shown.status, shown.out) == (2, "")
    assert "some of them are written as --gif 10..20" in shown.err
    assert [*tmp_path.glob("*.gif*")] == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--png", "5", "--gif"], "--png and --gif are two ways to show a match"),
        (["--png", "5", "--web"], "--web and --png are two ways to show a match"),
        (["-o", "a.png"], "-o names the file of --png or --gif"),
        (["--png", "99999"], "this match has the decisions 0 (the set-up) to"),
        (["--png", "-1"], "--png"),
    ],
)
def test_what_does_not_go_together_is_refused(run: Command, written: Written, options: list[str], words: str) -> None:
    shown = run("replay", written(match_of()), *options)
    assert (shown.status, shown.out) == (2, "")
    assert words in shown.err


def test_a_picture_is_replaced_only_by_force(run: Command, written: Written, tmp_path: Path) -> None:
    path, picture = written(match_of()), tmp_path / "a.png"
    picture.write_text("mine", "utf-8")
    assert run("replay", path, "--png", "5", "-o", str(picture)).status == 2
    assert picture.read_text("utf-8") == "mine"
    assert run("replay", path, "--png", "5", "-o", str(picture), "--force").status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_unfinished_match_has_no_board(run: Command, written: Written) -> None:
    shown = run("replay", written(match_of()[:30]), "--png", "5")
    assert (shown.status, shown.out) == (1, "")
    assert "there is no board to draw" in shown.err


def test_without_the_extra_it_says_so(run: Command, written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "HAS_PILLOW", False)
    shown = run("replay", written(match_of()), "--png", "5")
    assert (shown.status, shown.out) == (1, "")
    assert "`pip install 'mergemaker[pictures]'`" in shown.err
