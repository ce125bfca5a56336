"""How bots are written: methods, functions, notes, and the error for a result that is no answer."""

import asyncio
from collections.abc import Callable

import pytest
from mergemaker_client import Answer, AsyncBot, Bot, MatchInfo, Noted
from mergemaker_client.answer import NOTE_BYTES_MAX
from mergemaker_client.bot import METHODS, bot_from, make_bot, settled
from mergemaker_client.errors import BotError
from mergemaker_client.turn import MatchResult, Turn
from mergemaker_engine.actions import PLACE, NoOffer
from mergemaker_engine.decisions import Decision
from mergemaker_engine.events import Event, ResultReached
from mergemaker_engine.rules import preset
from mergemaker_testkit.local_match import play_local

RULES = preset("reference-trading").with_knobs({"special_powers": True, "dead_tiles": "optional"})
SEED = bytes(32)


def questions() -> dict[type[Decision], Turn]:
    """One turn of each kind that occurred in some matches."""
    found: dict[type[Decision], Turn] = {}

    def lively(turn: Turn) -> Answer:
        found.setdefault(type(turn.decision), turn)
        return turn.chance.below(min(len(turn.answers), 120))

    for number in range(30):
        if len(found) < len(METHODS):
            play_local(RULES, [sync_bot(lively) for _ in range(4)], bytes([number]) * 32)
    return found


def sync_bot(function: Callable[[Turn], Answer]) -> Bot:
    bot = make_bot(bot_from(function))
    assert isinstance(bot, Bot)
    return bot


@pytest.fixture(scope="module")
def by_kind() -> dict[type[Decision], Turn]:
    return questions()


@pytest.fixture(scope="module")
def turn(by_kind: dict[type[Decision], Turn]) -> Turn:
    return next(iter(by_kind.values()))


def test_there_is_a_method_for_each_kind_of_decision(by_kind: dict[type[Decision], Turn]) -> None:
    assert set(METHODS) == set(by_kind) == set(Decision.__args__)


def test_each_question_goes_to_the_method_of_its_kind(by_kind: dict[type[Decision], Turn]) -> None:
    for kind, method in METHODS.items():

        def say(self: Bot, turn: Turn, *, name: str = method) -> Answer:
            return Noted(turn.default, f"{type(self).__name__} {name}")

        async def say_later(self: AsyncBot, turn: Turn, *, name: str = method) -> Answer:
            return Noted(turn.default, f"{type(self).__name__} {name}")

        sync = type("Sync", (Bot,), {method: say})()
        later = type("Later", (AsyncBot,), {method: say_later})()
        for asked, turn in by_kind.items():
            is_own = asked is kind
            assert sync.answer(turn) == (Noted(turn.default, f"Sync {method}") if is_own else turn.default)
            assert asyncio.run(later.answer(turn)) == (Noted(turn.default, f"Later {method}") if is_own else turn.default)


def test_a_function_is_a_bot(turn: Turn) -> None:
    async def later(turn: Turn) -> Answer:
        return turn.default

    one, other = make_bot(bot_from(lambda turn: turn.default)), make_bot(bot_from(later))
    assert isinstance(one, Bot)
    assert isinstance(other, AsyncBot)
    assert one.answer(turn) == asyncio.run(other.answer(turn)) == turn.default


def test_a_factory_makes_a_bot_for_each_match() -> None:
    factory = bot_from(lambda turn: turn.default)
    assert make_bot(factory) is not make_bot(factory)
    assert isinstance(make_bot(Bot), Bot)


@pytest.mark.parametrize("thing", [Bot, 3, "random", None])
def test_a_bot_is_made_from_no_other_thing(thing: object) -> None:
    with pytest.raises(BotError, match="made from a function") as caught:
        bot_from(thing)  # type: ignore[arg-type]  # as a careless author would
    assert caught.value.reason == "no-function"


@pytest.mark.parametrize("factory", [None, "random", Bot()])
def test_what_is_no_factory_is_refused(factory: object) -> None:
    with pytest.raises(BotError, match="made by a factory") as caught:
        make_bot(factory)
    assert caught.value.reason == "no-factory"


def test_a_factory_of_something_else_is_refused() -> None:
    with pytest.raises(BotError, match="makes a Bot or an AsyncBot, not 'x'") as caught:
        make_bot(lambda: "x")
    assert caught.value.reason == "no-bot"


def test_an_action_an_index_and_a_note_settle(turn: Turn) -> None:
    last = len(turn.answers) - 1
    assert settled(turn, turn.default) == (turn.default, "")
    assert settled(turn, 0) == (turn.answers[0], "")
    assert settled(turn, Noted(last, "why")) == (turn.answers[last], "why")
    assert settled(turn, Noted(turn.default, "why")) == (turn.default, "why")


def test_whether_an_action_is_legal_is_not_the_clients_to_say(turn: Turn) -> None:
    assert settled(turn, NoOffer()) == (NoOffer(), "")


@pytest.mark.parametrize(
    ("returned", "reason", "text"),
    [
        (None, "no-answer", "returned nothing; it returns an action, its index in turn.answers, or Noted"),
        (True, "bad-answer", "not True"),
        (1.0, "bad-answer", "not 1.0"),
        ("5C", "bad-answer", "not '5C'"),
        ([PLACE[0]], "bad-answer", r"not \[<1A>"),
        (-1, "bad-index", "the index -1; there are answers 0 to "),
        (10**18, "bad-index", "the index 1000000000000000000"),
        (Noted(10**18, ""), "bad-index", "the index 1000000000000000000"),
        (Noted("5C", ""), "bad-answer", "not '5C'"),  # type: ignore[arg-type]  # as a careless bot would
    ],
)
def test_what_is_no_answer_is_said_with_the_method_it_came_from(turn: Turn, returned: object, reason: str, text: str) -> None:
    with pytest.raises(BotError, match=text) as caught:
        settled(turn, returned)
    assert caught.value.reason == reason
    assert str(caught.value).startswith(METHODS[type(turn.decision)])


def test_an_async_method_of_a_sync_bot_is_named_as_the_cause(turn: Turn) -> None:
    async def later() -> Answer:
        return 0

    with pytest.raises(BotError, match="derive the bot from AsyncBot") as caught:
        settled(turn, later())
    assert caught.value.reason == "not-awaited"


def test_a_note_has_a_limit_in_bytes() -> None:
    assert Noted(0, "é" * (NOTE_BYTES_MAX // 2)).note
    with pytest.raises(BotError, match=r"at most 1024 bytes of .*, not 1026") as caught:
        Noted(0, "é" * (NOTE_BYTES_MAX // 2 + 1))
    assert caught.value.reason == "note-too-long"


def test_a_note_is_text() -> None:
    with pytest.raises(BotError, match="a note is text, not 5") as caught:
        Noted(0, 5)  # type: ignore[arg-type]  # as a careless bot would
    assert caught.value.reason == "bad-note"


class Listener(Bot):
    def __init__(self) -> None:
        self.told: list[object] = []

    def on_start(self, match: MatchInfo) -> None:
        self.told.append(match)

    def on_events(self, events: tuple[Event, ...]) -> None:  # type: ignore[override]  # it gets a tuple
        self.told += events

    def on_end(self, result: MatchResult) -> None:
        self.told.append(result)


def test_a_bot_is_told_of_start_events_and_end_in_this_order() -> None:
    bots = [Listener(), Listener()]
    result = play_local(preset("renegade-classic"), bots, SEED)
    for seat, bot in enumerate(bots):
        start, *events, reached, end = bot.told
        assert isinstance(start, MatchInfo)
        assert (start.seat, start.seats, start.bots) == (seat, 2, ("Listener", "Listener"))
        assert all(isinstance(event, Event) for event in events)
        assert isinstance(reached, ResultReached)
        assert end == result
