"""Whole matches in this process, with no referee, clock or record between the bots: for measuring and for tests."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import Deal, derived_seed
from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.effects import choice_effects
from mergemaker_engine.events import Event, audience
from mergemaker_engine.game import Game
from mergemaker_engine.rules import Rules
from mergemaker_table.defaults import default_index
from mergemaker_table.setup import SEAT_NONCE_LABEL

from mergemaker_client.bot import Bot, settled
from mergemaker_client.turn import MatchInfo, MatchResult, Standing, Turn

Watcher: TypeAlias = Callable[[Turn, Action], None]
"""Is shown each question and its answer."""


class LocalMatch:
    """One game, the bots at its seats, and what each has not been told yet."""

    def __init__(self, rules: Rules, bots: Sequence[Bot], seed: bytes, watcher: Watcher | None = None) -> None:
        seats = len(bots)
        names = tuple(type(bot).__name__ for bot in bots)
        self.game: Final = Game(rules, seats, Deal.from_seed(seed))
        self._bots = bots
        self._watcher = watcher
        self._matches = [
            MatchInfo("local", rules, seats, seat, names, derived_seed(seed, SEAT_NONCE_LABEL, seat)) for seat in range(seats)
        ]
        self._untold: list[list[Event]] = [[] for _ in bots]
        self._told = [0] * seats
        self._asked = [0] * seats

    def play(self) -> MatchResult:
        """Plays to the end."""
        for bot, match in zip(self._bots, self._matches, strict=True):
            bot.on_start(match)
        self._tell(self.game.start_events)
        while self.game.decision is not None:
            answers = self.game.legal()
            is_asked = len(answers) > 1 or isinstance(self.game.decision, ChooseReply)
            self._tell(self.game.apply(self._ask(answers) if is_asked else answers[0]))
        result = self.game.result
        assert result is not None, "a game without a decision is over"
        names = self._matches[0].bots
        rows = enumerate(zip(names, result.cash, result.places, strict=True))
        standings = tuple(Standing(seat, name, cash, place, "finished") for seat, (name, cash, place) in rows)
        for seat, bot in enumerate(self._bots):
            self._hand_over(seat)
            bot.on_end(MatchResult(str(result.reason), standings))
        return MatchResult(str(result.reason), standings)

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            only = audience(event)
            for seat, untold in enumerate(self._untold):
                if only is None or only == seat:
                    untold.append(event)

    def _hand_over(self, seat: int) -> tuple[Event, ...]:
        events = tuple(self._untold[seat])
        self._untold[seat] = []
        self._told[seat] += len(events)
        self._bots[seat].on_events(events)
        return events

    def _ask(self, answers: Sequence[Action]) -> Action:
        decision = self.game.decision
        assert decision is not None, "somebody is asked"
        seat = decision.seat
        view = self.game.view(seat)
        self._asked[seat] += 1
        turn = Turn(
            match=self._matches[seat],
            number=self._asked[seat],
            view=view,
            decision=decision,
            answers=answers,
            default=answers[default_index(decision, answers)],
            effects=choice_effects(view),
            events=self._hand_over(seat),
            events_seen=self._told[seat],
        )
        answer = settled(turn, self._bots[seat].answer(turn)).answer
        assert not isinstance(answer, int), "what is settled is an action"
        if self._watcher:
            self._watcher(turn, answer)
        return answer


def play_local(rules: Rules, bots: Sequence[Bot], seed: bytes, watcher: Watcher | None = None) -> MatchResult:
    """Plays one match: the deal and the nonces of the seats come from the seed."""
    return LocalMatch(rules, bots, seed, watcher).play()
