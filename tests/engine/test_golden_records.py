"""The golden records: recorded games that every version must read unchanged."""

import base64
import gzip
import json
import re
from functools import cache
from hashlib import sha256
from pathlib import Path

import golden_records
import make_golden
import pytest
from mergemaker_engine.actions import Action, OfferTrade, Power, UsePower, code_of
from mergemaker_engine.decisions import Decision
from mergemaker_engine.events import Event, StartTilePlaced, TradeAnswered
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.digest import state_document
from mergemaker_engine.record.lines import NOTE_BYTES_MAX, AnsweredBy, Ending, Incident, PlayIncident, Status
from mergemaker_engine.record.reading import Record, Step
from mergemaker_engine.record.verifying import Verified, verify
from mergemaker_engine.rules import PRESETS, SEATS_MAX, SEATS_MIN, Assets

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
NAMES = sorted(path.name.removesuffix(".jsonl.gz") for path in GOLDEN.glob("*.jsonl.gz"))
ALL_BYTES_MAX = 600_000
ENDINGS = {"declared with a tile", "declared with a purchase", "stopped at once", "stuck", "voided"}

each_record = pytest.mark.parametrize("name", NAMES)


def bytes_of(name: str) -> bytes:
    return gzip.decompress((GOLDEN / f"{name}.jsonl.gz").read_bytes())


@cache
def verified(name: str) -> Verified:
    return verify([bytes_of(name)], with_audit=True)


@cache
def steps_of(name: str) -> tuple[Step, ...]:
    return tuple(verified(name).record.steps())


def all_records() -> list[Record]:
    return [verified(name).record for name in NAMES]


def all_steps() -> list[Step]:
    return [step for name in NAMES for step in steps_of(name)]


def incidents_of(record: Record) -> list[Incident]:
    return [line for _, line in record.entries if isinstance(line, Incident)]


def ending_of(record: Record) -> str:
    assert record.end is not None
    if record.end.why is not Ending.DECLARED:
        return str(record.end.why)
    last = [line.answer for line in record.decisions if line.answer == "stop" or line.answer.endswith(" end")][-1]
    if last == "stop":
        return "stopped at once"
    return "declared with a purchase" if last.startswith("buy ") else "declared with a tile"


def rules_of(record: Record) -> str:
    return next((name for name, rules in PRESETS.items() if rules == record.header.rules), "other knobs")


def table() -> dict[str, list[str]]:
    """The rows of the table in the folder's README."""
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (.* `\S{43}`) \|$", (GOLDEN / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {name: cells.split(" | ") for name, cells in rows}


@each_record
def test_a_golden_record_verifies_and_is_what_the_table_says(name: str) -> None:
    record = verified(name).record
    final = json.loads(bytes_of(name).splitlines()[-1])["game"]
    rules, seats, mode, ending, _, told_hash = table()[name]
    found = (rules_of(record), str(record.header.seats), str(record.header.mode), ending_of(record), f"`{final}`")
    assert (rules, seats, mode, ending, told_hash) == found


@each_record
def test_encoding_every_line_again_gives_the_same_bytes(name: str) -> None:
    reading, writing = Chains(), Chains()
    text = bytes_of(name)
    assert b"".join(writing.seal(reading.open(line)) for line in text.splitlines()) == text


@each_record
def test_stepping_through_a_golden_record_puts_every_decision_of_it(name: str) -> None:
    record = verified(name).record
    steps = steps_of(name)
    assert [step.line for step in steps] == list(record.decisions)
    for step in steps:
        assert step.before.decision == step.decision
        assert step.view(step.seat).decision == step.decision
        if record.header.rules.trade_offers == 0:
            assert step.answer in step.legal
            assert step.mask[code_of(step.answer)] == 1
    told = [incident for step in steps for incident in step.incidents]
    assert told == incidents_of(record)[: len(told)]


def test_the_table_has_a_row_for_every_golden_record_and_no_other() -> None:
    assert sorted(table()) == NAMES


def test_the_golden_records_stay_small() -> None:
    assert sum(path.stat().st_size for path in GOLDEN.iterdir()) < ALL_BYTES_MAX


def test_the_golden_records_show_every_preset_count_of_seats_deal_and_ending() -> None:
    records = all_records()
    assert {rules_of(record) for record in records} == {*PRESETS, "other knobs"}
    assert {record.header.seats for record in records} == set(range(SEATS_MIN, SEATS_MAX + 1))
    assert {record.header.mode for record in records} == set(DealMode)
    assert {ending_of(record) for record in records} == ENDINGS


def test_the_golden_records_show_every_variant() -> None:
    headers = [record.header for record in all_records()]
    assert any(header.rules.special_powers for header in headers)
    assert any(header.rules.trade_offers for header in headers)
    assert any(header.rules.assets is Assets.HIDDEN for header in headers)
    assert {header.rules.two_player_market for header in headers if header.seats == 2} == {True, False}


def test_the_golden_records_show_every_kind_of_decision_answer_and_event() -> None:
    steps = all_steps()
    assert {type(step.decision) for step in steps} == set(Decision.__args__)
    assert {type(step.answer) for step in steps} == set(Action.__args__)
    # Start tiles are placed before the first decision.
    assert {type(event) for step in steps for event in step.events} == set(Event.__args__) - {StartTilePlaced}
    assert {step.answer.power for step in steps if isinstance(step.answer, UsePower)} == {None, *Power}
    answered = [event.accepted for step in steps for event in step.events if isinstance(event, TradeAnswered)]
    assert set(answered) == {True, False}
    assert len(answered) == sum(isinstance(step.answer, OfferTrade) for step in steps)


def test_the_golden_records_show_every_cause_status_and_incident_of_play() -> None:
    records = all_records()
    assert {line.by for record in records for line in record.decisions} == set(AnsweredBy)
    assert {status for record in records if record.end for status in record.end.statuses} == set(Status)
    told = {incident.what for record in records for incident in incidents_of(record)}
    assert told >= {*PlayIncident, "joined", "disconnected"}


def test_the_golden_records_show_notes_of_every_kind_and_length() -> None:
    notes = {line.note for record in all_records() for line in record.decisions if line.note is not None}
    assert "" in notes
    assert max(len(note.encode()) for note in notes) == NOTE_BYTES_MAX
    assert {"\t", '"', "\\", "/", "\n", "\x01", "\x7f", "é", "漢", "\u2028", "🎲"} <= set("".join(notes))


def test_the_golden_records_show_parts_of_a_seed_given_withheld_and_never_promised() -> None:
    parts = set()
    for record in all_records():
        if record.deal and record.deal.seat_commitments:
            pairs = zip(record.deal.seat_commitments, record.deal.contributions, strict=True)
            parts |= {(committed is not None, revealed is not None) for committed, revealed in pairs}
    assert parts == {(True, True), (True, False), (False, False)}


def test_a_golden_fork_keeps_its_parents_promise_and_begins_with_its_play() -> None:
    forks = [record for record in all_records() if record.header.parent]
    assert forks
    for fork in forks:
        origin = fork.header.parent
        assert origin is not None
        parent = verified(origin.match).record
        taken = origin.decision - 1
        assert fork.header.promise == parent.header.promise
        assert fork.decisions[:taken] == parent.decisions[:taken]
        assert fork.decisions[taken] != parent.decisions[taken]
        lines = [json.loads(line) for line in bytes_of(fork.header.match).splitlines()]
        assert [line["game"] for line in lines if line.get("n") == taken] == [origin.game]


def test_a_golden_record_that_is_there_is_never_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["make_golden.py", NAMES[0]])
    with pytest.raises(SystemExit, match=f"{NAMES[0]} is there, and golden records are never made again"):
        make_golden.main()
    golden = next(golden for golden in golden_records.RECORDS if golden.name == NAMES[0])
    with pytest.raises(FileExistsError):
        make_golden.make(golden)


def test_the_example_of_the_specification_is_a_golden_record_and_its_hashes_follow_step_by_step() -> None:
    page = (GOLDEN.parent.parent / "engine" / "RECORDS.md").read_text(encoding="utf-8")
    name, shown = re.findall(r"of `tests/golden/(\S+)\.jsonl\.gz`:\n\n```json\n(.*?)```", page, re.DOTALL)[0]
    lines = bytes_of(name).splitlines()
    assert shown.encode().splitlines() == [*lines[:5], lines[-1]]
    # The table of hashes, computed from the bytes alone.
    game = line = bytes(16)
    rows = []
    for number, text in enumerate(lines, 1):
        kept = 32 if number == len(lines) else 16
        game_part, line_part = text[: text.index(b',"game":')], text[: text.rindex(b',"line":')]
        moves = not text.startswith(b'{"kind":"incident","game"')
        game_after = sha256(game + game_part).digest()[:kept] if moves else game
        line_after = sha256(line + line_part).digest()[:kept]
        told_game = (str(len(game_part)), f"`{game_after.hex()}`") if moves else ("none", "the same")
        before = [f"`{value.hex()}`" if any(value) else "16 zeros" for value in (game, line)]
        rows.append(
            f"| {number} | {before[0]} | {' | '.join(told_game)} | {before[1]} | {len(line_part)} | `{line_after.hex()}` |"
        )
        game, line = game_after, line_after
    assert "\n".join([*rows[:5], rows[-1]]) in page


def test_the_specification_spells_out_a_state_and_a_commitment_that_hash_to_what_the_record_says() -> None:
    page = (GOLDEN.parent.parent / "engine" / "RECORDS.md").read_text(encoding="utf-8")
    record = verified("classic-2-market").record
    assert record.deal is not None
    assert record.header.promise is not None
    state = re.findall(r"^    (\{\"turn\".*\})$", page, re.MULTILINE)[0]
    assert base64.urlsafe_b64encode(sha256(state.encode()).digest()[:16]).rstrip(b"=").decode() == record.deal.digest
    preimage = re.findall(r"nonce, server_seed\):\n\n((?:    [0-9a-f ]+\n)+)", page)[0]
    assert len(bytes.fromhex(preimage)) == 105
    assert sha256(bytes.fromhex(preimage)).digest() == record.header.promise.commitment


def test_the_specification_spells_out_a_fingerprint_as_one_flat_object() -> None:
    page = (GOLDEN.parent.parent / "engine" / "RECORDS.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^The fingerprint in line 1 .*\n\n    (\{.*\})$", page, re.MULTILINE)
    header = json.loads(bytes_of("classic-2-market").splitlines()[0])
    assert sha256(text.encode()).hexdigest()[:32] == header["fingerprint"]
    assert json.loads(text) == {**header["rules"], "rules_version": header["rules_version"]}


def test_a_stop_ends_the_game_within_its_turn_as_the_specification_says() -> None:
    *_, last = steps_of("avalon-hill-4-stop")
    before, after = state_document(last.before), state_document(verified("avalon-hill-4-stop").game)
    assert last.line.answer == "stop"
    kept = ("turn", "seat", "idle", "moved")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert (after["declared"], after["asked"], after["ended"]) == (True, None, "declared")


@pytest.mark.parametrize(("name", "idle"), [("classic-2-market", 0), ("reference-2-stuck", 2), ("corporations-3-stuck", 3)])
def test_a_game_that_ends_with_a_turn_keeps_that_turn_and_counts_it_as_idle_or_not(name: str, idle: int) -> None:
    *_, last = steps_of(name)
    before, after = state_document(last.before), state_document(verified(name).game)
    assert (after["turn"], after["seat"], after["idle"]) == (before["turn"], before["seat"], idle)


def test_questions_and_answers_are_written_as_the_specification_says() -> None:
    lines = [step.line for step in all_steps()]
    asked = {line.asked for line in lines if line.asked.startswith(("ChoosePairTrade", "ChooseTile"))}
    assert {"ChooseTile", "ChooseTile most=4", "ChoosePairTrade number=1"} <= asked
    assert not {"ChoosePairTrade", "ChooseTile number=1"} & asked
    sums = [money for line in lines for money in re.findall(r"\$(\S+)", line.answer)]
    assert any(len(money) > 3 for money in sums)
    assert all(money.isdigit() and money[0] != "0" for money in sums)
