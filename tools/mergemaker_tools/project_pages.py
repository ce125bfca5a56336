"""The pages of a new project: its library's and the guide, with links that work in the project.

In the checkout a library's page links to the guide for all languages, and to files that no project has. The guide is
copied into the project, too; a link to other files is removed, and its text stays. Paths are relative to `clients`.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

GUIDE: Final = ("README.md", "TRANSCRIPT.md", "python/README.md", "python/RANDOM.md", "python/GREEDY.md", "python/FIRST.md")
"""What belongs to every library, whatever its language."""
GUIDE_FOLDER: Final = PurePosixPath("guide")
PAGE: Final = ".md"
_LINK: Final = re.compile(
    r"(?P<code>```.*?```|`[^`\n]*`)|\[(?P<text>(?:`[^`\n]*`|[^\[\]`])*)\]\((?P<target>[^()\s]+)\)", re.DOTALL
)
"""A link; or code, in which nothing is one."""
_ELSEWHERE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|#|/", re.IGNORECASE)
"""How a target begins that is no relative path."""


def with_guide(
    language: str, clients: Path, library: Iterable[tuple[PurePosixPath, bytes]]
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """A library's files and the guide's, by their paths below the project's library."""
    files = dict(library)
    origins = {language / path: path for path in files} | {PurePosixPath(page): GUIDE_FOLDER / page for page in GUIDE}
    files |= {GUIDE_FOLDER / page: (clients / page).read_bytes() for page in GUIDE}
    places = _with_folders(origins)
    came_from = {place: origin for origin, place in origins.items()}
    for path, content in files.items():
        if path.suffix == PAGE:
            text = content.decode()
            yield path, _relinked(text, came_from[path], path, places).encode()
        else:
            yield path, content


def _with_folders(origins: Mapping[PurePosixPath, PurePosixPath]) -> dict[PurePosixPath, PurePosixPath]:
    """Where files and their folders go."""
    places = dict(origins)
    for origin, place in origins.items():
        for folder, there in zip(origin.parents, place.parents, strict=False):
            places.setdefault(folder, there)
    return places


def _relinked(text: str, origin: PurePosixPath, place: PurePosixPath, places: Mapping[PurePosixPath, PurePosixPath]) -> str:
    """A page with the links of a project."""

    def link(found: re.Match[str]) -> str:
        if found["code"] is not None or _ELSEWHERE.match(found["target"]):
            return found[0]
        target, hash_sign, heading = found["target"].partition("#")
        meant = PurePosixPath(posixpath.normpath(origin.parent / target))
        if meant not in places:
            return found["text"]
        path = posixpath.relpath(places[meant], place.parent)
        return f"[{found['text']}]({path}{hash_sign}{heading})"

    return _LINK.sub(link, text)
