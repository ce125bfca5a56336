"""What to play, with which bots, and what to keep: the command line of `match`, checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mergemaker_engine.deal import derived_seed
from mergemaker_engine.rules import Rules
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, CommandBot, HumanPlayer, ScriptBot
from mergemaker_processes.confinement.confining import Confining
from mergemaker_referee.configuration.settings import Address
from mergemaker_referee.matches.forking import ForkWish
from mergemaker_referee.records.journal import Durability
from mergemaker_table.run_members import Host
from mergemaker_table.terms import ClockTerms

_GAME: Final = "game"
"""The label under which the seeds of the games are derived from the match's."""


@dataclass(frozen=True, slots=True)
class InBlock:
    """What a match has as one of a block of matches on one deal."""

    block: str
    """The block's name."""
    match: str
    """The match's own id."""
    seed: bytes = field(repr=False)
    """Of the deal: a secret until the last match of the block is over."""
    known: tuple[str, ...] = ()
    """By seat: the name by which the referee knows its bot, which may have come before the match was made."""
    host: Host | None = None
    """The machine, for the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """A match of one or more games between the same bots."""

    words: tuple[str, ...]
    """By seat, as the bots were given."""
    specs: tuple[BotSpec, ...]
    """What the words mean."""
    rules: Rules
    clock: ClockTerms
    clock_word: str
    """As it was given."""
    seed: bytes = field(repr=False)
    """All games come from it."""
    seed_file: Path | None
    """Where the seed was read from."""
    promised: bool
    """Whether the seed is fresh, so that the deal can be promised: somebody knows a seed from the command line."""
    games: int
    jobs: int
    """How many games are played at once."""
    listen: Address
    token: str | None = field(repr=False)
    """What the seats' tokens are derived from; None: they are fresh."""
    records: Path | None
    """The folder of the records; None: none are kept."""
    record: Path | None
    """The file of the only game's record, where one was named."""
    durability: Durability
    logs: Path | None
    """The folder for what bots write; None: it is kept only if something went wrong."""
    strict: bool
    """Whether the first fault ends everything."""
    confining: Confining | None = None
    """How bots that are processes are confined; None: they are not."""
    fork: ForkWish | None = None
    """The match to resume; None for a new one. Its bots are those of the plan."""
    fast: bool = False
    """Whether all bots are called in this program, without a server; then seats rotate from game to game."""
    in_block: InBlock | None = None
    """The block that the only game belongs to; None: it belongs to none."""
    own_names: tuple[str, ...] = ()
    """By seat, as the bots are shown and recorded; empty: by what their words mean."""
    hints: bool = False
    """Whether each question to a person comes with a hint."""
    challenge: bool = False
    """Whether a person plays a deal that others are to play, too."""
    scratch: Path | None = None
    """A folder in which each bot that is a process gets one of its own for temporary files; None: that of the system."""

    @property
    def seats(self) -> int:
        """How many seats a game has."""
        return len(self.words)

    @property
    def names(self) -> tuple[str, ...]:
        """By seat, as the bots are shown and recorded."""
        return self.own_names or tuple(spec.word if isinstance(spec, BuiltInBot) else spec.name for spec in self.specs)

    @property
    def usual_clock(self) -> str:
        """The default clock."""
        return usual_clock(self.specs)

    @property
    def has_human(self) -> bool:
        """Whether a person plays."""
        return any(isinstance(spec, HumanPlayer) for spec in self.specs)

    @property
    def mixes_programs(self) -> bool:
        """Whether programs of different origin play as processes of one user, so that each can read the other's files."""
        programs = {spec.arguments for spec in self.specs if isinstance(spec, ScriptBot | CommandBot)}
        return self.confining is None and len(programs) > 1

    def order(self, number: int) -> tuple[int, ...]:
        """By seat of a game: at which place its bot was named."""
        return tuple((seat + number * self.fast) % self.seats for seat in range(self.seats))

    def game_seed(self, number: int) -> bytes:
        """The seed of one game: its deal, and the chances of the bots in it."""
        return derived_seed(self.seed, _GAME, number) if self.in_block is None else self.in_block.seed


def usual_clock(specs: Sequence[BotSpec]) -> str:
    """The default clock: a person has no limits."""
    return "none" if any(isinstance(spec, HumanPlayer) for spec in specs) else "standard"
