"""The pages, as HTML that says everything before any script has run. Scripts then keep it up to date."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from mergemaker_engine.views import View

from mergemaker_web.server.board_markup import board_picture, board_table, chains_table, players_table
from mergemaker_web.server.markup import Markup, Node, isolated, money, one_line, short_name, tag, written
from mergemaker_web.server.messages import Bot, Match, Matches, Problem, SeatResult
from mergemaker_web.server.words import ENDING_WORDS, PHASE_WORDS

SITE_NAME: Final = "Mergemaker"
_NEEDS_SCRIPT: Final = "This page is as of its loading. With JavaScript it follows the match, and shows every step."


@dataclass(frozen=True, slots=True)
class Position:
    """How a match stands, for a page."""

    view: View
    bots: tuple[str, ...]
    last: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What all pages have in common."""

    prefix: str
    address: str
    has_tournaments: bool = False
    has_password: bool = False

    def at(self, path: str) -> str:
        """The address of a page of this site."""
        return f"{self.prefix}{path}"

    def match(self, match: str) -> str:
        """The address of a match's page."""
        return self.at(f"/match/{quote(match, safe='')}")

    def bot(self, bot: str) -> str:
        """The address of a bot's page."""
        return self.at(f"/bot/{quote(bot, safe='')}")

    def tournament(self, tournament: str) -> str:
        """The address of a tournament's page."""
        return self.at(f"/tournament/{quote(tournament, safe='')}")

    def page(
        self, title: str, body: Node, *, script: str | None = None, data: dict[str, str] | None = None, preview: str | None = None
    ) -> bytes:
        """A whole page."""
        named = f"{title} · {SITE_NAME}"
        head: list[Node] = [
            tag("meta", {"charset": "utf-8"}),
            tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
            tag("meta", {"name": "color-scheme", "content": "light dark"}),
            tag("title", None, named),
            tag("link", {"rel": "icon", "href": "data:,"}),
            tag("link", {"rel": "stylesheet", "href": self.at("/static/style.css")}),
            tag("link", {"rel": "stylesheet", "href": self.at("/static/pages.css")}),
            tag("meta", {"property": "og:title", "content": named}),
            tag("meta", {"property": "og:site_name", "content": SITE_NAME}),
        ]
        if preview is not None and self.address:
            head.append(tag("meta", {"property": "og:image", "content": self.address.rstrip("/") + preview}))
            head.append(tag("meta", {"name": "twitter:card", "content": "summary_large_image"}))
        if script is not None:
            head.append(tag("script", {"type": "module", "src": self.at(f"/static/{script}")}))
        attributes = {"data-prefix": self.prefix, **{f"data-{name}": value for name, value in (data or {}).items()}}
        whole = tag("html", {"lang": "en"}, tag("head", None, head), tag("body", {**attributes}, body))
        return ("<!doctype html>\n" + written(whole)).encode("utf-8", "replace")

    def menu(self) -> Markup:
        """The way to the other pages."""
        places = [("Matches", "/")]
        places += [("Tournaments", "/tournaments")] if self.has_tournaments else []
        places += [("Projector", "/projector"), ("Data", "/data")]
        links = [tag("a", {"href": self.at(path)}, name) for name, path in places]
        return tag(
            "nav", {"class": "site", "aria-label": "Site"}, tag("a", {"href": self.at("/"), "class": "home"}, SITE_NAME), links
        )

    # --- lists -------------------------------------------------------------------------------------------------------

    def list_page(self, live: Sequence[Match], past: Matches, delay_ms: int) -> bytes:
        """All matches: those that are played, and the newest of the others."""
        delay = f" Live matches are shown {delay_ms / 1_000:g} s later." if delay_ms else ""
        body = [
            self.menu(),
            tag(
                "main",
                {"class": "plain wide"},
                tag("h1", None, "Matches"),
                tag("p", {"class": "trouble", "id": "trouble", "role": "status"}, ""),
                tag(
                    "section", {"class": "panel", "aria-labelledby": "live"}, tag("h2", {"id": "live"}, "Live"), self._live(live)
                ),
                tag(
                    "section",
                    {"class": "panel", "aria-labelledby": "past"},
                    tag("h2", {"id": "past"}, "Past"),
                    self._past(past.matches),
                    self._older(past),
                ),
                tag("p", {"class": "legend"}, f"The list is kept up to date while it is open.{delay}"),
            ),
        ]
        return self.page("Matches", body, script="list.js")

    def _live(self, matches: Sequence[Match]) -> Markup:
        titles = [tag("th", {"scope": "col"}, text) for text in ("Match", "Bots", "State")]
        rows = [
            tag(
                "tr", None, tag("th", {"scope": "row"}, self._match_link(match)), self._bots_cell(match.seats), self._state(match)
            )
            for match in matches
        ]
        nothing = tag("tr", None, tag("td", {"colspan": 3}, "No match is played at the moment."))
        table = tag("table", {"class": "list", "id": "livelist"}, _head(titles), tag("tbody", None, rows or [nothing]))
        return tag("div", {"class": "scrollx", "tabindex": 0, "role": "group", "aria-label": "Live matches"}, table)

    def _past(self, matches: Sequence[Match]) -> Markup:
        titles = [tag("th", {"scope": "col"}, text) for text in ("Match", "Result", "Made")]
        rows = [
            tag(
                "tr",
                None,
                tag("th", {"scope": "row"}, self._match_link(match)),
                self._result_cell(match),
                tag("td", {"class": "number"}, _time(match.created)),
            )
            for match in matches
        ]
        nothing = tag("tr", None, tag("td", {"colspan": 3}, "No match is over yet."))
        table = tag("table", {"class": "list", "id": "pastlist"}, _head(titles), tag("tbody", None, rows or [nothing]))
        return tag("div", {"class": "scrollx", "tabindex": 0, "role": "group", "aria-label": "Past matches"}, table)

    def _older(self, past: Matches) -> Node:
        if past.next is None:
            return None
        return tag("p", None, tag("a", {"href": self.at(f"/?after={quote(past.next, safe='')}")}, "Older matches"))

    def _match_link(self, match: Match) -> Markup:
        return tag("a", {"href": self.match(match.match)}, tag("bdi", None, short_name(match.match)))

    def _bot_link(self, bot: str) -> Markup:
        return tag("a", {"href": self.bot(bot)}, isolated(bot))

    def _bots_cell(self, seats: Sequence[SeatResult]) -> Markup:
        return tag("td", None, _between(" · ", [self._bot_link(seat.bot) for seat in seats]))

    def _state(self, match: Match) -> Markup:
        turn = f", turn {match.turn}" if match.turn else ""
        return tag("td", None, PHASE_WORDS[match.phase] + turn)

    def _result_cell(self, match: Match) -> Markup:
        if all(seat.place is None for seat in match.seats):
            why = ENDING_WORDS.get(match.ending or "", "")
            return tag("td", None, _between(" · ", [self._bot_link(seat.bot) for seat in match.seats]), f" ({why})")
        ordered = sorted(match.seats, key=lambda seat: (seat.place or 0, seat.seat))
        return tag("td", None, _between(" · ", [self._placed(seat) for seat in ordered]))

    def _placed(self, seat: SeatResult) -> list[Node]:
        faults = sum(seat.faults.values())
        words = f" ({faults} default{'s' if faults > 1 else ''})" if faults else ""
        return [f"{seat.place}. ", self._bot_link(seat.bot), f" {money(seat.cash or 0)}{words}"]

    # --- a match -----------------------------------------------------------------------------------------------------

    def match_page(self, match: Match, position: Position | None, *, is_embedded: bool = False) -> bytes:
        """A match, live or past, with its board."""
        is_live = not match.released
        where = self.match(match.match)
        body = [
            None if is_embedded else self.menu(),
            tag(
                "div",
                {"id": "viewer"},
                tag("header", None, tag("h1", None, "Match ", tag("bdi", None, short_name(match.match))), self._facts(match)),
                tag("main", None, self._position(position, is_live=is_live)),
            ),
            None if is_embedded else self._below(match),
        ]
        script = "live_page.js" if is_live else "past_page.js"
        data = {"match": match.match, "page": where}
        return self.page(f"Match {short_name(match.match)}", body, script=script, data=data, preview=f"{where}/picture.png")

    def _facts(self, match: Match) -> list[Node]:
        facts = [PHASE_WORDS[match.phase], f"clock: {one_line(match.clock) or 'none'}", _time(match.created)]
        result = [seat for seat in match.seats if seat.place is not None]
        placed = [self._placed(seat) for seat in sorted(result, key=lambda seat: seat.place or 0)]
        return [
            tag("p", {"class": "facts"}, " · ".join(fact for fact in facts if fact)),
            tag("p", {"class": "result", "id": "status", "role": "status"}, _between(" · ", placed)),
        ]

    def _position(self, position: Position | None, *, is_live: bool) -> list[Node]:
        hint = tag("p", {"class": "legend"}, tag("noscript", None, _NEEDS_SCRIPT))
        if position is None:
            words = "The tiles are not dealt yet." if is_live else "There is no board to show: the match ended before the deal."
            return [tag("section", {"class": "panel"}, tag("h2", None, "Board"), tag("p", None, words), hint)]
        view = position.view
        board = tag("div", {"class": "board"}, board_picture(view, position.last))
        standing = tag("p", {"class": "standing"}, f"turn {view.turn} · {view.pile} tiles in the pile")
        text = tag("details", {"class": "astext"}, tag("summary", None, "Board as text"), board_table(view))
        table = tag("section", {"class": "table panel"}, tag("h2", {"class": "sr"}, "Board"), board, standing, text, hint)
        players = tag("section", {"class": "assets panel"}, tag("h2", None, "Players"), players_table(view, position.bots))
        chains = tag("section", {"class": "assets panel"}, tag("h2", None, "Chains"), chains_table(view))
        return [tag("div", {"class": "column"}, table), tag("div", {"class": "column"}, players, chains)]

    def _below(self, match: Match) -> Markup:
        links: list[Node] = [tag("a", {"href": self.at(f"/embed/match/{quote(match.match, safe='')}")}, "Page for frames")]
        if match.released:
            record = self.at(f"/api/matches/{quote(match.match, safe='')}/record")
            links.insert(0, tag("a", {"href": record, "download": True}, "Download the record"))
        bots = [self._bot_link(seat.bot) for seat in match.seats]
        parts = [tag("p", None, _between(" · ", [*links])), tag("p", None, "Bots: ", _between(" · ", bots))]
        return tag("footer", {"class": "below", "aria-label": "About this match"}, parts)

    # --- bots --------------------------------------------------------------------------------------------------------

    def bot_page(self, bot: Bot) -> bytes:
        """A bot: results, head to head, faults."""
        mean = "" if bot.mean_cash is None else f" Mean money: {money(bot.mean_cash)}."
        summary = f"{bot.matches} finished {_count(bot.matches, 'match', 'matches')}, {bot.wins} won.{mean}"
        heads = [tag("th", {"scope": "col"}, text) for text in ("Against", "Matches", "Better", "Worse")]
        against = [
            tag(
                "tr",
                None,
                tag("th", {"scope": "row"}, self._bot_link(row.bot)),
                [tag("td", {"class": "number"}, str(number)) for number in (row.matches, row.better, row.worse)],
            )
            for row in bot.against
        ]
        table = tag("table", {"class": "list"}, _head(heads), tag("tbody", None, against))
        body = [
            self.menu(),
            tag(
                "main",
                {"class": "plain wide"},
                tag("h1", None, "Bot ", tag("bdi", None, short_name(bot.bot))),
                tag("p", None, summary),
                tag("p", {"class": "legend"}, "Of the matches that this server lists. Bots are told apart by their names alone."),
                tag("section", {"class": "panel"}, tag("h2", None, "Results"), self._past(bot.recent)),
                tag("section", {"class": "panel"}, tag("h2", None, "Head to head"), scrolling("Head to head", table)),
                tag("section", {"class": "panel"}, tag("h2", None, "Faults"), self._faults(bot)),
            ),
        ]
        return self.page(f"Bot {short_name(bot.bot)}", body)

    def _faults(self, bot: Bot) -> Markup:
        if not bot.faults:
            return tag("p", None, "None in its newest matches.")
        items = []
        for fault in bot.faults:
            where = self.match(fault.match) + (f"#{fault.decision}" if fault.decision is not None else "")
            place = short_name(fault.match) if fault.decision is None else f"{short_name(fault.match)}, decision {fault.decision}"
            whose = f" At fault: {fault.at_fault}." if fault.at_fault else ""
            points = [tag("li", None, f"{moment.at_us / 1_000:,.1f} ms: {one_line(moment.kind)}") for moment in fault.timeline]
            timeline = tag("details", None, tag("summary", None, "Timeline"), tag("ol", None, points)) if points else None
            said: list[Node] = [
                tag("b", None, one_line(fault.what)),
                f": {one_line(fault.why)}.{whose} ",
                tag("a", {"href": where}, place),
            ]
            items.append(tag("li", None, said, timeline))
        return tag("ul", {"class": "faults"}, items)

    # --- others ------------------------------------------------------------------------------------------------------

    def projector_page(self) -> bytes:
        """A page for a hall: large, dark, without controls."""
        waiting = tag("p", {"class": "waiting", "role": "status"}, "Waiting for a match …")
        body = tag("main", {"id": "projector"}, tag("h1", {"class": "sr"}, "Live match"), waiting)
        return self.page("Projector", body, script="projector.js")

    def data_page(self, delay_ms: int) -> bytes:
        """What programs get here."""
        rows = [
            ("/api/matches", "the list of matches"),
            ("/api/records.tar", "all released records; with ?since=2026-11-01 those of matches made since then"),
            ("/api/openapi.json", "everything else, described by OpenAPI"),
        ]
        items = [tag("li", None, tag("a", {"href": self.at(path)}, self.at(path)), f": {words}") for path, words in rows]
        delay = f"Live matches and ends are shown {delay_ms / 1_000:g} s later." if delay_ms else ""
        hint = "Records can be checked with `mergemaker verify`, and shown with `mergemaker replay`."
        links = tag("ul", {"class": "links"}, items)
        main = tag("main", {"class": "plain"}, tag("h1", None, "Data"), links, tag("p", None, hint), tag("p", None, delay))
        return self.page("Data", [self.menu(), main])

    def problem_page(self, problem: Problem) -> bytes:
        """Why a page cannot be shown, and what to do."""
        main = tag(
            "main",
            {"class": "plain"},
            tag("h1", None, problem.title),
            tag("p", {"class": "trouble"}, f"{one_line(problem.detail)}."),
            tag("p", None, one_line(problem.todo)),
            tag("p", {"class": "legend"}, f"Reason: {problem.reason}"),
        )
        return self.page(problem.title, [self.menu(), main])

    def login_page(self, back: str, trouble: str = "") -> bytes:
        """Asks for the viewers' password."""
        form = tag(
            "form",
            {"method": "post", "action": self.at("/login")},
            tag("label", {"for": "password"}, "The viewers' password"),
            tag(
                "input",
                {"type": "password", "name": "password", "id": "password", "autocomplete": "current-password", "required": True},
            ),
            tag("input", {"type": "hidden", "name": "back", "value": back}),
            tag("button", {"type": "submit"}, "Look on"),
        )
        said = tag("p", {"class": "trouble", "role": "alert"}, trouble) if trouble else None
        main = tag("main", {"class": "plain login"}, tag("h1", None, "Only for viewers"), said, form)
        return self.page("Password", main)


def _head(titles: Sequence[Markup]) -> Markup:
    return tag("thead", None, tag("tr", None, titles))


def table_head(titles: Sequence[str]) -> Markup:
    """The head of a table."""
    return _head([tag("th", {"scope": "col"}, text) for text in titles])


def scrolling(label: str, table: Markup) -> Markup:
    """A table that scrolls by itself where it is too wide."""
    return tag("div", {"class": "scrollx", "tabindex": 0, "role": "group", "aria-label": label}, table)


def _between(text: str, nodes: Sequence[Node]) -> list[Node]:
    return [part for node in nodes for part in (text, node)][1:]


def _count(number: int, one: str, several: str) -> str:
    return one if number == 1 else several


def _time(text: str) -> str:
    """A moment for people, in UTC."""
    return text.replace("T", " ").replace("Z", " UTC")
