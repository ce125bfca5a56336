"""How a match ended: tables for people, a document for programs, and the command that repeats it."""

from collections.abc import Sequence
from typing import Final

from mergemaker_engine.record.lines import Status
from mergemaker_engine.record.standings import Standing
from mergemaker_processes.bot_names import HumanPlayer
from mergemaker_processes.logs import log_lines
from mergemaker_processes.texts import command_text, shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.board_picture import board_picture, board_rows
from mergemaker_tools.pasting import PROGRAM, own_command
from mergemaker_tools.play.comparing import means_of, verdict_lines, verdicts_of
from mergemaker_tools.play.failure_watch import first_failure
from mergemaker_tools.play.local_bots import is_fast
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.play.ways import Way
from mergemaker_tools.screen import show_line
from mergemaker_tools.tables import show, table

BOT_CHARACTERS_MAX: Final = 20
"""How much of a bot's name is in a table, so that all columns fit into 80 characters."""


def repeat_command(plan: MatchPlan) -> str:
    """The command that plays the same match again."""
    seed = ["--seed", plan.seed.hex()] if plan.seed_file is None else ["--seed-file", str(plan.seed_file)]
    how_many = ["--games", str(plan.games)] if plan.games > 1 else []
    if plan.challenge:
        seed = ["--challenge", _digits(plan.seed)]
    clock = ["--clock", plan.clock_word] if plan.clock_word != plan.usual_clock else []
    confine = plan.confining.arguments if plan.confining else ()
    rules = shared.rules_arguments(plan.rules)
    fast = ["--play", "fast"] if plan.fast and not is_fast(Way.AUTO, plan.specs) else []
    return own_command("match", *plan.words, *rules, *clock, *how_many, *fast, *confine, *seed)


def _digits(seed: bytes) -> str:
    return seed.hex().lstrip("0") or "0"


def challenge_line(plan: MatchPlan, report: GameReport) -> str | None:
    """The line for others who are to play the same deal; None for a person who has not played to the end."""
    seat = next(seat for seat, spec in enumerate(plan.specs) if isinstance(spec, HumanPlayer))
    standing = report.ended.standings[seat]
    if standing.status is not Status.FINISHED:
        return None
    rules = shared.rules_arguments(plan.rules)
    command = command_text([PROGRAM, "match", *plan.words, *rules, "--challenge", _digits(plan.seed)])
    return f"Beat my ${standing.cash or 0:,} on this deal: {command}"


def show_board(plan: MatchPlan, report: GameReport) -> None:
    """The last position."""
    rules = shared.rules_in_words(plan.rules)
    show_line(f"{rules}: turn {report.turns}, ended: {report.ended.why}")
    if report.view is not None:
        show(board_picture(report.view))
    show_line("")


def show_standings(report: GameReport, *, for_person: bool = False) -> None:
    """Places and money, and what was paid for majorities; faults and how long each thought, except for a person."""
    standings = table()
    for head in ("place", "seat"):
        standings.add_column(head, justify="right")
    standings.add_column("bot")
    for head in ("money", "bonuses", *(() if for_person else ("faults", "mean ms", "longest"))):
        standings.add_column(head, justify="right")
    for standing in report.ranking:
        seat, thinking = standing.seat, standing.thinking
        money = (f"${standing.cash or 0:,}", f"${report.bonuses[seat]:,}")
        how = (f"{report.faults_of(seat) or '-'}", f"{thinking.mean_ms:,}", f"{thinking.longest_ms:,}")
        standings.add_row(str(standing.place), str(seat), short_name(standing.bot), *money, *(() if for_person else how))
    show(standings)
    for standing in report.ranking:
        for line in fault_lines(report, standing):
            show_line(line)


def short_name(bot: str) -> str:
    """A bot's name, cut to its column."""
    return bot if len(bot) <= BOT_CHARACTERS_MAX else f"{bot[: BOT_CHARACTERS_MAX - 1]}…"


def fault_lines(report: GameReport, standing: Standing) -> list[str]:
    """The lines about a seat's faults."""
    parts = []
    if standing.status is not Status.FINISHED:
        parts.append(f"{standing.status} from decision {standing.since} on" if standing.since else str(standing.status))
    parts += [f"{count} {cause}" for cause, count in standing.faults.items()]
    if report.refusals[standing.seat]:
        parts.append(f"{report.refusals[standing.seat]} answers refused")
    if failures := report.failures[standing.seat]:
        parts.append(f"failed at {failures:,} {'question' if failures == 1 else 'questions'}, answered with the default")
    lines = [f"seat {standing.seat}: {', '.join(parts)}"] if parts else []
    lines += [f"seat {standing.seat}: {trouble}" for trouble in report.troubles_of(standing.seat)]
    if lines and report.complaints:
        lines += [f"  {line}" for line in report.complaints[standing.seat].splitlines()]
    log = report.logs[standing.seat]
    if not lines or log is None:
        return lines
    told = first_failure(log)
    return [*lines, *(f"  {line}" for line in (*log_lines(log), *(["its first failure:", *told] if told else [])))]


def show_ways_on(plan: MatchPlan, reports: Sequence[GameReport]) -> None:
    """Where the records are, and the commands for them."""
    records = [report.record for report in reports if report.record is not None]
    if len(records) == 1:
        path = str(records[0])
        show_line(f"record: {shown_path(path)}")
        show_line(f"receipt: {shown_receipt(reports[0])}")
        show_line(f"{'watch it again' if plan.has_human else 'replay'} with: {own_command('replay', path)}")
        show_line(f"verify with: {own_command('verify', path)}")
    elif records:
        show_line(f"records: {len(records):,} in {shown_path(records[0].parent)}")
        show_line(f"verify with: {own_command('verify', str(records[0].parent))}")
    faulty = [report.record for report in reports if report.record is not None and _has_faults(report)]
    if faulty:
        more = f" (and {len(faulty) - 1:,} more games with faults)" if len(faulty) > 1 else ""
        show_line(f"faults with: {own_command('replay', str(faulty[0]), '--faults')}{more}")
    show_line(f"{'play this deal again' if plan.has_human else 'repeat'} with: {repeat_command(plan)}")
    if plan.challenge and (line := challenge_line(plan, reports[0])):
        show_line(f"\nTo send: {line}")


def shown_receipt(report: GameReport) -> str | None:
    """What to keep, to compare the game's record with."""
    return None if report.ended.receipt is None else str(report.ended.receipt)


def _has_faults(report: GameReport) -> bool:
    return any(report.faults_of(seat) or standing.faults for seat, standing in enumerate(report.ended.standings))


def show_means(plan: MatchPlan, reports: Sequence[GameReport]) -> None:
    """What games with rotating seats say of each bot, who is better, and lines about faults."""
    shown = table(f"{len(reports):,} games, seats rotate, {shared.rules_in_words(plan.rules)}")
    shown.add_column("bot")
    for head in ("wins", "mean money", "share in %", "faults", "mean ms", "longest"):
        shown.add_column(head, justify="right")
    remarks = []
    for means in means_of(reports):
        own = [(report, standing) for report in reports for standing in report.ended.standings if standing.bot == means.bot]
        faults = sum(report.faults_of(standing.seat) + report.failures[standing.seat] for report, standing in own)
        width = f" ± {means.interval.half_width * 100:.1f}" if means.interval else ""
        share = f"{means.share * 100:.1f}{width}"
        cells = (f"{means.wins:,}", f"${means.money:,.0f}", share, f"{faults or '-'}")
        shown.add_row(short_name(means.bot), *cells, *_times_of([standing for _, standing in own]))
        told = [lines for report, standing in own if (lines := fault_lines(report, standing))]
        remarks += [f"{means.bot}, at its first fault:", *told[0]] if told else []
    show(shown)
    for line in (*remarks, *verdict_lines(reports)):
        show_line(line)


def show_summary(plan: MatchPlan, reports: Sequence[GameReport]) -> None:
    """Places, mean money, faults and thinking times by seat, over all games, and lines about faults."""
    summary = table(f"{len(reports):,} games, {shared.rules_in_words(plan.rules)}")
    summary.add_column("seat", justify="right")
    summary.add_column("bot")
    for head in ("wins", "mean money", "place", "faults", "mean ms", "longest"):
        summary.add_column(head, justify="right")
    remarks = []
    for seat, name in enumerate(plan.names):
        standings = [report.ended.standings[seat] for report in reports]
        wins = sum(standing.place == 1 for standing in standings)
        money = sum(standing.cash or 0 for standing in standings) / len(reports)
        place = sum(standing.place or 0 for standing in standings) / len(reports)
        faults = sum(report.faults_of(seat) for report in reports)
        played = (f"{wins:,}", f"${money:,.0f}", f"{place:.2f}", f"{faults or '-'}")
        summary.add_row(str(seat), short_name(name), *played, *_times_of(standings))
        remarks += _first_remarks(reports, seat)
    show(summary)
    for line in remarks:
        show_line(line)


def _times_of(standings: Sequence[Standing]) -> tuple[str, str]:
    """The mean and the longest thinking time of one seat in several games."""
    decisions = sum(standing.thinking.decisions for standing in standings)
    total_ms = sum(standing.thinking.total_ms for standing in standings)
    longest_ms = max(standing.thinking.longest_ms for standing in standings)
    return f"{total_ms // decisions if decisions else 0:,}", f"{longest_ms:,}"


def _first_remarks(reports: Sequence[GameReport], seat: int) -> list[str]:
    """The lines about a seat's faults in the first game that has some, and the number of other such games."""
    told = [lines for report in reports if (lines := fault_lines(report, report.ended.standings[seat]))]
    if not told:
        return []
    others = len(told) - 1
    more = [f"  something in {others:,} {'game' if others == 1 else 'games'} more"] if others else []
    return [*told[0], *more]


def document(plan: MatchPlan, reports: Sequence[GameReport]) -> dict[str, object]:
    """All of it for programs."""
    return (
        {
            "rules": shared.rules_in_words(plan.rules),
            "fingerprint": plan.rules.fingerprint(),
            "clock": plan.clock.name,
            "bots": list(plan.names),
            "seed": plan.seed.hex(),
            "games": [{"game": report.number, "seed": report.seed.hex(), **game_document(report)} for report in reports],
            "repeat": repeat_command(plan),
        }
        | ({"confined": plan.confining.document()} if plan.confining else {})
        | (_means_document(reports) if plan.fast else {})
    )


def _means_document(reports: Sequence[GameReport]) -> dict[str, object]:
    means = [
        {
            "bot": each.bot,
            "seats": each.seats,
            "wins": each.wins,
            "money": each.money,
            "place": each.place,
            "share": each.share,
            "low": each.interval.low if each.interval else None,
            "high": each.interval.high if each.interval else None,
        }
        for each in means_of(reports)
    ]
    verdicts = [{"bots": list(pair), "verdict": str(verdict)} for pair, verdict in verdicts_of(reports).items()]
    return {"means": means, "verdicts": verdicts}


def game_document(report: GameReport) -> dict[str, object]:
    """How one game went, for programs: of a match, and of a fork."""
    return {
        "turns": report.turns,
        "ended": str(report.ended.why),
        "money": [standing.cash for standing in report.ended.standings],
        "places": [standing.place for standing in report.ended.standings],
        "standings": [_standing_document(report, standing) for standing in report.ended.standings],
        "board": board_rows(report.view) if report.view else None,
        "receipt": shown_receipt(report),
    } | ({"record": str(report.record)} if report.record else {})


def _standing_document(report: GameReport, standing: Standing) -> dict[str, object]:
    return {
        "seat": standing.seat,
        "bot": standing.bot,
        "place": standing.place,
        "money": standing.cash,
        "bonuses": report.bonuses[standing.seat],
        "status": str(standing.status),
        "refused": report.refusals[standing.seat],
        "failures": report.failures[standing.seat],
        "faults": {str(cause): count for cause, count in standing.faults.items()},
        "decisions": standing.thinking.decisions,
        "mean_ms": standing.thinking.mean_ms,
        "longest_ms": standing.thinking.longest_ms,
    } | ({"troubles": [trouble.document() for trouble in troubles]} if (troubles := report.troubles_of(standing.seat)) else {})
