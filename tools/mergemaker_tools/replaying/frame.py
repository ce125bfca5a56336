"""The picture of a player: lines of text with styles, cut to the size of the screen."""

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mergemaker_engine.actions import Power
from mergemaker_engine.board import CHAINS, LETTERS
from mergemaker_engine.chains import SAFE_SIZE
from mergemaker_engine.events import TilePlaced
from mergemaker_engine.views import View
from mergemaker_engine.wording import event_text, square_name
from rich.text import Text

from mergemaker_tools.board_picture import board_picture
from mergemaker_tools.options import rules_in_words
from mergemaker_tools.phrases import Phrases, squares_text
from mergemaker_tools.replaying.knowledge import Told, events_for, incident_text, incidents_for, one_line, told
from mergemaker_tools.replaying.player import HELP, Page, Player
from mergemaker_tools.replaying.question import question_at, question_lines
from mergemaker_tools.replaying.score import ending_text, name_of

WIDTH_MIN: Final = 80
HEIGHT_MIN: Final = 24
_BOARD_CHARACTERS: Final = 39
_CELL_CHARACTERS: Final = 3
_GAP: Final = " " * 3
_BOT_CHARACTERS: Final = 9
_LABEL_CHARACTERS: Final = 10
_CONTEXT_LINES_MAX: Final = 2
"""On the board's page, which has little room; the details have all of it."""
_HEAD: Final = "bold"
_FAINT: Final = "dim"
_WARNING: Final = "bold red"
_LATEST: Final = "bold reverse"


def frame(player: Player, width: int, height: int) -> Text:
    """The screen: exactly as many lines as it has, none longer than its width."""
    if width < WIDTH_MIN or height < HEIGHT_MIN:
        lines = _too_small(width, height)
    else:
        lines = list(page(player, width, height - 1).split("\n", allow_blank=True))[: height - 1]
        lines = _fill(lines, height - 1)
        lines.append(_footer(player))
    return _joined(_fill(lines, height)[: max(height, 1)], width)


def settled(player: Player, width: int, height: int) -> Player:
    """The player, with its scroll position limited to the text on a screen of this size."""
    if player.page not in (Page.ASKED, Page.DETAILS) or not player.scrolled:
        return player
    fixed, words = _scrolling(player, width)
    most = max(len(words) - (height - 1 - len(fixed)), 0)
    return replace(player, scrolled=min(player.scrolled, most))


def page(player: Player, width: int, height: int) -> Text:
    """All but the screen's last line."""
    if player.page is Page.HELP:
        lines = _help()
    elif player.page in (Page.ASKED, Page.DETAILS):
        fixed, words = _scrolling(player, width)
        lines = [*fixed, *words[player.scrolled :]]
    else:
        lines = _table(player, width, height)
    return _joined(lines[:height], width)


def asked_text(player: Player, width: int) -> str:
    """A decision as it was asked, as text of any length. Below a screen's width, the chains come below the board."""
    fixed, words = _scrolling(replace(player, page=Page.ASKED), width)
    if width < WIDTH_MIN:
        title, *rows = [line.plain.rstrip() for line in fixed]
        board, rest = rows[: len(LETTERS) + 1], rows[len(LETTERS) + 1 :]
        beside = [row[_BOARD_CHARACTERS + len(_GAP) :] for row in board]
        stacked = [" ".join(title.split()), *(row[:_BOARD_CHARACTERS] for row in board), *filter(None, beside), *rest]
        fixed = [Text(part) for line in stacked for part in textwrap.wrap(line, width, subsequent_indent=_GAP)]
    return _joined([*fixed, *words], width).plain


def _scrolling(player: Player, width: int) -> tuple[list[Text], list[Text]]:
    """The page of details or of the question: the lines that stay, and those that scroll."""
    if player.page is Page.DETAILS:
        return [_title(player, width), Text()], _wrapped(_details(player), width)
    before = replace(player, position=max(player.position - 1, 0))
    view = _view(before)
    context = _context(player, view, width)
    fixed = [_title(player, max(width, WIDTH_MIN)), *_board(before, view), *_seats(before, view), *context]
    return fixed, _wrapped(_asked(player), width)


def _asked(player: Player) -> list[tuple[str, str, str]]:
    """The question with all its answers, and then what was answered and what happened."""
    story, position = player.story, player.position
    happened = _happened(player)
    if not position:
        return happened
    line = story.moments[position - 1].line
    question = question_at(story, position, player.knower)
    if question is None:
        return [("asked", f"seat {line.seat}; seat {player.knower} did not know what", _FAINT), *happened]
    who = f"seat {line.seat} ({name_of(story.header, line.seat)})"
    legal = [(label, text, "") for label, text in question_lines(question, story.rules)]
    answered = f"{one_line(line.answer)} [{line.by}]"
    before = [part for part in happened if part[0] == "incident"]
    later = [("answered", answered, style) if label == "asked" else (label, text, style) for label, text, style in happened]
    return [*before, ("asked", f"{who}: {one_line(line.asked)}", _HEAD), *legal, *later[len(before) :]]


def _joined(lines: Sequence[Text], width: int) -> Text:
    for line in lines:
        line.truncate(max(width, 1), overflow="ellipsis")
    return Text("\n").join(lines)


def _fill(lines: list[Text], height: int) -> list[Text]:
    return lines + [Text() for _ in range(height - len(lines))]


def _too_small(width: int, height: int) -> list[Text]:
    return [
        Text(f"Too small: {width}x{height}."),
        Text(f"Needed: {WIDTH_MIN}x{HEIGHT_MIN}."),
        Text("Enlarge it, or q to leave."),
    ]


def _table(player: Player, width: int, height: int) -> list[Text]:
    view = _view(player)
    lines = [_title(player, width), *_board(player, view), *_seats(player, view)]
    lines += _context(player, view, width)[:_CONTEXT_LINES_MAX]
    roomy = height - len(lines) > 2 * len(_happened(player))
    if roomy:
        lines.append(Text())
    lines += _wrapped(_happened(player), width)
    if len(lines) > height:
        lines[height - 1 :] = [Text("… d shows all of it", style=_FAINT)]
    return lines + _before(player, width, height - len(lines))


def _view(player: Player) -> View:
    game = player.story.game_at(player.position)
    return game.public_view() if player.knower is None else game.view(player.knower)


def _title(player: Player, width: int) -> Text:
    story, position = player.story, player.position
    # A seat cannot know how many decisions there will be.
    of = f" of {story.last}" if player.knower is None else ""
    where = f"decision {position}{of}" if position else "the set-up"
    turn = f" · turn {story.turn_at(position)}" if position else ""
    left = Text(f"{where}{turn}", style=_HEAD)
    left.append(f" · {story.header.match} · {rules_in_words(story.rules)}", style="")
    shown = Text("all is shown" if player.knower is None else f"what seat {player.knower} knew", style="bold cyan")
    left.truncate(width - shown.cell_len - 2, overflow="ellipsis", pad=True)
    return left + Text("  ") + shown


def _board(player: Player, view: View) -> list[Text]:
    """The board, and beside it the chains with size, price and shares left."""
    rows = list(board_picture(view).split("\n"))
    for row in rows:
        row.truncate(_BOARD_CHARACTERS)
    for event in player.story.events_at(player.position):
        if isinstance(event, TilePlaced):
            name = square_name(event.square)
            column = _CELL_CHARACTERS * int(name[:-1])
            rows["ABCDEFGHI".index(name[-1]) + 1].stylize(_LATEST, column, column + _CELL_CHARACTERS)
    beside = [Text(f"{'chain':<16}{'size':>4}{'price':>7}{'left':>5}", style=_HEAD)]
    for chain, name in enumerate(view.rules.chain_names):
        size = view.sizes[chain]
        price = f"${view.prices[chain]:,}" if size else "-"
        safe = " safe" if size >= SAFE_SIZE else ""
        line = f"{name:<16}{size or '-':>4}{price:>7}{view.market[chain]:>5}{safe}"
        beside.append(Text(line, style="" if size else _FAINT))
    beside.append(Text(f"pile {view.pile}" + (f", set aside {len(view.set_aside)}" if view.set_aside else ""), style=_FAINT))
    beside.append(Text(_standing(view)))
    for row, text in zip(rows, beside, strict=False):
        row.pad_right(_BOARD_CHARACTERS - row.cell_len)
        row.append(_GAP).append_text(text)
    return rows


def _standing(view: View) -> str:
    """The state of the turn or the end, in words."""
    if view.over:
        return f"the game is over: {view.over}"
    if view.declared:
        return "the end is declared"
    return "the end may be declared" if view.end_allowed else ""


def _seats(player: Player, view: View) -> list[Text]:
    """A line for each seat: money, shares, what they are worth, tiles."""
    story = player.story
    letters = "".join(f"{name[0]:>3}" for name in view.rules.chain_names)
    lines = [Text(f"  {'seat':<{_BOT_CHARACTERS + 2}}{'cash':>8} {letters} {'worth':>8}  tiles", style=_HEAD)]
    for seat in range(view.seats):
        cash, shares, worth = _assets(player, view, seat)
        held = "".join(f"{count or '.':>3}" for count in shares) if shares else f"{'hidden':>{3 * CHAINS}}"
        money = "-" if cash is None else f"${cash:,}"
        whole = "-" if worth is None else f"${worth:,}"
        mark = ">" if seat == view.turn_seat and not view.over else " "
        line = Text(f"{mark} {seat} ", style="bold" if mark == ">" else "")
        bot = Text(name_of(story.header, seat))
        bot.truncate(_BOT_CHARACTERS, overflow="ellipsis", pad=True)
        line.append_text(bot).append(f"{money:>8} {held} {whole:>8}  {_tiles(player, view, seat)}")
        lines.append(line)
    return lines


def _context(player: Player, view: View, width: int) -> list[Text]:
    """The fork and the powers that were used, if there are any."""
    parts = []
    parent = player.story.header.parent
    if parent:
        own = "" if player.position >= parent.decision else "; this decision is repeated"
        parts.append(f"fork of {one_line(parent.match)} from decision {parent.decision}{own}")
    used = [f"seat {seat} {' '.join(powers)}" for seat, powers in _used(view)]
    if used:
        parts.append(f"powers used: {', '.join(used)}")
    return [Text(line) for line in textwrap.wrap(" · ".join(parts), width, subsequent_indent=_GAP)]


def _used(view: View) -> list[tuple[int, tuple[Power, ...]]]:
    """The seats that have used powers, and which."""
    return [(seat, powers) for seat, powers in enumerate(view.powers_used) if powers]


def _assets(player: Player, view: View, seat: int) -> tuple[int | None, tuple[int, ...] | None, int | None]:
    cash, shares = view.cash[seat], view.shares[seat]
    if player.knower is None:
        game = player.story.game_at(player.position)
        cash = game.cash[seat]
        shares = tuple(game.shares[seat : game.seats * CHAINS : game.seats])
    if cash is None or shares is None:
        return cash, shares, None
    prices = (0,) * CHAINS if view.over else view.prices  # at the end the shares have been sold
    return cash, shares, cash + sum(count * price for count, price in zip(shares, prices, strict=True))


def _tiles(player: Player, view: View, seat: int) -> str:
    if player.knower is None:
        return squares_text(player.story.game_at(player.position).view(seat).hand) if view.hand_sizes[seat] else "-"
    if seat == player.knower:
        return squares_text(view.hand) if view.hand else "-"
    return f"{view.hand_sizes[seat]} tiles" if view.hand_sizes[seat] else "-"


def _happened(player: Player) -> list[tuple[str, str, str]]:
    """What was asked, answered and announced, the note and the incidents: label, text and style."""
    story, position = player.story, player.position
    phrases = Phrases(story.rules)
    if not position:
        phrases.hear(events_for(story.start.start_events, player.knower))
        return [("set-up", " · ".join(phrases.take()), "")]
    shown = told(story.moments[position - 1], player.knower)
    said = _said(player, shown)
    incidents = shown.incidents
    if position == story.last:
        incidents += incidents_for(story.last_incidents, player.knower)
    lines = [("incident", incident_text(incident), _WARNING) for incident in incidents]
    if position == story.last:
        lines.append(("result", _result(player), _HEAD))
    if shown.asked is None:
        lines.append((f"seat {shown.seat}", said, ""))
    else:
        who = f"seat {shown.seat} ({name_of(story.header, shown.seat)})"
        answer = f"{who}: {one_line(shown.asked)} → {one_line(shown.answer or '')} [{shown.by}]"
        lines.append(("asked", answer, _WARNING if shown.default else _HEAD))
        lines.append(("happened", said or "nothing that is announced", "" if said else _FAINT))
    if shown.note is not None:
        lines.append(("note", one_line(shown.note), "italic"))
    return lines


def _said(player: Player, shown: Told) -> str:
    phrases = Phrases(player.story.rules)
    # A merger's survivor may be named by a later decision than the one that began it.
    for moment in player.story.moments[max(shown.number - 2, 0) : shown.number - 1]:
        phrases.hear(events_for(moment.events, player.knower))
    phrases.take()
    phrases.hear(shown.events)
    # The asked seat is named beside it.
    return " · ".join(phrase.removeprefix(f"seat {shown.seat} ") for phrase in phrases.take())


def _result(player: Player) -> str:
    end = player.story.end
    if end is None or end.cash is None or end.places is None:
        return ending_text(end)
    order = sorted(range(len(end.cash)), key=lambda seat: (end.places[seat] if end.places else 0, seat))
    return f"{end.why} · " + " · ".join(f"{end.places[seat]}. seat {seat} ${end.cash[seat]:,}" for seat in order)


def _wrapped(happened: list[tuple[str, str, str]], width: int) -> list[Text]:
    """Labels in a column of their own, and texts beside them."""
    lines: list[Text] = []
    for label, words, style in happened:
        for number, part in enumerate(_broken(words, width - _LABEL_CHARACTERS)):
            line = Text(f"{'' if number else label:<{_LABEL_CHARACTERS}}", style=_FAINT)
            line.append(part, style=style or "not dim")
            lines.append(line)
    return lines


def _broken(words: str, width: int) -> list[str]:
    """A text in lines of this many cells, broken at blanks if there are any."""
    lines = [""]
    for word in words.split(" "):
        for piece in _pieces(word, width):
            joined = f"{lines[-1]} {piece}" if lines[-1] else piece
            if Text(joined).cell_len <= width:
                lines[-1] = joined
            else:
                lines.append(piece)
    return lines


def _pieces(word: str, width: int) -> list[str]:
    """Cuts a word that is longer than a line; a character takes at most two cells."""
    step = max(width // 2, 1)
    return [word] if Text(word).cell_len <= width else [word[at : at + step] for at in range(0, len(word), step)]


def _before(player: Player, width: int, room: int) -> list[Text]:
    """What happened before, latest first, as far as there is room."""
    if room < 3:
        return []
    lines = [Text(), Text("before", style=_FAINT)]
    at = player.positions.index(player.position)
    for position in reversed(player.positions[1:at]):
        if len(lines) >= room:
            break
        shown = told(player.story.moments[position - 1], player.knower)
        default = f" [{shown.default}]" if shown.default else ""
        said = _said(player, shown) or (shown.answer or "")
        line = Text(f"{position:>7}  seat {shown.seat}: {one_line(said)}{default}", style=_FAINT)
        line.truncate(width, overflow="ellipsis")
        lines.append(line)
    return lines if len(lines) > 2 else []


def _details(player: Player) -> list[tuple[str, str, str]]:
    """Everything of this position word for word."""
    story, position, knower = player.story, player.position, player.knower
    happened = [line for line in _happened(player) if line[0] in ("asked", "incident", "note", "result")]
    events = events_for(story.events_at(position), knower)
    happened += [("" if number else "events", event_text(event, story.rules), "") for number, event in enumerate(events)]
    view = _view(player)
    hands = [f"seat {seat}: {_tiles(player, view, seat)}" for seat in range(view.seats)]
    happened += [("" if number else "tiles", hand, "") for number, hand in enumerate(hands)]
    happened += [
        ("" if number else "powers", f"seat {seat}: {' '.join(used)}", "") for number, (seat, used) in enumerate(_used(view))
    ]
    parent = story.header.parent
    if parent:
        happened.append(("fork", f"of match {one_line(parent.match)}, from decision {parent.decision} on", ""))
    if position:
        line = story.moments[position - 1].line
        if knower in (None, line.seat):
            happened += [(one_line(name)[: _LABEL_CHARACTERS - 1], one_line(str(value)), "") for name, value in line.run.items()]
    return happened


def _help() -> list[Text]:
    lines = [Text("Keys", style=_HEAD), Text()]
    for keys, does in HELP:
        line = Text(f"  {keys:<25}")
        line.append(does, style=_FAINT)
        lines.append(line)
    lines += [Text(), Text("Any key goes back.")]
    return lines


def _footer(player: Player) -> Text:
    if player.typed is not None:
        return Text(f"decision: {player.typed}_   (0 to {player.positions[-1]}, Enter; Esc leaves it)", style=_HEAD)
    if player.message:
        return Text(player.message, style=_HEAD)
    if player.page is Page.ASKED:
        return Text("↑ ↓ scroll · ← → decision · a what happened · d detail · ? help · q quit", style=_FAINT)
    if player.page is Page.DETAILS:
        return Text("↑ ↓ scroll · ← → decision · d back to the board · ? help · q back", style=_FAINT)
    keys = "space pauses · + - pace" if player.playing else "←→ ↑↓ go · g jump · space play"
    return Text(f"{keys} · s seat · a asked · d detail · ? help · q quit", style=_FAINT)
