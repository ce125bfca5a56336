"""Rules that grow: programs of today and with two more knobs write the same, and read each other as far as possible.

The newer program is a copy of the engine with two more lines in the table of knobs, in a separate process.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import mergemaker_engine
import mergemaker_testkit
import pytest
from mergemaker.v1 import rules_pb2
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import KNOB_NAMES, KNOB_SINCE, KNOBS_VERSION, PRESETS, preset
from mergemaker_testkit.recorded import recorded_match
from mergemaker_wire import WireError, rules_from_message, rules_to_message

pytestmark = pytest.mark.pure

HANG_GUARD_S: Final = 120
LAST_KNOB: Final = "    trade_offers: int = 0\n"
NEWER_KNOBS: Final = (
    '    blind_market: bool = field(default=False, metadata={"since": 2})\n'
    '    second_start: StartOrder = field(default=StartOrder.LETTER_FIRST, metadata={"since": 3})\n'
)
NEWER_FIELD: Final = b"\x78\x01"
"""Field 15 of a `Rules`, unknown today: the newer program would have `blind_market` there."""

NEWER_PROGRAM: Final = """
import json, sys
from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import KNOB_SINCE, PRESETS, Rules, preset
from mergemaker_testkit.recorded import recorded_match
from mergemaker_wire import rules_to_message

asked = json.load(sys.stdin)
base = preset("renegade-classic")
told = {"since": dict(KNOB_SINCE), "fingerprints": {name: rules.fingerprint() for name, rules in PRESETS.items()}}
for name, changes in asked["rules"].items():
    rules = base.with_knobs(changes)
    lines = recorded_match(rules, 3, bytes(32), decisions=2)
    read = verify(lines).record.header.rules
    assert read == rules and tuple(read.written_knobs()) == tuple(rules.written_knobs())
    told[name] = {
        "record": [line.decode() for line in lines],
        "knobs": list(rules.written_knobs()),
        "message": rules_to_message(rules).SerializeToString().hex(),
        "fingerprint": rules.fingerprint(),
    }
told["refused"] = {}
for name, lines in asked["records"].items():
    try:
        verify([line.encode() for line in lines])
    except EngineError as error:
        told["refused"][name] = [error.reason, str(error)]
json.dump(told, sys.stdout)
"""

RULES: Final[dict[str, dict[str, object]]] = {
    "neutral": {"blind_market": False, "second_start": "letter-first"},
    "one": {"blind_market": True},
    "other": {"second_start": "number-first"},
    "both": {"second_start": "number-first", "blind_market": True},
}


@dataclass(frozen=True, slots=True)
class Newer:
    """The newer program's output, and the records that it refuses."""

    told: Mapping[str, Any]

    def record(self, name: str) -> list[bytes]:
        """A record under the rules of this name."""
        return [str(line).encode() for line in self.told[name]["record"]]

    def message(self, name: str) -> bytes:
        """A message with the rules of this name."""
        return bytes.fromhex(self.told[name]["message"])


def _run_newer(folder: Path, records: Mapping[str, list[bytes]]) -> Newer:
    package = Path(mergemaker_engine.__file__).parent
    copied = folder / package.name
    shutil.copytree(package, copied, ignore=shutil.ignore_patterns("__pycache__"))
    table = copied / "rules.py"
    source = table.read_text(encoding="utf-8")
    assert LAST_KNOB in source
    source = source.replace("KNOBS_VERSION: Final = 1", "KNOBS_VERSION: Final = 3")
    table.write_text(source.replace(LAST_KNOB, LAST_KNOB + NEWER_KNOBS), encoding="utf-8")
    places = [str(folder), str(Path(mergemaker_testkit.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    asked = {"rules": RULES, "records": {name: [line.decode() for line in lines] for name, lines in records.items()}}
    done = subprocess.run(
        [sys.executable, "-c", NEWER_PROGRAM],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=HANG_GUARD_S,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places)), "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Newer(json.loads(done.stdout))


def _of_today() -> list[bytes]:
    return recorded_match(preset("renegade-classic"), 3, bytes(32), decisions=2)


def _with_neutral_knob() -> list[bytes]:
    """A record of today that spells out a neutral knob, as no program does."""
    header, *others = _of_today()
    return [header.replace(b'"trade_offers":0}', b'"trade_offers":0,"blind_market":false}'), *others]


@pytest.fixture(name="newer", scope="module")
def _newer(tmp_path_factory: pytest.TempPathFactory) -> Newer:
    records = {"today": _of_today(), "written out": _with_neutral_knob()}
    return _run_newer(tmp_path_factory.mktemp("newer"), records)


def test_the_newer_program_has_two_knobs_more(newer: Newer) -> None:
    assert newer.told["since"] == {**KNOB_SINCE, "blind_market": 2, "second_start": 3}
    assert set(KNOB_SINCE.values()) <= set(range(1, KNOBS_VERSION + 1))


def test_fingerprints_of_the_presets_are_what_they_were(newer: Newer) -> None:
    assert newer.told["fingerprints"] == {name: rules.fingerprint() for name, rules in PRESETS.items()}
    prints = {newer.told[name]["fingerprint"] for name in RULES}
    assert len(prints) == len(RULES)
    assert preset("renegade-classic").fingerprint() in prints


def test_with_neutral_knobs_the_newer_program_writes_the_records_of_today(newer: Newer) -> None:
    assert newer.record("neutral") == _of_today()
    assert verify(newer.record("neutral")).record.header.rules == preset("renegade-classic")


def test_the_newer_program_writes_and_reads_any_of_its_knobs_and_reads_records_of_today(newer: Newer) -> None:
    written = {name: newer.told[name]["knobs"][len(KNOB_NAMES) :] for name in RULES}
    assert written == {
        "neutral": [],
        "one": ["blind_market"],
        "other": ["second_start"],
        "both": ["blind_market", "second_start"],
    }
    assert "today" not in newer.told["refused"]


def test_a_neutral_knob_that_is_written_out_is_refused_as_everything_with_two_texts(newer: Newer) -> None:
    reason, text = newer.told["refused"]["written out"]
    assert reason == "bad-rules"
    assert text.startswith("line 1: 'rules' with these values has the knobs chains, ")


@pytest.mark.parametrize(("name", "knob"), [("one", "blind_market"), ("other", "second_start"), ("both", "blind_market")])
def test_a_record_by_a_newer_knob_is_refused_by_its_name(newer: Newer, name: str, knob: str) -> None:
    with pytest.raises(RecordError, match=f"the knob '{knob}', which this program does not know: .* up to version 1") as refusal:
        verify(newer.record(name))
    assert (refusal.value.reason, refusal.value.line) == ("newer-rules", 1)


def test_a_message_with_neutral_knobs_is_that_of_today_and_is_read(newer: Newer) -> None:
    today = rules_to_message(preset("renegade-classic")).SerializeToString()
    assert newer.message("neutral") == today
    # Readers skip unknown fields: `newer_knobs` says what they mean.
    assert rules_from_message(rules_pb2.Rules.FromString(today + NEWER_FIELD)) == preset("renegade-classic")


@pytest.mark.parametrize(("name", "knob"), [("one", "blind_market"), ("other", "second_start"), ("both", "blind_market")])
def test_a_message_with_a_newer_knob_is_refused_by_its_name(newer: Newer, name: str, knob: str) -> None:
    with pytest.raises(WireError, match=f"names the knob '{knob}', which is not known here: .* up to version 1") as refusal:
        rules_from_message(rules_pb2.Rules.FromString(newer.message(name) + NEWER_FIELD))
    assert refusal.value.reason == "unknown-knob"
