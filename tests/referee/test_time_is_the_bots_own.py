"""Nobody is charged for the referee's own delays: each of its threads is held up in turn."""

import json
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker.v1 import match_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.records.journal import Journal, JournalError
from mergemaker_table.terms import ClockTerms
from mergemaker_testkit.live_referee import Clients, live_referee, play_to_the_end

STALL_S = 0.5
TIGHT = ClockTerms(name="tight", allowance_ms=450, bank_ms=60_000, startup_ms=60_000)
"""If a stall of either thread were charged, it would go far beyond the allowance, and show in the bank."""
LONG_STALL_S = 1.5
COMING = replace(TIGHT, allowance_ms=1_300)
"""The same for a longer stall: on a busy machine, a bot needs some time to return."""


def charged_beyond_the_allowance(record: Path, clock: ClockTerms = TIGHT) -> dict[int, int]:
    """What each decision took from the bank."""
    found = {}
    for line in record.read_bytes().splitlines():
        document = json.loads(line)
        if document["kind"] == "decision" and "used_ms" in document["run"]:
            found[document["n"]] = max(0, document["run"]["used_ms"] - (clock.allowance_ms or 0))
    return found


@pytest.mark.parametrize("fast_loop", [True, False])
@pytest.mark.parametrize("thread", ["transport", "referee"])
def test_a_thread_that_is_held_up_again_and_again_charges_nobody(tmp_path: Path, thread: str, fast_loop: bool) -> None:
    with live_referee(tmp_path, fast_loop=fast_loop) as referee:
        clients = Clients(referee)
        made = referee.create(clock=TIGHT)
        bots = [clients.seated(made, seat) for seat in range(2)]
        running = referee.running
        assert running is not None
        loop = running.server.loop
        assert loop is not None
        heard = [0]

        def stall() -> None:
            time.sleep(STALL_S)  # the fault under test, not a wait of the test

        def hold_up(_seat: int, _response: object) -> None:
            heard[0] += 1
            if heard[0] % 40 == 0 and heard[0] <= 160:
                if thread == "transport":
                    loop.call_soon_threadsafe(stall)
                else:
                    threading.Thread(target=lambda: referee.run_sync(stall), daemon=True).start()

        play_to_the_end(bots, made.table.setup.match, hold_up)
        clients.close()
        charged = charged_beyond_the_allowance(made.journal.path)
        assert len(charged) > 50
        assert not any(charged.values()), charged


@pytest.mark.parametrize("is_there", [True, False])
def test_a_bot_that_comes_while_the_referee_does_not_hear_is_not_charged_for_that(tmp_path: Path, is_there: bool) -> None:
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        made = referee.create(clock=COMING)
        bots = [clients.seated(made, seat) for seat in range(2)]
        match = made.table.setup.match
        first = next(seat for seat in range(2) if made.table.asked_seat == seat)
        bots[first].until("decision")
        if not is_there:
            bots[first].drop()
        standing = threading.Event()

        def stall() -> None:
            standing.set()
            time.sleep(LONG_STALL_S)  # the fault under test, not a wait of the test

        threading.Thread(target=lambda: referee.run_sync(stall), daemon=True).start()
        assert standing.wait(60)
        again = clients.seated(made, first, evict=True)
        decision = again.until("decision").decision
        again.answer(match, decision.id, index=int(decision.default_index))
        again.until("answer_accepted")
        clients.close()
        charged = charged_beyond_the_allowance(made.journal.path, COMING)
        assert len(charged) == 1
        assert not any(charged.values()), charged


def test_a_disk_that_is_slow_charges_nobody_and_holds_up_no_other_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with live_referee(tmp_path) as referee:
        clients = Clients(referee)
        slow, quick = referee.create(clock=TIGHT), referee.create(clock=TIGHT)
        released = threading.Event()
        append, stalled = Journal.append, []

        def append_slowly(journal: Journal, line: bytes) -> None:
            if journal.path == slow.journal.path and b'"n":5' in line:
                stalled.append(line)
                assert released.wait(60)
            append(journal, line)

        monkeypatch.setattr(Journal, "append", append_slowly)
        bots = [clients.seated(slow, seat) for seat in range(2)]
        playing = threading.Thread(target=play_to_the_end, args=(bots, slow.table.setup.match), daemon=True)
        playing.start()
        others = [clients.seated(quick, seat) for seat in range(2)]
        play_to_the_end(others, quick.table.setup.match)
        assert not slow.table.ended
        released.set()
        playing.join(60)
        clients.close()
        assert stalled
        assert not any(charged_beyond_the_allowance(slow.journal.path).values())


def test_a_disk_that_refuses_suspends_its_match_which_goes_on_when_it_takes_lines_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live_referee(tmp_path, limits=Limits(disk_retry_ms=10)) as referee:
        clients = Clients(referee)
        made = referee.create(clock=TIGHT)
        append = Journal.append
        refusals = [0]

        def append_or_refuse(journal: Journal, line: bytes) -> None:
            if b'"n":7' in line and refusals[0] < 5:
                refusals[0] += 1
                raise JournalError("no space left on the device")
            append(journal, line)

        monkeypatch.setattr(Journal, "append", append_or_refuse)
        bots = [clients.seated(made, seat) for seat in range(2)]
        results = play_to_the_end(bots, made.table.setup.match)
        clients.close()
        assert refusals == [5]
        assert not any(standing.faults for standing in results[0].standings)
        assert not any(charged_beyond_the_allowance(made.journal.path).values())


def test_a_disk_that_never_takes_lines_again_voids_its_match_for_nobodys_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live_referee(tmp_path, limits=Limits(disk_retry_ms=10, disk_give_up_ms=50)) as referee:
        clients = Clients(referee)
        made = referee.create(clock=TIGHT)
        append = Journal.append

        def refuse(journal: Journal, line: bytes) -> None:
            if b'"kind":"decision"' in line:
                raise JournalError("no space left on the device")
            append(journal, line)

        monkeypatch.setattr(Journal, "append", refuse)
        bots = [clients.seated(made, seat) for seat in range(2)]
        results = play_to_the_end(bots, made.table.setup.match)
        clients.close()
        assert [result.ending for result in results] == [match_pb2.ENDING_VOIDED] * 2
        assert not results[0].standings
