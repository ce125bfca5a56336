"""Tables of an export as rows of plain values, read from files, or made again from the record."""

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet
from mergemaker_engine.actions import POWERS as POWERS_IN_ORDER
from mergemaker_engine.actions import code_of
from mergemaker_engine.decisions import ChooseFounded, ChooseOffer, ChooseReply
from mergemaker_engine.events import ChainFounded, MergerBegan, MergerEnded
from mergemaker_engine.record.reading import Record, Step
from mergemaker_engine.wording import action_text
from mergemaker_tools.exporting.columns import COLUMNS, NAMES, Kind

from mergemaker_testkit.exported_records import RULES

Rows = list[dict[str, Any]]


def _value(text: str, kind: Kind) -> object:
    """A value of a csv file; only its column shows the type."""
    if kind is Kind.NUMBERS:
        return [int(word) for word in text.split()]
    if kind is Kind.YES_NO:
        return {"true": True, "false": False}[text]
    return int(text) if kind is Kind.NUMBER else text


def read_csv(content: bytes) -> Rows:
    """The rows of a csv table."""
    head, *lines = csv.reader(io.StringIO(content.decode(), newline=""))
    assert head == list(NAMES)
    return [
        {
            column.name: None if column.empty and not text else _value(text, column.kind)
            for column, text in zip(COLUMNS, line, strict=True)
        }
        for line in lines
    ]


def read_table(path: Path) -> Rows:
    """The rows of a table in any format, as `json.loads` gives them."""
    content = path.read_bytes()
    if path.suffix == ".csv":
        return read_csv(content)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in content.splitlines()]
    rows: Rows = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def _settled(step: Step, later: Iterable[Step], merged: tuple[int, ...]) -> dict[str, object]:
    """The columns of a founding or merger, from what is announced before and after."""
    names = ("tile", "tile_size", "merged", "survivor", "acquired")
    merger = step.before.public_view().merger
    if isinstance(step.decision, ChooseFounded):
        size = next(event.size for event in step.events if isinstance(event, ChainFounded))
        return dict(zip(names, (step.decision.square, size, None, None, None), strict=True))
    if merger is None:
        return dict.fromkeys(names)
    ended = (event.size for one in later for event in one.events if isinstance(event, MergerEnded))
    return dict(zip(names, (merger.square, next(ended), list(merged), merger.survivor, merger.acquired), strict=True))


def _offered(of: str, offer: object, partner: str) -> dict[str, object]:
    """The columns of an offer in a question or an answer."""
    names = (partner, "give_shares", "give_cash", "take_shares", "take_cash")
    found = [getattr(offer, name, None) for name in names]
    return {
        f"{of}_{name}": list(value) if isinstance(value, tuple) else value
        for name, value in zip(("seat" if partner == "proposer" else partner, *names[1:]), found, strict=True)
    }


def expected_rows(record: Record, file: str) -> Rows:
    """The rows again, from `Record.steps()`, views and the lines."""
    header, end = record.header, record.end
    assert end is not None
    rows: Rows = []
    merged: tuple[int, ...] = ()
    steps = list(record.steps())
    for at, step in enumerate(steps):
        public, own = step.before.public_view(), step.view(step.seat)
        trading = isinstance(step.decision, ChooseOffer | ChooseReply)
        seats = [step.view(seat) for seat in range(header.seats)]
        shares = [seat.shares[number] for number, seat in enumerate(seats)]
        rows.append(
            {
                "export_version": 2,
                "file": file,
                "match": header.match,
                "parent": header.parent and header.parent.match,
                "repeated": header.parent is not None and step.number < header.parent.decision,
                "rules": next(text for text, rules in RULES.items() if rules == header.rules),
                "fingerprint": header.rules.fingerprint(),
                "seats": header.seats,
                "codes": len(step.mask) if not trading else 818,
                "assets_open": public.cash[0] is not None,
                "n": step.number,
                "line": step.line_number,
                "seat": step.seat,
                "bot": f"random {step.seat}",
                "turn": own.turn,
                "turn_seat": own.turn_seat,
                "kind": type(step.decision).__name__,
                "asked": step.line.asked,
                "board": "".join(str(mark) for mark in public.board),
                "sizes": list(public.sizes),
                "prices": list(public.prices),
                "market": list(public.market),
                "pile": public.pile,
                "set_aside": list(public.set_aside),
                "hand_sizes": list(public.hand_sizes),
                "powers_used": [sum(1 << POWERS_IN_ORDER.index(power) for power in used) for used in public.powers_used]
                or [0] * header.seats,
                "declared": public.declared,
                "end_allowed": public.end_allowed,
                **_settled(step, steps[at:], merged),
                **_offered("offer", step.decision, "proposer"),
                "cash": [seat.cash[number] for number, seat in enumerate(seats)],
                "shares": [count for held in shares for count in held or ()],
                "hand": list(own.hand),
                "legal": len(step.legal),
                "legal_codes": None if trading else [code for code, legal in enumerate(step.mask) if legal],
                "answer": action_text(step.answer, header.rules),
                "code": None if trading else code_of(step.answer),
                **_offered("answer", step.answer, "partner"),
                "answered_by": str(step.line.by),
                "used_ms": 12,
                "bank_ms": None,
                "ended": str(end.why),
                "final_money": end.cash and end.cash[step.seat],
                "place": end.places and end.places[step.seat],
                "won": end.places and end.places[step.seat] == 1,
            }
        )
        merged = next((event.chains for event in step.events if isinstance(event, MergerBegan)), merged)
    return rows
