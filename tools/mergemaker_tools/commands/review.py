"""Reviews recorded matches: what each answer is expected to have lost, the best alternative, and each seat's accuracy.

For every decision with a choice, fresh tiles are dealt that agree with what the asked seat knew. The recorded answer and a
few others are played on in the same deals, by a house bot in every seat. The difference is the loss, in per cent of all money,
with an interval. RECORD@57 reviews one decision, --seat one seat's. The same command gives the same figures each time, with any
number of processes. --html writes the page of `replay --html` with the review in it: marks, a graph, and the better answers.

    review records/MATCH.jsonl --html review.html
"""

import argparse
import shutil
from contextlib import closing
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Final

from mergemaker_engine.rules import SEATS_MAX
from mergemaker_processes.texts import shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.exporting.part_file import check_place, part_file
from mergemaker_tools.parallel import add_jobs, in_order
from mergemaker_tools.problems import DONE, CommandFailed, Interrupted, WrongUse
from mergemaker_tools.records.streaming import progress_beside_lines
from mergemaker_tools.redealing.estimates import LEVEL
from mergemaker_tools.reviewing import showing
from mergemaker_tools.reviewing.documents import page_review, review_document
from mergemaker_tools.reviewing.house import House
from mergemaker_tools.reviewing.planning import Source, sources_of
from mergemaker_tools.reviewing.rating import EFFORTS, Effort, Plan, Rated, rate
from mergemaker_tools.reviewing.showing import Review
from mergemaker_tools.screen import complain, show_line, write_document
from mergemaker_tools.tables import show

USUAL_SEED: Final = "0"
_WIDTH: Final = 80
"""Columns where there is no terminal, and COLUMNS does not say otherwise."""
_WIDTH_MIN: Final = 40


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "places",
        metavar="RECORD",
        nargs="+",
        help="a record, or a folder, which stands for all records in it; RECORD@57 is one decision of it, "
        "RECORD@seat0:12 the one that the bot of seat 0 reported as 12",
    )
    parser.add_argument(
        "--seat", metavar="I", type=shared.whole_number(0, SEATS_MAX - 1), help="review this seat's decisions alone"
    )
    efforts = "; ".join(
        f"{effort}: {work.others} other answers, {work.scouting} deals to find the best of them, {work.rating} to compare it"
        for effort, work in EFFORTS.items()
    )
    parser.add_argument(
        "--effort",
        metavar="NAME",
        type=shared.one_of(Effort),
        default=Effort.USUAL,
        help=f"how much is played for each decision. {efforts} (default: %(default)s)",
    )
    parser.add_argument(
        "--house",
        metavar="BOT",
        type=shared.one_of(House),
        default=House.GREEDY,
        help=f"who plays on: {' or '.join(House)}; random is faster, and a weaker judge (default: %(default)s)",
    )
    parser.add_argument("--html", metavar="FILE", help="write a page with the match, a viewer and the review")
    parser.add_argument("--force", action="store_true", help="replace the file of --html if it is there")
    parser.add_argument(
        "--seed", metavar="HEX", default=USUAL_SEED, help="the seed of the deals (default: %(default)s, so two reviews agree)"
    )
    add_jobs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Reviews the records, and shows what came of it."""
    if options.force and options.html is None:
        raise WrongUse("--force replaces the file of --html: add it, or leave out --force")
    if options.html is not None:
        check_place(Path(options.html), force=options.force)
    plan = Plan(EFFORTS[options.effort], options.house, shared.seed_from(options.seed))
    sources = sources_of(options.places, options.seat, plan.work.others)
    if options.html is not None and len(sources) > 1:
        raise WrongUse(f"--html makes the page of one match, and {len(sources)} are given: review them one by one")
    if not any(source.rated for source in sources):
        raise CommandFailed("no decision had a choice: there is nothing to rate")
    reviews = _reviewed(plan, sources, options.jobs)
    if options.html is not None:
        _write_page(reviews[0], Path(options.html), force=options.force)
    if options.json:
        _write_json(reviews, options)
    else:
        _show(reviews, options)
    return DONE


def _reviewed(plan: Plan, sources: list[Source], jobs: int) -> list[Review]:

    total = sum(source.rated for source in sources)
    found: list[Rated] = []
    try:
        asked = chain.from_iterable(source.asked() for source in sources)
        rated = in_order(partial(rate, plan), asked, min(jobs, total), "try --jobs 1, or a lower --effort")
        with progress_beside_lines(total, "decisions") as show_done, closing(rated):
            for one in rated:
                found.append(one)
                show_done(len(found))
    except KeyboardInterrupt as interrupt:
        said = f"interrupted after {len(found):,} of {total:,} decisions, and nothing is written"
        raise Interrupted(f"{said}: --effort quick takes less time") from interrupt
    decisions = iter(found)
    return [Review(source, plan, tuple(islice(decisions, source.rated))) for source in sources]


def _show(reviews: list[Review], options: argparse.Namespace) -> None:
    width = max(shutil.get_terminal_size((_WIDTH, 0)).columns, _WIDTH_MIN)
    for review in reviews:
        for line in showing.head_lines(review, width):
            show_line(line)
        show_line("")
        show(showing.accuracy_table(review))
        show_line("")
        for line in showing.worst_lines(review, width):
            show_line(line)
        show_line("")
    for line in showing.foot_lines(reviews, width):
        show_line(line)
    show_line(f"effort {options.effort}, seed {options.seed}")


def _write_json(reviews: list[Review], options: argparse.Namespace) -> None:
    plan = reviews[0].plan
    write_document(
        {
            "seed": plan.seed.hex(),
            "effort": str(options.effort),
            "house": str(plan.house),
            "others": plan.work.others,
            "deals": {"scouting": plan.work.scouting, "rating": plan.work.rating},
            "level": LEVEL,
            "reviews": [review_document(review) for review in reviews],
        }
    )


def _write_page(review: Review, target: Path, *, force: bool) -> None:
    from mergemaker_web.page import PageTooLarge, match_page  # noqa: PLC0415 - only a page needs it

    from mergemaker_tools.replaying.carrying import carried_from  # noqa: PLC0415 - likewise

    source = review.source
    match = carried_from(source.path, source.story(), source.at)
    try:
        page = match_page(match.with_review(page_review(review)))
    except PageTooLarge as error:
        raise CommandFailed(f"{shown_path(source.path)}: {error}") from error
    with part_file(target, force=force) as file:
        file.write(page)
    complain(f"wrote {shown_path(target)}, {len(page):,} bytes: open it in a browser")
