"""What a bot's author sees: one call, failures reported with the position, and a clean end."""

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mergemaker_client import running
from mergemaker_client.answer import Answer, Noted
from mergemaker_client.bot import AsyncBot, Bot
from mergemaker_client.environment import Environment
from mergemaker_client.errors import BotError
from mergemaker_client.factories import AnyKind, factory_of
from mergemaker_client.outputs import Ask, Delivered
from mergemaker_client.playing import BotFailed
from mergemaker_client.problems import BadSetting
from mergemaker_client.reconnecting import Patience
from mergemaker_client.running import play, run, wishes_of
from mergemaker_client.turn import MatchInfo, MatchResult, Turn
from mergemaker_client.wishes import Wishes
from mergemaker_engine.actions import STOP
from mergemaker_engine.events import Event
from mergemaker_engine.notation import parse_position
from mergemaker_testkit.toy_referee import NONCE, TOKEN, Plan, ToyReferee, toy_referee

QUICK = Patience(reconnect_ms_min=1, reconnect_ms_max=2)
LIMIT_S = 30


@pytest.fixture
def toy() -> Iterator[ToyReferee]:
    with toy_referee() as toy:
        yield toy


def environment(toy: ToyReferee) -> Environment:
    return Environment.read({"MERGEMAKER_SERVER": toy.target, "MERGEMAKER_TOKEN": TOKEN})


def played(toy: ToyReferee, bot: AnyKind, on_error: str = "default") -> list[str]:
    reports: list[str] = []
    play(bot, environment(toy), on_error=on_error, report=reports.append, patience=QUICK)
    return reports


def failing_once(base: type[Bot | AsyncBot], error: Callable[[Turn], Any]) -> type[Bot | AsyncBot]:
    """A bot that does something else at its third question, and otherwise takes the default."""

    class Failing(base):  # type: ignore[misc, valid-type]  # made for both kinds
        pass

    def answer(_: object, turn: Turn) -> Answer:
        return error(turn) if turn.number == 3 else turn.default

    async def answer_later(_: object, turn: Turn) -> Answer:
        return answer(_, turn)

    Failing.answer = answer_later if base is AsyncBot else answer
    return Failing


def boom(_: Turn) -> Answer:
    raise LookupError("no such idea")


KINDS = pytest.mark.parametrize("base", [Bot, AsyncBot])


@KINDS
def test_a_failure_is_reported_with_traceback_question_and_position_and_its_default_is_answered(
    toy: ToyReferee, base: type[Bot | AsyncBot]
) -> None:
    reports = played(toy, failing_once(base, boom))
    (report,) = [report for report in reports if "LookupError" in report]
    assert "Traceback (most recent call last)" in report
    assert "no such idea" in report
    assert "match toy-0, decision 3 (@seat0:3), Choose" in report
    assert "answered its default: " in report
    assert "\n# what seat 0 knows" in report
    assert parse_position(report[report.index("# what seat 0 knows") :]).decision is not None
    note = dict(toy.matches[0].answers)[3]
    assert note == "default, after LookupError"
    assert toy.matches[0].ended


@KINDS
def test_a_failure_ends_the_bot_where_that_is_wanted(toy: ToyReferee, base: type[Bot | AsyncBot]) -> None:
    with pytest.raises(BotFailed, match="decision 3") as caught:
        played(toy, failing_once(base, boom), "raise")
    assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (lambda _: None, "returned nothing"),
        (lambda _: 10_000, "the index 10000"),
        (lambda _: "5C", "not '5C'"),
        (lambda turn: Noted(turn.default, "x" * 2_000), "at most 1024 bytes"),
    ],
)
def test_what_is_no_answer_is_reported_and_the_default_answered(
    toy: ToyReferee, answer: Callable[[Turn], Any], what: str
) -> None:
    reports = played(toy, failing_once(Bot, answer))
    assert any(what in report for report in reports)
    assert toy.matches[0].ended
    assert toy.matches[0].refusals == 0


def test_an_illegal_answer_is_reported_with_the_rule_and_the_default_answered(toy: ToyReferee) -> None:
    reports = played(toy, failing_once(Bot, lambda _: STOP))
    assert any("decision 3 was refused" in report and "[PLC-1]" in report for report in reports)
    assert toy.matches[0].refusals == 1
    assert toy.matches[0].ended


@KINDS
def test_an_illegal_answer_ends_the_bot_where_that_is_wanted(toy: ToyReferee, base: type[Bot | AsyncBot]) -> None:
    with pytest.raises(BotFailed, match="decision 3 was refused"):
        played(toy, failing_once(base, lambda _: STOP), "raise")


@pytest.mark.parametrize("method", ["on_start", "on_events", "on_end"])
def test_a_failure_while_a_bot_is_told_is_reported_and_the_match_goes_on(toy: ToyReferee, method: str) -> None:
    class Deaf(Bot):
        pass

    def fail(_: Bot, __: object) -> None:
        raise LookupError("not heard")

    setattr(Deaf, method, fail)
    reports = played(toy, Deaf)
    assert any(f"failed in {method}" in report and "not heard" in report for report in reports)
    assert toy.matches[0].ended


def test_a_bot_that_cannot_be_made_for_a_later_match_leaves_it_to_the_defaults() -> None:
    made: list[Bot] = []

    def factory() -> Bot:
        if made:
            raise LookupError("no more bots")
        made.append(Bot())
        return made[0]

    with toy_referee(Plan(matches=2)) as toy:
        reports = played(toy, factory)
    assert any("no more bots" in report for report in reports)
    assert all(match.ended for match in toy.matches)


def test_a_factory_makes_bots_of_one_kind() -> None:
    made: list[Bot | AsyncBot] = []

    def factory() -> Bot | AsyncBot:
        made.append(AsyncBot() if made else Bot())
        return made[-1]

    with toy_referee(Plan(matches=2)) as toy, pytest.raises(BotError) as caught:
        played(toy, factory)
    assert caught.value.reason == "mixed-bots"


def test_a_bot_is_told_of_its_match_before_it_is_asked_and_of_every_event_once(toy: ToyReferee) -> None:
    told: list[object] = []
    between: list[int] = []

    class Listener(Bot):
        def on_start(self, match: MatchInfo) -> None:
            told.append(match)

        def on_events(self, events: object) -> None:
            told.append(events)

        def answer(self, turn: Turn) -> Answer:
            between.append(len(turn.events))
            assert turn.events_seen == sum(between)
            assert turn.time_left_ms is not None
            assert 0 < turn.time_left_ms <= 60_000
            return turn.default

        def on_end(self, result: MatchResult) -> None:
            told.append(result)

    played(toy, Listener, "raise")
    info, *events, result = told
    assert isinstance(info, MatchInfo)
    assert (info.match, info.seat, info.seats, info.bots, info.nonce) == ("toy-0", 0, 2, ("client", "default"), NONCE)
    assert [event for batch in events for event in batch] == toy.matches[0].seen  # type: ignore[attr-defined]  # tuples of events
    assert isinstance(result, MatchResult)
    assert result.why == "declared"


def test_a_note_comes_with_its_answer(toy: ToyReferee) -> None:
    played(toy, lambda turn: Noted(turn.default, f"number {turn.number}"))
    assert toy.matches[0].answers[4] == (5, "number 5")


def test_a_function_a_class_and_a_factory_can_be_run_and_a_bot_itself_cannot() -> None:
    class Mine(Bot):
        pass

    def made() -> Bot:
        return Mine()

    assert factory_of(Mine) is Mine
    assert isinstance(factory_of(lambda turn: turn.default)(), Bot)
    assert isinstance(factory_of(made)(), Mine)
    for wrong in (Mine(), 7):
        with pytest.raises(BotError) as caught:
            factory_of(wrong)
        assert caught.value.reason == "no-factory"


@pytest.mark.parametrize(
    "settings", [{"matches": 0}, {"matches_at_once": True}, {"events": "later"}, {"on_error": "ignore"}, {"matches": "3"}]
)
def test_a_wrong_setting_ends_with_2_and_a_message(settings: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run(Bot, server="grpc://127.0.0.1:1", token="t", **settings)  # noqa: S106 - a toy
    assert left.value.code == 2
    assert next(iter(settings)) in capsys.readouterr().err


def test_missing_variables_end_with_2_and_say_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("MERGEMAKER_SERVER", "MERGEMAKER_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as left:
        run(Bot)
    assert left.value.code == 2
    assert "MERGEMAKER_SERVER=grpc://" in capsys.readouterr().err


ANOTHER = "mms_another"


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (Plan(token=ANOTHER), "check MERGEMAKER_TOKEN"),
        (Plan(matches=0), "gives no seat"),
        (Plan(take_over=True), "another process"),
    ],
    ids=["wrong token", "no match", "taken over"],
)
def test_what_failed_ends_with_1_and_a_message(plan: Plan, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with toy_referee(plan) as toy, pytest.raises(SystemExit) as left:
        run(Bot, server=toy.target, token=TOKEN)
    assert left.value.code == 1
    assert text in capsys.readouterr().err


def test_wishes_go_into_the_greeting(toy: ToyReferee) -> None:
    run(Bot, server=toy.target, token=TOKEN, name="Ann", version="7", matches=1, evict=True)
    hello = toy.heard[0].hello
    assert (hello.bot_name, hello.bot_version, hello.evict) == ("Ann", "7", True)
    assert hello.library.startswith("mergemaker-python")


def test_an_async_bot_that_never_answers_does_not_hold_up_the_end() -> None:
    """Its question is settled without it, like a default by the referee."""

    class Stuck(AsyncBot):
        async def answer(self, turn: Turn) -> Answer:
            if turn.number == 2:
                await forever()
            return turn.default

    async def forever() -> None:
        import asyncio  # noqa: PLC0415 - as an author would

        settle.set()
        await asyncio.Event().wait()

    settle = threading.Event()
    with toy_referee(Plan(settle_when=settle)) as toy:
        reports = played(toy, Stuck)
    assert toy.matches[0].ended
    assert any("a default was taken for decision 2" in report for report in reports)


@KINDS
def test_a_question_that_was_settled_before_the_bot_had_time_for_it_is_not_asked(
    base: type[Bot | AsyncBot], monkeypatch: pytest.MonkeyPatch
) -> None:
    settle, has_come = threading.Event(), threading.Event()
    asked: list[int] = []
    told: list[int] = []
    heard: list[int] = []

    def deliver(mailbox: Any, output: Delivered) -> None:
        real(mailbox, output)
        if isinstance(output, Ask) and output.decision.id == 3:
            has_come.set()

    def on_events(_: object, events: tuple[Event, ...]) -> None:
        told.append(len(events))
        if asked == [1]:
            settle.set()
            assert has_come.wait(LIMIT_S)

    def answer(_: object, turn: Turn) -> Answer:
        asked.append(turn.number)
        heard.append(len(turn.events))
        return turn.default

    async def answer_later(_: object, turn: Turn) -> Answer:
        return answer(_, turn)

    real = running._Mailbox.deliver
    monkeypatch.setattr(running._Mailbox, "deliver", deliver)
    methods = {"on_events": on_events, "answer": answer_later if base is AsyncBot else answer}
    with toy_referee(Plan(settle_when=settle)) as toy:
        played(toy, type("Busy", (base,), methods))
    assert asked[:2] == [1, 3]
    assert heard[:2] == [told[0], told[1] + told[2]], "what happened before it is told with the next one"
    assert toy.matches[0].ended


def test_signals_are_as_before_when_the_bot_is_done(toy: ToyReferee) -> None:
    before = signal.getsignal(signal.SIGTERM)
    run(Bot, server=toy.target, token=TOKEN)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_bot_can_be_played_in_any_thread(toy: ToyReferee) -> None:
    done: list[object] = []
    thread = threading.Thread(target=lambda: done.append(play(Bot, environment(toy), Wishes(), report=lambda _: None)))
    thread.start()
    thread.join(LIMIT_S)
    assert len(done) == 1


def test_a_version_that_is_too_long_is_a_wrong_setting(toy: ToyReferee) -> None:
    wishes_of(environment(toy), "ä" * 64, None, 1, "held", evict=False)
    with pytest.raises(BadSetting, match="64 characters"):
        wishes_of(environment(toy), "ä" * 65, None, 1, "held", evict=False)


def test_a_setting_of_play_is_checked(toy: ToyReferee) -> None:
    with pytest.raises(BadSetting):
        play(Bot, environment(toy), on_error="whatever")
