"""Results are what records say, matches continue under their own ids, and only its token identifies a bot."""

from pathlib import Path

from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.matches.making import MadeMatch
from mergemaker_referee.records.files import open_record
from mergemaker_referee.records.past_matches import summary_in
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_table.terms import ClockTerms
from mergemaker_testkit.live_referee import (
    Clients,
    LiveReferee,
    bearer,
    live_referee,
    match_stub,
    operator_settings,
    play_to_the_end,
)
from mergemaker_wire.matches import receipt_from_message, standing_from_message

TOKEN, SETTINGS = operator_settings()
PATIENT = ClockTerms(name="patient", allowance_ms=600_000, startup_ms=600_000)
BLINK = ClockTerms(name="blink", allowance_ms=5, startup_ms=60_000)


def _play(referee: LiveReferee, made: MadeMatch) -> None:
    clients = Clients(referee)
    play_to_the_end([clients.seated(made, seat) for seat in range(2)], made.table.setup.match)
    clients.close()


def _say_nothing(referee: LiveReferee, made: MadeMatch) -> None:
    clients = Clients(referee)
    bots = [clients.seated(made, seat) for seat in range(2)]
    for bot in bots:
        bot.until("match_ended")
    clients.close()


def _listed(referee: LiveReferee) -> list[matches_pb2.MatchSummary]:
    with referee.channel() as channel:
        return list(match_stub(channel).ListMatches(matches_pb2.ListMatchesRequest(), metadata=bearer(TOKEN)).matches)


def _cancel(referee: LiveReferee, match: str) -> None:
    with referee.channel() as channel:
        match_stub(channel).CancelMatch(matches_pb2.CancelMatchRequest(match=match), metadata=bearer(TOKEN))


def _over(listed: list[matches_pb2.MatchSummary]) -> dict[str, matches_pb2.MatchSummary]:
    return {each.match: each for each in listed if each.phase == matches_pb2.MATCH_PHASE_OVER}


def test_results_are_as_many_as_records_with_an_end_and_say_the_same(tmp_path: Path) -> None:
    with live_referee(tmp_path, **SETTINGS) as referee:
        _play(referee, referee.create(clock=PATIENT))
        _say_nothing(referee, referee.create(clock=BLINK))
        cancelled = referee.create()
        _cancel(referee, cancelled.table.setup.match)
        waiting = referee.create()
        over = _over(_listed(referee))
        folder = waiting.journal.path.parent
    ends = {}
    for path in folder.glob("*.jsonl"):
        record = open_record(path)
        if record.end is not None:
            ends[record.header.match] = record.end
    assert set(over) == set(ends)
    assert len(ends) == 3
    for match, summary in over.items():
        end = ends[match]
        standings = [standing_from_message(each) for each in summary.standings]
        if end.cash is None or end.places is None:
            assert (summary.ending, standings) == (match_pb2.ENDING_VOIDED, [])
            continue
        assert [(each.cash, each.place, each.status) for each in standings] == list(
            zip(end.cash, end.places, end.statuses, strict=True)
        )
        assert [each.faults for each in standings] == [
            {AnsweredBy(by): count for by, count in found.items()} for found in end.faults
        ]
    # A restarted server reads them from the records, and finds the same.
    again = {match: summary_in(path) for path in folder.glob("*.jsonl") if (match := open_record(path).header.match) in ends}
    assert {match: summary.standings for match, summary in again.items() if summary} == {
        match: summary.standings for match, summary in over.items()
    }


def test_the_receipts_that_bots_and_operator_get_are_the_records(tmp_path: Path) -> None:
    with live_referee(tmp_path, **SETTINGS) as referee:
        made, cancelled = referee.create(clock=PATIENT), referee.create()
        clients = Clients(referee)
        told = play_to_the_end([clients.seated(made, seat) for seat in range(2)], made.table.setup.match)
        clients.close()
        _cancel(referee, cancelled.table.setup.match)
        over = _over(_listed(referee))
    receipts = {record.header.match: record.receipt for record in map(open_record, tmp_path.glob("records/*.jsonl"))}
    assert len(receipts) == 2
    assert {match: receipt_from_message(summary.receipt) for match, summary in over.items()} == receipts
    assert {receipt_from_message(ended.receipt) for ended in told} == {receipts[made.table.setup.match]}
    with live_referee(tmp_path, **SETTINGS) as referee:
        again = _over(_listed(referee))
    assert {match: receipt_from_message(summary.receipt) for match, summary in again.items()} == receipts


def test_matches_that_were_broken_off_go_on_by_their_ids_and_are_not_played_anew(tmp_path: Path) -> None:
    with live_referee(tmp_path, **SETTINGS) as referee:
        done = referee.create(clock=PATIENT)
        _play(referee, done)
        broken = [referee.create(clock=PATIENT) for _ in range(2)]
        clients = Clients(referee)
        for made in broken:
            bots = [clients.seated(made, seat) for seat in range(2)]
            first = bots[0].until("match_started").match_started.view.turn_seat
            asked = bots[first].until("decision").decision
            bots[first].answer(made.table.setup.match, asked.id, index=int(asked.default_index))
            bots[first].until("answer_accepted")
        clients.close()
    folder = done.journal.path.parent
    before = {path: path.read_bytes() for path in folder.glob("*.jsonl")}
    assert set(before) == {made.journal.path for made in (done, *broken)}
    with live_referee(tmp_path, **SETTINGS) as referee:
        unfinished = {each.match for each in _listed(referee)} - set(_over(_listed(referee)))
        assert unfinished == {made.table.setup.match for made in broken}
        for made in reversed(broken):
            _play(referee, made)
    after = {path: path.read_bytes() for path in folder.glob("*.jsonl")}
    assert set(after) == set(before)
    assert after[done.journal.path] == before[done.journal.path]
    for made in broken:
        text = after[made.journal.path]
        assert text.startswith(before[made.journal.path])
        assert verify([text]).record.header.match == made.table.setup.match


def test_a_name_is_no_proof(tmp_path: Path) -> None:
    tokens = {name: fresh_token(TokenKind.BOT) for name in ("ann", "eve")}
    with live_referee(tmp_path, bots={name: token_hash(token) for name, token in tokens.items()}) as referee:
        made = referee.create(bots=["ann", "eve"], clock=PATIENT)
        clients = Clients(referee)
        eve = clients.bot(tokens["eve"])
        assert eve.hello(bot_name="ann").bot_name == "eve"
        eve.send(referee_pb2.PlayRequest(match=made.table.setup.match, take_seat=referee_pb2.TakeSeat(seat=0)))
        refused = eve.until("request_refused").request_refused
        assert (refused.request, refused.problem.reason) == ("take_seat", "not-your-seat")
        assert eve.take_seat(made.table.setup.match).seat == 1
        ann = clients.bot(tokens["ann"])
        ann.hello(bot_name="eve")
        assert ann.take_seat(made.table.setup.match).seat == 0
        assert [bot.name for bot in ann.until("match_started").match_started.bots] == ["ann", "eve"]
        clients.close()
