"""A story as one JSON document."""

from collections.abc import Iterable
from typing import TypeAlias

from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.record.digest import state_document
from mergemaker_engine.record.lines import Header, Incident
from mergemaker_engine.record.plain import parts_of
from mergemaker_engine.rules import Rules
from mergemaker_engine.views import View
from mergemaker_engine.wording import decision_text, event_text, square_name, step_text

from mergemaker_tools.board_picture import board_rows
from mergemaker_tools.replaying.knowledge import Knower, events_for, incidents_for, is_told, told
from mergemaker_tools.replaying.question import question_at, question_document
from mergemaker_tools.replaying.story import Moment, Story

Plain: TypeAlias = dict[str, object]


def document_of(story: Story, knower: Knower, only: int | None = None) -> Plain:
    """The whole story, or one decision of it; `only` 0 leaves out all decisions."""
    chosen = [moment for moment in story.moments if only in (None, moment.line.number)]
    return {
        "header": header_document(story.header),
        "knows": knower,
        "asked": asked_document(story, only, knower) if only else None,
        "start": {
            "events": _texts(events_for(story.start.start_events, knower), story.rules),
            **_state(story.start, knower),
        },
        "decisions": [decision_document(moment, story.rules, knower) for moment in chosen if is_told(moment, knower)],
        "last_incidents": _incidents(story.last_incidents, knower),
        "end": end_document(story, knower),
    }


def asked_document(story: Story, number: int, knower: Knower) -> Plain:
    """A decision as it was asked: the state or view before it, and what could be answered if this may be known."""
    question = question_at(story, number, knower)
    moment = story.moments[number - 1]
    return {
        "number": number,
        "turn": moment.turn,
        "seat": moment.line.seat,
        "asked": None if question is None else moment.line.asked,
        "legal": None if question is None else question_document(question, story.rules),
        **_state(story.game_at(number - 1), knower),
    }


def header_document(header: Header) -> Plain:
    """The header line as the record has it, without its hashes."""
    game, run = parts_of(header)
    return {**game, "run": run}


def end_document(story: Story, knower: Knower) -> Plain | None:
    """The end line likewise; for a seat without the seeds, which reveal every hand, and without the faults of others."""
    if story.end is None:
        return None
    game, run = parts_of(story.end)
    if knower is None:
        return {**game, "run": run}
    faults = [dict(counted) if seat == knower else None for seat, counted in enumerate(story.end.faults)]
    return {name: value for name, value in game.items() if name != "seed"} | {"faults": faults}


def decision_document(moment: Moment, rules: Rules, knower: Knower) -> Plain:
    """A decision, what it changed, and the state or view after it. Null means that the seat did not know it."""
    shown = told(moment, knower)
    run = dict(moment.line.run) if knower in (None, shown.seat) else None
    return {
        "number": shown.number,
        "turn": shown.turn,
        "seat": shown.seat,
        "asked": shown.asked,
        "answer": shown.answer,
        "by": None if shown.by is None else str(shown.by),
        "note": shown.note,
        "run": run,
        "incidents": _incidents(moment.incidents, knower),
        "events": _texts(shown.events, rules),
        **_state(moment.game, knower),
    }


def _texts(shown: Iterable[Event], rules: Rules) -> list[str]:
    return [event_text(event, rules) for event in shown]


def _incidents(incidents: Iterable[Incident], knower: Knower) -> list[Plain]:
    return [
        {"what": incident.what, "seat": incident.seat, "why": incident.why}
        | ({"run": dict(incident.run)} if knower is None else {})
        for incident in incidents_for(incidents, knower)
    ]


def _state(game: Game, knower: Knower) -> Plain:
    return {"state": state_document(game)} if knower is None else {"view": view_document(game.view(knower))}


def view_document(view: View) -> Plain:
    """A seat's view as plain data; null means that it does not know."""
    rules = view.rules
    merger = view.merger
    return {
        "seat": view.seat,
        "turn": view.turn,
        "turn_seat": view.turn_seat,
        "asked": decision_text(view.decision, rules) if view.decision else None,
        "agenda": [step_text(step, rules) for step in view.agenda],
        "board": "".join(board_rows(view)),
        "sizes": list(view.sizes),
        "prices": list(view.prices),
        "market": list(view.market),
        "pile": view.pile,
        "set_aside": [square_name(square) for square in view.set_aside],
        "hand": [square_name(square) for square in view.hand],
        "hand_sizes": list(view.hand_sizes),
        "cash": list(view.cash),
        "shares": [None if held is None else list(held) for held in view.shares],
        "powers_used": [[str(power) for power in used] for used in view.powers_used],
        "declared": view.declared,
        "end_allowed": view.end_allowed,
        "power_used": view.power_used,
        "moved": view.moved,
        "idle": view.idle,
        "merger": merger
        and {
            "square": square_name(merger.square),
            "survivor": None if merger.survivor is None else rules.chain_names[merger.survivor],
            "chains": [rules.chain_names[chain] for chain in merger.chains],
            "acquired": None if merger.acquired is None else rules.chain_names[merger.acquired],
            "holdings": list(merger.holdings),
        },
        "ended": str(view.over) if view.over else None,
    }
