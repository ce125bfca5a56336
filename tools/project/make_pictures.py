"""Makes the pictures of the README from a golden record: the viewer in Chromium, and a match.

Pixels differ by machine, so CI neither makes nor compares them.
"""

import sys
import tempfile
from pathlib import Path

from install_browser import browser
from mergemaker_referee.records.files import open_record
from mergemaker_tools.replaying.carrying import carried_from
from mergemaker_tools.replaying.picturing import frames_of
from mergemaker_tools.replaying.story import tell
from mergemaker_web.page import match_page
from mergemaker_web.pictures import gif_of
from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "golden" / "tycoon-4-joint.jsonl.gz"
DECISION = 147
FOLDER = ROOT / "docs" / "pictures"
COLOURS = 128
FLAGS = ("--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync")


def main() -> int:
    """Writes both pictures."""
    path = browser()
    if path is None:
        print("pictures of the viewer need Chromium: python tools/project/install_browser.py", file=sys.stderr)
        return 1
    story = tell(open_record(RECORD))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "match.gif").write_bytes(gif_of(frames_of(story, range(story.last + 1)))[0])
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        page_file = Path(name) / "match.html"
        page_file.write_bytes(match_page(carried_from(RECORD, story, DECISION)))
        chromium = playwright.chromium.launch(executable_path=path, args=[*FLAGS, "--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1720, "height": 1060}, reduced_motion="reduce")
        page.goto(page_file.as_uri())
        page.wait_for_selector(".decision h2")
        picture = Path(name) / "viewer.png"
        page.screenshot(path=picture)
        chromium.close()
        Image.open(picture).convert("RGB").quantize(COLOURS).save(FOLDER / "viewer.png", optimize=True)
    for made in sorted(FOLDER.iterdir()):
        print(f"{made.relative_to(ROOT)}: {made.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
