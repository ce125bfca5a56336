"""The bad records of `engine/vectors/records`: each is wrong in one thing, and its line and reason are written down here."""

import gzip
import json
from functools import partial
from typing import Final

from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import (
    AnsweredBy,
    Incident,
)
from mergemaker_testkit.recorded import (
    MATCH,
    sealed,
    with_wrong_result,
)
from record_vectors import (
    END,
    SEATS,
    TEXT_BYTES,
    VOIDED,
    Vector,
    clock_line,
    ended,
    filled,
    fork,
    from_whole,
    in_other_words,
    in_time,
    joint,
    not_the_default,
    on_a_clock,
    one_more,
    plain,
    purchase_line,
    put,
    retold,
    short,
    values,
    whole,
    without_deal,
)

_TERMS: Final = b'"dead_tiles":"optional"'


BADS: Final[tuple[Vector, ...]] = (
    # Files and texts.
    Vector("empty.jsonl", "nothing", lambda: b"", "empty"),
    Vector("torn.jsonl", "the last line has no LF", lambda: values(len)[:-1], "torn", END),
    Vector("bad-packing.jsonl.gz", "a packing that was cut", lambda: gzip.compress(values(len), 0, mtime=0)[:-30], "bad-packing"),
    Vector("too-large.jsonl.gz", "more than 64 MiB", lambda: filled({"x": ["x" * TEXT_BYTES]}, 1_200), "too-large", 1_119),
    Vector(
        "too-much.jsonl.gz",
        "more than `mergemaker` keeps",
        lambda: filled({"why": "\U0001f3b2" + "x" * TEXT_BYTES}, 100),
        "too-much",
        72,
    ),
    Vector("long-line.jsonl.gz", "a line of more than 65,536 bytes", lambda: filled({"why": "x" * 65_536}, 1), "long-line", 3),
    Vector("not-json.jsonl", "no JSON", lambda: retold(b'"n":1,', b'"n":1;'), "not-json", 3),
    Vector("not-utf-8.jsonl", "no UTF-8", lambda: retold(b'"software":"m', b'"software":"\xff'), "not-json", 1),
    Vector(
        "not-an-object.jsonl",
        "a list in place of a line",
        lambda: retold(b'{"kind":"decision","n":1,', b'["kind"]\n{"n":1,'),
        "not-an-object",
        3,
    ),
    Vector("not-canonical.jsonl", "a blank", lambda: retold(b'"n":1,', b'"n": 1,'), "not-canonical", 3),
    Vector(
        "another-order.jsonl",
        "members in another order",
        lambda: plain(lambda parts: parts[2][0].update(seat=parts[2][0].pop("seat"))),
        "not-canonical",
        3,
    ),
    Vector("bad-number.jsonl", "a fraction", lambda: retold(b'"n":1,', b'"n":1.0,'), "bad-number", 3),
    Vector("twice.jsonl", "a name twice in an object", lambda: retold(b'"n":1,', b'"n":1,"n":1,'), "twice", 3),
    Vector(
        "too-deep.jsonl",
        "13 values deep",
        lambda: plain(lambda parts: parts[2][1].update(x=json.loads("[" * 11 + "]" * 11))),
        "too-deep",
        3,
    ),
    Vector("bad-tail.jsonl", "no `run`", lambda: retold(b',"run":{}', b""), "bad-tail", 2),
    # Step 1, from members to the places of forks.
    Vector(
        "game-chain.jsonl",
        "another answerer, the hashes as before",
        lambda: retold(b'"by":"bot"', b'"by":"automatic"'),
        "game-chain",
        3,
    ),
    Vector(
        "line-chain.jsonl",
        "another time, the hashes as before",
        lambda: retold(b'"used_ms":12', b'"used_ms":13'),
        "line-chain",
        3,
    ),
    Vector(
        "unknown-kind.jsonl",
        "a line of another kind",
        lambda: plain(lambda parts: parts[2][0].update(kind="weather")),
        "unknown-kind",
        3,
    ),
    Vector(
        "missing-member.jsonl", "a member is missing", lambda: plain(lambda parts: parts[2][0].pop("by")), "missing-member", 3
    ),
    Vector(
        "unknown-member.jsonl",
        "a member too many in the game part",
        lambda: plain(lambda parts: parts[2][0].update(x=1)),
        "unknown-member",
        3,
    ),
    Vector(
        "bad-member.jsonl", "a seat that there is not", lambda: plain(lambda parts: parts[2][0].update(seat=3)), "bad-member", 3
    ),
    Vector(
        "long-note.jsonl",
        "a note of 1,025 bytes",
        lambda: plain(lambda parts: parts[2][1].update(note="x" * 1_025)),
        "long-note",
        3,
    ),
    Vector(
        "bad-incident.jsonl",
        "`voided` in `run`",
        lambda: plain(lambda parts: parts.__setitem__(VOIDED, ({"kind": "incident"}, {"what": "voided"}))),
        "bad-incident",
        11,
    ),
    Vector(
        "bad-match-id.jsonl", "a capital letter in an id", lambda: retold(b'"match":"m-1"', b'"match":"M-1"'), "bad-match-id", 1
    ),
    Vector(
        "bad-promise.jsonl",
        "a plain deal with a promise",
        lambda: plain(lambda parts: parts[0][0].update(deal="plain")),
        "bad-promise",
        1,
    ),
    Vector(
        "bad-rules.jsonl",
        "rules with another fingerprint",
        lambda: retold(_TERMS, b'"dead_tiles":"forced"'),
        "bad-rules",
        1,
    ),
    Vector("newer-format.jsonl", "format 2", lambda: plain(lambda parts: parts[0][0].update(format=2)), "newer-format", 1),
    Vector(
        "newer-rules.jsonl", "rules version 2", lambda: plain(lambda parts: parts[0][0].update(rules_version=2)), "newer-rules", 1
    ),
    Vector("misplaced.jsonl", "a second deal", lambda: values(lambda lines: lines.insert(4, lines[1])), "misplaced", 5),
    Vector(
        "played-after-voided.jsonl",
        "a decision after `voided`",
        lambda: values(lambda lines: lines.insert(6, lines.pop(VOIDED))),
        "misplaced",
        8,
    ),
    Vector("left-out.jsonl", "a decision left out", lambda: values(lambda lines: lines.pop(4)), "bad-number", 5),
    Vector("unfinished.jsonl", "no end line", lambda: values(lambda lines: lines.pop()), "unfinished", 11),
    Vector("no-deal.jsonl", "a result without a deal", lambda: values(without_deal), "no-deal", 2),
    Vector("voided-and-ended.jsonl", "a match that was voided has a result", lambda: values(ended), "voided", END),
    Vector(
        "not-voided.jsonl", "a voided end without its incident", lambda: values(lambda lines: lines.pop(VOIDED)), "voided", 11
    ),
    Vector("parents-hash.jsonl", "a fork of another play", lambda: values(lambda lines: fork(lines, game="A" * 22)), "parent", 7),
    Vector(
        "own-parent.jsonl", "a fork that is its own parent", lambda: values(lambda lines: fork(lines, match=MATCH)), "parent", 1
    ),
    Vector(
        "fork-beyond.jsonl",
        "a fork that begins after more decisions than it has",
        lambda: values(lambda lines: fork(lines, 11).append(lines.pop(VOIDED + 1))),
        "parent",
        1,
    ),
    Vector(
        "forked-elsewhere.jsonl",
        "`forked` one decision late",
        lambda: values(lambda lines: lines.insert(6, fork(lines).pop(5))),
        "parent",
        7,
    ),
    # Steps 2 to 6.
    Vector("commitment.jsonl", "another nonce", lambda: values(lambda lines: put(lines, -1, nonce=bytes(32))), "commitment", END),
    Vector(
        "promise-of-another-match.jsonl",
        "no fork, and another match's promise",
        lambda: values(lambda lines: put(lines, 0, match="m-2")),
        "commitment",
        1,
    ),
    Vector(
        "promise-of-a-fork.jsonl",
        "a fork with a promise of its own",
        lambda: values(lambda lines: fork(lines, match=MATCH, parent="m-0")),
        "commitment",
        1,
    ),
    Vector(
        "plain-secrets.jsonl",
        "a plain deal with a nonce",
        lambda: values(lambda lines: put(lines, -1, nonce=bytes(32)), partial(short, DealMode.PLAIN)),
        "commitment",
        END,
    ),
    Vector(
        "part-of-a-seat.jsonl",
        "another part than committed to",
        lambda: values(lambda lines: put(lines, 1, contributions=(bytes(32),) * SEATS), joint),
        "commitment",
        2,
    ),
    Vector("digest.jsonl", "another state", lambda: values(lambda lines: put(lines, 3, digest="A" * 22)), "digest", 4),
    Vector("digest-of-the-deal.jsonl", "another deal", lambda: values(lambda lines: put(lines, 1, digest="A" * 22)), "digest", 2),
    Vector(
        "asked-otherwise.jsonl",
        "another question",
        lambda: values(lambda lines: put(lines, 2, asked="ChooseOffer left=1")),
        "asked-otherwise",
        3,
    ),
    Vector("bad-action.jsonl", "no answer", lambda: values(lambda lines: put(lines, 2, answer="perhaps")), "bad-action", 3),
    Vector(
        "illegal.jsonl",
        "a tile that the seat does not have",
        lambda: values(lambda lines: put(lines, 2, answer="1A")),
        "not-your-tile",
        3,
    ),
    Vector(
        "answer-text.jsonl.gz",
        "a legal answer in another text",
        lambda: from_whole(in_other_words),
        "answer-text",
        purchase_line(),
    ),
    Vector(
        "by.jsonl",
        "nobody was asked, and there was a choice",
        lambda: values(lambda lines: put(lines, 2, by=AnsweredBy.AUTOMATIC)),
        "by",
        3,
    ),
    Vector(
        "default.jsonl.gz", "another answer than the default", lambda: from_whole(not_the_default), "default", purchase_line()
    ),
    Vector("game-over.jsonl.gz", "a decision after the last one", lambda: from_whole(one_more), "game-over", len(whole())),
    Vector(
        "faults.jsonl",
        "a fault that was none",
        lambda: values(lambda lines: put(lines, -1, faults=({"default: timeout": 1}, {}, {}))),
        "faults",
        END,
    ),
    Vector(
        "statuses.jsonl",
        "a seat that resigned and finished",
        lambda: values(lambda lines: lines.insert(VOIDED, Incident(what="resigned", seat=1))),
        "statuses",
        END + 1,
    ),
    Vector(
        "not-over.jsonl",
        "a result, and the game goes on",
        lambda: values(lambda lines: ended(lines).pop(VOIDED)),
        "not-over",
        11,
    ),
    Vector("result.jsonl.gz", "everybody has $100 too much", lambda: with_wrong_result(sealed(whole())), "result", len(whole())),
    Vector(
        "clock.jsonl.gz",
        "a bank that has more than the terms leave it",
        lambda: values(in_time, on_a_clock),
        "clock",
        clock_line(),
    ),
)
"""Records that are wrong in one thing, by step of 'What is verified'."""
