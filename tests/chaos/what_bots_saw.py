"""What bots received, from their traces: decision ids and event numbers that hold across restarts, without gaps."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Told:
    """One bot's view of one match."""

    def __init__(self) -> None:
        self.events: dict[int, object] = {}
        self.decisions: dict[int, object] = {}
        """The questions, without times, by id."""
        self.last_decision = 0
        self.asked_again = 0

    def take(self, where: str, message: Mapping[str, Any]) -> None:
        """Takes a response."""
        for event in message.get("events", ()):
            number = int(event["number"])
            before = self.events.setdefault(number, event)
            assert before == event, f"{where}: event {number} was told as {before}, and then as {event}"
        decision = message.get("decision")
        if decision is None:
            return
        number = int(decision["id"])
        asked = {name: value for name, value in decision.items() if name not in ("time_left_ms", "bank_ms")}
        before = self.decisions.setdefault(number, asked)
        assert before == asked, f"{where}: decision {number} was put as {before}, and then as {asked}"
        assert number >= self.last_decision, f"{where}: decision {number} came after {self.last_decision}"
        self.asked_again += number == self.last_decision
        self.last_decision = number

    def check(self, where: str) -> None:
        """Checks that nothing is missing."""
        for what, numbers in (("decisions", self.decisions), ("events", self.events)):
            missing = set(range(1, max(numbers, default=0) + 1)) - set(numbers)
            assert not missing, f"{where}: the {what} {sorted(missing)} never came"


def told_by_match(trace: Path) -> dict[str, Told]:
    """What a bot received, by match, checked for gaps and changes."""
    found: dict[str, Told] = defaultdict(Told)
    with trace.open(encoding="utf-8") as file:
        for line in file:
            said = json.loads(line)
            if said["direction"] == "received" and "match" in said["message"]:
                match = said["message"]["match"]
                found[match].take(f"{trace.name}, match {match}", said["message"])
    for match, told in found.items():
        told.check(f"{trace.name}, match {match}")
    return dict(found)
