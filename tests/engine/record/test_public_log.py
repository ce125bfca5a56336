"""The public log: its page's example, its chain, contradictions in it, and records that differ from it."""

import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.in_log import Claim, LogBook
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.public_log import Begin, End, Head, LogChain, Other, log_entries
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.rules import preset
from mergemaker_referee.records.files import open_record
from mergemaker_testkit.logged import AT, begin, end, entries_of, heads_of, log_of
from mergemaker_testkit.reasons import reasons_in
from mergemaker_testkit.recorded import recorded_match

ROOT = Path(__file__).resolve().parents[3]
RULES = preset("renegade-classic")
OF_LOGS = ("public_log.py", "in_log.py")
"""The modules whose reasons these tests show."""
PLAYED: tuple[Begin | End, ...] = (
    begin("a"),
    begin("b", None),
    end("b", Ending.VOIDED, None, None),
    begin("c"),
    end("a", game=bytes([7] * 32)),
)
"""The entries of a log. Match c has not ended."""


def _refusal(lines: list[bytes], *heads: Head) -> tuple[str, int | None]:
    with pytest.raises(RecordError) as refused:
        LogBook(heads=heads).read(lines)
    return refused.value.reason, refused.value.line


# --- the page ---


@pytest.mark.checkout
def test_the_pages_example_is_a_log_with_the_hashes_that_the_page_names() -> None:
    page = (ROOT / "engine/PUBLIC_LOG.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    rows = re.findall(r"^\| ([12]) \| `(\w{64})` \| (\d+) \| `(\w{64})` \|$", page, re.MULTILINE)
    chain, before = LogChain(), Head()
    for line, (number, hash_before, size, hash_of_line) in zip(example.encode().splitlines(), rows, strict=True):
        assert (str(chain.head.entries + 1), chain.head.hash.hex()) == (number, hash_before)
        assert line.index(b',"hash":') == int(size)
        assert f"`{chain.head}`" in page
        chain.open(line)
        assert chain.head.hash.hex() == hash_of_line
        before = chain.head
    assert f"`{before}`" in page
    book = LogBook(["classic-2-market"], [before])
    book.read([example.encode()])
    book.check(Claim.of(open_record(ROOT / "tests/golden/classic-2-market.jsonl.gz")))


# --- the chain ---


def test_what_is_written_is_read_again_in_any_pieces() -> None:
    whole = b"".join(log_of(PLAYED))
    for size in (1, 7, 250, 100_000):
        chunks = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert tuple(log_entries(chunks)) == PLAYED


def test_a_chain_continues_from_a_head() -> None:
    lines, heads = log_of(PLAYED), heads_of(PLAYED)
    for count in range(len(PLAYED) + 1):
        chain = LogChain(heads[count])
        assert tuple(log_entries(lines[count:], chain)) == PLAYED[count:]
        assert chain.head == heads[-1]
        assert LogChain(heads[count - 1]).head == heads[count - 1]


@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_no_bit_of_a_log_can_be_changed(at: int, bit: int) -> None:
    whole = bytearray(b"".join(log_of(PLAYED)))
    whole[at % len(whole)] ^= 1 << bit
    head = heads_of(PLAYED)[-1]
    with pytest.raises(RecordError):
        LogBook(heads=[head]).read([bytes(whole)])


def test_a_rewritten_log_contradicts_every_later_head() -> None:
    changed: list[Begin | End] = [*PLAYED[:2], end("b", Ending.STUCK), *PLAYED[3:]]
    heads = heads_of(PLAYED)
    for count, head in enumerate(heads):
        if count <= 2:
            LogBook(heads=[head]).read(log_of(changed))
        else:
            assert _refusal(log_of(changed), head) == ("head-differs", count)


def test_a_cut_log_contradicts_every_later_head() -> None:
    lines, heads = log_of(PLAYED), heads_of(PLAYED)
    LogBook(heads=heads).read(lines)
    assert _refusal(lines[:3], *heads) == ("head-beyond", None)
    assert _refusal([], heads[1]) == ("head-beyond", None)
    LogBook(heads=heads[:1]).read([])


def test_a_line_of_a_later_format_is_covered_by_the_chain_alone() -> None:
    chain = LogChain()
    first = chain.seal(PLAYED[0])
    body = b'{"n":2,"kind":"key","key":[1,2]'
    later = body + f',"hash":"{hash_text(sha256(chain.head.hash + body).digest())}"}}\n'.encode()
    assert tuple(log_entries([first, later])) == (PLAYED[0], Other("key"))
    with pytest.raises(RecordError, match="hash of this line"):
        tuple(log_entries([first, later.replace(b"[1,2]", b"[1,3]")]))


def test_a_later_kind_says_nothing_of_matches() -> None:
    chain = LogChain()
    first = chain.seal(begin("a"))
    body = b'{"n":2,"kind":"key"'
    later = body + f',"hash":"{hash_text(sha256(chain.head.hash + body).digest())}"}}\n'.encode()
    book = LogBook(["a", "b"])
    book.read([first, later])
    assert (book.begins, book.ends, book.has_begun("a"), book.has_begun("b")) == (1, 0, True, False)


@pytest.mark.parametrize("mode", DealMode)
def test_an_end_is_the_one_in_the_records_last_line(mode: DealMode) -> None:
    lines = recorded_match(RULES, 3, bytes(32), mode=mode)
    _, ended = entries_of(lines)
    assert End.of_line(ended.match, lines[-1][:-1], AT) == ended
    assert End.of_line("a", None, AT) == end("a", Ending.VOIDED, None, None)


# --- heads as texts ---


def test_the_head_of_an_empty_log_is_read_back() -> None:
    assert Head.parse(str(Head())) == Head()


@given(entries=st.integers(0, 10**15), hash_=st.binary(min_size=32, max_size=32))
def test_a_heads_text_is_read_back(entries: int, hash_: bytes) -> None:
    head = Head(entries, hash_)
    assert Head.parse(str(head)) == head


HASH = "A" * 43


@pytest.mark.parametrize(
    "text", ["", "7", f"07:{HASH}", f"7:{HASH[1:]}", f"7:{HASH[1:]}B", f"-1:{HASH}", f"7:{HASH}\n", f"\u0667:{HASH}"]
)
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match="a head is a number, a colon and") as refused:
        Head.parse(text)
    assert refused.value.reason == "bad-head"


# --- what contradicts itself ---

WRONG: dict[str, tuple[list[Begin | End], str, int]] = {
    "begins twice": ([begin("a"), begin("a")], "begun-twice", 2),
    "begins after its end": ([begin("a"), end("a"), begin("a")], "begun-twice", 3),
    "ends before it begins": ([end("a"), begin("a")], "begun-twice", 2),
    "ends twice": ([begin("a"), end("a"), begin("b"), end("a")], "ended-twice", 4),
    "ends twice without a begin": ([end("a"), end("a", Ending.VOIDED, None, None)], "ended-twice", 2),
}


@pytest.mark.parametrize("what", WRONG)
def test_two_versions_of_a_match_are_found(what: str) -> None:
    entries, reason, line = WRONG[what]
    assert _refusal(log_of(entries)) == (reason, line)


def test_matches_are_counted() -> None:
    book = LogBook()
    book.read(log_of(PLAYED))
    assert (book.begins, book.ends, book.open) == (3, 2, 1)


# --- records ---


def _claim(**changes: object) -> Claim:
    return replace(Claim("a", bytes(32), False, bytes(32), bytes(32)), **changes)  # type: ignore[arg-type]  # as the fields are


DISAGREE: dict[str, tuple[list[Begin | End], Claim, str]] = {
    "unknown": ([begin("b"), end("b")], _claim(), "not-in-log"),
    "still open": ([begin("a")], _claim(), "not-ended"),
    "never promised": ([end("a")], _claim(), "not-begun"),
    "another promise": ([begin("a", bytes([1] * 32)), end("a")], _claim(), "other-promise"),
    "plain, and the log promised": ([begin("a"), end("a")], _claim(commitment=None), "other-promise"),
    "promised, and plain in the log": ([begin("a", None), end("a")], _claim(), "other-promise"),
    "another game": ([begin("a"), end("a")], _claim(game=bytes([1] * 32)), "other-end"),
    "another line": ([begin("a"), end("a")], _claim(line=bytes([1] * 32)), "other-end"),
    "void without an end": ([begin("a"), end("a", Ending.VOIDED, None, None)], _claim(), "other-end"),
}


@pytest.mark.parametrize("what", DISAGREE)
def test_a_record_that_differs_from_the_log_is_found(what: str) -> None:
    entries, claim, reason = DISAGREE[what]
    book = LogBook(["a"])
    book.read(log_of(entries))
    with pytest.raises(RecordError) as refused:
        book.check(claim)
    assert refused.value.reason == reason
    assert "match a" in str(refused.value)


@pytest.mark.parametrize("mode", DealMode)
def test_a_record_agrees_with_the_log_of_its_match(mode: DealMode) -> None:
    record = recorded_match(RULES, 2, bytes(32), mode)
    entries = entries_of(record)
    assert isinstance(entries[0], Begin)
    assert (entries[0].commitment is None) is (mode is DealMode.PLAIN)
    claim = Claim.of(read_record(record))
    book = LogBook([claim.match])
    book.read(log_of(entries))
    book.check(claim)


def test_a_void_that_was_written_late_agrees_with_a_log_that_says_void() -> None:
    book = LogBook(["a"])
    book.read(log_of([begin("a"), end("a", Ending.VOIDED, None, None)]))
    book.check(_claim(is_void=True))
    with pytest.raises(RecordError, match="no end line"):
        book.check(_claim())


@pytest.mark.checkout
def test_nothing_is_promised_for_a_fork_itself() -> None:
    claim = Claim.of(open_record(ROOT / "tests/golden/classic-2-fork.jsonl.gz"))
    assert claim.commitment is None


# --- bad input ---


def _line(text: str) -> bytes:
    return text.replace("AT", AT).replace("HASH", "A" * 43).replace("HEX", "0" * 64).encode() + b"\n"


BAD = {
    "not-json": _line('{"n":1,'),
    "not-an-object": _line("[]"),
    "bad-tail": _line('{"n":1,"kind":"begin","match":"a","commitment":null,"at":"AT"}'),
    "log-number": _line('{"n":2,"kind":"begin","match":"a","commitment":null,"at":"AT","hash":"HASH"}'),
    "bad-number": _line('{"n":1.5,"kind":"begin","match":"a","commitment":null,"at":"AT","hash":"HASH"}'),
    "missing-member": _line('{"n":1,"kind":"begin","match":"a","at":"AT","hash":"HASH"}'),
    "unknown-member": _line('{"n":1,"kind":"begin","match":"a","commitment":null,"at":"AT","who":"x","hash":"HASH"}'),
    "bad-match-id": _line('{"n":1,"kind":"begin","match":"A","commitment":null,"at":"AT","hash":"HASH"}'),
    "not-canonical": _line('{"n":1,"kind":"begin","commitment":null,"match":"a","at":"AT","hash":"HASH"}'),
    "twice": _line('{"n":1,"n":1,"kind":"begin","match":"a","commitment":null,"at":"AT","hash":"HASH"}'),
    "log-chain": _line('{"n":1,"kind":"begin","match":"a","commitment":null,"at":"AT","hash":"HASH"}'),
    "long-line": b"[" * 70_000,
    "torn": log_of([begin("a")])[0][:-1],
    "bad-member": _line('{"n":1,"kind":"begin","match":"a","commitment":"HEXX","at":"AT","hash":"HASH"}'),
}
BAD_MEMBERS = (
    '"begin","match":"a","commitment":null,"at":"2026-11-18T12:00:00"',
    '"begin","match":"a","commitment":"00","at":"AT"',
    '"end","match":"a","why":"tired","game":"HASH","line":"HASH","at":"AT"',
    '"end","match":"a","why":"stuck","game":null,"line":null,"at":"AT"',
    '"end","match":"a","why":"voided","game":null,"line":"HASH","at":"AT"',
    '"end","match":"a","why":"stuck","game":"HASH","line":7,"at":"AT"',
    '"end","match":"a","why":"stuck","game":"HASH","line":"short","at":"AT"',
)


@pytest.mark.parametrize("reason", BAD)
def test_bad_lines_are_refused(reason: str) -> None:
    assert _refusal([BAD[reason]]) == (reason, 1)


@pytest.mark.parametrize("members", BAD_MEMBERS)
def test_bad_members_are_refused(members: str) -> None:
    assert _refusal([_line(f'{{"n":1,"kind":{members},"hash":"HASH"}}')]) == ("bad-member", 1)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_log_or_refused(data: bytes) -> None:
    try:
        found = list(log_entries([data]))
    except RecordError:
        return
    assert found == [], "nobody hits a hash at random"


@pytest.mark.checkout
def test_every_reason_is_shown_here() -> None:
    folder = ROOT / "engine/mergemaker_engine/record"
    made = {reason for name in OF_LOGS for _, reason in reasons_in((folder / name).read_text("utf-8"), {"RecordError"})}
    shown = {
        *BAD,
        "bad-head",
        "head-differs",
        "head-beyond",
        *(row[1] for row in WRONG.values()),
        *(row[2] for row in DISAGREE.values()),
    }
    assert made <= shown
