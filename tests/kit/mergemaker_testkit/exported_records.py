"""Records with everything that a table of decisions can show, written for an export."""

import json
from dataclasses import replace
from pathlib import Path

from mergemaker_engine.notation import parse_rules
from mergemaker_engine.record.lines import Header, Parent

from mergemaker_testkit.recorded import of_kind, opened, recorded_match, sealed

FORMATS = ("csv", "jsonl", "parquet")
RULES = {
    text: parse_rules(text)
    for text in (
        "renegade-classic", "reference-trading", "avalon-hill-powers", "renegade-tycoon assets=hidden", "corporations",
    )
}  # fmt: skip
CLASSIC = recorded_match(RULES["renegade-classic"], 3, bytes(32))
TRADING = recorded_match(RULES["reference-trading"], 3, bytes(32))
POWERS = recorded_match(RULES["avalon-hill-powers"], 4, bytes(32))
HIDDEN = recorded_match(RULES["renegade-tycoon assets=hidden"], 6, bytes([4]) * 32)
VOIDED = recorded_match(RULES["corporations"], 3, bytes(32), decisions=9)
FORKED_AT = 41


def forked(lines: list[bytes], match: str, decision: int) -> list[bytes]:
    """A fork of a match from one of its decisions on, in which everything happens again."""
    header, *rest = opened(lines)
    before = json.loads(lines[decision])  # after the header and the deal
    parent = Parent(of_kind(header, Header).match, decision, before["game"])
    return sealed([replace(of_kind(header, Header), match=match, parent=parent), *rest])


FORKED = forked(CLASSIC, "m-2", FORKED_AT)
RECORDS = {"a": CLASSIC, "b": TRADING, "c": POWERS, "d": HIDDEN, "e": VOIDED}


def write_records(folder: Path, *names: str) -> None:
    """Writes some of the records, each to a file with its name."""
    for name in names:
        (folder / f"{name}.jsonl").write_bytes(b"".join(RECORDS[name]))
