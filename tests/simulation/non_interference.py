"""Whether a seat can tell two worlds apart when it should not: compares every byte that it gets, and when.

    python -m tests.simulation.non_interference                    # 2,000 pairs of games
    python -m tests.simulation.non_interference --asked 100        # until this many pairs asked somebody in one world only
    python -m tests.simulation.non_interference --first 77 --pairs 1

`twin_games` plans the games of a pair; here the whole referee plays them, under the virtual clock, with bots that answer
at once. The observer also makes mistakes on purpose, which compares the texts of refusals.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final
from unittest import mock

from mergemaker.v1 import actions_pb2, referee_pb2, spectate_pb2
from mergemaker_client.wishes import EventMode
from mergemaker_engine.actions import Place
from mergemaker_engine.deal import Deal
from mergemaker_referee.configuration.settings import LogFormat, LogLevel
from mergemaker_referee.identities import Operator, SeatHolder
from mergemaker_referee.logs import configure_log
from mergemaker_referee.matches.rounds import ROUND_NS
from mergemaker_wire import action_to_message

from .bots import Asked, Manner, SimBot
from .listening import Told, ToldLog
from .lives import Machine
from .network import Network
from .office import OPERATOR, Made, Office, Wanted, settings_with
from .twin_games import Leak, Setting, Twins, setting_of, twins_of
from .world import MS, World

AGAIN: Final = "python -m tests.simulation.non_interference"
PAIRS_USUAL: Final = 2_000
OTHERS_ONE_IN: Final = 10
NUMBERS_FOR_ONE_MAX: Final = 40
"""Pairs to search for one that asks somebody in one world only; it takes eight, on average."""
HEARD_NS: Final = 20 * ROUND_NS
"""Enough rounds to report a whole match, whose events do not fit into one response."""
MISTAKES_MAX: Final = 2
"""At one decision: a third one would lead to the default."""


class _Dealt:
    """Deals in a chosen order, for any seed."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self._deal: Final = Deal(order)

    def from_seed(self, _: bytes) -> Deal:
        return self._deal


class ScriptedBot(SimBot):
    """Answers as its script says, and falls silent at the script's end."""

    def __init__(self, world: World, network: Network, name: str, token: str, manner: Manner, answers: Sequence[object]) -> None:
        super().__init__(world, network, name, token, manner)
        self.left: Final = list(answers)

    def asked(self, asked: Asked) -> None:
        """Gives the next answer of the script."""
        if self.left:
            action = self.left.pop(0)
            self.before(asked)
            self.follow(self.conversation.answered(asked.match, asked.decision.id, action_to_message(action), ""))  # type: ignore[arg-type]  # of the engine

    def before(self, asked: Asked) -> None:
        """Does something before the answer."""


class Observer(ScriptedBot):
    """Makes mistakes before its answers: the same in both worlds, about tiles that others may have."""

    def came(self, response: referee_pb2.PlayResponse) -> None:
        response.ClearField("answer_refused")  # it is known
        super().came(response)

    def before(self, asked: Asked) -> None:
        for _ in range(self.chance.randrange(MISTAKES_MAX + 1)):
            self.say(referee_pb2.PlayRequest(match=asked.match, answer=self._mistake(asked)))

    def _mistake(self, asked: Asked) -> referee_pb2.Answer:
        decision = asked.decision.id
        match self.chance.randrange(3):
            case 0:
                return referee_pb2.Answer(decision=decision, index=asked.decision.answers.count + self.chance.randrange(9))
            case 1:
                return referee_pb2.Answer(decision=decision, action=self._foreign_tile(asked))
            case _:
                return referee_pb2.Answer(decision=decision + 1, index=0)

    def _foreign_tile(self, asked: Asked) -> actions_pb2.Action:
        """A tile that it does not have; it must not learn whether somebody else has it."""
        own = set(asked.decision.view.hand)
        return action_to_message(Place(self.chance.choice([square for square in range(108) if square not in own])))


@dataclass(frozen=True, slots=True)
class Heard:
    """The responses in one world."""

    observer: list[Told]
    spectator: list[Told]
    left: int
    """Answers of the scripts that nobody asked for."""


class _Ear:
    """A spectator, who only listens."""

    def came(self, response: bytes) -> None:
        """Does nothing: the log keeps it."""

    def ended(self, code: str, text: str) -> None:
        """Does nothing: the world is over."""


def hear(setting: Setting, twins: Twins, which: int) -> Heard:
    """Has the whole referee play one of the two worlds."""
    world = World(f"non-interference/{setting.number}")
    chance = Random(f"modes/{setting.number}")  # noqa: S311 - repeatable
    modes = [chance.choice((EventMode.HELD, EventMode.IMMEDIATE)) for _ in range(setting.seats)]
    machine = Machine(world, settings_with())
    log = ToldLog(world)
    machine.network.watching.append(log)
    bots: list[ScriptedBot] = []
    matches: list[str] = []

    def seat(made: Made) -> None:
        matches.append(made.match)
        machine.network.watch(OPERATOR, spectate_pb2.WatchRequest(match=made.match).SerializeToString(), _Ear())
        for number, token in enumerate(made.tokens):
            kind: Callable[..., ScriptedBot] = Observer if number == setting.observer else ScriptedBot
            script = twins.scripts[which].answers[number]
            bots.append(kind(world, machine.network, f"bot {number}", token, Manner(events=modes[number]), script))
            bots[-1].connect()

    async def main() -> None:
        machine.start()
        await world.sleep(MS)
        Office(machine).create(Wanted(rules=setting.rules, seats=(None,) * setting.seats), seat)
        # Bots that answer at once need no time: everything has happened by then, and spectators get it in the next rounds.
        await world.sleep(HEARD_NS)

    dealt = _Dealt(setting.orders[which])
    with mock.patch("mergemaker_table.table.Deal", dealt), mock.patch("mergemaker_table.desk.Deal", dealt):
        world.run(main)
    return Heard(log.to(SeatHolder(matches[0], setting.observer)), log.to(Operator()), sum(len(bot.left) for bot in bots))


def compare(number: int) -> Twins:
    """Plays one pair in the whole referee; raises `Leak` if the observer or a spectator could tell the worlds apart."""
    twins = twins_of(setting_of(number))
    see_same(twins)
    return twins


def see_same(twins: Twins) -> None:
    """Does the same for a pair that is planned already."""
    setting, number = twins.setting, twins.setting.number
    one, other = hear(setting, twins, 0), hear(setting, twins, 1)
    if one.left or other.left:
        raise Leak(f"pair {number}: {one.left} and {other.left} answers of the scripts were not asked for: the plan went wrong")
    _same(number, "the observer", *(_as_seat(heard.observer, twins.seen) for heard in (one, other)))
    _same(number, "a spectator", *(_as_spectator(heard.spectator, twins.public) for heard in (one, other)))


def _seat_limit(response: bytes) -> int:
    """The number of the last event in a response or in its view."""
    told = referee_pb2.PlayResponse.FromString(response)
    return max([0, *(event.number for event in told.events), told.decision.view.last_event, told.match_started.view.last_event])


def _as_seat(told: Sequence[Told], seen: int) -> list[tuple[int, bytes]]:
    """A seat's responses, and their times, up to the last event that is the same in both worlds."""
    return [(each.at_ns, _without_receipt(each.response)) for each in told if _seat_limit(each.response) <= seen]


def _without_receipt(response: bytes) -> bytes:
    """A receipt is of the whole deal, as the seed beside it is. Only these worlds have one seed and two deals."""
    found = referee_pb2.PlayResponse.FromString(response)
    if not found.match_ended.HasField("receipt"):
        return response
    found.match_ended.ClearField("receipt")
    return found.SerializeToString()


def _as_spectator(told: Sequence[Told], seen: int) -> list[tuple[int, bytes]]:
    """The same for a spectator. A response has the events of a time span: if the worlds part in it, only earlier ones count."""
    found = []
    for each in told:
        response = spectate_pb2.WatchResponse.FromString(each.response)
        last = max([0, *(event.number for event in response.events), response.view.last_event])
        if last <= seen:
            found.append((each.at_ns, _without_watched_receipt(response) or each.response))
        elif same := [event for event in response.events if event.number <= seen]:
            found.append((each.at_ns, spectate_pb2.WatchResponse(events=same).SerializeToString()))
    return found


def _without_watched_receipt(response: spectate_pb2.WatchResponse) -> bytes | None:
    """An end without its receipt, likewise; None for what has none."""
    if not response.ended.HasField("receipt"):
        return None
    response.ended.ClearField("receipt")
    return response.SerializeToString()


def _same(number: int, who: str, mine: Sequence[tuple[int, bytes]], theirs: Sequence[tuple[int, bytes]]) -> None:
    """Compares the responses in both worlds."""
    if mine == theirs:
        return
    at = next((at for at, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]), min(len(mine), len(theirs)))
    raise Leak(
        f"pair {number}: {who} can tell the worlds apart by response {at} of {len(mine)} and {len(theirs)}: "
        f"{mine[at : at + 1]} and {theirs[at : at + 1]}"
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one pair."""

    number: int
    seen: int = 0
    asked_in_one: int = 0
    leak: str | None = None


def _tried(number: int) -> Outcome | None:
    return _outcome(number, lambda _: True)


def _tried_if_it_tells_much(number: int) -> Outcome | None:
    """Does the same for pairs that ask somebody in one world only, and for a few others."""
    return _outcome(number, lambda twins: twins.asked_in_one > 0 or number % OTHERS_ONE_IN == 0)


def _outcome(number: int, is_wanted: Callable[[Twins], bool]) -> Outcome | None:
    configure_log(LogFormat.CONSOLE, LogLevel.ERROR)
    try:
        twins = twins_of(setting_of(number))
        if not is_wanted(twins):
            return None
        see_same(twins)
    except Leak as leak:
        return Outcome(number, leak=str(leak))
    return Outcome(number, twins.seen, twins.asked_in_one)


def _commit() -> str:
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False)  # noqa: S607 - any git will do
    return found.stdout.strip() or "unknown"


def main() -> int:
    """Compares many pairs; returns 1 if anyone could tell one apart."""
    parser = argparse.ArgumentParser(prog=AGAIN, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=PAIRS_USUAL, help=f"how many pairs of games (default: {PAIRS_USUAL})")
    parser.add_argument("--first", type=int, default=0, help="the number of the first pair (default: 0)")
    parser.add_argument(
        "--asked",
        type=int,
        metavar="N",
        help="instead of --pairs: until somebody is asked in only one world in N pairs; with a few other pairs",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    options = parser.parse_args()
    report = _Report(options.asked or options.pairs)
    trying = _tried if options.asked is None else _tried_if_it_tells_much
    end = options.first + (options.pairs if options.asked is None else options.asked * NUMBERS_FOR_ONE_MAX)
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for outcome in pool.imap_unordered(trying, range(options.first, end), chunksize=4):
            if outcome is not None:
                report.add(outcome)
            if options.asked is not None and report.asked_pairs >= options.asked:
                break
        pool.terminate()
    if options.asked is not None and report.asked_pairs < options.asked:
        print(f"only {report.asked_pairs} such pairs are among the numbers {options.first} to {end - 1}")
        return 1
    return report.end()


class _Report:
    """Reports findings and progress."""

    def __init__(self, wanted: int) -> None:
        self._wanted: Final = wanted
        self._tried = self._failed = self._seen = self._asked = 0
        self.asked_pairs = 0

    def add(self, outcome: Outcome) -> None:
        """Adds one pair."""
        self._tried += 1
        self._seen += outcome.seen
        self._asked += outcome.asked_in_one
        self.asked_pairs += outcome.asked_in_one > 0
        if outcome.leak is not None:
            self._failed += 1
            print(f"{outcome.leak}\nat commit {_commit()}; again: {AGAIN} --first {outcome.number} --pairs 1", flush=True)
        if sys.stderr.isatty():
            print(
                f"\r{self._tried} pairs, {self.asked_pairs} asked otherwise, of {self._wanted} ",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def end(self) -> int:
        """The summary."""
        print(
            f"{self._tried} pairs of games, {self._seen} events compared; somebody else was asked in one world alone "
            f"{self._asked} times, in {self.asked_pairs} pairs"
        )
        print(f"non-interference: {self._tried - self._failed} passed, {self._failed} failed")
        return 1 if self._failed else 0


if __name__ == "__main__":
    sys.exit(main())
