"""For every bad input, a client gets a typed error, and nothing else is disturbed."""

import grpc
import pytest
from mergemaker.v1 import actions_pb2, referee_pb2
from mergemaker_referee.sessions.greeting import CAPABILITIES_MAX, OLDEST_PROTOCOL, PROTOCOL, PROTOCOLS_MAX
from mergemaker_referee.sessions.session import Session
from mergemaker_testkit.live_referee import Clients, LiveReferee, RawBot, StreamEnd, play_to_the_end

FIVE_MEBIBYTES = 5 * 1024 * 1024


def nobody_else_was_disturbed(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    bots = [clients.seated(made, seat) for seat in range(2)]
    results = play_to_the_end(bots, made.table.setup.match)
    assert all(not standing.faults for result in results for standing in result.standings)


def asked(clients: Clients, referee: LiveReferee) -> tuple[str, RawBot, referee_pb2.Decision, RawBot]:
    """A match whose question has just gone out: the match, that client, the question, and the other client."""
    made = referee.create()
    match = made.table.setup.match
    bots = [clients.seated(made, seat) for seat in range(2)]
    started = [bot.until("match_started") for bot in bots]
    first = started[0].match_started.view.turn_seat
    response = started[first] if started[first].HasField("decision") else bots[first].until("decision")
    return match, bots[first], response.decision, bots[1 - first]


def refusal(bot: RawBot) -> referee_pb2.AnswerRefused:
    return bot.until("answer_refused").answer_refused


def test_no_token_is_unauthenticated(referee: LiveReferee, clients: Clients) -> None:
    ended = clients.bot(None).end()
    assert (ended.code, ended.reason) == (grpc.StatusCode.UNAUTHENTICATED, "no-token")
    nobody_else_was_disturbed(referee, clients)


def test_a_wrong_token_is_unauthenticated(referee: LiveReferee, clients: Clients) -> None:
    ended = clients.bot("mms_nobody-has-this-one").end()
    assert (ended.code, ended.reason) == (grpc.StatusCode.UNAUTHENTICATED, "wrong-token")
    nobody_else_was_disturbed(referee, clients)


@pytest.mark.parametrize("spoken", [[PROTOCOL + 1], [2**32 - 1], [PROTOCOL + 2, PROTOCOL + 1]])
def test_protocols_of_which_none_is_served_are_refused_and_what_to_update_is_told(
    referee: LiveReferee, clients: Clients, spoken: list[int]
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=spoken)))
    goodbye, ended = bot.goodbye()
    assert goodbye.reason == ended.reason == "protocol-version"
    assert not goodbye.reconnect
    assert f"version {PROTOCOL}" in goodbye.text
    assert f"client {', '.join(map(str, spoken))}: " in goodbye.text
    assert "update the referee" in goodbye.text
    assert ended.code is grpc.StatusCode.FAILED_PRECONDITION
    nobody_else_was_disturbed(referee, clients)


@pytest.mark.parametrize("spoken", range(OLDEST_PROTOCOL, PROTOCOL + 1))
def test_who_speaks_a_version_that_is_served_is_answered_in_it(referee: LiveReferee, clients: Clients, spoken: int) -> None:
    assert clients.bot(referee.create().tokens[0]).hello(protocols=[spoken]).protocol == spoken


@pytest.mark.parametrize("spoken", [[], [0], [PROTOCOL + 1, 1], [1, PROTOCOL + 1], [0, 99], [1] * PROTOCOLS_MAX])
def test_the_newest_version_that_both_speak_is_chosen_and_who_names_none_speaks_1(
    referee: LiveReferee, clients: Clients, spoken: list[int]
) -> None:
    assert clients.bot(referee.create().tokens[0]).hello(protocols=spoken).protocol == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"protocols": [1] * (PROTOCOLS_MAX + 1)}, "too-many-protocols"),
        ({"capabilities": ["x"] * (CAPABILITIES_MAX + 1)}, "too-many-capabilities"),
        ({"capabilities": [""]}, "bad-capability"),
        ({"capabilities": ["x" * 65]}, "bad-capability"),
        ({"capabilities": ["joint-deal", "Joint Deal"]}, "bad-capability"),
    ],
)
def test_a_hello_that_says_too_much_or_what_no_capability_is_called_is_refused(
    referee: LiveReferee, clients: Clients, fields: dict[str, object], reason: str
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(**fields)))  # type: ignore[arg-type]
    goodbye, ended = bot.goodbye()
    assert goodbye.reason == ended.reason == reason
    assert ended.code is grpc.StatusCode.INVALID_ARGUMENT
    nobody_else_was_disturbed(referee, clients)


def test_capabilities_that_the_referee_does_not_know_are_passed_over(referee: LiveReferee, clients: Clients) -> None:
    said = ["joint-deal", "knob:two_player_market", "telepathy"]
    assert clients.bot(referee.create().tokens[0]).hello(capabilities=said).protocol == 1


def test_the_first_request_is_a_hello_and_no_other_is(referee: LiveReferee, clients: Clients) -> None:
    tokens = referee.create().tokens
    first = clients.bot(tokens[0])
    first.send(referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()))
    assert first.goodbye()[0].reason == "no-hello"
    second = clients.bot(tokens[1])
    second.hello()
    second.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
    goodbye, ended = second.goodbye()
    assert (goodbye.reason, ended.code) == ("second-hello", grpc.StatusCode.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"bot_name": "x" * 65}, "bad-name"),
        ({"bot_version": "one\ntwo"}, "bad-name"),
    ],
)
def test_a_hello_that_cannot_be_is_refused(
    referee: LiveReferee, clients: Clients, fields: dict[str, object], reason: str
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], **fields)))  # type: ignore[arg-type]
    goodbye, ended = bot.goodbye()
    assert (goodbye.reason, ended.code) == (reason, grpc.StatusCode.INVALID_ARGUMENT)


def test_an_unknown_match_has_no_seat_to_take(referee: LiveReferee, clients: Clients) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.hello()
    bot.send(referee_pb2.PlayRequest(match="nowhere", take_seat=referee_pb2.TakeSeat()))
    refused = bot.until("request_refused").request_refused
    assert (refused.request, refused.problem.reason) == ("take_seat", "unknown-match")
    bot.take_seat()
    nobody_else_was_disturbed(referee, clients)


def test_an_answer_for_a_match_in_which_one_has_no_seat_is_refused(referee: LiveReferee, clients: Clients) -> None:
    other = referee.create().table.setup.match
    bot = clients.seated(referee.create(), 0)
    bot.answer(other, 1, 0)
    assert refusal(bot).problem.reason == "unknown-match"


def test_another_seat_than_ones_own_cannot_be_taken(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    bot = clients.bot(made.tokens[0])
    bot.hello()
    bot.send(referee_pb2.PlayRequest(match=made.table.setup.match, take_seat=referee_pb2.TakeSeat(seat=1)))
    assert bot.until("request_refused").request_refused.problem.reason == "not-your-seat"


def test_a_taken_seat_stays_with_who_has_it(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create()
    clients.seated(made, 0)
    intruder = clients.bot(made.tokens[0])
    intruder.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
    goodbye, ended = intruder.goodbye()
    assert (goodbye.reason, ended.code) == ("session-alive", grpc.StatusCode.ALREADY_EXISTS)
    nobody_else_was_disturbed(referee, clients)


@pytest.mark.parametrize("garbage", [b"\xff\xff\xff\xff", b"\x0a\xff", bytes(range(256))])
def test_garbage_ends_the_stream_with_a_typed_error(referee: LiveReferee, clients: Clients, garbage: bytes) -> None:
    bot = clients.seated(referee.create(), 0)
    bot.send(garbage)
    goodbye, ended = bot.goodbye()
    assert (goodbye.reason, ended.code) == ("unreadable", grpc.StatusCode.INVALID_ARGUMENT)
    nobody_else_was_disturbed(referee, clients)


def test_a_request_of_five_mebibytes_ends_the_stream(referee: LiveReferee, clients: Clients) -> None:
    bot = clients.seated(referee.create(), 0)
    bot.send(referee_pb2.PlayRequest(match="m", answer=referee_pb2.Answer(decision=1, note="x" * FIVE_MEBIBYTES)))
    assert bot.end().code is grpc.StatusCode.RESOURCE_EXHAUSTED
    nobody_else_was_disturbed(referee, clients)


def test_an_unknown_kind_of_request_is_refused_and_the_stream_goes_on(referee: LiveReferee, clients: Clients) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.hello()
    bot.send(referee_pb2.PlayRequest())
    assert bot.until("request_refused").request_refused.problem.reason == "unknown-request"
    bot.take_seat()


def test_an_answer_to_another_decision_is_refused_as_not_asked(referee: LiveReferee, clients: Clients) -> None:
    match, bot, decision, _ = asked(clients, referee)
    bot.answer(match, decision.id + 7, 0)
    assert refusal(bot).problem.reason == "not-asked"
    nobody_else_was_disturbed(referee, clients)


def test_an_answer_sent_twice_is_applied_once_and_acknowledged_twice(referee: LiveReferee, clients: Clients) -> None:
    match, bot, decision, _ = asked(clients, referee)
    bot.answer(match, decision.id, decision.default_index)
    bot.answer(match, decision.id, decision.default_index)
    acknowledged = 0
    numbers = []
    while acknowledged < 2:
        response = bot.next()
        assert not isinstance(response, StreamEnd)
        acknowledged += response.HasField("answer_accepted") and response.answer_accepted.decision == decision.id
        numbers += [event.number for event in response.events]
        if response.HasField("decision"):
            bot.answer(match, response.decision.id, response.decision.default_index)
    assert numbers == sorted(set(numbers))
    nobody_else_was_disturbed(referee, clients)


def test_an_illegal_answer_is_refused_with_its_rule_and_how_many_are_left(referee: LiveReferee, clients: Clients) -> None:
    match, bot, decision, _ = asked(clients, referee)
    not_mine = next(square for square in range(108) if square not in decision.view.hand)
    bot.answer(match, decision.id, action=actions_pb2.Action(place=actions_pb2.Place(square=not_mine)))
    refused = refusal(bot)
    assert (refused.problem.reason, refused.problem.rule, refused.refusals_left) == ("not-your-tile", "PLC-1", 2)
    bot.answer(match, decision.id, decision.default_index)
    bot.until("answer_accepted")
    nobody_else_was_disturbed(referee, clients)


@pytest.mark.parametrize("index", [10_000, 2**63])
def test_an_index_out_of_range_is_refused(referee: LiveReferee, clients: Clients, index: int) -> None:
    match, bot, decision, _ = asked(clients, referee)
    bot.answer(match, decision.id, index)
    assert refusal(bot).problem.reason == "bad-index"
    nobody_else_was_disturbed(referee, clients)


def test_an_answer_that_is_none_is_refused_as_unreadable(referee: LiveReferee, clients: Clients) -> None:
    match, bot, decision, _ = asked(clients, referee)
    bot.answer(match, decision.id)
    assert refusal(bot).problem.reason == "no-choice"
    bot.answer(match, decision.id, action=actions_pb2.Action())
    assert refusal(bot).problem.reason == "not-set"


def test_a_note_that_is_too_long_is_refused(referee: LiveReferee, clients: Clients) -> None:
    match, bot, decision, _ = asked(clients, referee)
    bot.answer(match, decision.id, decision.default_index, note="ä" * 513)
    assert refusal(bot).problem.reason == "note-too-long"


def test_an_answer_for_another_seat_is_refused(referee: LiveReferee, clients: Clients) -> None:
    match, _, decision, other = asked(clients, referee)
    other.answer(match, decision.id, decision.default_index)
    assert refusal(other).problem.reason == "not-asked"
    nobody_else_was_disturbed(referee, clients)


def test_three_illegal_answers_take_the_default_and_say_so(referee: LiveReferee, clients: Clients) -> None:
    match, bot, decision, _ = asked(clients, referee)
    for _ in range(3):
        bot.answer(match, decision.id, 10_000)
    taken = bot.until("default_taken").default_taken
    assert (taken.decision, taken.defaults_left) == (decision.id, 4)


@pytest.mark.parametrize("match", ["ünknown", "x" * 64, "\0", "../../etc/passwd", "C:\\CON", "%s%n"])
def test_whatever_a_client_calls_a_match_it_is_answered_by_that_name(referee: LiveReferee, clients: Clients, match: str) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.hello()
    bot.send(referee_pb2.PlayRequest(match=match, take_seat=referee_pb2.TakeSeat()))
    refused = bot.until("request_refused")
    assert (refused.match, refused.request_refused.problem.reason) == (match, "unknown-match")
    bot.answer(match, 1, 0)
    assert bot.until("answer_refused").match == match
    nobody_else_was_disturbed(referee, clients)


@pytest.mark.parametrize("kind", ["take_seat", "resign", "answer", "seat_ready", "seat_reveal"])
def test_a_name_that_no_match_can_have_is_refused_in_fewer_bytes_than_it_took(
    referee: LiveReferee, clients: Clients, kind: str
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.hello()
    request = referee_pb2.PlayRequest(match="ü" * 1_500)
    getattr(request, kind).SetInParent()
    bot.send(request)
    refused = bot.until("request_refused")
    assert (refused.match, refused.request_refused.request) == ("", kind)
    assert (refused.request_refused.problem.reason, refused.ByteSize() < 200) == ("unknown-match", True)
    nobody_else_was_disturbed(referee, clients)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        ([referee_pb2.SeenMatch(match=f"m{number}") for number in range(33)], "too-many-seen"),
        ([referee_pb2.SeenMatch(match="x" * 65)], "bad-name"),
    ],
)
def test_who_comes_back_names_no_more_than_it_can_play(
    referee: LiveReferee, clients: Clients, seen: list[referee_pb2.SeenMatch], reason: str
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    resume = referee_pb2.Resume(seen=seen)
    bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], resume=resume)))
    assert bot.until("goodbye").goodbye.reason == reason
    nobody_else_was_disturbed(referee, clients)


@pytest.mark.parametrize(("wish", "most"), [(0, 1), (1, 1), (3, 3), (16, 16), (17, 16), (2**32 - 1, 16)])
def test_who_wants_more_matches_than_there_may_be_has_as_many_as_may_be_and_is_told(
    referee: LiveReferee, clients: Clients, wish: int, most: int
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    welcome = bot.hello(matches_max=wish)
    assert welcome.limits.matches_max == 16
    assert referee.running is not None
    sessions = referee.running.referee._lobby._greeter.sessions
    assert referee.run_sync(lambda: sessions[welcome.session].matches_max) == most


def test_a_bot_may_name_twice_as_many_matches_as_it_plays(referee: LiveReferee, clients: Clients) -> None:
    bot = clients.bot(referee.create().tokens[0])
    resume = referee_pb2.Resume(seen=[referee_pb2.SeenMatch(match=f"m{number}") for number in range(32)])
    bot.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], resume=resume)))
    assert bot.until("welcome").welcome.limits.request_bytes_max == 4_096


def test_a_fault_over_one_clients_request_ends_its_stream_alone(
    referee: LiveReferee, clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = clients.bot(referee.create().tokens[0])
    bot.hello()

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(Session, "pong", broken)
        bot.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=1)))
        ended = bot.end()
    assert (ended.code, ended.reason) == (grpc.StatusCode.INTERNAL, "fault")
    nobody_else_was_disturbed(referee, clients)
