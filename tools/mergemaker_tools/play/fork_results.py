"""How a resumed match ended, compared with the original match."""

from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.play.standings import fault_lines, game_document, short_name
from mergemaker_tools.screen import show_line
from mergemaker_tools.tables import show, table


def _before(plan: MatchPlan) -> tuple[str, int, tuple[int, ...] | None]:
    """The original match, the decision at which it was resumed, and the money at its end."""
    assert plan.fork is not None, "the plan is a fork's"
    record = plan.fork.record
    return record.header.match, plan.fork.decision, record.end.cash if record.end else None


def show_fork(plan: MatchPlan, report: GameReport) -> None:
    """Places and money now, beside those of the original match."""
    match, decision, before = _before(plan)
    show_line(f"match {match}, taken up again at decision {decision}; ended: {report.ended.why}\n")
    standings = table()
    for head in ("place", "seat"):
        standings.add_column(head, justify="right")
    standings.add_column("bot")
    for head in ("money", "money before"):
        standings.add_column(head, justify="right")
    for standing in report.ranking:
        was = f"${before[standing.seat]:,}" if before else "-"
        money = f"${standing.cash or 0:,}"
        standings.add_row(str(standing.place), str(standing.seat), short_name(standing.bot), money, was)
    show(standings)
    for standing in report.ranking:
        for line in fault_lines(report, standing):
            show_line(line)


def fork_document(plan: MatchPlan, report: GameReport) -> dict[str, object]:
    """The same for programs."""
    match, decision, before = _before(plan)
    return {
        "parent": match,
        "decision": decision,
        "bots": list(plan.names),
        "clock": plan.clock.name,
        **game_document(report),
        "statuses": [str(standing.status) for standing in report.ended.standings],
        "money_before": list(before) if before else None,
    }
