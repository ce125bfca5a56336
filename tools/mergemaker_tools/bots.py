"""Built-in bots in this process: at the seats of a game that no referee leads, such as a fork."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from mergemaker_client.bot import settled
from mergemaker_client.bots import NAMES, parse
from mergemaker_client.errors import BotError
from mergemaker_client.turn import MatchInfo, Turn
from mergemaker_engine.actions import Action
from mergemaker_engine.deal import derived_seed
from mergemaker_engine.decisions import ChooseTile
from mergemaker_engine.effects import tile_effects
from mergemaker_table.defaults import default_index
from mergemaker_table.setup import SEAT_NONCE_LABEL

from mergemaker_tools.problems import WrongUse, nearest_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergemaker_client.bot import Bot
    from mergemaker_engine.events import Event
    from mergemaker_engine.rules import Rules
    from mergemaker_engine.views import View


class SeatedBot(Protocol):
    """Plays one seat of one game: is shown what the seat may know, and picks one of the legal answers."""

    def observe(self, events: Sequence[Event]) -> None:
        """Is told what happened since it was last told, as far as its seat may know."""

    def answer(self, view: View, answers: Sequence[Action]) -> Action:
        """Answers `view.decision` with one of the answers."""


class BuiltInSeat:
    """A built-in bot at a seat. It is shown what a referee would show it, so it plays as it does there."""

    def __init__(self, bot: Bot, match: MatchInfo) -> None:
        self._bot: Final = bot
        self._match: Final = match
        self._asked = 0
        self._seen = 0
        self._untold: list[Event] = []
        bot.on_start(match)

    def observe(self, events: Sequence[Event]) -> None:
        """Tells the bot what happened."""
        self._seen += len(events)
        self._untold += events
        self._bot.on_events(events)

    def answer(self, view: View, answers: Sequence[Action]) -> Action:
        """Asks the bot."""
        decision = view.decision
        assert decision is not None, "somebody is asked"
        self._asked += 1
        events, self._untold = tuple(self._untold), []
        turn = Turn(
            match=self._match,
            number=self._asked,
            view=view,
            decision=decision,
            answers=answers,
            default=answers[default_index(decision, answers)],
            effects=tile_effects(view) if isinstance(decision, ChooseTile) else (),
            events=events,
            events_seen=self._seen,
        )
        answer = settled(turn, self._bot.answer(turn)).answer
        assert isinstance(answer, Action), "what is settled is an action"
        return answer


def check_built_in(name: str) -> None:
    """Refuses what names no built-in bot."""
    try:
        parse(name)
    except BotError as error:
        near = nearest_names(name.partition(":")[0], NAMES) if error.reason == "unknown-bot" else ""
        raise WrongUse(f"{error}{near}") from error


def seats_of(names: Sequence[str], rules: Rules, seed: bytes) -> list[SeatedBot]:
    """A built-in bot for each seat, their chances from a seed as a referee gives them."""
    count = len(names)
    return [
        BuiltInSeat(
            parse(name)(),
            MatchInfo("local", rules, count, seat, tuple(names), derived_seed(seed, SEAT_NONCE_LABEL, seat)),
        )
        for seat, name in enumerate(names)
    ]
