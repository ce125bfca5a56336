"""Scenarios: a position, answers, and the required results, as text that a rules lawyer can read.

A file holds scenarios. Each begins with a title and the ids of the rules that it shows. Then comes the
position in the engine's own notation, or `deal` for a whole set-up, and then one line for each step:

    == The founder gets a share for nothing   [FND-2]
    rules renegade-classic
    seats 3
    board
      A ...o........
    seat 0 cash 6000 tiles 5A
    pile rest
    > 5A                          an answer, and below it the events that it must cause
    TilePlaced seat=0 square=5A
    ask ChooseFounded seat=0      the decision now open; it may omit the last fields; 'ask nobody'
    ! found Sackson FND-1         an answer that is refused for this rule and changes nothing; instead of a
                                  rule, 'malformed' means that no position could ever accept it
    legal found Tower | ...       all answers; also 'legal has A | B', 'legal not A | B', 'legal count 7'
    now cash 0 6000               what holds now, see `mergemaker_testkit.scenario_run`

Events are listed in full and in order; a line `...` matches any events, and an answer without a line of
events does not check them. Events before the first answer belong to the start. Instead of a first
answer, `! SET-6` says that the whole set-up is refused. `draws 9F 2B` names the tiles that the market of
two players shows, and `deal 9A 1B rest` the order in which tiles leave the pile from the very beginning.
`#` starts a comment.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ANY_EVENTS: Final = "..."
MALFORMED: Final = "malformed"

_HEADER: Final = re.compile(r"== (?P<title>.+?)\s+\[(?P<rules>[^\]]+)\]")
_RULE_ID: Final = re.compile(r"[A-Z]{3}-[0-9]+")
_EVENT: Final = re.compile(r"[A-Z][a-z]+[A-Za-z]*( [a-z_]+=\S+)*")
_BOARD_ROW: Final = re.compile(r"[A-I] \S{12}")
_POSITION_WORDS: Final = frozenset(
    {"rules", "seats", "turn", "board", "seat", "pile", "aside", "declared", "idle", "market-seed"}
)
_LEGAL_WORDS: Final = frozenset({"has", "not", "count"})


class ScenarioError(Exception):
    """A scenario's text is badly written."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Gives an answer; `events` is the required result, None if the scenario does not say."""

    line: int
    text: str
    events: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Start:
    """Says which events come before the first decision."""

    line: int
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Gives an answer that must be refused for `rule`, or as malformed. Without text, the set-up must be."""

    line: int
    text: str
    rule: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Says which decision is open, by the first words of its text."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Legal:
    """Says what may be answered: `how` is all, has, not or count."""

    line: int
    how: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Now:
    """Says what holds now: the thing to check, and its required value."""

    line: int
    thing: str
    words: tuple[str, ...]


Step = Answer | Start | Refused | Ask | Legal | Now


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario: what it shows, where it begins, and its steps."""

    title: str
    rules: tuple[str, ...]
    file: str
    line: int
    position: str
    deal: tuple[str, ...] | None
    draws: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass(slots=True)
class _Draft:
    """A scenario while its lines are read."""

    title: str
    rules: tuple[str, ...]
    file: str
    line: int
    position: list[str] = field(default_factory=list)
    deal: tuple[str, ...] | None = None
    draws: tuple[str, ...] = ()
    steps: list[Step] = field(default_factory=list)

    def finish(self) -> Scenario:
        if not self.position or not self.steps:
            raise ScenarioError(f"{self.file}:{self.line}: expected a position and steps under the title")
        return Scenario(
            title=self.title,
            rules=self.rules,
            file=self.file,
            line=self.line,
            position="\n".join(self.position) + "\n",
            deal=self.deal,
            draws=self.draws,
            steps=tuple(self.steps),
        )


def read_folder(folder: Path) -> tuple[Scenario, ...]:
    """Reads the scenarios of all files of a folder, files in the order of their names."""
    files = sorted(folder.glob("*.txt"))
    return tuple(one for file in files for one in parse(file.read_text(encoding="utf-8"), file.name))


def parse(text: str, file: str) -> tuple[Scenario, ...]:
    """Reads the scenarios of a text; `file` is its name in messages."""
    found: list[Scenario] = []
    draft: _Draft | None = None
    for number, line in _meaningful_lines(text):
        if line.startswith("=="):
            if draft is not None:
                found.append(draft.finish())
            draft = _opened(line, file, number)
        elif draft is None:
            raise ScenarioError(f"{file}:{number}: expected '== title   [RULE-1]' first, got {line!r}")
        else:
            _take(draft, line, number)
    if draft is None:
        raise ScenarioError(f"{file}: expected at least one scenario, got none")
    found.append(draft.finish())
    return tuple(found)


def _meaningful_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        kept = line.partition("#")[0].strip()
        if kept:
            yield number, kept


def _opened(line: str, file: str, number: int) -> _Draft:
    header = _HEADER.fullmatch(line)
    rules = tuple(header["rules"].split()) if header else ()
    if header is None or not all(_RULE_ID.fullmatch(rule) for rule in rules):
        raise ScenarioError(f"{file}:{number}: expected '== title   [RULE-1 RULE-2]', got {line!r}")
    return _Draft(header["title"], rules, file, number)


def _take(draft: _Draft, line: str, number: int) -> None:
    word, _, rest = line.partition(" ")
    if not draft.steps and (word in _POSITION_WORDS or _BOARD_ROW.fullmatch(line)):
        draft.position.append(line)
    elif not draft.steps and word == "deal":
        draft.deal = tuple(rest.split())
    elif not draft.steps and word == "draws":
        draft.draws = tuple(rest.split())
    elif line == ANY_EVENTS or (_EVENT.fullmatch(line) and not _BOARD_ROW.fullmatch(line)):
        _take_event(draft, line, number)
    else:
        draft.steps.append(_step(draft, word, rest.strip(), number))


def _take_event(draft: _Draft, line: str, number: int) -> None:
    match draft.steps[-1:]:
        case []:
            draft.steps.append(Start(number, (line,)))
        case [Start(at, events)]:
            draft.steps[-1] = Start(at, (*events, line))
        case [Answer(at, text, events)]:
            draft.steps[-1] = Answer(at, text, (*(events or ()), line))
        case _:
            raise ScenarioError(
                f"{draft.file}:{number}: events stand right under their answer, before any ask, legal or now; got {line!r}"
            )


def _step(draft: _Draft, word: str, rest: str, number: int) -> Step:
    where = f"{draft.file}:{number}"
    match word:
        case ">" if rest:
            return Answer(number, rest, None)
        case "!":
            text, _, rule = rest.rpartition(" ")
            if not _is_refusal(text, rule, is_first=not draft.steps):
                raise ScenarioError(f"{where}: expected '! ANSWER RULE-1' or '! ANSWER malformed', got {rest!r}")
            return Refused(number, text.strip(), rule)
        case "ask" if rest:
            return Ask(number, rest)
        case "legal" if rest:
            how, _, texts = rest.partition(" ")
            if how not in _LEGAL_WORDS:
                how, texts = "all", rest
            return Legal(number, how, tuple(part.strip() for part in texts.split("|")))
        case "now" if rest:
            thing, *words = rest.split()
            return Now(number, thing, tuple(words))
        case _:
            raise ScenarioError(
                f"{where}: expected a line of the position, an event, or one of > ! ask legal now with what "
                f"belongs to it; got {f'{word} {rest}'.strip()!r}"
            )


def _is_refusal(text: str, rule: str, *, is_first: bool) -> bool:
    if not text:
        return is_first and _RULE_ID.fullmatch(rule) is not None
    return rule == MALFORMED or _RULE_ID.fullmatch(rule) is not None
