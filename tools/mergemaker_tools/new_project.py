"""Makes the files of a new bot's project: a template, and the sources of the language's library.

Both are in `clients/LANG` of a checkout, and in the installed package. A template's `sdk.txt` lists what parts of the
library go into a project: a file, folder or pattern in each line; a line with `!` removes some again. A line that begins with `+`
names a package whose .proto files go there, too: the project's build makes the code from them. The guide for all languages
goes with the library (`project_pages`). The rest of the template is copied, with the project's name in place of `my-bot`.
A template's `gitignore` has no dot before its name, so that it has no effect on git before it is in a project.
"""

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from mergemaker_tools.conformance.dialogues import vectors_folder
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.project_pages import with_guide

LANGUAGES: Final = ("python", "typescript", "go", "rust", "java")
LANGUAGE_MODEL: Final = "llm"
"""A project in Python for a seat of a language model."""
KINDS: Final = (*LANGUAGES, LANGUAGE_MODEL)
"""Every kind of project."""
_IN_PYTHON: Final = ("python", LANGUAGE_MODEL)
PLACEHOLDER: Final = "my-bot"
"""The placeholder for the project's name in templates, in texts and in paths."""
NAME_CHARACTERS_MAX: Final = 40
SDK_FOLDER: Final = "sdk"
"""Where a project keeps the library's sources."""
SDK_LIST: Final = "sdk.txt"
PROTOS_FOLDER: Final = PurePosixPath("protos")
"""Where a library keeps the .proto files that its build reads."""
TEMPLATE_FOLDER: Final = "template"
GITIGNORE: Final = "gitignore"
QUESTIONS: Final = "tycoon-3.jsonl"
"""The recorded match whose questions a project's tests ask its bot; in Python the tests play whole matches in memory."""
QUESTIONS_PATH: Final = PurePosixPath("testdata/questions.jsonl")
_MADE: Final = frozenset({"__pycache__"})
"""What programs leave in folders; not sources."""
_NAME: Final = re.compile(rf"[a-z](?:[a-z0-9-]{{0,{NAME_CHARACTERS_MAX - 2}}}[a-z0-9])?")
_INSTALLED: Final = Path(__file__).with_name("sdks")
_CHECKOUT: Final = Path(__file__).resolve().parents[2] / "clients"


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file of a new project."""

    path: PurePosixPath
    content: bytes

    @property
    def is_program(self) -> bool:
        """Whether it is executable."""
        return self.content.startswith(b"#!")


def name_from(text: str) -> str | None:
    """The name for a project in a folder called `text`, valid in all languages: my-bot; None if there is none."""
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:NAME_CHARACTERS_MAX].rstrip("-")
    return name if is_name(name) else None


def is_name(text: str) -> bool:
    """Whether all languages accept this name for a project."""
    return _NAME.fullmatch(text) is not None


def files_of(language: str, name: str) -> Iterator[NewFile]:
    """All files of a new project; first those that its author will change."""
    home = library_folder(language)
    files = dict(_files_in(home / TEMPLATE_FOLDER))
    if language == LANGUAGE_MODEL:
        files = dict(_files_in(library_folder("python") / TEMPLATE_FOLDER)) | files
    for path, content in files.items():
        if path != PurePosixPath(SDK_LIST):
            named = "." + GITIGNORE if path == PurePosixPath(GITIGNORE) else str(path).replace(PLACEHOLDER, name)
            yield NewFile(PurePosixPath(named), _named(content, name))
    if language not in _IN_PYTHON:
        yield NewFile(QUESTIONS_PATH, (vectors_folder() / "dialogues" / QUESTIONS).read_bytes())
    library = _sdk_files(language, home)
    # In Python the library has no page of its own in a project, so that nothing there leads to the guide.
    for path, content in library if language in _IN_PYTHON else with_guide(language, home.parent, library):
        yield NewFile(SDK_FOLDER / path, content)


def library_folder(language: str) -> Path:
    """Where a language's library and its template are: in the package, or in the checkout."""
    for place in (_INSTALLED, _CHECKOUT):
        if (place / language / TEMPLATE_FOLDER).is_dir():
            return place / language
    raise CommandFailed(f"the template for {language} is not in {_INSTALLED}: install mergemaker again")


def _named(content: bytes, name: str) -> bytes:
    return content.replace(PLACEHOLDER.encode(), name.encode())


def _sdk_files(language: str, home: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    wanted = [line for line in (home / TEMPLATE_FOLDER / SDK_LIST).read_text(encoding="utf-8").splitlines() if line]
    if language in _IN_PYTHON:
        yield from _packages(wanted)
        return
    unwanted = [line[1:] for line in wanted if line.startswith("!")]
    for line in wanted:
        if line.startswith("!"):
            continue
        if line.startswith("+"):
            yield from _protos(line[1:])
            continue
        places = sorted(place for place in home.glob(line) if not any(place.match(pattern) for pattern in unwanted))
        if not places:
            raise CommandFailed(f"{line}, which a project in {language} needs, is not in {home}: install mergemaker again")
        for place in places:
            inside = PurePosixPath(place.relative_to(home).as_posix())
            if place.is_file():
                yield inside, place.read_bytes()
            else:
                yield from ((inside / path, content) for path, content in _files_in(place))


def _packages(names: Sequence[str]) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The sources of these packages, wherever they are imported from."""
    for name in names:
        for folder in importlib.import_module(name).__path__:
            yield from ((name / path, content) for path, content in _files_in(Path(folder)))


def _protos(package: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The .proto files of a package, by where protoc looks for them."""
    folder = PROTOS_FOLDER.joinpath(*package.split("."))
    places = [place for home in importlib.import_module(package).__path__ for place in sorted(Path(home).glob("*.proto"))]
    if not places:
        raise CommandFailed(f"the .proto files of {package} are not there: install mergemaker again")
    yield from ((folder / place.name, place.read_bytes()) for place in places)


def _files_in(folder: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not _MADE.intersection(inside.parts):
            yield PurePosixPath(inside.as_posix()), path.read_bytes()


def write_project(folder: Path, files: Sequence[NewFile], written: Callable[[NewFile], object]) -> None:
    """Writes the files into a folder that is empty or not there yet, calling `written` after each."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        if file.is_program:
            path.chmod(path.stat().st_mode | 0o111)
        written(file)
