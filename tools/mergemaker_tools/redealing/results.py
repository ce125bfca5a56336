"""The results of fresh deals: for each answer the seat's share of all money, and how it compares with the recorded answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from mergemaker_tools.redealing.estimates import LEVEL, Estimate, estimate
from mergemaker_tools.redealing.playing import Dealt, Task
from mergemaker_tools.screen import show_line
from mergemaker_tools.tables import show, table


@dataclass(frozen=True, slots=True)
class Tried:
    """An answer, in all deals."""

    answer: str
    share: Estimate
    """The seat's part of all money at the end."""
    gain: Estimate | None
    """How much larger the share is than with the recorded answer in the same deal; None for that answer itself."""
    money: float
    """The mean of the seat's money at the end."""
    firsts: int
    """In how many deals nobody had more money."""


def tried(task: Task, dealt: Sequence[Dealt]) -> list[Tried]:
    """What came of each answer, the recorded one first."""
    question = task.question
    seat = question.seat
    shares = [[deal.cash[at][seat] / sum(deal.cash[at]) for deal in dealt] for at in range(len(question.answers))]
    return [
        Tried(
            answer=text,
            share=estimate(shares[at]),
            gain=estimate([own - recorded for own, recorded in zip(shares[at], shares[0], strict=True)]) if at else None,
            money=sum(deal.cash[at][seat] for deal in dealt) / len(dealt),
            firsts=sum(deal.cash[at][seat] == max(deal.cash[at]) for deal in dealt),
        )
        for at, text in enumerate(question.texts)
    ]


def show_tried(task: Task, found: Sequence[Tried], deals: int) -> None:
    """The results for people, the best answer first."""
    question = task.question
    show_line(f"match {question.match}, decision {question.number}: seat {question.seat} is asked {question.asked}")
    show_line(f"{deals:,} deals that agree with what seat {question.seat} knew")
    show_line(f"these bots play on: {', '.join(question.bots)}\n")
    listed = table()
    listed.add_column("answer")
    for head in ("share %", f"{LEVEL:.0%} interval", "gain", f"{LEVEL:.0%} interval", "first"):
        listed.add_column(head, justify="right")
    for one in sorted(found, key=lambda each: -each.share.mean):
        gain = ("", "") if one.gain is None else (f"{100 * one.gain.mean:+.1f}", _interval(one.gain, "+"))
        answer = f"{one.answer} *" if one is found[0] else one.answer
        listed.add_row(answer, f"{100 * one.share.mean:.1f}", _interval(one.share), *gain, f"{one.firsts:,}")
    show(listed)
    show_line(f"\n* the recorded answer ({question.by})")
    show_line(f"share: seat {question.seat}'s mean part of all money at the end, in per cent")
    show_line("gain:  how much more that is than with the recorded answer in the same deals")
    show_line("first: in how many deals nobody had more money")
    show_line(f"Each interval is Student's t at {LEVEL:.0%}, by itself: of many answers, some look")
    show_line("better by chance alone. It is about deals and chances, not about other bots.")


def _interval(of: Estimate, sign: str = "") -> str:
    return f"{100 * of.low:{sign}.1f} to {100 * of.high:{sign}.1f}"


def tried_document(task: Task, found: Sequence[Tried]) -> dict[str, object]:
    """The same for programs. Shares are parts of 1."""
    question = task.question
    return {
        "match": question.match,
        "decision": question.number,
        "seat": question.seat,
        "asked": question.asked,
        "recorded": found[0].answer,
        "by": question.by,
        "bots": list(question.bots),
        "answers": [
            {
                "answer": one.answer,
                "share": _plain(one.share),
                "gain": None if one.gain is None else _plain(one.gain),
                "money": one.money,
                "firsts": one.firsts,
            }
            for one in found
        ],
    }


def _plain(of: Estimate) -> dict[str, float]:
    return {"mean": of.mean, "low": of.low, "high": of.high}
