"""A match as one file: a page with the viewer inside, which loads nothing and can be sent to anybody."""

import base64
import gzip
import hashlib
import html
import json
from typing import Final

from mergemaker_web.carried import Carried, smaller
from mergemaker_web.modules import one_script, static_text

PAGE_BYTES_MAX: Final = 150_000
"""How large a page may be."""
_PACKING_LEVEL: Final = 9
_PACKED_AT: Final = 0
"""The time in the packed bytes: so the same match makes the same page."""


class PageTooLarge(Exception):
    """A match does not fit into a page."""


def match_page(match: Carried) -> bytes:
    """The page of a match. What can be spared is left out until it has at most `PAGE_BYTES_MAX` bytes, and the page says so."""
    size = 0
    for tried in (match, *smaller(match)):
        page = _page(tried)
        size = len(page)
        if size <= PAGE_BYTES_MAX:
            return page
    raise PageTooLarge(f"the match makes a page of {size:,} bytes even without notes, and a page has at most {PAGE_BYTES_MAX:,}")


def _page(match: Carried) -> bytes:
    script, loader, style = one_script("page.js"), one_script("loader.js"), static_text("style.css")
    document = json.dumps({"script": script, "match": match.document()}, ensure_ascii=False, separators=(",", ":"))
    packed = base64.b64encode(gzip.compress(document.encode("utf-8", "surrogatepass"), _PACKING_LEVEL, mtime=_PACKED_AT))
    parts = {
        "policy": _policy(scripts=(loader, script), style=style),
        "title": html.escape(_title(match)),
        "style": style,
        "packed": packed.decode("ascii"),
        "loader": loader,
    }
    page = static_text("page.html")
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text)
    return page.encode("utf-8")


def _title(match: Carried) -> str:
    return f"Match {match.lines[0]['run']['match']}"


def _policy(scripts: tuple[str, ...], style: str) -> str:
    """The page runs its own scripts and nothing else, and reaches no other address."""
    allowed = " ".join(_hash_of(script) for script in scripts)
    return f"default-src 'none'; script-src {allowed}; style-src {_hash_of(style)}; base-uri 'none'; form-action 'none'"


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
