"""The page of a tournament: one HTML file that needs nothing else, to be sent and kept."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from mergemaker_contest.sequential import INTERVAL_BLOCKS_MIN

from mergemaker_tools.tournaments.charts import Bar, Line, intervals, lines, points_text, shares

STRONG_AT: Final = 0.08
"""The difference of scores from which a cell of the cross table has its full colour."""
_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;color:#1f2328;background:#fbfaf7;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:0}h2{margin-top:2.5rem;border-bottom:1px solid #d8d4ca}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;border-bottom:1px solid #d8d4ca;text-align:right}
th:first-child,td:first-child,td.text,th.text{text-align:left}
.scroll{overflow-x:auto}.dim{color:#6f6a60}svg{max-width:100%;height:auto}code{overflow-wrap:anywhere}
"""


def page(manifest: Mapping[str, Any], published: Mapping[str, Any]) -> str:
    """The page, of the manifest and of what was published."""
    table = published["table"]
    parts = [
        _head(manifest, table),
        _ratings(table),
        _course(table),
        _cross(table),
        _pairs(table),
        _over_time(table),
        _places(table),
        _seats(table),
        _faults(published),
        _saved(table),
        _thinking(table),
        _hosts(table),
        _proof(manifest, published),
    ]
    body = "\n".join(part for part in parts if part)
    title = escape(str(manifest["name"]))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(
        f"<tr>{''.join(cell if cell.startswith('<td') else f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>'


def _section(title: str, *parts: str) -> str:
    return "\n".join([f"<h2>{escape(title)}</h2>", *parts])


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def interval_text(row: Mapping[str, Any]) -> str:
    """A rating with its interval, in points."""
    if row["rating"] is None:
        return "too few"
    if row["low"] is None:
        return points_text(row["rating"])
    return f"{points_text(row['rating'])} [{points_text(row['low'])}, {points_text(row['high'])}]"


def bot_label(row: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """A bot's name, with its version only where several of its versions take part."""
    same = sum(other["bot"] == row["bot"] for other in rows)
    return f"{row['bot']}@{row['version']}" if same > 1 else str(row["bot"])


def _head(manifest: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    played = f"{table['matches']:,} matches in {table['blocks']:,} blocks"
    what = f"{manifest['format']}, {manifest['seats']} seats, {manifest['rules']}, clock {manifest['clock']['name']}"
    return f"<h1>{escape(str(manifest['name']))}</h1>\n{_paragraph(f'{what}. {played}.', 'dim')}"


def _ratings(table: Mapping[str, Any]) -> str:
    rows = table["ratings"]
    many = len({row["group"] for row in rows}) > 1
    heads = ["bot", *(["group"] if many else []), "rating", "strength", "matches", "mean score", "wins", "mean money", "given up"]
    cells = [
        [
            escape(bot_label(row, rows)),
            *([str(row["group"])] if many else []),
            escape(interval_text(row)),
            f"{row['strength']:+.2f}",
            f"{row['matches']:,}",
            f"{100 * row['score']:.1f}",
            f"{row['wins']:,}",
            f"${row['money']:,}",
            f"{row['given_up'] or '-'}",
        ]
        for row in rows
    ]
    picture = intervals("Ratings with intervals", [Bar(bot_label(r, rows), r["rating"], r["low"], r["high"]) for r in rows])
    zero = "the mean" if table["anchor"] is None else table["anchor"]
    told = (
        f"A rating says how many points of 100 (score: {table['score']}) a seat of the bot gets more than {zero}, at the same "
        "table and in the same seat. The intervals are valid however often somebody looked at the table while matches were "
        "played; they take each block of matches on one deal as one observation. The strength "
        "is a second opinion, from places alone (Davidson and Luce): a difference of 1.1 means to come first three times in four."
    )
    notes = "".join(_paragraph(note) for note in table["notes"])
    return _section("Ratings", _paragraph(told, "dim"), picture, _table(heads, cells), notes)


def _course(table: Mapping[str, Any]) -> str:
    """The rounds of a Swiss tournament or a knockout."""
    course = table["course"]
    if course is None:
        return ""
    parts = [f"<p>{escape(text)}</p>" for text in champion_lines(course)]
    cells = [
        [
            f"{number}",
            f'<td class="text">{escape("; ".join(", ".join(names) for names in each["tables"]))}</td>',
            f'<td class="text">{escape(", ".join(each["resting"]) or "-")}</td>',
        ]
        for number, each in enumerate(course["rounds"], start=1)
    ]
    return _section("Rounds", *parts, _table(["round", "tables", "resting"], cells))


def champion_lines(course: Mapping[str, Any]) -> list[str]:
    """Who won a knockout, and who was out when."""
    if not course.get("champion"):
        return []
    order = " > ".join(", ".join(names) for names in course["places"])
    return [f"{course['champion']} wins. The order in which bots were knocked out, the last first: {order}."]


def _cross(table: Mapping[str, Any]) -> str:
    meetings = {(row["bot"], row["other"]): row for row in table["cross"]}
    names = list(dict.fromkeys(row["bot"] for row in table["ratings"]))
    rows = [[f"<td>{escape(name)}</td>", *(_cross_cell(meetings.get((name, other))) for other in names)] for name in names]
    told = "By how many points a seat of the bot in the row did better than one of the bot in the column, at the same tables."
    if any(meeting["difference"] is None for meeting in meetings.values()):
        told += (
            f" With fewer than {INTERVAL_BLOCKS_MIN} blocks together there is no such number: then 3 : 5 says how often "
            "the bot in the row had more money, and how often the one in the column."
        )
    return _section("Head to head", _paragraph(told, "dim"), _table(["", *names], rows))


def _cross_cell(meeting: Mapping[str, Any] | None) -> str:
    if meeting is None:
        return "<td>·</td>"
    counts = f"{meeting['ahead']} ahead, {meeting['equal']} equal, {meeting['behind']} behind, in {meeting['matches']} matches"
    if meeting["difference"] is None:
        return f'<td title="{counts}" class="dim">{meeting["ahead"]} : {meeting["behind"]}</td>'
    part = min(1.0, abs(meeting["difference"]) / STRONG_AT)
    colour = f"rgba({'0,128,93' if meeting['difference'] > 0 else '196,69,28'},{0.5 * part:.2f})"
    return f'<td title="{counts}" style="background:{colour}">{points_text(meeting["difference"])}</td>'


def _pairs(table: Mapping[str, Any]) -> str:
    told = (
        "Bots that do better or worse when a certain other bot is at the table, beyond what strengths, seats and chance explain. "
        "Of the pairs that are listed, at most one in twenty is expected to be there by chance."
    )
    cells = [
        [
            escape(row["bot"]),
            f'<td class="text">{escape(row["other"])}</td>',
            points_text(row["effect"]),
            f"{row['with']:,}",
            f"{row['without']:,}",
        ]
        for row in table["pairs"]
    ]
    found = _table(["bot", "with", "gains", "blocks with", "blocks without"], cells) if cells else _paragraph("None were found.")
    return _section("Pairs", _paragraph(told, "dim"), found)


def _over_time(table: Mapping[str, Any]) -> str:
    found: dict[str, list[tuple[float, float]]] = {}
    for moment in table["over_time"]:
        for row in moment["ratings"]:
            if row["rating"] is not None:
                found.setdefault(row["bot"], []).append((moment["blocks"], row["rating"]))
    series = [Line(name, tuple(points)) for name, points in found.items() if len(points) > 1]
    if not series:
        return ""
    order = list(dict.fromkeys(row["bot"] for row in table["ratings"]))
    series.sort(key=lambda line: order.index(line.label))
    return _section("Rating over time", lines("Rating over time", series, "blocks played"))


def _places(table: Mapping[str, Any]) -> str:
    rows = table["places"]
    names = list(dict.fromkeys(row["bot"] for row in table["ratings"]))
    places = sorted({row["place"] for row in rows})
    found = {(row["bot"], row["place"]): row for row in rows}
    picture = shares(
        "Places",
        [
            (name, [(f"{place}: {_times(found.get((name, place)))}", _times(found.get((name, place)))) for place in places])
            for name in names
        ],
    )
    cells = [
        [
            escape(name),
            *(f"{row['times']:,} at ${row['money']:,}" if (row := found.get((name, place))) else "-" for place in places),
        ]
        for name in names
    ]
    heads = ["bot", *(f"place {place}" for place in places)]
    return _section(
        "Money by place", _paragraph("How often, and with how much money on average.", "dim"), picture, _table(heads, cells)
    )


def _times(row: Mapping[str, Any] | None) -> int:
    return int(row["times"]) if row else 0


def _seats(table: Mapping[str, Any]) -> str:
    if not table["seats"]:
        return ""
    bars = [Bar(f"seat {row['seat']}", row["advantage"], row["low"], row["high"]) for row in table["seats"]]
    told = "How many points a seat is worth more than the mean of all seats, apart from its bot. Seat 0 begins."
    cells = [[bar.label, escape(interval_text({"rating": bar.value, "low": bar.low, "high": bar.high}))] for bar in bars]
    return _section(
        "Seat advantage", _paragraph(told, "dim"), intervals("Seat advantage", bars), _table(["seat", "advantage"], cells)
    )


def _faults(published: Mapping[str, Any]) -> str:
    table = published["table"]
    cells = [
        [
            escape(row["bot"]),
            f'<td class="text">{escape(row["of"])}</td>',
            f'<td class="text">{escape(row["kind"])}</td>',
            f"{row['times']:,}",
        ]
        for row in table["faults"]
    ]
    worth = "the last place" if table["forfeits"] == "last" else "they were played"
    told = f"Seats whose bot did not play to the end count as {worth}. {table['void']:,} void matches were played again."
    parts = [_paragraph(told, "dim")]
    parts.append(_table(["bot", "whose fault", "what", "times"], cells) if cells else _paragraph("Nothing went wrong."))
    if cells and table["without_faulty"]["ratings"]:
        rows = table["without_faulty"]["ratings"]
        parts.append(_paragraph(f"Ratings of the {table['without_faulty']['blocks']:,} blocks without any fault:"))
        parts.append(_table(["bot", "rating"], [[escape(bot_label(row, rows)), escape(interval_text(row))] for row in rows]))
    parts += [_paragraph(note) for note in published["notes"]]
    return _section("Faults", *parts)


def _saved(table: Mapping[str, Any]) -> str:
    saved = table["saved"]
    if saved is None:
        return ""
    if saved["matches"] >= 0:
        told = f"These {table['matches']:,} matches say as much as {table['matches'] + saved['matches']:,} on deals of their own"
        text = f"{told}: {saved['matches']:,} matches were saved (estimated from the scores, {saved['times']:.2f} times)."
    else:
        text = f"Shared deals saved no matches here (estimated from the scores, {saved['times']:.2f} times)."
    return _section("Matches saved", _paragraph(text))


def _hosts(table: Mapping[str, Any]) -> str:
    hosts = table["hosts"]
    if len(hosts) < 2:
        return ""
    cells = [
        [
            escape(host_name(row)),
            f"{row['blocks']:,}",
            "-" if row["speed"] is None else f"{row['speed']:,}",
            "-" if row["decision_ms"] is None else f"{row['decision_ms']:.1f} ms",
        ]
        for row in hosts
    ]
    told = (
        "Speed: how many games of random players the engine played there in a second of one processor. `mergemaker standings "
        "FOLDER --by host` shows the ratings of each host's blocks."
    )
    heads = ["host", "blocks", "speed", "mean time of a decision"]
    return _section("Hosts", _paragraph(told, "dim"), _table(heads, cells))


def host_name(row: Mapping[str, Any]) -> str:
    """A host of the table, by name."""
    return str(row["host"]) or "unknown host"


def _thinking(table: Mapping[str, Any]) -> str:
    """Thinking and start-up, which are different things."""
    if not table["times"]:
        return ""
    cells = [
        [
            escape(bot_label(row, table["times"])),
            f"{row['decision_ms']:.1f} ms",
            f"{row['longest_ms']:,} ms",
            f"{row['joined_ms']:,.0f} ms",
            f"{row['longest_joined_ms']:,} ms",
        ]
        for row in table["times"]
    ]
    told = (
        "How long each bot thought over a decision, and how long matches waited until it had started, which is no thinking time. "
        "The next match's bots are started ahead, while the match before is played."
    )
    heads = ["bot", "mean decision", "longest decision", "mean wait for its start", "longest wait"]
    return _section("Time", _paragraph(told, "dim"), _table(heads, cells))


def _proof(manifest: Mapping[str, Any], published: Mapping[str, Any]) -> str:
    joined = [{"name": name, "sha256": each["sha256"]} for name, each in published["leavings"].get("joined", {}).items()]
    bots = [
        [escape(bot["name"]), f'<td class="text"><code>{escape(bot["sha256"])}</code></td>']
        for bot in [*manifest["bots"], *joined]
    ]
    seed = published["seed"]
    deals = (
        f"All deals come from the seed <code>{escape(seed)}</code>."
        if seed
        else f"The seed of all deals is published at the end; its SHA-256 is <code>{escape(manifest['seed_sha256'])}</code>."
    )
    return _section(
        "How to check this",
        f"<p>Tournament <code>{escape(published['tournament'])}</code>, played with {escape(published['program'])}. {deals} "
        "With the folder of the tournament, <code>mergemaker tournament --check FOLDER</code> verifies every record, and makes "
        "this table again.</p>",
        _table(["bot", "SHA-256 of its files"], bots),
    )
