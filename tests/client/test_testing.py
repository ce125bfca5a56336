"""What authors test their bots with: matches in memory, single questions, and the questions of recorded matches."""

import re
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from mergemaker_client.answer import Answer, Noted
from mergemaker_client.bot import AsyncBot, Bot
from mergemaker_client.bots import parse
from mergemaker_client.errors import BotError
from mergemaker_client.playing import BotFailed
from mergemaker_client.reporting import view_text
from mergemaker_client.testing import Played, ask, play_match, turns_of
from mergemaker_client.turn import MatchInfo, MatchResult, Turn
from mergemaker_engine.actions import STOP, Place
from mergemaker_engine.deal import Deal
from mergemaker_engine.errors import EngineError, IllegalAction, RecordError
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, position_text
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_testkit.recorded import recorded_match

README = Path(__file__).parents[2] / "clients" / "python" / "README.md"
SEED = bytes(range(32))
LATE_MS = 100_000


class Default(Bot):
    pass


class Later(AsyncBot):
    pass


class Record(Bot):
    """Notes its events and questions."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.turns: list[Turn] = []

    def on_start(self, match: MatchInfo) -> None:
        self.told.append(match)

    def on_events(self, events: Sequence[Event]) -> None:
        self.told += events

    def on_end(self, result: MatchResult) -> None:
        self.told.append(result)

    def answer(self, turn: Turn) -> Answer:
        self.turns.append(turn)
        assert sum(len(seen.events) for seen in self.turns) == turn.events_seen
        return parse("random")().answer(turn)


def recording(among: list[Record]) -> Callable[[], Bot]:
    def made() -> Bot:
        among.append(Record())
        return among[-1]

    return made


@pytest.mark.parametrize("rules", PRESETS)
def test_a_match_is_played_by_any_rules_and_its_record_verifies(rules: str) -> None:
    seats = 3
    played = play_match(["random"] * seats, rules, seed=3)
    verify(played.lines)
    assert played.faults == ()
    assert played.record.header.bots == ("random",) * seats
    assert [standing.status for standing in played.result.standings] == ["finished"] * seats


def test_bots_of_every_kind_play_together() -> None:
    played = play_match([Default, Later, "random", lambda _: 0])
    assert [standing.bot for standing in played.result.standings] == ["Default", "Later", "random", "<lambda>"]


def test_equal_seeds_give_equal_matches_and_others_give_others() -> None:
    first, again, other = (play_match(["random"] * 3, seed=seed) for seed in (5, (5).to_bytes(32, "big"), 6))
    assert first.lines == again.lines
    assert first.lines != other.lines


def test_a_bot_is_told_and_asked_as_at_a_referee() -> None:
    among: list[Record] = []
    played = play_match([recording(among), "random"], clock="fast")
    (bot,) = among
    info, *_, result = bot.told
    assert isinstance(info, MatchInfo)
    assert (info.seat, info.seats, info.clock.name, info.clock.allowance_ms, info.clock.bank_ms) == (0, 2, "fast", 100, 10_000)
    assert result == played.result
    assert [turn.number for turn in bot.turns] == list(range(1, len(bot.turns) + 1))
    assert {turn.time_left_ms for turn in bot.turns} == {10_100}


@pytest.mark.parametrize("base", [Bot, AsyncBot])
def test_a_bot_that_fails_stops_the_test_with_the_position(base: type[Bot | AsyncBot]) -> None:
    with pytest.raises(BotFailed, match=r"decision 2 \(@seat0:2\), Choose") as caught:
        play_match([failing(base), "random"])
    assert isinstance(caught.value.__cause__, LookupError)
    text = str(caught.value)
    assert parse_position(text[text.index("# what seat 0 knows") :]).decision is not None


def failing(base: type[Bot | AsyncBot], answer: Callable[[Turn], Any] | None = None) -> type[Bot | AsyncBot]:
    class Failing(base):  # type: ignore[misc, valid-type]  # made for both kinds
        pass

    def at_second(_: object, turn: Turn) -> Answer:
        if turn.number != 2:
            return turn.default
        if answer is None:
            raise LookupError("no such idea")
        wrong: Answer = answer(turn)
        return wrong

    async def later(_: object, turn: Turn) -> Answer:
        return at_second(_, turn)

    Failing.answer = later if base is AsyncBot else at_second
    return Failing


def test_a_failure_can_be_listed_instead() -> None:
    played = play_match([failing(Bot), "random"], on_error="default")
    (fault,) = played.faults
    assert (fault.seat, fault.decision, fault.kind) == (0, 2, "failed")
    assert "LookupError: no such idea" in fault.text
    assert notes(played, 0)[1] == "default, after LookupError"


def notes(played: Played, seat: int) -> list[str | None]:
    return [turn.note for turn in turns_of(played.record, seat)]


def test_a_refused_answer_is_a_fault_and_the_default_is_answered_behind_it() -> None:
    played = play_match([failing(Bot, lambda _: STOP), "random"], on_error="default")
    (fault,) = played.faults
    assert (fault.seat, fault.decision, fault.kind) == (0, 2, "refused")
    verify(played.lines)
    with pytest.raises(BotFailed, match="was refused"):
        play_match([failing(Bot, lambda _: STOP), "random"])


@pytest.mark.parametrize("method", ["on_start", "on_events", "on_end"])
def test_a_bot_that_fails_while_it_is_told_is_at_fault(method: str) -> None:
    def fail(_: Bot, __: object) -> None:
        raise LookupError("not heard")

    played = play_match([type("Deaf", (Bot,), {method: fail}), "random"], on_error="default")
    assert {(fault.seat, fault.decision, fault.kind) for fault in played.faults} == {(0, None, "failed")}


def test_time_passes_as_the_test_says_and_defaults_are_taken_when_it_is_over() -> None:
    def delay(turn: Turn) -> int:
        return LATE_MS if turn.seat == 0 and turn.number == 3 else 10

    played = play_match(["random", "random"], clock="standard", delay=delay, on_error="default")
    assert [(fault.seat, fault.decision, fault.kind) for fault in played.faults] == [(0, 3, "default: timeout")]
    verify(played.lines)
    assert played.result.standings[0].status == "finished"


def test_a_bot_that_is_always_late_ends_on_autopilot() -> None:
    played = play_match(["random", "random"], clock="fast", delay=lambda turn: LATE_MS * (1 - turn.seat), on_error="default")
    assert [fault.kind for fault in played.faults] == ["default: timeout"] * 5
    assert played.result.standings[0].status == "autopilot"
    assert played.result.standings[1].status == "finished"


def test_an_answer_at_the_last_moment_is_in_time() -> None:
    left: list[int] = []

    def delay(turn: Turn) -> int:
        assert turn.time_left_ms is not None
        left.append(turn.time_left_ms)
        return turn.time_left_ms

    assert play_match(["random", "random"], clock="fast", delay=delay).faults == ()
    assert left[0] == 10_100
    assert left[-1] == 100


@pytest.mark.parametrize(
    "wrong", [{"seed": -1}, {"seed": b"short"}, {"seed": True}, {"clock": "sundial"}, {"on_error": "ignore"}], ids=str
)
def test_a_wrong_setting_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BotError) as caught:
        play_match(["random", "random"], **wrong)
    assert caught.value.reason == "bad-setting"


def test_what_the_engine_refuses_is_refused() -> None:
    with pytest.raises(EngineError):
        play_match(["random"])
    with pytest.raises(EngineError):
        play_match(["random", "random"], "no-such-rules")
    with pytest.raises(BotError, match="no built-in bot"):
        play_match(["random", "rondom"])


def opening() -> Game:
    return Game(preset("renegade-classic"), 2, Deal.from_seed(SEED))


def test_a_bot_is_asked_the_question_of_a_position() -> None:
    game = opening()
    answer = ask(lambda turn: turn.tiles[-1].action, game)
    assert isinstance(answer, Place)
    assert answer == game.legal()[-1]
    assert ask(Later, game) == game.legal()[0]


def test_without_a_position_it_is_the_first_question_of_a_new_game() -> None:
    among: list[Record] = []
    first = ask(recording(among))
    assert isinstance(first, Place)
    assert (among[0].turns[0].match.seats, among[0].turns[0].view.turn) == (4, 1)
    assert ask("random", seed=1) == ask("random", seed=1)
    assert len({ask("random", seed=seed) for seed in range(9)}) > 1


def test_a_recorded_question_may_be_asked_again() -> None:
    played = play_match(["greedy", "random"], seed=5)
    for recorded in list(turns_of(played.record, 0))[:9]:
        assert ask("greedy", recorded) == recorded.answer
    with pytest.raises(BotError, match="is not legal here") as caught:
        ask(lambda _: STOP, recorded)
    assert caught.value.reason == "illegal-answer"


@pytest.mark.parametrize("rules", PRESETS)
def test_the_position_that_a_failure_prints_asks_the_same_question_again(rules: str) -> None:
    seats = 3
    played = play_match(["greedy"] * seats, rules, seed=11)
    for seat in range(seats):
        for recorded in list(turns_of(played.record, seat))[::7]:
            view = recorded.turn.view
            game = parse_position(view_text(view))
            assert game.view(seat) == view
            legal, answers = game.legal(), recorded.turn.answers
            assert len(legal) == len(answers)
            assert all(legal[index] == answers[index] for index in range(min(len(answers), 9)))
            assert ask("greedy", view_text(view)) == recorded.answer


def test_a_position_may_be_text() -> None:
    assert ask(Default, position_text(opening())) == opening().legal()[0]


def test_a_bot_that_is_asked_sees_the_start_and_has_the_given_chances() -> None:
    among: list[Record] = []
    ask(recording(among), opening(), nonce=SEED)
    info, *events = among[0].told
    assert isinstance(info, MatchInfo)
    assert info.nonce == SEED
    assert events
    assert tuple(events) == among[0].turns[0].events


def test_an_illegal_answer_is_an_error_with_its_rule() -> None:
    with pytest.raises(IllegalAction):
        ask(lambda _: STOP, opening())


def test_nobody_is_asked_when_the_game_is_over() -> None:
    game = opening()
    while game.decision is not None:
        game.apply(game.legal()[0])
    with pytest.raises(BotError) as caught:
        ask(Default, game)
    assert caught.value.reason == "game-over"


def test_the_readme_names_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    example = re.search(
        r"^```python\n(from mergemaker_client.testing .*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert example
    own = types.ModuleType("my_bot")
    own.MyBot = Default  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_bot", own)
    there: dict[str, object] = {}
    exec(example[1], there)  # noqa: S102 - our own text
    used = {name for made in there.values() if isinstance(made, types.FunctionType) for name in made.__code__.co_names}
    assert {"play_match", "ask", "open_record", "Place", "parse_square"} <= used & there.keys()


# --- recorded questions ---------------------------------------------------------------------------------------------


def test_the_questions_of_a_record_are_those_that_the_bot_met() -> None:
    among: list[Record] = []
    played = play_match([recording(among), "random", "random"], "renegade-tycoon")
    seen = [recorded.turn for recorded in turns_of(played.record, 0)]
    assert seen == among[0].turns
    assert seen[0].match == among[0].told[0]


def test_a_repeatable_bot_answers_recorded_questions_as_it_did() -> None:
    played = play_match(["random"] * 3)
    for seat in range(3):
        bot = parse("random")()
        for recorded in turns_of(played.record, seat):
            answer = bot.answer(recorded.turn)
            assert (answer.answer if isinstance(answer, Noted) else answer) == recorded.answer
            assert recorded.by is AnsweredBy.BOT


def test_what_was_never_put_to_the_bot_is_no_question() -> None:
    late = play_match(["random", "random"], clock="fast", delay=lambda turn: LATE_MS * (1 - turn.seat), on_error="default")
    asked = list(turns_of(late.record, 0))
    assert [turn.by for turn in asked] == [AnsweredBy.TIMEOUT] * 5
    lines = [line for line in late.record.decisions if line.seat == 0]
    assert len(lines) > len(asked)
    assert [turn.number for turn in asked] == [line.number for line in lines if line.by is AnsweredBy.TIMEOUT]


def test_every_answer_of_a_bot_in_a_record_is_found() -> None:
    record = read_record(recorded_match(preset("avalon-hill-powers"), 4, SEED, note="why"))
    for seat in range(4):
        numbers = [line.number for line in record.decisions if line.seat == seat and line.by is AnsweredBy.BOT]
        found = list(turns_of(record, seat))
        assert [turn.number for turn in found] == numbers
        assert {turn.note for turn in found} == {"why"}


def test_a_record_without_an_end_or_such_a_seat_has_no_questions() -> None:
    lines = recorded_match(preset("renegade-classic"), 2, SEED)
    assert isinstance(read_record(lines).decisions[0], DecisionLine)
    with pytest.raises(RecordError) as unfinished:
        list(turns_of(read_record(lines[:-1]), 0))
    assert unfinished.value.reason == "unfinished"
    for seat in (2, -1, True):
        with pytest.raises(RecordError) as missing:
            list(turns_of(read_record(lines), seat))
        assert missing.value.reason == "no-such-seat"
