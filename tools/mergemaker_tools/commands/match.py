"""Lets bots play against each other, one for each seat, and shows how it ended.

A match is repeated exactly with its seed; the command for that is the last line.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from mergemaker_engine.errors import SetupError
from mergemaker_engine.events import AssetsShown, Event
from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN
from mergemaker_engine.tables import check_seats
from mergemaker_referee.journal import Committer, Durability

from mergemaker_tools import options as shared
from mergemaker_tools.board_picture import board_picture, board_rows
from mergemaker_tools.bots import BOTS
from mergemaker_tools.matches import MATCH_GAMES_MAX, Match, play_match_game
from mergemaker_tools.narration import Narrator
from mergemaker_tools.problems import DONE, Interrupted, WrongUse, nearest_names
from mergemaker_tools.recording import committing, recorder_for
from mergemaker_tools.screen import progress, show, show_line, table, write_document
from mergemaker_tools.simulation import result_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from mergemaker_engine.game import Game

    from mergemaker_tools.matches import Listener

_PROGRAM: Final = "mergemaker"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "bots",
        metavar="BOT",
        nargs="+",
        help=f"a bot for each seat, {SEATS_MIN} to {SEATS_MAX} of them; there is: {', '.join(BOTS)}",
    )
    shared.add_rules(parser)
    shared.add_seed(parser)
    parser.add_argument(
        "--games",
        metavar="N",
        type=shared.whole_number(1, MATCH_GAMES_MAX),
        default=1,
        help="how many games (default: %(default)s)",
    )
    shared.add_records(parser)
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quiet", action="store_true", help="show the standings alone")
    how_much.add_argument("--verbose", action="store_true", help="tell the game in a line for each turn, too")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays the match and shows how it ended."""
    match = _match_of(options)
    reporter = _Reporter(match, options)
    try:
        with committing(Durability(options.durability)) as committer:
            played = _Played(match, options, committer)
            # One game is over at once, and told games show themselves how far it is.
            if options.games == 1 or options.verbose:
                for number in range(options.games):
                    reporter.end_game(number, played.play(number, reporter.hear))
            else:
                with progress(options.games, "games") as done:
                    for number in range(options.games):
                        played.play(number)
                        done(number + 1)
    except KeyboardInterrupt as interrupt:
        how_far = f"interrupted after {len(played.games):,} of {options.games:,} games"
        raise Interrupted(f"{how_far}; again with: {repeat_command(match, options.games)}") from interrupt
    games, records = played.games, played.records
    if options.json:
        write_document(_document(match, games, records))
        return DONE
    if len(games) > 1:
        _show_summary(match, games)
    if records:
        show_line(f"record: {records[0]}" if len(records) == 1 else f"records: {len(records):,} in {options.records}")
    show_line(f"repeat with: {repeat_command(match, options.games)}")
    return DONE


class _Played:
    """The games of a match that were played, and where their records are."""

    def __init__(self, match: Match, options: argparse.Namespace, committer: Committer | None) -> None:
        self._match = match
        self._folder: Path | None = None if options.no_record else options.records
        # A seed that somebody chose is known to somebody: such a deal is not promised.
        self._promised = options.seed is None
        self._committer = committer
        self.games: list[Game] = []
        self.records: list[Path] = []

    def play(self, number: int, listener: Listener | None = None) -> Game:
        """Plays one game to its end."""
        if self._folder is None:
            self.games.append(play_match_game(self._match, number, listener))
            return self.games[-1]
        seed = self._match.game_seed(number)
        with recorder_for(
            self._folder, self._match.rules, self._match.bots, seed, promised=self._promised, committer=self._committer
        ) as recorder:
            self.games.append(play_match_game(self._match, number, listener, recorder))
            self.records.append(recorder.path)
        return self.games[-1]


def _match_of(options: argparse.Namespace) -> Match:
    bots: tuple[str, ...] = tuple(options.bots)
    for bot in bots:
        if bot not in BOTS:
            raise WrongUse(f"there is no bot {bot!r}{nearest_names(bot, BOTS)}\nThe bots are: {', '.join(BOTS)}.")
    if options.json and options.verbose:
        raise WrongUse("--json writes one document and nothing else: leave out --verbose")
    rules = shared.rules_from(options.rules, options.settings)
    try:
        check_seats(rules, len(bots))
    except SetupError as error:
        raise WrongUse(f"a match has one bot for each seat, as in `{_PROGRAM} match random random`: {error}") from error
    return Match(bots, rules, shared.seed_from(options.seed))


def repeat_command(match: Match, games: int) -> str:
    """The command that plays the same match again."""
    how_many = ["--games", str(games)] if games > 1 else []
    arguments = [*match.bots, *shared.rules_arguments(match.rules), *how_many, "--seed", match.seed.hex()]
    return shlex.join([_PROGRAM, "match", *arguments])


class _Reporter:
    """Shows a match while it is played."""

    def __init__(self, match: Match, options: argparse.Namespace) -> None:
        self._match = match
        self._tells = bool(options.verbose)
        self._shows_board = not options.quiet
        self._shows = not options.json
        self._narrator = Narrator(match.rules)
        self._assets: list[AssetsShown] = []

    def hear(self, events: Sequence[Event]) -> None:
        self._assets += [event for event in events if isinstance(event, AssetsShown)]
        if self._tells:
            for line in self._narrator.hear(events):
                show_line(line)

    def end_game(self, number: int, game: Game) -> None:
        if self._shows:
            if self._shows_board:
                heading = f"game {number}, " if number else ""
                rules = shared.rules_in_words(self._match.rules)
                show_line(f"{heading}{rules}: turn {game.turn}, ended: {result_of(game).reason}")
                show(board_picture(game.public_view()))
                show_line("")
            _show_standings(self._match, game, self._assets)
        self._assets = []


def _show_standings(match: Match, game: Game, assets: Sequence[AssetsShown]) -> None:
    """Places and money, and what cash and shares each had before the last payments (END-3)."""
    result = result_of(game)
    standings = table()
    for head in ("place", "seat"):
        standings.add_column(head, justify="right")
    standings.add_column("bot")
    for head in ("money", "cash before"):
        standings.add_column(head, justify="right")
    standings.add_column("shares before")
    for seat in sorted(range(len(match.bots)), key=lambda seat: (result.places[seat], seat)):
        before = assets[seat]
        # As in the text of a position: the letters are those of the board above.
        names = match.rules.chain_names
        held = " ".join(f"{name[0]}{count}" for name, count in zip(names, before.shares, strict=True) if count)
        money = (f"${result.cash[seat]:,}", f"${before.cash:,}")
        standings.add_row(str(result.places[seat]), str(seat), match.bots[seat], *money, held)
    show(standings)


def _show_summary(match: Match, games: Sequence[Game]) -> None:
    """Wins and mean money by seat."""
    summary = table(f"{len(games):,} games, {shared.rules_in_words(match.rules)}")
    summary.add_column("seat", justify="right")
    summary.add_column("bot")
    for head in ("wins", "mean money"):
        summary.add_column(head, justify="right")
    for seat, bot in enumerate(match.bots):
        wins = sum(result_of(game).places[seat] == 1 for game in games)
        money = sum(result_of(game).cash[seat] for game in games) / len(games)
        summary.add_row(str(seat), bot, f"{wins:,}", f"${money:,.0f}")
    show(summary)


def _document(match: Match, games: Sequence[Game], records: Sequence[Path]) -> dict[str, object]:
    return {
        "rules": shared.rules_in_words(match.rules),
        "fingerprint": match.rules.fingerprint(),
        "bots": list(match.bots),
        "seed": match.seed.hex(),
        "games": [
            _game_document(match, number, game) | ({"record": str(records[number])} if records else {})
            for number, game in enumerate(games)
        ],
        "repeat": repeat_command(match, len(games)),
    }


def _game_document(match: Match, number: int, game: Game) -> dict[str, object]:
    result = result_of(game)
    return {
        "game": number,
        "seed": match.game_seed(number).hex(),
        "turns": game.turn,
        "ended": str(result.reason),
        "money": list(result.cash),
        "places": list(result.places),
        "board": board_rows(game.public_view()),
    }
