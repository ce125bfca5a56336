"""A match without a server, in which one seat is played at a desk and the others by bots of this process. It has no clock."""

import secrets
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from datetime import UTC, datetime
from pathlib import Path

from mergemaker_client.asking import Caller
from mergemaker_client.bot import make_bot
from mergemaker_client.local_match import LocalMatch
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import Rules
from mergemaker_engine.tables import check_seats
from mergemaker_processes.bot_names import BuiltInBot, ModuleBot, ScriptBot
from mergemaker_referee.matches.making import MATCH_ID_BYTES
from mergemaker_referee.records.journal import record_name
from mergemaker_table import CLOCKS

from mergemaker_tools.play.desk import Desk, DeskBot
from mergemaker_tools.play.local_bots import factory_for, local_setup
from mergemaker_tools.play.planning import spec_of
from mergemaker_tools.problems import WrongUse


class DeskMatch:
    """The match. Whatever can be wrong with it is refused when it is made."""

    def __init__(self, desk: Desk, name: str, others: Sequence[str], rules: Rules, seed: bytes, records: Path) -> None:
        """The desk has seat 0, under this name; `others` are bots as `mergemaker match` takes them."""
        check_seats(rules, 1 + len(others))
        specs = [spec_of(word) for word in others]
        for spec in specs:
            if not isinstance(spec, BuiltInBot | ModuleBot | ScriptBot):
                raise WrongUse(
                    f"{spec.name} cannot play here: --against takes built-in bots, Python files and module:Class; for others, "
                    "start `mergemaker match remote BOT`, and this command with the address that it prints"
                )
        self._desk = desk
        self._factories = [factory_for(spec) for spec in specs]
        self._setup = local_setup(
            rules=rules,
            clock=CLOCKS["none"],
            mode=DealMode.PLAIN,
            match=secrets.token_hex(MATCH_ID_BYTES),
            seed=seed,
            bots=(name, *(spec.word if isinstance(spec, BuiltInBot) else spec.name for spec in specs)),
        )
        self._records = records

    def play(self) -> None:
        """Plays to the end, and writes the record."""
        path = self._records / record_name(datetime.now(UTC), self._setup.match)
        path.parent.mkdir(parents=True, exist_ok=True)
        with Caller() as caller, redirect_stdout(sys.stderr):
            match = LocalMatch(self._setup, [DeskBot(self._desk), *map(make_bot, self._factories)], caller)
            match.play()
        with path.open("xb") as file:
            file.write(b"".join(match.lines))
