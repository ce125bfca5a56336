"""Canonical JSON: each value has exactly one text, so that equal records are equal bytes.

The members of an object have the order that `RECORDS.md` fixes. There is no white space outside strings. Numbers are
whole. A string escapes only what JSON requires.
"""

import json
from binascii import a2b_base64, b2a_base64
from typing import Final, NoReturn

from mergemaker_engine.errors import RecordError
from mergemaker_engine.shown import shown

INTEGER_MAX: Final = 2**53 - 1
"""The largest whole number that JSON libraries of all languages read exactly."""

_DEPTH_MAX: Final = 12
"""How deep values may be nested. A line needs five."""


# Made once here; `json.JSONEncoder` makes it anew for each text, and a record has thousands.
_pieces: Final = json.encoder.c_make_encoder(  # type: ignore[attr-defined]  # json.dumps uses it
    None, None, json.encoder.encode_basestring, None, ":", ",", False, False, False
)
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")
_NOT_URL_SAFE: Final = str.maketrans("-_", "+/")


def hash_text(digest: bytes) -> str:
    """A hash as in a record: base64 with - and _ and without =, a third shorter than hexadecimal digits."""
    return b2a_base64(digest).translate(_URL_SAFE, b"=\n").decode("ascii")


def hash_bytes(text: str) -> bytes:
    """The bytes of such a text. Its spare bits are not checked: compare the text with `hash_text` of the result for that."""
    return a2b_base64(f"{text.translate(_NOT_URL_SAFE)}{'=' * (-len(text) % 4)}")


def encoded(value: object, within: int = 0) -> str:
    """The only text of a value: text, truth values, whole numbers, None, lists, and mappings from text.

    `within` says in how many values it is nested.
    """
    _check(value, _DEPTH_MAX - within)
    return written(value)


def written(value: object) -> str:
    """The same, for a value that is known to be valid."""
    return "".join(_pieces(value, 0))


def _check(value: object, depth: int) -> None:
    if depth == 0:
        raise RecordError("too-deep", f"values lie at most {_DEPTH_MAX} deep within each other")
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, int):
        if abs(value) > INTEGER_MAX:
            raise RecordError("bad-number", f"numbers of a record go to {INTEGER_MAX}, not {shown(value)}")
    elif isinstance(value, list | tuple):
        for item in value:
            _check(item, depth - 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise RecordError("bad-value", f"members have names, which are texts, not {shown(key)}")
            _check_text(key)
            _check(item, depth - 1)
    elif value is not None:
        raise RecordError("bad-value", f"a record holds text, whole numbers, truth values and lists, not {shown(value)}")


def _check_text(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RecordError("bad-text", f"a text of a record has a UTF-8 form, which {shown(text)} has not") from error


def decoded(text: bytes, within: int = 0) -> dict[str, object]:
    """The object of a canonical text. `within` says in how many values it is nested."""
    try:
        spelled = text.decode("utf-8")
        value = _read(spelled)
    except UnicodeDecodeError as error:
        raise RecordError(
            "not-json", f"a line is UTF-8 text, which this one is not: {error.reason} at byte {error.start}"
        ) from error
    except json.JSONDecodeError as error:
        raise RecordError(
            "not-json", f"a line is one JSON object; this one is not: {error.msg} at character {error.pos}"
        ) from error
    except RecursionError as error:
        raise RecordError("too-deep", f"values lie at most {_DEPTH_MAX} deep within each other") from error
    if not isinstance(value, dict):
        raise RecordError("not-an-object", f"a line is a JSON object, not {shown(value)}")
    # A value that was read from UTF-8 and is written the same can only be too deep.
    if spelled.count("{") + spelled.count("[") >= _DEPTH_MAX - within:
        _check(value, _DEPTH_MAX - within)
    if written(value) != spelled:
        raise RecordError("not-canonical", "a line is canonical JSON: no blanks between its parts, and no needless escapes")
    return value


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(members)
    if len(made) != len(members):
        raise RecordError("twice", "a name stands twice in one object; each may stand once")
    return made


def _integer(digits: str) -> int:
    if len(digits) > len(str(-INTEGER_MAX)):
        raise RecordError("bad-number", f"numbers of a record go to {INTEGER_MAX}, and one here has {len(digits)} digits")
    number = int(digits)
    if abs(number) > INTEGER_MAX:
        raise RecordError("bad-number", f"numbers of a record go to {INTEGER_MAX}, not {number}")
    return number


def _no_number(text: str) -> NoReturn:
    raise RecordError("bad-number", f"numbers of a record are whole, not {shown(text)}")


_read: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number
).decode
