"""No seat and no spectator can tell apart worlds that should look alike. `non_interference` is the long command."""

from collections.abc import Sequence
from dataclasses import replace
from unittest import mock

import pytest
from mergemaker_engine.actions import Action
from mergemaker_engine.rules import PRESETS, Assets
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.matches import rounds
from mergemaker_referee.matches.following import Followed, Kind
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.seat_link import SeatLink
from mergemaker_table.outputs import Output
from mergemaker_table.playing import Playing

from . import non_interference
from .non_interference import compare
from .twin_games import Leak, setting_of, twins_of
from .world import MS

ASKED_OTHERWISE = (51, 64, 87, 121)
"""Pairs in which somebody else is asked in only one world."""


@pytest.mark.parametrize("number", [*ASKED_OTHERWISE, 2, 5])
def test_two_worlds_look_alike_as_long_as_they_should(number: int) -> None:
    assert (compare(number).asked_in_one > 0) is (number in ASKED_OTHERWISE)


def test_pairs_are_of_all_kinds() -> None:
    settings = [setting_of(number) for number in range(3 * len(PRESETS))]
    assert {setting.seats for setting in settings} == {2, 3, 4, 5}
    assert {setting.rules.assets for setting in settings} == set(Assets)
    assert len({setting.rules.with_knobs({"assets": "open"}) for setting in settings}) == len(PRESETS)
    assert any(setting.observer for setting in settings)
    assert all(setting.orders[0] != setting.orders[1] for setting in settings)


def _find(numbers: Sequence[int]) -> None:
    for number in numbers:
        compare(number)


def test_what_comes_together_in_a_batch_would_tell() -> None:
    def all_together(self: SeatLink, events: Sequence[bytes], limits: Limits) -> None:  # noqa: ARG001 - like the real one
        self._last_order = 5
        self._parts += events

    with mock.patch.object(SeatLink, "add_events", all_together), pytest.raises(Leak, match="can tell the worlds apart"):
        _find(range(2 * len(ASKED_OTHERWISE)))


def test_what_comes_together_in_a_batch_would_tell_who_looks_on() -> None:
    happened = Followed.happened

    def all_together(self: Followed, match: HostedMatch, outputs: Sequence[Output]) -> None:
        before = len(self._log)
        happened(self, match, outputs)
        events = [each for each in self._log[before:] if each.kind is Kind.EVENT]
        if events:
            alone = replace(events[0], kind=Kind.VIEW, part=b"".join(each.part for each in events))
            self._log[before : before + len(events)] = [alone]

    # A round has one response for each spectator: there must be as many rounds as batches.
    with mock.patch.object(rounds, "ROUND_NS", MS):
        _find(ASKED_OTHERWISE)
        with mock.patch.object(Followed, "happened", all_together), pytest.raises(Leak, match="a spectator can tell"):
            _find(ASKED_OTHERWISE)


def test_a_refusal_that_knows_other_hands_would_tell() -> None:
    try_action = Playing._try_action

    def talkative(self: Playing, waiting: object, given: object, action: Action, now_ns: int) -> object:
        rejection = try_action(self, waiting, given, action, now_ns)  # type: ignore[arg-type]  # as in the real one
        if rejection is not None:
            object.__setattr__(rejection.refusal, "text", f"{rejection.refusal.text} {self._game.hands}")
        return rejection

    with mock.patch.object(Playing, "_try_action", talkative), pytest.raises(Leak, match="the observer can tell"):
        _find(range(8))


def test_a_plan_that_goes_wrong_is_said() -> None:
    setting = setting_of(2)
    twins = twins_of(setting)
    twins.scripts[0].answers[setting.observer].insert(0, twins.scripts[0].answers[setting.observer][-1])
    with mock.patch.object(non_interference, "twins_of", return_value=twins), pytest.raises(Leak, match="the plan went wrong"):
        compare(2)
