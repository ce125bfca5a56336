"""A block that was broken off: matches with whole records are kept, unreleased, and what cannot be proved is played again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker_client.local_match import LocalMatch
from mergemaker_referee.records.files import open_record
from mergemaker_table.evidence import AtFault
from mergemaker_table.inputs import Void
from mergemaker_table.outputs import Ended
from mergemaker_table.verdicts import CANCELLED
from mergemaker_tools.contests.playing.blocks import BlockPlayed, PlayTerms
from mergemaker_tools.contests.playing.in_process import LocalPlayer

from tests.tools.test_blocks import BLOCK, GREEDY, own, played, terms_of


def broken_off(records: Path, monkeypatch: pytest.MonkeyPatch) -> PlayTerms:
    """A block whose first match was played to its end, and whose second one was broken off."""
    terms = replace(terms_of(GREEDY, own("Failing"), records=records), keeps=True)
    play, matches = LocalMatch.play, iter((True, False))

    def killed_in_the_second(match: LocalMatch) -> Ended:
        if not next(matches):
            raise KeyboardInterrupt
        return play(match)

    monkeypatch.setattr(LocalMatch, "play", killed_in_the_second)
    with pytest.raises(KeyboardInterrupt):
        LocalPlayer(terms).play(BLOCK)
    monkeypatch.undo()
    assert [path.name for path in records.iterdir()] == [".unreleased-cup-7"]
    assert [path.name for path in (records / ".unreleased-cup-7").iterdir()] == ["cup-7-0.jsonl"]
    return terms


def test_a_block_goes_on_with_the_match_that_was_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = broken_off(tmp_path, monkeypatch)
    kept = (tmp_path / ".unreleased-cup-7" / "cup-7-0.jsonl").read_bytes()
    (tmp_path / ".unreleased-cup-7" / "cup-7-1.jsonl.secrets").write_text("of the broken one")
    matches = played(LocalPlayer(terms).play(BLOCK))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup-7-0.jsonl", "cup-7-1.jsonl"]
    assert (tmp_path / "cup-7-0.jsonl").read_bytes() == kept
    # What is known of a match that was kept is what is known of one that was just played.
    whole = played(LocalPlayer(terms_of(GREEDY, own("Failing"))).play(BLOCK))
    assert [(match.game, match.cash, match.turns, match.why) for match in matches] == [
        (match.game, match.cash, match.turns, match.why) for match in whole
    ]
    assert [[seat.faults for seat in match.seats] for match in matches] == [
        [seat.faults for seat in match.seats] for match in whole
    ]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: record[:-200],
        lambda record: record.replace(b'"greedy"', b'"greedo"'),
        lambda record: record.replace(b'"cash"', b'"Cash"'),
        lambda _: b"",
    ],
)
def test_what_cannot_be_proved_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[bytes], bytes]
) -> None:
    terms = broken_off(tmp_path, monkeypatch)
    record = tmp_path / ".unreleased-cup-7" / "cup-7-0.jsonl"
    record.write_bytes(spoil(record.read_bytes()))
    assert [match.match for match in played(LocalPlayer(terms).play(BLOCK))] == ["cup-7-0", "cup-7-1"]
    assert all(open_record(tmp_path / f"cup-7-{number}.jsonl").end for number in range(2))


def test_a_match_of_another_deal_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = broken_off(tmp_path, monkeypatch)
    other = replace(BLOCK, seed=bytes(32))
    matches = played(LocalPlayer(terms).play(other))
    ends = [open_record(match.record).end for match in matches if match.record is not None]
    assert [end.seed for end in ends if end is not None] == [bytes(32)] * 2


def test_a_void_match_that_was_kept_is_not_played_a_second_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def voided_and_then_killed(match: LocalMatch) -> Ended:
        if "again" in match.table.setup.match:
            raise KeyboardInterrupt
        match._hear(match._driver.open())
        match._feed(Void("a fault of ours", AtFault.REFEREE, CANCELLED))
        assert match.table.ended is not None
        return match.table.ended

    terms = replace(terms_of(GREEDY, GREEDY, records=tmp_path), keeps=True)
    monkeypatch.setattr(LocalMatch, "play", voided_and_then_killed)
    with pytest.raises(KeyboardInterrupt):
        LocalPlayer(terms).play(BLOCK)
    monkeypatch.undo()
    result = LocalPlayer(terms).play(BLOCK)
    assert [match.match for match in played(result)] == ["cup-7-0-again1", "cup-7-1"]
    assert isinstance(result, BlockPlayed)
    assert [(void.match, void.why) for void in result.voided] == [("cup-7-0", "a fault of ours")]
