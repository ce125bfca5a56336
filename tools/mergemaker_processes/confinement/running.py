"""Runs one bot, confined in either form, as the order says."""

from typing import Any

from mergemaker_processes.confinement.guarding import Guard, Reports
from mergemaker_processes.confinement.steps import Step
from mergemaker_processes.confinement.terms import LIMITS, NOT_STARTED, Limits


def run(given: dict[str, Any], report: int) -> int:
    """Runs the bot until nothing of it is left; returns how it ended, as `os.wait` has it."""
    reports = Reports(report)
    limits = Limits(**given["limits"])
    try:
        return _run_limited(given, limits, reports) if given["form"] == LIMITS else _run_full(given, limits, reports)
    except Step as failed:
        reports.tell("unconfined", {"step": failed.name, "number": failed.number, "detail": failed.detail})
        return NOT_STARTED << 8


def _run_limited(given: dict[str, Any], limits: Limits, reports: Reports) -> int:
    from mergemaker_processes.confinement.limited import Limited  # noqa: PLC0415 - one of two forms

    guard = Guard.made(given["group"], limits, ends_at_processes=True)
    try:
        reports.tell("confined", {"kept_by": guard.kept_by})
        if given["only_tries"]:
            return 0
        return Limited(given["arguments"], given["scratch"], limits, guard, reports).run()
    finally:
        guard.close()


def _run_full(given: dict[str, Any], limits: Limits, reports: Reports) -> int:
    import os  # noqa: PLC0415 - as below

    from mergemaker_processes.confinement.inside import Order  # noqa: PLC0415 - one of two forms, and on Linux alone
    from mergemaker_processes.confinement.outside import Outside  # noqa: PLC0415 - likewise
    from mergemaker_processes.confinement.spare_users import spare_user  # noqa: PLC0415 - likewise

    order = Order()
    order.maps_users = os.getuid() != 0
    order.arguments = given["arguments"]
    order.folder = given["folder"]
    order.only_tries = given["only_tries"]
    order.limits = limits
    order.shown = given["shown"]
    order.links = [(path, target) for path, target in given["links"]]
    order.hidden = [path for _, path in given["hidden"]]
    order.listen = [(host, port) for host, port in given["listen"]]
    labels = [label for label, _ in given["hidden"]]
    user = spare_user(maps_users=order.maps_users)  # held until the end
    order.user = user.number
    guard = Guard.made(given["group"], limits, others=1)
    try:
        return Outside(order, guard, (given["referee"][0], given["referee"][1]), labels, reports).run()
    finally:
        guard.close()
        user.free()
