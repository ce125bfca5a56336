"""Blocks of matches: one deal and one set of chances for all, equal results with and without a server, and no look-ahead."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from mergemaker_client import Answer, Bot, Turn
from mergemaker_client.bots.greedy import GreedyBot
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_client.local_match import LocalMatch
from mergemaker_client.turn import DealFinding, MatchInfo, MatchResult
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import Ending, Status
from mergemaker_engine.rules import preset
from mergemaker_processes.bot_names import ModuleBot, ScriptBot
from mergemaker_referee.records.files import open_record
from mergemaker_table.evidence import AtFault
from mergemaker_table.outputs import Ended
from mergemaker_table.run_members import Host, host_in
from mergemaker_table.terms import CLOCKS
from mergemaker_tools.contests.playing.as_processes import ProcessPlayer
from mergemaker_tools.contests.playing.blocks import (
    Block,
    BlockPlayed,
    BlockProblem,
    Entrant,
    MatchPlayed,
    PlayTerms,
    SeatFault,
    Trouble,
)
from mergemaker_tools.contests.playing.in_process import LocalPlayer
from mergemaker_tools.contests.playing.many_blocks import play_blocks
from mergemaker_tools.contests.playing.unreleased import Unreleased, discard, finish_releases
from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.play.ways import Way

HERE: Final = "tests.tools.test_blocks"
GREEDY: Final = Entrant("greedy", ModuleBot("mergemaker_client.bots.greedy", "GreedyBot"))
SEED: Final = bytes(range(32))
BLOCK: Final = Block(contest="cup", number=7, seed=SEED, seatings=((0, 1), (1, 0)))
SEEN: Final[list[object]] = []
"""What the bots of this module saw."""


@pytest.fixture(autouse=True)
def _nothing_seen() -> Iterator[None]:
    SEEN.clear()
    yield
    SEEN.clear()


class Watching(GreedyBot):
    """Keeps its nonces and results, and looks for records when it is asked for the first time."""

    records = Path()

    def on_start(self, match: MatchInfo) -> None:
        SEEN.append((match.seat, match.nonce))

    def answer(self, turn: Turn) -> Answer:
        if turn.number == 1:
            SEEN.append(sorted(path.name for path in Watching.records.iterdir()))
        return super().answer(turn)

    def on_end(self, result: MatchResult) -> None:
        SEEN.append(result.deal)


class Failing(RandomBot):
    """Fails at its second question."""

    def answer(self, turn: Turn) -> Answer:
        if turn.number == 2:
            raise LookupError("no such idea")
        return super().answer(turn)


class Unmakable(Bot):
    """Cannot be made."""

    def __init__(self) -> None:
        raise LookupError("no model")


def own(name: str) -> Entrant:
    """A bot of this module."""
    return Entrant(name.lower(), ModuleBot(HERE, name))


def terms_of(*bots: Entrant, records: Path | None = None) -> PlayTerms:
    return PlayTerms(bots=bots, rules=preset("renegade-classic"), clock=CLOCKS["standard"], records=records)


def played(result: BlockPlayed | BlockProblem) -> Sequence[MatchPlayed]:
    assert isinstance(result, BlockPlayed), result
    return result.matches


def problem(result: BlockPlayed | BlockProblem) -> BlockProblem:
    assert isinstance(result, BlockProblem), result
    return result


# --- the same with and without a server ---


def test_a_block_has_the_same_games_with_and_without_a_server(tmp_path: Path) -> None:
    found = []
    for kind in (LocalPlayer, ProcessPlayer):
        terms = replace(terms_of(GREEDY, own("Failing"), records=tmp_path / kind.__name__), host=Host("lab", 250))
        matches = played(kind(terms).play(BLOCK))
        found.append([(match.match, match.game, match.cash, match.turns, match.why) for match in matches])
        (fault,) = matches[0].seats[1].faults
        assert (fault, matches[0].seats[0].faults) == (SeatFault(AtFault.BOT, "failed", 1), ())
        assert "LookupError" in matches[0].seats[1].complaint
        for match in matches:
            assert match.record is not None
            record = open_record(match.record)
            assert (record.header.match, record.header.more["block"]) == (match.match, "cup-7")
            assert host_in(record.header.more) == Host("lab", 250)
    assert found[0] == found[1]


# --- one deal, one set of chances ---


def test_matches_of_a_block_share_deal_and_chances_and_each_has_a_promise_of_its_own(tmp_path: Path) -> None:
    matches = played(LocalPlayer(terms_of(own("Watching"), GREEDY, records=_watched(tmp_path))).play(BLOCK))
    records = [open_record(match.record) for match in matches if match.record is not None]
    ends = [record.end for record in records]
    assert [end.seed for end in ends if end is not None] == [SEED, SEED]
    assert len({end.nonce for end in ends if end is not None}) == 2
    assert len({record.header.promise for record in records}) == 2
    nonces: dict[int, bytes] = dict(seen for seen in SEEN if isinstance(seen, tuple))
    again = LocalPlayer(terms_of(own("Watching"), GREEDY, records=_watched(tmp_path / "again")))
    played(again.play(replace(BLOCK, seatings=((1, 0), (0, 1)))))
    assert dict(seen for seen in SEEN if isinstance(seen, tuple)) == nonces
    assert len({*nonces.values()}) == 2


def _watched(records: Path) -> Path:
    Watching.records = records
    return records


def test_a_plain_block_repeats(tmp_path: Path) -> None:
    terms = replace(terms_of(GREEDY, own("Failing"), records=tmp_path), mode=DealMode.PLAIN)
    first, again = (played(LocalPlayer(terms).play(BLOCK)) for _ in range(2))
    assert [match.game for match in first] == [match.game for match in again]


# --- no look-ahead ---


@pytest.mark.parametrize("kind", [LocalPlayer, ProcessPlayer])
def test_nothing_of_a_block_is_released_before_its_last_match_is_over(
    tmp_path: Path, kind: type[LocalPlayer | ProcessPlayer]
) -> None:
    played(kind(terms_of(own("Watching"), GREEDY, records=_watched(tmp_path))).play(BLOCK))
    assert [seen for seen in SEEN if isinstance(seen, list)] == [[".unreleased-cup-7"]] * 2
    assert [seen for seen in SEEN if isinstance(seen, DealFinding)] == [DealFinding.NOT_RELEASED] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup-7-0.jsonl", "cup-7-1.jsonl"]


REMEMBERING: Final = """
import tempfile
from pathlib import Path
from mergemaker_client import Bot, Noted, run
from mergemaker_client.bots.greedy import GreedyBot

memory = Path(tempfile.gettempdir(), "deal")
matches = []

class Remembering(GreedyBot):
    def on_start(self, match):
        matches.append(match.match)
        self.known = memory.exists() or len(matches) > 1
        memory.write_text(match.match)

    def answer(self, turn):
        return Noted(super().answer(turn), f"knows {self.known}, in {memory.parent.name}")

if __name__ == "__main__":
    run(Remembering)
"""


def test_a_process_that_remembers_deals_remembers_nothing(tmp_path: Path) -> None:
    script = tmp_path / "remembering.py"
    script.write_text(REMEMBERING, "utf-8")
    terms = terms_of(Entrant("remembering", ScriptBot(script)), GREEDY, records=tmp_path / "records")
    matches = played(ProcessPlayer(terms).play(BLOCK))
    records = [open_record(match.record) for match in matches if match.record is not None]
    notes = [{line.note for line in record.decisions if line.note} for record in records]
    assert notes == [{"knows False, in seat0"}, {"knows False, in seat1"}]
    assert min(match.startup_ms for match in matches) > 0


def test_bots_of_one_author_stay_and_the_next_match_waits_for_nobody(tmp_path: Path) -> None:
    script = tmp_path / "remembering.py"
    script.write_text(REMEMBERING, "utf-8")
    bots = (Entrant("remembering", ScriptBot(script)), Entrant("loaded", ScriptBot(_slow_to_start(tmp_path))))
    player = ProcessPlayer(replace(terms_of(*bots, records=tmp_path / "records"), trust=Trust.OWN))
    try:
        for number in range(2):
            played(player.play(replace(BLOCK, number=number)))
    finally:
        player.close()
    # One process each: its first match is the only one in which it knew nothing.
    records = [open_record(tmp_path / "records" / f"cup-{block}-{match}.jsonl") for block in range(2) for match in range(2)]
    notes = [{line.note.split(",")[0] for line in record.decisions if line.note} for record in records]
    assert notes == [{"knows False"}, *[{"knows True"}] * 3]
    assert (tmp_path / "loads").read_text() == "x"


def _slow_to_start(folder: Path) -> Path:
    """A bot that notes each of its starts."""
    script = folder / "loaded.py"
    loads = f"from pathlib import Path\nwith Path({str(folder / 'loads')!r}).open('a') as loads:\n    loads.write('x')\n"
    script.write_text(
        loads + "from mergemaker_client import run\nfrom mergemaker_client.bots.greedy import GreedyBot\nrun(GreedyBot)\n"
    )
    return script


def test_the_next_matchs_bots_are_started_while_the_match_before_is_played(tmp_path: Path) -> None:
    """A bot of the first match answers its last question only when the second match's processes are there."""
    script = tmp_path / "patient.py"
    script.write_text(PATIENT.format(folder=str(tmp_path)), "utf-8")
    terms = replace(terms_of(Entrant("patient", ScriptBot(script)), GREEDY, records=tmp_path / "records"), clock=CLOCKS["none"])
    matches = played(ProcessPlayer(terms).play(BLOCK))
    assert [seat.faults for match in matches for seat in match.seats] == [()] * 4
    assert sorted(path.name for path in tmp_path.glob("saw-*")) == ["saw-cup-7-0", "saw-cup-7-1"]


PATIENT: Final = """
import os
import time
from pathlib import Path
from mergemaker_client import run
from mergemaker_client.bots.greedy import GreedyBot

folder = Path({folder!r})
(folder / f"started-{{os.getpid()}}").touch()

class Patient(GreedyBot):
    def answer(self, turn):
        until = time.monotonic() + 120
        while turn.number == 2 and len(list(folder.glob("started-*"))) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        if len(list(folder.glob("started-*"))) == 2:
            (folder / f"saw-{{turn.match.match}}").touch()
        return super().answer(turn)

if __name__ == "__main__":
    run(Patient)
"""


# --- what goes wrong ---


@pytest.mark.parametrize("kind", [LocalPlayer, ProcessPlayer])
def test_a_bot_that_cannot_be_made_is_named(tmp_path: Path, kind: type[LocalPlayer | ProcessPlayer]) -> None:
    found = problem(kind(terms_of(GREEDY, own("Unmakable"), records=tmp_path)).play(BLOCK))
    assert (found.trouble, found.bot) == (Trouble.BOT, 1)
    assert "unmakable" in found.text
    assert "LookupError: no model" in found.text
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_ends_at_once_is_named(tmp_path: Path) -> None:
    script = tmp_path / "ends.py"
    script.write_text("raise SystemExit('no model')", "utf-8")
    found = problem(ProcessPlayer(terms_of(GREEDY, Entrant("ends", ScriptBot(script)))).play(BLOCK))
    assert (found.trouble, found.bot) == (Trouble.BOT, 1)
    assert "no model" in found.text


def test_a_bot_that_dies_in_a_match_has_played_it(tmp_path: Path) -> None:
    script = tmp_path / "dies.py"
    text = REMEMBERING.replace("return Noted", "import os; turn.number == 3 and os._exit(7); return Noted")
    script.write_text(text, "utf-8")
    block = replace(BLOCK, seatings=((0, 1),))
    (match,) = played(ProcessPlayer(terms_of(GREEDY, Entrant("dies", ScriptBot(script)))).play(block))
    assert (match.seats[1].status, match.seats[0].status) == (Status.RESIGNED, Status.FINISHED)
    assert match.seats[1].own_faults == 1
    assert "7" in match.seats[1].complaint


def test_a_void_match_is_played_again_under_another_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play, voids = LocalMatch.play, [True, False, False]

    def sometimes_void(match: LocalMatch) -> Ended:
        ended = play(match)
        return replace(ended, why=Ending.VOIDED, voided_because="a fault of ours") if voids.pop(0) else ended

    monkeypatch.setattr(LocalMatch, "play", sometimes_void)
    result = LocalPlayer(terms_of(GREEDY, GREEDY, records=tmp_path)).play(BLOCK)
    assert [match.match for match in played(result)] == ["cup-7-0-again1", "cup-7-1"]
    assert isinstance(result, BlockPlayed)
    assert [(void.match, void.why) for void in result.voided] == [("cup-7-0", "a fault of ours")]
    voids[:] = [True] * 10
    found = problem(LocalPlayer(terms_of(GREEDY, GREEDY)).play(BLOCK))
    assert (found.trouble, found.text) == (Trouble.VOID, "match 0 of block 7 was void 4 times; the last time: a fault of ours")


def test_records_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = problem(LocalPlayer(terms_of(GREEDY, GREEDY, records=tmp_path / "file")).play(BLOCK))
    assert found.trouble is Trouble.DISK
    assert "cannot write" in found.text
    assert "file" in found.text


# --- release ---


def test_a_killed_release_is_finished_and_what_was_not_released_is_deleted_on_request(tmp_path: Path) -> None:
    with Unreleased.opened(tmp_path, "cup-1") as place:
        place.record("cup-1-0").write_text("one")
        place.folder.rename(tmp_path / ".released-cup-1")  # killed after this
    other = tmp_path / ".unreleased-cup-2"
    other.mkdir()
    (other / "cup-2-0.jsonl").write_text("two")
    (tmp_path / ".unreleased-dup-2").mkdir()
    finish_releases(tmp_path, "cup")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".unreleased-cup-2", ".unreleased-dup-2", "cup-1-0.jsonl"]
    discard(tmp_path, "cup")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".unreleased-dup-2", "cup-1-0.jsonl"]


# --- many blocks ---


def test_blocks_come_in_order_from_several_processes() -> None:
    terms = terms_of(GREEDY, Entrant("greedy 2", GREEDY.spec))
    blocks = [replace(BLOCK, number=number, seed=bytes([number]) * 32) for number in range(4)]
    one, two = (
        [match.game for each in play_blocks(terms, "cup", blocks, jobs, fast=True) for match in played(each)] for jobs in (1, 2)
    )
    assert one == two
    assert len({*one}) == 4  # two equal bots play the same match in both seatings


def test_only_bots_of_this_process_are_fast_by_themselves() -> None:
    script = Entrant("script", ScriptBot(Path(sys.executable)))
    assert [terms_of(GREEDY, GREEDY).is_fast(way) for way in Way] == [True, True, False]
    assert [terms_of(GREEDY, script).is_fast(way) for way in Way] == [False, True, False]
