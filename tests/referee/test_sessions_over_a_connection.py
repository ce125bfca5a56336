"""Sessions that break and resume, change owners, and get events at once or together."""

from pathlib import Path

import grpc
import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.matches.making import MadeMatch
from mergemaker_referee.records.files import record_chunks
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_testkit.live_referee import Clients, LiveReferee, RawBot, StreamEnd, live_referee, play_to_the_end


def first_question(bots: list[RawBot]) -> tuple[int, referee_pb2.Decision, dict[int, int]]:
    """The first seat asked, its question, and the last event that each has seen."""
    started = [bot.until("match_started") for bot in bots]
    first = started[0].match_started.view.turn_seat
    responses = [started[first]]
    while not responses[-1].HasField("decision"):
        response = bots[first].next()
        assert not isinstance(response, StreamEnd)
        responses.append(response)
    seen = {0: 0, 1: 0}
    seen[first] = max(event.number for response in responses for event in response.events)
    return first, responses[-1].decision, seen


def seats(made: MadeMatch, clients: Clients) -> tuple[list[RawBot], list[referee_pb2.Welcome]]:
    bots, welcomes = [], []
    for token in made.tokens:
        bot = clients.bot(token)
        welcomes.append(bot.hello())
        bot.take_seat()
        bots.append(bot)
    return bots, welcomes


def resume(token: str, match: str, seen: int) -> referee_pb2.Resume:
    return referee_pb2.Resume(resume_token=token, seen=[referee_pb2.SeenMatch(match=match, last_event=seen)])


def test_a_match_is_offered_in_full(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    bot = clients.bot(made.tokens[1])
    bot.hello()
    offered = bot.take_seat()
    setup = made.table.setup
    assert setup.promise is not None
    assert (offered.seat, offered.seats, offered.commitment) == (1, 2, setup.promise.commitment)
    assert offered.rules.fingerprint == setup.rules.fingerprint()
    assert (offered.clock.name, offered.faults.refusals_max) == ("standard", 3)


def test_a_bot_that_is_cut_off_while_it_is_asked_goes_on_with_the_same_question(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots, welcomes = seats(made, clients)
    first, decision, seen = first_question(bots)
    bots[first].drop()
    again = clients.bot(made.tokens[first])
    welcome = again.hello(resume=resume(welcomes[first].resume_token, match, seen[first]))
    assert welcome.resumed
    assert welcome.session == welcomes[first].session
    assert welcome.resume_token != welcomes[first].resume_token
    assert again.until("match_offered").match_offered.seat == first
    back = again.until("decision")
    assert (back.decision.id, back.decision.view.hand) == (decision.id, decision.view.hand)
    assert not back.events, "nothing was missed, so nothing is told again"
    bots[first] = again
    again.answer(match, decision.id, decision.default_index)
    play_to_the_end(bots, match)
    verify(record_chunks(made.journal.path))
    end = read_record(record_chunks(made.journal.path)).end
    assert end is not None
    assert not any(end.faults)


def test_missed_events_are_told_on_resuming_each_once(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots, welcomes = seats(made, clients)
    first, decision, _ = first_question(bots)
    other = 1 - first
    bots[other].drop()
    bots[first].answer(match, decision.id, decision.default_index)
    bots[first].until("answer_accepted")
    again = clients.bot(made.tokens[other])
    again.hello(resume=resume(welcomes[other].resume_token, match, 2))
    shown = again.until("match_started")
    numbers = [event.number for event in shown.events]
    assert numbers == list(range(3, shown.match_started.view.last_event + 1))


def test_a_break_before_the_claim_of_a_new_session_arrives_costs_no_seat(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots, _ = seats(made, clients)
    first, decision, seen = first_question(bots)
    bots[first].drop()
    lost = clients.bot(made.tokens[first])
    welcome = lost.hello(evict=True)
    assert not welcome.resumed
    lost.drop()  # its claim to its seat has not arrived
    again = clients.bot(made.tokens[first])
    assert again.hello(resume=resume(welcome.resume_token, match, seen[first])).resumed
    assert again.until("match_offered").match_offered.seat == first
    back = again.until("decision")
    assert back.decision.id == decision.id
    assert not back.events, "nothing was missed, so nothing is told again"
    bots[first] = again
    again.answer(match, decision.id, decision.default_index)
    play_to_the_end(bots, match)


def test_a_bot_that_says_it_plays_a_match_whose_end_was_lost_on_the_way_is_told_it_again(
    referee: LiveReferee, clients: Clients
) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots, welcomes = seats(made, clients)
    results = play_to_the_end(bots, match)
    bots[0].drop()
    again = clients.bot(made.tokens[0])
    assert again.hello(resume=resume(welcomes[0].resume_token, match, 3)).resumed
    assert again.until("match_ended").match_ended == results[0]


@pytest.mark.parametrize(("named", "reason"), [("no-such-match", "unknown-match"), ("another's", "not-your-seat")])
def test_a_bot_that_says_it_plays_what_it_has_no_seat_of_is_told_so(
    referee: LiveReferee, clients: Clients, named: str, reason: str
) -> None:
    own, others = referee.create(), referee.create()
    name = others.table.setup.match if named == "another's" else named
    bot = clients.bot(own.tokens[0])
    token = bot.hello().resume_token
    bot.drop()
    again = clients.bot(own.tokens[0])
    assert again.hello(resume=resume(token, name, 0)).resumed
    refused = again.until("request_refused")
    assert (refused.match, refused.request_refused.request) == (name, "take_seat")
    assert refused.request_refused.problem.reason == reason


def test_a_resume_token_works_once(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    bot = clients.bot(made.tokens[0])
    token = bot.hello().resume_token
    bot.drop()
    assert clients.bot(made.tokens[0]).hello(resume=resume(token, "", 0), evict=True).resumed
    assert not clients.bot(made.tokens[0]).hello(resume=resume(token, "", 0), evict=True).resumed


def test_a_resume_token_is_no_use_to_another_bot(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    token = clients.bot(made.tokens[0]).hello().resume_token
    assert not clients.bot(made.tokens[1]).hello(resume=resume(token, "", 0)).resumed


def test_the_newer_stream_of_a_session_displaces_the_older_which_is_told_not_to_come_back(
    referee: LiveReferee, clients: Clients
) -> None:
    made = referee.create()
    bots, welcomes = seats(made, clients)
    first_question(bots)
    newer = clients.bot(made.tokens[0])
    assert newer.hello(resume=resume(welcomes[0].resume_token, made.table.setup.match, 0)).resumed
    goodbye, ended = bots[0].goodbye()
    assert (goodbye.reason, goodbye.reconnect, ended.code) == ("taken-over", False, grpc.StatusCode.ABORTED)
    newer.until("match_started")


def test_evicting_ends_the_live_session_and_its_seats_can_be_claimed(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots, _ = seats(made, clients)
    first, decision, _ = first_question(bots)
    newer = clients.bot(made.tokens[first])
    assert not newer.hello(evict=True).resumed
    assert bots[first].goodbye()[0].reason == "taken-over"
    assert newer.take_seat(match).seat == first
    assert newer.until("decision").decision.id == decision.id


def test_a_new_session_claims_the_seat_of_one_whose_stream_is_gone(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    bots, _ = seats(made, clients)
    first, decision, _ = first_question(bots)
    bots[first].drop()
    newer = clients.bot(made.tokens[first])
    newer.hello(evict=True)  # the referee may notice the old stream's end milliseconds later
    newer.take_seat()
    assert newer.until("decision").decision.id == decision.id


def test_held_events_come_with_the_next_question_each_once_and_in_order(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    bots = [clients.seated(made, seat, event_mode=referee_pb2.EVENT_MODE_HELD) for seat in range(2)]
    heard: list[list[referee_pb2.PlayResponse]] = [[], []]
    play_to_the_end(bots, made.table.setup.match, lambda seat, response: heard[seat].append(response))
    for seat, responses in enumerate(heard):
        numbers = [event.number for response in responses for event in response.events]
        assert numbers == list(range(1, len(made.table.events_since(seat, 0)) + 1))
        for response in responses:
            assert response.HasField("decision") or response.HasField("match_started") or response.HasField("match_ended")
            if response.HasField("decision"):
                seen = [event.number for each in responses[: responses.index(response) + 1] for event in each.events]
                assert response.decision.view.last_event == max(seen)


def test_events_come_as_they_happen_for_who_wants_them_so(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    bots = [clients.seated(made, seat) for seat in range(2)]
    heard: list[list[referee_pb2.PlayResponse]] = [[], []]
    play_to_the_end(bots, made.table.setup.match, lambda seat, response: heard[seat].append(response))
    alone = [response for response in heard[0] if response.events and not response.HasField("decision")]
    assert len(alone) > len(heard[1]) / 4


def test_pings_are_answered_with_pongs(referee: LiveReferee, clients: Clients) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.hello()
    bot.send(referee_pb2.PlayRequest(ping=referee_pb2.Ping(id=7)))
    assert bot.until("pong").pong.id == 7


def test_a_bot_that_comes_back_after_the_end_is_told_how_it_ended(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots, _ = seats(made, clients)
    results = play_to_the_end(bots, match)
    late = clients.bot(made.tokens[0])
    late.hello(evict=True)
    late.take_seat()
    assert late.until("match_ended").match_ended == results[0]
    late.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
    assert late.until("request_refused").request_refused.problem.reason == "match-over"


@pytest.mark.parametrize("resigning", [0, 1])
def test_who_resigns_is_asked_no_more_and_the_other_plays_on(referee: LiveReferee, clients: Clients, resigning: int) -> None:
    made = referee.create()
    match = made.table.setup.match
    bots, _ = seats(made, clients)
    bots[resigning].send(referee_pb2.PlayRequest(match=match, resign=referee_pb2.Resign()))
    results = play_to_the_end(bots, match)
    statuses = [standing.status for standing in sorted(results[0].standings, key=lambda each: each.seat)]
    assert statuses[resigning] != statuses[1 - resigning]


def known_bots(*names: str) -> tuple[dict[str, str], dict[str, str]]:
    """Tokens by name, and their setting."""
    tokens = {name: fresh_token(TokenKind.BOT) for name in names}
    return tokens, {name: token_hash(token) for name, token in tokens.items()}


def seats_given(bot: RawBot, count: int) -> set[str]:
    given: list[str] = []
    while len(given) < count:
        given.append(bot.until("match_offered").match)
    return set(given)


def test_a_known_bot_that_asks_for_two_seats_gets_seats_of_two_matches(tmp_path: Path) -> None:
    tokens, hashes = known_bots("ann", "bea")
    with live_referee(tmp_path, bots=hashes) as referee:
        clients = Clients(referee)
        matches = {referee.create(bots=["ann", "bea"]).table.setup.match for _ in range(2)}
        bot = clients.bot(tokens["ann"])
        bot.hello(matches_max=2)
        for _ in range(2):
            bot.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
        assert seats_given(bot, 2) == matches
        bot.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
        assert bot.until("request_refused").request_refused.problem.reason == "too-many-matches"
        clients.close()


def test_a_known_bot_that_waits_for_two_matches_gets_both_and_no_third(tmp_path: Path) -> None:
    tokens, hashes = known_bots("ann", "bea")
    with live_referee(tmp_path, bots=hashes) as referee:
        clients = Clients(referee)
        bot = clients.bot(tokens["ann"])
        bot.hello(matches_max=2)
        for _ in range(3):
            bot.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
        # It waits for both that it may play when the third is refused.
        assert bot.until("request_refused").request_refused.problem.reason == "too-many-matches"
        matches = [referee.create(bots=["ann", "bea"]).table.setup.match for _ in range(3)]
        assert seats_given(bot, 2) == set(matches[:2])
        clients.close()
