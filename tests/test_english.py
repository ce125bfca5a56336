"""Texts keep clear of the worst patterns: word order and idioms that a reader has to read twice.

`PATTERNS` says what to write instead. Most rooms are clean; `LEFT` has those which are not, and its numbers may only fall.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("engine", "protos", "referee", "clients", "tools", "tests", "docs")
HERE = Path(__file__).name

_START = r"(?:^|(?<=[.;:!?|] )|(?<=[.;:!?]  )|(?<=\*\*))"
"""Where a sentence may begin."""
_VERBS = "is|are|was|gets|has|had|loses|hears|sees|may|can|cannot|must|does|pays|waits|plays|goes|comes"
_PROXY = "(?:a|an|the|its|that|such a|one) (?:dead |reverse )?prox"

PATTERNS = {
    rf"\bbehind (?!{_PROXY}|the scenes|when|schedule)(?=\w|`)": "after (of time or order)",
    r"\b(?:of|from) whom\b": "whose, or a sentence of its own",
    r"\bof (?:which|whom|that|it|this|what) nobody\b": "nobody …, with its object after the verb",
    r"\bnobody (?:hears|is told) of\b": "is not reported; nobody learns of",
    r"\bso many\b(?! (?:that|as)\b)": "this many, or the number",
    r"\b(?:for|after|than|behind|within) so long\b(?! (?:that|as)\b)": "for this long, or the time",
    rf"{_START}Whom?(?! (?:is|are) told wh)(?: [a-z'`-]+)+? (?:{_VERBS}) (?=[^?]*(?:[.;|]|$))": "A bot that …",
    r"\b[Ww]ho(?:m|so)?ever\b": "anyone who, or the one who is meant",
    r"\b(?:is|are|was|were|be|been) told of\b": "learns of, is sent, gets",
    r"\b(?:question|request|decision)s?(?: \w+)? (?:is|are|was|were) put\b|\bput again\b": "asked; asked again",
    r"\b(?:it is|is it) looked\b|\bis looked whether\b": "the referee looks",
    r"\b(?:who|those who|they who) looks? on\b": "spectators",
    r"\b[Ww]here (?:it|that|this) is wanted\b": "on request",
    r", be it\b": "even if",
    r"\bas chance (?:will|would) have it\b": "at random",
    r"\b(?:mend|mends|mended|mending)\b": "fix, repair",
    r"\b(?:thereof|therein|whereof|hereby|lest|insofar)\b": "a plain word",
}

LEFT: dict[str, int] = {}
"""By room: how many are left, where rewriting goes on. All other rooms have none."""

ALLOWED = {
    ("CONTRIBUTING.md", None): "its table shows what not to write",
}
"""By file and the words found there, None for all: why they may stay."""


def texts_in(path: Path) -> Iterator[tuple[int, str]]:
    """The texts in a file, each with its line: pages without code, docstrings, comments and messages."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from _python_texts(text)
    elif path.suffix == ".md":
        bare = re.sub(r"^( *)```.*?^ *```", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.MULTILINE | re.DOTALL)
        yield from _paragraphs(re.sub(r"`[^`\n]+`", "`x`", bare))
    else:
        comments = (re.search(r"^\s*(?:///?|//!|\*|/\*\*?) ?(.*)|\s// (.*)", line) for line in text.split("\n"))
        yield from _paragraphs("\n".join((found[1] or found[2] or "") if found else "" for found in comments))


def _python_texts(text: str) -> Iterator[tuple[int, str]]:
    comments: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, words = token.start[0], token.string.lstrip("# ")
            if comments and comments[-1][0] + comments[-1][1].count("\n") + 1 == line:
                comments[-1] = (comments[-1][0], f"{comments[-1][1]}\n{words}")
            else:
                comments.append((line, words))
    yield from ((line, words.replace("\n", " ")) for line, words in comments)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) > 1:
            for offset, paragraph in _paragraphs(node.value):
                yield node.lineno + offset - 1, paragraph


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Joins the lines of a paragraph: a pattern may cross the end of a line."""
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        begins_anew = not line.strip() or re.match(r"\s*(?:[-*|#]|\d+\.) ?", line)
        if begins_anew and lines:
            yield start, " ".join(lines)
            lines = []
        if line.strip():
            start = start if lines else number
            lines.append(re.sub(r"^(?:[-*#]+|\d+\.) ", "", line.strip()))


def found_in(text: str) -> Iterator[tuple[str, str]]:
    """The bad words in a text, and what to write instead."""
    for pattern, better in PATTERNS.items():
        for match in re.finditer(pattern, text):
            yield match.group(0), better


def files_of(room: str) -> list[Path]:
    """The files of a room that people write and read."""
    if room == "root":
        return sorted(ROOT.glob("*.md"))
    suffixes = {".md", ".py", ".proto", ".ts", ".go", ".rs", ".java"}
    return [
        path for path in sorted((ROOT / room).rglob("*")) if path.suffix in suffixes and not _is_made(path) and path.name != HERE
    ]


def _is_made(path: Path) -> bool:
    """Whether a script makes a file, or it belongs to somebody else."""
    parts = path.relative_to(ROOT).parts
    if {".venv", "node_modules", "target", "wire", "generated", "golden", "vectors", "dist"} & {*parts}:
        return True
    return path.stem.endswith(("_pb2", "_pb2_grpc")) or path.name == "TRANSCRIPT.md" or "generated" in path.name


def findings(room: str) -> list[str]:
    """All findings in a room, with place and replacement."""
    return [
        f"{name}:{line}: {words.strip()!r}: write: {better}"
        for path in files_of(room)
        for name in [path.relative_to(ROOT).as_posix()]
        for line, text in texts_in(path)
        for words, better in found_in(text)
        if not {(name, None), (name, words)} & {*ALLOWED}
    ]


@pytest.mark.parametrize("room", ["root", *ROOMS])
def test_texts_are_plain(room: str) -> None:
    found = findings(room)
    listed = "\n".join(found)
    assert len(found) <= LEFT.get(room, 0), f"{len(found)} in {room}, where {LEFT.get(room, 0)} may be:\n{listed}"


@pytest.mark.parametrize(
    "text",
    [
        "a line behind the last one",
        "a stream of whom nobody hears",
        "so many threads more are called",
        "Who answers late is not credited.",
        "Whom nobody knows is refused.",
        "what whoever asks gets",
        "It is told of each batch.",
        "The question is put again.",
        "an answer that is late, be it by a nanosecond",
    ],
)
def test_bad_english_is_found(text: str) -> None:
    assert [*found_in(text)] != []


@pytest.mark.parametrize(
    "text",
    [
        "behind a proxy",
        "leaves no processes behind",
        "so many that it is slow",
        "Who may join?",
        "Who is told what",
        "Who holds a token",
        "whose clock runs",
    ],
)
def test_good_english_is_not(text: str) -> None:
    assert [*found_in(text)] == []


def test_texts_are_found_in_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""One\nline."""\nx = "a message"  # a\ny = "word"\n# two\n# lines\n', "utf-8")
    assert {*texts_in(tmp_path / "a.py")} == {(1, "One line."), (3, "a message"), (3, "a"), (5, "two lines")}
    (tmp_path / "a.md").write_text("# One\ntwo `code` three\n```\nnot this\n```\n- four\n", "utf-8")
    assert [*texts_in(tmp_path / "a.md")] == [(1, "One two `x` three"), (6, "four")]
    (tmp_path / "a.go").write_text("// one\nfunc f() {} // two\n", "utf-8")
    assert [*texts_in(tmp_path / "a.go")] == [(1, "one two")]
