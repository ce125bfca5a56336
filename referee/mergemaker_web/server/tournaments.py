"""Tournaments as the pages show them: a port to whatever knows their results, and the pages themselves."""

from collections.abc import Sequence
from typing import Final, Protocol

from mergemaker_web.server.markup import Markup, Node, isolated, short_name, tag
from mergemaker_web.server.messages import CrossRow, RatingRow, TournamentName, TournamentTable
from mergemaker_web.server.pages import Site, scrolling, table_head
from mergemaker_web.server.problems import unknown_tournament

_BAR_WIDTH: Final = 220
_BAR_HEIGHT: Final = 18
_STRONG_AT: Final = 0.08
"""The difference from which a cell of the cross table has its full colour."""
_POINTS: Final = 100
_WHAT_RATINGS_ARE: Final = "Ratings are points of 100 above the mean, with intervals that are valid at every look."


class TournamentBook(Protocol):
    """Knows tournaments and their tables."""

    async def all(self) -> Sequence[TournamentName]:
        """All tournaments, the newest first; raises a `WebProblem` if they cannot be looked up now."""

    async def table(self, tournament: str) -> TournamentTable:
        """A tournament's table; raises a `WebProblem` that there is none, or that it cannot be made now."""


class NoTournaments:
    """A server without a database of tournaments."""

    async def all(self) -> Sequence[TournamentName]:
        """None."""
        return ()

    async def table(self, tournament: str) -> TournamentTable:  # noqa: ARG002 - the port's
        """None."""
        raise unknown_tournament()


def tournaments_page(site: Site, found: Sequence[TournamentName]) -> bytes:
    """All tournaments."""
    rows = [
        tag(
            "tr",
            None,
            tag("th", {"scope": "row"}, tag("a", {"href": site.tournament(each.tournament)}, isolated(each.name))),
            tag("td", {"class": "number"}, each.made.replace("T", " ").replace("Z", " UTC")),
        )
        for each in found
    ]
    nothing = tag("tr", None, tag("td", {"colspan": 2}, "There is no tournament yet."))
    titles = table_head(("Tournament", "Made"))
    table = tag("table", {"class": "list"}, titles, tag("tbody", None, rows or [nothing]))
    panel = tag("section", {"class": "panel"}, scrolling("Tournaments", table))
    main = tag("main", {"class": "plain wide"}, tag("h1", None, "Tournaments"), panel)
    return site.page("Tournaments", [site.menu(), main])


def tournament_page(site: Site, table: TournamentTable) -> bytes:
    """A tournament: standings with intervals, cross table, progress."""
    state = f"{table.unfinished:,} matches of blocks that are not whole yet do not count." if table.unfinished else ""
    facts = (
        f"{table.format}, {table.seats} seats, clock {table.clock}. {table.matches:,} matches in {table.blocks:,} blocks. {state}"
    )
    body: list[Node] = [
        site.menu(),
        tag(
            "main",
            {"class": "plain wide"},
            tag("h1", None, tag("bdi", None, short_name(table.name))),
            tag("p", None, facts),
            tag(
                "section",
                {"class": "panel"},
                tag("h2", None, "Standings"),
                tag(
                    "p",
                    {"class": "legend"},
                    _WHAT_RATINGS_ARE,
                ),
                scrolling("Standings", _standings(site, table.ratings)),
            ),
            tag("section", {"class": "panel"}, tag("h2", None, "Head to head"), scrolling("Head to head", _cross(site, table))),
            tag("p", None, tag("a", {"href": site.at(f"/api/tournaments/{table.tournament}")}, "As data")),
        ),
    ]
    return site.page(short_name(table.name), body)


def _standings(site: Site, rows: Sequence[RatingRow]) -> Markup:
    bounds = [bound for row in rows for bound in (row.low, row.high, row.rating) if bound is not None]
    low, high = (min(bounds), max(bounds)) if bounds else (0.0, 1.0)
    cells = [
        tag(
            "tr",
            None,
            tag("th", {"scope": "row"}, tag("a", {"href": site.bot(row.bot)}, isolated(row.bot))),
            [
                tag("td", {"class": "number"}, text)
                for text in (_rating(row), f"{row.matches:,}", f"{_POINTS * row.score:.1f}", f"{row.wins:,}", f"${row.money:,}")
            ],
            tag("td", None, _bar(row, low, high)),
        )
        for row in rows
    ]
    titles = table_head(("Bot", "Rating", "Matches", "Mean score", "Wins", "Mean money", "Interval"))
    return tag("table", {"class": "list"}, titles, tag("tbody", None, cells))


def _rating(row: RatingRow) -> str:
    if row.rating is None:
        return "too few"
    if row.low is None or row.high is None:
        return _points(row.rating)
    return f"{_points(row.rating)} [{_points(row.low)}, {_points(row.high)}]"


def _points(value: float) -> str:
    return f"{_POINTS * value:+.1f}"


def _bar(row: RatingRow, low: float, high: float) -> Markup | None:
    """The interval as a picture; the cell beside it has it in numbers."""
    if row.rating is None:
        return None

    def place(value: float) -> float:
        return round(4 + (_BAR_WIDTH - 8) * (value - low) / (high - low or 1.0), 1)

    middle = _BAR_HEIGHT // 2
    line = None
    if row.low is not None and row.high is not None:
        line = tag("line", {"x1": place(row.low), "x2": place(row.high), "y1": middle, "y2": middle})
    frame: dict[str, str | int | float | bool | None] = {
        "class": "interval",
        "viewBox": f"0 0 {_BAR_WIDTH} {_BAR_HEIGHT}",
        "aria-hidden": "true",
    }
    return tag("svg", frame, line, tag("circle", {"cx": place(row.rating), "cy": middle, "r": 4}))


def _cross(site: Site, table: TournamentTable) -> Markup:
    names = list(dict.fromkeys(row.bot for row in table.ratings))
    found = {(row.bot, row.other): row for row in table.cross}
    rows = [
        tag(
            "tr",
            None,
            tag("th", {"scope": "row"}, tag("a", {"href": site.bot(name)}, isolated(name))),
            [_cross_cell(found.get((name, other))) for other in names],
        )
        for name in names
    ]
    titles = table_head(("Better than", *map(isolated, names)))
    return tag("table", {"class": "list cross"}, titles, tag("tbody", None, rows))


def _cross_cell(row: CrossRow | None) -> Markup:
    if row is None:
        return tag("td", None, "·")
    counts = f"{row.ahead} ahead, {row.equal} equal, {row.behind} behind, in {row.matches} matches"
    if row.difference is None:
        return tag("td", {"title": counts}, f"{row.ahead}:{row.behind}")
    strength = min(3, int(3 * abs(row.difference) / _STRONG_AT) + 1) if row.difference else 0
    kind = f"{'better' if row.difference > 0 else 'worse'}{strength}"
    return tag("td", {"title": counts, "class": kind}, _points(row.difference))
