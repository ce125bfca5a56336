"""The usual form of a decision's line, read and written directly: a record has hundreds of them, and few other lines.

This module accepts nothing that `plain` refuses. It leaves every other line to `plain`, which says what is wrong with it.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from mergemaker_engine.record.canonical import INTEGER_MAX, decoded
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.rules import SEATS_MAX

_FORMS_KEPT_MAX: Final = 64
"""Writers of records use the same few members again and again."""
_TEXTS_KEPT_MAX: Final = 16_384
_TEXT: Final = r'[^"\\\x00-\x1f\x7f-\xff]*'
_HASH: Final = r"[A-Za-z0-9_-]{22}"
_GAME_PART: Final = (
    r'\{"kind":"decision","n":([1-9][0-9]{0,14}),"seat":([0-5]),'
    rf'"asked":"({_TEXT})","answer":"({_TEXT})","by":"({"|".join(AnsweredBy)})","digest":"({_HASH})"'
)
_NAME_FORM: Final = "[a-z_]{1,40}"
_NAME: Final = re.compile(_NAME_FORM)
_NUMBER: Final = rf'"{_NAME_FORM}":(?:0|-?[1-9][0-9]{{0,14}})'
_NUMBERS_FORM: Final = rf"\{{(?:{_NUMBER}(?:,{_NUMBER})*)?\}}"
"""An object of whole numbers, all within bounds."""
_LINE: Final = re.compile(rf'{_GAME_PART},"game":"({_HASH})","run":(?:({_NUMBERS_FORM})|\{{.*\}}),"line":"({_HASH})"\}}')
_TWO_TEXTS: Final = re.compile(rf'"asked":"{_TEXT}","answer":"{_TEXT}"')
_HASH_TEXT: Final = re.compile(_HASH)
_NUMBER_MAX: Final = 10**15 - 1
_KINDS: Final = (int, int, AnsweredBy)
_BY: Final = {str(by): by for by in AnsweredBy}
_decoder: Final = json.JSONDecoder()
_Read: TypeAlias = Callable[[str, int], tuple[dict[str, object], int]]
_read_numbers: Final[_Read] = _decoder.scan_once  # type: ignore[attr-defined]  # its raw_decode uses it
_GAME_MEMBER_BYTES: Final = len(',"game":"')
_RUN_MEMBER_BYTES: Final = len('","run":')
_LINE_MEMBER_BYTES: Final = len(',"line":""}') + 22
"""The length of the last member and the end of the line."""


def read_usual(text: bytes, seats: int | None) -> tuple[DecisionLine, bytes, bytes, str, str] | None:
    """The line, its texts before `game` and before `line`, and the values of these two; None for other lines."""
    # Other characters than ASCII occur only in texts, and the pattern does not match those.
    found = _LINE.fullmatch(text.decode("latin-1"))
    if not found:
        return None
    number, seat, asked, answer, by, digest, game_said, numbers, line_said = found.groups()
    if seats is None or int(seat) >= seats:
        return None
    run = _read_numbers(numbers, 0)[0] if numbers else None
    if run is None or len(run) != numbers.count(":"):
        run = decoded(text[found.end(7) + _RUN_MEMBER_BYTES : -_LINE_MEMBER_BYTES], within=1)
    if "note" in run:
        return None
    line = DecisionLine(number=int(number), seat=int(seat), asked=asked, answer=answer, by=_BY[by], digest=digest, run=run)
    return line, text[: found.start(7) - _GAME_MEMBER_BYTES], text[:-_LINE_MEMBER_BYTES], game_said, line_said


@lru_cache(maxsize=_FORMS_KEPT_MAX)
def _run_form(names: tuple[str, ...]) -> str | None:
    """The format string of a `run` with these members; None if a name needs the general checks."""
    if not all(type(name) is str and _NAME.fullmatch(name) for name in names):
        return None
    members = [f'"{name}":%d' for name in names]
    return f"{{{','.join(members)}}}"


def usual_run_text(run: Mapping[str, object]) -> str | None:
    """The text of a `run` of whole numbers alone; None for any other."""
    form = _run_form(tuple(run))
    numbers = tuple(run.values())
    for number in numbers:
        if type(number) is not int or not -INTEGER_MAX <= number <= INTEGER_MAX:
            return None
    return form and form % numbers


def usual_game_text(number: int, seat: int, asked: str, answer: str, by: AnsweredBy, digest: str) -> str | None:
    """The text of a line before its member `game`; None if it needs the general checks."""
    if (type(number), type(seat), type(by)) != _KINDS or not 0 < number <= _NUMBER_MAX or not 0 <= seat < SEATS_MAX:
        return None
    if type(digest) is not str or not _HASH_TEXT.fullmatch(digest) or type(asked) is not str or type(answer) is not str:
        return None
    texts = _two_texts(asked, answer)
    return texts and f'{{"kind":"decision","n":{number},"seat":{seat},{texts},"by":"{by}","digest":"{digest}"'


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _two_texts(asked: str, answer: str) -> str | None:
    """The members of a question and its answer; None if they need the general checks. A record repeats the same few."""
    texts = f'"asked":"{asked}","answer":"{answer}"'
    return texts if _TWO_TEXTS.fullmatch(texts) and texts.isascii() else None
