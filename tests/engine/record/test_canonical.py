"""Canonical JSON: each value has one text, and every other text of it is refused."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import INTEGER_MAX, decoded, encoded, hash_text
from mergemaker_testkit.strategies import STEADY

DEPTH_MAX: Final = 12
DEEP: Final = 60_000

LEAVES: Final = st.none() | st.booleans() | st.integers(-INTEGER_MAX, INTEGER_MAX) | st.text(max_size=8)


def _values(depth: int) -> st.SearchStrategy[object]:
    if not depth:
        return LEAVES
    inner = _values(depth - 1)
    return LEAVES | st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)


def _nested(depth: int) -> object:
    """Nested lists with a number in the innermost, `depth` values deep."""
    value: object = 1
    for _ in range(depth - 1):
        value = [value]
    return value


@STEADY
@given(st.dictionaries(st.text(max_size=4), _values(3), max_size=4))
def test_a_value_is_what_its_text_says(value: dict[str, object]) -> None:
    text = encoded(value)
    assert decoded(text.encode()) == value
    assert list(decoded(text.encode())) == list(value)
    assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@STEADY
@given(st.dictionaries(st.text(max_size=4), _values(2), min_size=1, max_size=3))
def test_another_spelling_of_a_value_is_refused(value: dict[str, object]) -> None:
    canonical = encoded(value)
    for other in (json.dumps(value), json.dumps(value, indent=1), json.dumps(value, separators=(",", ":")), f"{canonical} "):
        if other != canonical:
            with pytest.raises(RecordError) as refusal:
                decoded(other.encode())
            assert refusal.value.reason == "not-canonical"


@STEADY
@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_any_bytes_are_a_canonical_object_or_refused(text: bytes) -> None:
    try:
        value = decoded(text)
    except RecordError:
        return
    assert encoded(value).encode() == text


CANONICAL: Final = (
    b"{}",
    b'{"":""}',
    b'{"a":[true,false,null,0,-1]}',
    b'{"a":9007199254740991,"b":-9007199254740991}',
    '{"a":"\x7f é 雪 \U0001f600 \u2028"}'.encode(),
    b'{"a":"\\" \\\\ / \\b\\f\\n\\r\\t\\u0000\\u001f"}',
    b'{"b":1,"a":2}',
)


@pytest.mark.parametrize("text", CANONICAL, ids=repr)
def test_what_json_must_escape_is_escaped_and_nothing_else(text: bytes) -> None:
    assert encoded(decoded(text)).encode() == text


REFUSED: Final = (
    ("a blank after a colon", b'{"a": 1}', "not-canonical"),
    ("a blank after a comma", b'{"a":[1, 2]}', "not-canonical"),
    ("a blank in front", b' {"a":1}', "not-canonical"),
    ("a blank at the end", b'{"a":1} ', "not-canonical"),
    ("an end of line", b'{"a":1}\n', "not-canonical"),
    ("a letter escaped", b'{"a":"\\u0041"}', "not-canonical"),
    ("a letter in a name escaped", b'{"\\u0041":1}', "not-canonical"),
    ("a letter with an accent escaped", b'{"a":"\\u00e9"}', "not-canonical"),
    ("a pair of surrogates escaped", b'{"a":"\\ud83d\\ude00"}', "not-canonical"),
    ("a slash escaped", b'{"a":"\\/"}', "not-canonical"),
    ("a line feed by its number", b'{"a":"\\u000a"}', "not-canonical"),
    ("large hexadecimal digits", b'{"a":"\\u001F"}', "not-canonical"),
    ("zero below zero", b'{"a":-0}', "not-canonical"),
    ("a number with a point", b'{"a":1.0}', "bad-number"),
    ("a number with an exponent", b'{"a":1e2}', "bad-number"),
    ("a number with a large exponent", b'{"a":-1E+999999}', "bad-number"),
    ("no number", b'{"a":NaN}', "bad-number"),
    ("infinity", b'{"a":Infinity}', "bad-number"),
    ("infinity below zero", b'{"a":[-Infinity]}', "bad-number"),
    ("a number one too large", b'{"a":9007199254740992}', "bad-number"),
    ("a number one too small", b'{"a":-9007199254740992}', "bad-number"),
    ("a number of many digits", b'{"a":' + b"9" * DEEP + b"}", "bad-number"),
    ("a point after many digits", b'{"a":' + b"9" * DEEP + b".5}", "bad-number"),
    ("a name twice", b'{"a":1,"a":1}', "twice"),
    ("a name twice, once escaped", b'{"a":1,"\\u0061":1}', "twice"),
    ("a name twice further in", b'{"a":[{"b":1,"c":2,"b":3}]}', "twice"),
    ("lists without end", b"[" * DEEP, "too-deep"),
    ("lists of many levels", b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}", "too-deep"),
    ("objects of many levels", b'{"a":' * DEEP + b"1" + b"}" * DEEP, "too-deep"),
    ("a level too many", b'{"a":' + encoded(_nested(DEPTH_MAX - 1)).encode().replace(b"1", b"[1]") + b"}", "too-deep"),
    ("a surrogate in UTF-8", b'{"a":"\xed\xa0\x80"}', "not-json"),
    ("no UTF-8", b'{"a":"\xff"}', "not-json"),
    ("half a character", b'{"a":"\xc3', "not-json"),
    ("a character in too many bytes", b'{"a":"\xc0\xaf"}', "not-json"),
    ("a mark of the order of bytes", b'\xef\xbb\xbf{"a":1}', "not-json"),
    ("utf-16", '{"a":1}'.encode("utf-16"), "not-json"),
    ("nothing", b"", "not-json"),
    ("blanks", b"   ", "not-json"),
    ("zeros", bytes(100), "not-json"),
    ("half an object", b'{"a":1', "not-json"),
    ("two objects", b"{}{}", "not-json"),
    ("a comma too many", b'{"a":1,}', "not-json"),
    ("a number with a zero in front", b'{"a":01}', "not-json"),
    ("a number with a plus", b'{"a":+1}', "not-json"),
    ("other quotes", b"{'a':1}", "not-json"),
    ("a bare control character", b'{"a":"\x01"}', "not-json"),
    ("a remark", b'{"a":1}//', "not-json"),
    ("a list", b"[]", "not-an-object"),
    ("a text", b'"a"', "not-an-object"),
    ("a number", b"1", "not-an-object"),
    ("null", b"null", "not-an-object"),
    ("true", b"true", "not-an-object"),
    ("a list of many levels", b"[" * 300 + b"]" * 300, "not-an-object"),
)


@pytest.mark.parametrize(("text", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_other_texts_are_refused(text: bytes, reason: str) -> None:
    with pytest.raises(RecordError) as refusal:
        decoded(text)
    assert refusal.value.reason == reason
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("text", [b'{"a":"\\ud800"}', b'{"\\udfff":1}', b'{"a":["\\ude00\\ud83d"]}'], ids=repr)
def test_half_a_pair_of_surrogates_is_refused(text: bytes) -> None:
    with pytest.raises(RecordError) as refusal:
        decoded(text)
    assert refusal.value.reason in ("bad-text", "not-canonical")


def _ring() -> list[object]:
    ring: list[object] = []
    ring.append(ring)
    return ring


NO_VALUES: Final[tuple[tuple[str, object, str], ...]] = (
    ("a float", 1.0, "bad-value"),
    ("no number", float("nan"), "bad-value"),
    ("bytes", b"a", "bad-value"),
    ("a set", {1}, "bad-value"),
    ("an object of Python", object(), "bad-value"),
    ("a number for a name", {1: 1}, "bad-value"),
    ("None for a name", {"a": {None: 1}}, "bad-value"),
    ("a large number", INTEGER_MAX + 1, "bad-number"),
    ("a number of many digits", -(10**5_000), "bad-number"),
    ("half a pair of surrogates", ["\ud800"], "bad-text"),
    ("half a pair in a name", {"\udc00": 1}, "bad-text"),
    ("a level too many", _nested(DEPTH_MAX + 1), "too-deep"),
    ("a ring", _ring(), "too-deep"),
)


@pytest.mark.parametrize(("value", "reason"), [row[1:] for row in NO_VALUES], ids=[row[0] for row in NO_VALUES])
def test_what_a_record_cannot_hold_has_no_text(value: object, reason: str) -> None:
    with pytest.raises(RecordError) as refusal:
        encoded(value)
    assert refusal.value.reason == reason


def test_values_are_nested_twelve_deep_at_most_everywhere() -> None:
    assert encoded(_nested(DEPTH_MAX)) == "[" * 11 + "1" + "]" * 11
    assert encoded(_nested(DEPTH_MAX - 1), within=1)
    with pytest.raises(RecordError, match="12 deep"):
        encoded(_nested(DEPTH_MAX), within=1)


def test_a_hash_is_written_in_base64_for_addresses() -> None:
    assert hash_text(bytes(16)) == "A" * 22
    assert hash_text(b"\xff" * 16) == "_" * 21 + "w"
    assert hash_text(b"\xfb\xef\xbe" * 5 + b"\xfb") == "----" * 5 + "-w"
    assert len(hash_text(bytes(32))) == 43
