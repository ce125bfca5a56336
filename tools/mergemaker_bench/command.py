"""`mergemaker bench`: its options, the measuring, and the table of what was measured."""

import argparse
import os
import platform
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from mergemaker_tools import options as shared
from mergemaker_tools.engine_build import engine_build
from mergemaker_tools.problems import DONE
from mergemaker_tools.screen import write_document
from mergemaker_tools.tables import progress, show, table

from mergemaker_bench import record_speed
from mergemaker_bench.engine_speed import QUICK, USUAL, Plan, measure, steps_of
from mergemaker_bench.rows import Row

WHATS: Final = ("engine", "records", "referee", "tournament", "duels", "web")
MATCHES: Final = 100
MATCHES_MAX: Final = 1_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "what",
        metavar="WHAT",
        choices=WHATS,
        help="what to measure: engine, records, referee, tournament (matches without a server), duels (how long they are), or "
        "web (what browsers cost)",
    )
    parser.add_argument("--quick", action="store_true", help="measure less, and less precisely")
    parser.add_argument(
        "--no-instructions",
        action="store_true",
        help="engine and records: only measure times; otherwise add a few minutes under callgrind",
    )
    parser.add_argument(
        "--matches",
        metavar="N",
        type=shared.whole_number(1, MATCHES_MAX),
        default=MATCHES,
        help="referee: matches that are played at once (default: %(default)s)",
    )
    parser.add_argument(
        "--processes", action="store_true", help="referee: compare two processes that play with one, and nothing else"
    )
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Measures and shows."""
    if options.what == "referee":
        return run_referee(options)
    if options.what == "web":
        return run_web(options)
    if options.what in ("tournament", "duels"):
        return run_contests(options)
    if options.what == "records":
        effort = record_speed.QUICK if options.quick else record_speed.USUAL
        return run_records(effort, not options.no_instructions, options.json)
    return run_plan(QUICK if options.quick else USUAL, not options.no_instructions, options.json)


def run_plan(plan: Plan, instructions: bool, as_json: bool) -> int:
    """Measures as much of the engine as the plan says, and shows."""
    load = _load_average()  # before it is ours
    with progress(steps_of(plan), "measuring") as done:
        rows = measure(plan, instructions=instructions, done=done)
    return _tell(rows, load, as_json)


def run_records(effort: record_speed.Effort, instructions: bool, as_json: bool) -> int:
    """Measures records with this effort, and shows."""
    load = _load_average()
    with progress(record_speed.steps_of(effort), "measuring") as done:
        rows = record_speed.measure_records(effort, instructions=instructions, done=done)
    return _tell(rows, load, as_json, effort.facts)


def run_referee(options: argparse.Namespace) -> int:
    """Measures the referee beside bare servers, and shows."""
    from mergemaker_bench import referee_speed  # noqa: PLC0415 - gRPC is slow to import, and only needed here

    effort = referee_speed.QUICK if options.quick else referee_speed.USUAL
    load = _load_average()
    if options.processes:
        from mergemaker_bench import referee_processes  # noqa: PLC0415 - as above

        with progress(referee_processes.steps_of(effort), "measuring") as done:
            rows = referee_processes.measure_processes(effort, options.matches, done)
        return _tell(rows, load, options.json)
    with progress(referee_speed.steps_of(effort, options.matches), "measuring") as done:
        measured = referee_speed.measure_referee(effort, options.matches, done)
    return _tell(measured.rows, load, options.json, measured.facts)


def run_web(options: argparse.Namespace) -> int:
    """Measures what browsers that follow a match cost, and shows."""
    from mergemaker_bench import web_speed  # noqa: PLC0415 - slow to import, and only needed here

    effort = web_speed.QUICK if options.quick else web_speed.USUAL
    load = _load_average()
    with progress(web_speed.steps_of(effort), "measuring") as done:
        rows = web_speed.measure_web(effort, done)
    return _tell(rows, load, options.json)


def run_contests(options: argparse.Namespace) -> int:
    """Measures matches of bots of this program, and shows."""
    from mergemaker_bench import duel_figures, tournament_speed  # noqa: PLC0415 - slow to import, and only needed here

    load = _load_average()
    if options.what == "duels":
        figures = duel_figures.QUICK if options.quick else duel_figures.USUAL
        with progress(duel_figures.steps_of(figures), "matches") as done:
            return _tell(duel_figures.measure_duels(figures, done), load, options.json)
    effort = tournament_speed.QUICK if options.quick else tournament_speed.USUAL
    with progress(tournament_speed.steps_of(effort), "measuring") as done:
        rows = tournament_speed.measure_tournaments(effort, done)
    return _tell(rows, load, options.json)


def _tell(rows: Sequence[Row], load: float | None, as_json: bool, facts: Mapping[str, object] = MappingProxyType({})) -> int:
    machine: dict[str, object] = {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "build": engine_build(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load_average": load,
        **facts,
    }
    if as_json:
        write_document({**machine, "rows": [_row_document(row) for row in rows]})
    else:
        _show(machine, rows, facts)
    return DONE


def _load_average() -> float | None:
    """The machine's load over the last minute, if the system reports it."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _row_document(row: Row) -> dict[str, object]:
    return {
        "id": row.id,
        "what": row.what,
        "unit": row.unit,
        "measured": row.measured,
        "must": row.must,
        "must_met": row.met(row.must),
        "aim": row.aim,
        "aim_met": row.met(row.aim),
        "note": row.note,
    }


def _show(machine: Mapping[str, object], rows: Sequence[Row], facts: Mapping[str, object]) -> None:
    speeds = table()
    speeds.add_column("what")
    speeds.add_column("measured", justify="right")
    speeds.add_column("must", justify="right")
    speeds.add_column("aim", justify="right")
    speeds.add_column("met", no_wrap=True)
    for row in rows:
        measured = "-" if row.measured is None else f"{row.measured:,.2f} {row.unit}"
        what = f"{row.what}\n({row.note})" if row.note else row.what
        speeds.add_row(what, measured, _limit(row, row.must), _limit(row, row.aim), _met(row))
    load = "unknown" if machine["load_average"] is None else machine["load_average"]
    lines = [f"{machine['python']}, {machine['build']}, {machine['system']}, {machine['cores']} cores, load {load}"]
    lines += [f"{name.replace('_', ' ')}: {_fact(value)}" for name, value in facts.items()]
    show(speeds, "\n".join(lines))


def _fact(value: object) -> str:
    """A fact in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {_fact(each)}" for name, each in value.items())
    return str(value)


def _limit(row: Row, limit: float | None) -> str:
    if limit is None:
        return ""
    return f"{'>= ' if row.is_floor else ''}{limit:.2f}"


def _met(row: Row) -> str:
    if row.met(row.must) is None:
        return "aim" if row.met(row.aim) else ""
    if not row.met(row.must):
        return "no"
    return "aim" if row.met(row.aim) else "must"
