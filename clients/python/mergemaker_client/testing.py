"""For a bot's own tests: whole matches in memory, single questions, and the questions of recorded matches.

    from mergemaker_client.testing import ask, play_match

    def test_it_beats_random() -> None:
        played = play_match([MyBot, "random", "random"], seed=7)
        assert played.faults == ()
        assert played.result.standings[0].place == 1

There is no network, and nothing waits: only the test moves time. The referee's own table judges the answers, so
faults, defaults and the record are those of a real match.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import SEED_BYTES, Deal
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, parse_rules
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import Rules
from mergemaker_engine.shown import shown
from mergemaker_engine.wording import action_text
from mergemaker_table import CLOCKS, ClockTerms, Setup, Terms

from mergemaker_client.asking import Caller
from mergemaker_client.bot import make_bot
from mergemaker_client.bots import parse
from mergemaker_client.errors import BotError
from mergemaker_client.factories import AnyKind, factory_of
from mergemaker_client.local_match import Fault, LocalMatch, Timing, result_of
from mergemaker_client.playing import OnError
from mergemaker_client.questions import turn_from
from mergemaker_client.recorded import RecordedTurn, turns_of
from mergemaker_client.turn import MatchResult, Turn

__all__ = ["Fault", "Played", "RecordedTurn", "ask", "play_match", "turns_of"]

Delay: TypeAlias = Callable[[Turn], int]
"""How many milliseconds a bot thinks about a question."""
_NS_IN_MS: Final = 1_000_000
USUAL_RULES: Final = "renegade-classic"
USUAL_SEATS: Final = 4
"""The game that is asked about if no position is given."""


@dataclass(frozen=True, slots=True)
class Played:
    """A played match."""

    result: MatchResult
    faults: tuple[Fault, ...]
    lines: tuple[bytes, ...]
    """The record, line by line."""

    @property
    def record(self) -> Record:
        """The record, to go through decision by decision."""
        return read_record(self.lines)


def play_match(
    bots: Sequence[AnyKind | str],
    rules: Rules | str = USUAL_RULES,
    *,
    seed: int | bytes = 0,
    clock: ClockTerms | str = "none",
    delay: Delay | None = None,
    on_error: str = OnError.RAISE,
) -> Played:
    """Plays a match between bots, by seat: classes, functions, other factories, or built-in bots by name.

    Deal and chances come only from the seed. A bot that raises an error, or whose answer is refused, ends the match with
    `BotFailed`. With `on_error="default"` it is listed among the faults, and the match goes on as it would with a referee.
    """
    factories = [parse(bot) if isinstance(bot, str) else factory_of(bot) for bot in bots]
    names = tuple(bot if isinstance(bot, str) else getattr(bot, "__name__", type(bot).__name__) for bot in bots)
    setup = Setup(
        rules=parse_rules(rules) if isinstance(rules, str) else rules,
        bots=names,
        terms=Terms(_clock(clock)),
        mode=DealMode.PLAIN,
        match="test",
        promise=None,
        secrets=Secrets(_seed(seed)),
        software="mergemaker-client",
    )
    if on_error not in list(OnError):
        raise BotError("bad-setting", f"on_error is {' or '.join(OnError)}, not {shown(on_error)}")
    with Caller() as caller:
        match = LocalMatch(setup, [make_bot(factory) for factory in factories], caller, _timing(delay), OnError(on_error))
        ended = match.play()
        return Played(result_of(ended), tuple(match.faults), tuple(match.lines))


def _timing(delay: Delay | None) -> Timing:
    """Bots think for as long as the test says."""

    def begin(turn: Turn) -> Callable[[], int]:
        thought_ns = 0 if delay is None else delay(turn) * _NS_IN_MS
        return lambda: thought_ns

    return begin


def _clock(clock: ClockTerms | str) -> ClockTerms:
    if isinstance(clock, ClockTerms):
        return clock
    if clock not in CLOCKS:
        raise BotError("bad-setting", f"a clock is one of {', '.join(CLOCKS)}, or ClockTerms, not {shown(clock)}")
    return CLOCKS[clock]


def _seed(seed: int | bytes) -> bytes:
    if isinstance(seed, bytes) and len(seed) == SEED_BYTES:
        return seed
    if type(seed) is int and 0 <= seed < 1 << 8 * SEED_BYTES:
        return seed.to_bytes(SEED_BYTES, "big")
    raise BotError("bad-setting", f"a seed is {SEED_BYTES} bytes, or a whole number that fits into them, not {shown(seed)}")


def ask(
    bot: AnyKind | str, position: str | Game | RecordedTurn | None = None, *, seed: int | bytes = 0, nonce: bytes | None = None
) -> Action:
    """Asks a new bot the open question of a position, and returns its answer; an illegal answer is an error.

    A position is a game; a text as `mergemaker_engine.position_text` writes it and reports of failures have it, in which
    missing parts have their usual values; a question of `turns_of`; or, by default, the first question of a new game of four.
    Deal and chances come from `seed`; a nonce gives other chances.
    """
    if isinstance(position, RecordedTurn):
        return _answer_to(bot, position.turn)
    game = _game_in(position, _seed(seed))
    return _answer_to(bot, turn_from(game, nonce=_seed(seed) if nonce is None else nonce), game)


def _game_in(position: str | Game | None, seed: bytes) -> Game:
    if position is None:
        return Game(parse_rules(USUAL_RULES), USUAL_SEATS, Deal.from_seed(seed))
    return parse_position(position) if isinstance(position, str) else position


def _answer_to(bot: AnyKind | str, turn: Turn, game: Game | None = None) -> Action:
    """A new bot's answer to a question; with the game, an illegal one is the error that says why."""
    made = make_bot(parse(bot) if isinstance(bot, str) else factory_of(bot))
    made.on_start(turn.match)
    made.on_events(turn.events)
    with Caller() as caller:
        answer, _ = caller.answer(made, turn)
    if game is not None:
        game.copy().apply(answer)
    elif answer not in turn.answers:
        text = action_text(answer, turn.match.rules)
        raise BotError("illegal-answer", f"the answer `{text}` is not legal here; {len(turn.answers)} answers are")
    return answer
