"""A person's game: what is told before anything is asked, whole games by hints, and how it ends."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_client.bots.greedy import GreedyBot
from mergemaker_client.testing import play_match
from mergemaker_client.turn import MatchResult, Standing
from mergemaker_engine.decisions import ChooseDisposal
from mergemaker_engine.events import BonusPaid, seen_by
from mergemaker_engine.rules import preset
from mergemaker_tools.narration import Narrator
from mergemaker_tools.play.human import HumanBot
from mergemaker_tools.play.human_questions import POWERS_SAY
from mergemaker_tools.play.person import PersonsVoice, ending
from mergemaker_tools.play.seat_rows import head_row, left_row, seat_rows

from tests.tools.conftest import Run

LIMIT_S = 600
BOTS = ("me", "greedy", "greedy")
HINTED = re.compile(r"hint: (?:greedy (?:would answer|answers) )?`([^`]+)`")


def hinted(shown: str) -> str:
    """The answer in the last hint; long lines are wrapped."""
    answer: str = HINTED.findall(re.sub(r"\n +", " ", shown))[-1]
    return answer


class HintTaker:
    """Types what the hints say."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.shown = ""

    def __call__(self) -> str:
        new = self._capsys.readouterr().out
        self.shown += new
        return hinted(new)


@pytest.mark.parametrize("name", ["renegade-tycoon", "avalon-hill-powers", "reference-trading"])
def test_who_takes_every_hint_plays_as_greedy_to_the_end(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    typing = HintTaker(capsys)
    played = play_match([lambda: HumanBot(typing, lambda: None, hints=True), "greedy", "random"], name, seed=3)
    shown = typing.shown + capsys.readouterr().out
    greedy = play_match([GreedyBot, "greedy", "random"], name, seed=3)
    assert [step.answer for step in played.record.steps()] == [step.answer for step in greedy.record.steps()]
    assert "is no answer" not in shown
    assert re.search(r"^(You won|You came (second|third) of 3)", shown, re.MULTILINE)
    assert max(map(len, shown.splitlines())) <= 80


def test_all_that_happened_is_told_before_anything_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    typing = HintTaker(capsys)
    played = play_match([lambda: HumanBot(typing, lambda: None, hints=True), "greedy", "random"], seed=3)
    voice = PersonsVoice(("you", "greedy", "random"), 0)
    shown = " ".join((typing.shown + capsys.readouterr().out).split())
    for step in played.record.steps():
        told = [event for event in step.events if isinstance(event, BonusPaid)]
        for event in told:
            assert f"{voice.who(event.seat)} ${event.amount:,}" in shown
        if isinstance(step.decision, ChooseDisposal) and step.seat == 0 and len(step.legal) > 1:
            names = played.record.header.rules.chain_names
            acquired, survivor = names[step.decision.acquired], names[step.decision.survivor]
            question = shown.index(f"{survivor} takes {acquired} over. Sell, trade or keep")
            merger = shown.rindex(f"into {survivor}", 0, question)
            assert f"{acquired} pays " in shown[merger:question]
            shown = shown[question + 1 :]


def test_a_turn_is_told_in_parts_and_never_twice() -> None:
    record = play_match(["greedy", "greedy"], seed=2).record
    narrator = Narrator(record.header.rules, PersonsVoice(("a", "b"), 1), 1)
    told = narrator.hear(seen_by(1, record.start().start_events))
    for step in record.steps():
        told += narrator.hear(seen_by(1, step.events))
        told += narrator.so_far()
    placed = [line.split(":")[0] for line in told if re.search(r"turn \d+, (a|you): \d+[A-I]", line)]
    assert len(placed) == len(set(placed)) > 20
    assert not any(line.endswith(": nothing") for line in told)
    assert any("(continued)" in line for line in told)
    assert any("you draw " in line for line in told)
    assert not any("a draws" in line for line in told)


def test_bots_of_one_name_are_told_apart_and_verbs_fit() -> None:
    voice = PersonsVoice(BOTS, 0)
    assert [voice.who(seat) for seat in range(3)] == ["you", "greedy (seat 1)", "greedy (seat 2)"]
    assert (voice.does(0, "keeps"), voice.does(1, "keeps")) == ("keep", "keeps")
    assert voice.paid([0, 300, 1_500]) == "greedy (seat 1) $300 and greedy (seat 2) $1,500"
    assert voice.paid([0, 0, 0]) == "nobody"


@pytest.mark.parametrize(
    ("cash", "places", "text"),
    [
        ((900, 800, 700), (1, 2, 3), "You won, with $900!"),
        ((900, 900, 700), (1, 1, 3), "You won and share the first place, with $900!"),
        ((700, 900, 800), (3, 1, 2), "You came third of 3 with $700. greedy (seat 1) won with $900."),
        ((700, 900, 900), (3, 1, 1), "You came third of 3 with $700. greedy (seat 1) and greedy (seat 2) won with $900."),
    ],
)
def test_the_end_says_how_the_person_did(cash: tuple[int, ...], places: tuple[int, ...], text: str) -> None:
    standings = tuple(Standing(seat, BOTS[seat], cash[seat], places[seat], "finished") for seat in range(3))
    assert ending(MatchResult("declared", standings), 0, PersonsVoice(BOTS, 0)) == text


def test_a_match_that_was_given_up_says_why() -> None:
    assert ending(MatchResult("cancelled", ()), 0, PersonsVoice(BOTS, 0)) == "The match was given up: cancelled."


def test_every_power_has_words() -> None:
    assert len(POWERS_SAY) == 5
    assert preset("avalon-hill-powers").special_powers


def test_the_table_of_seats_shows_shares_left() -> None:
    view = play_match(["greedy", "greedy"], seed=2).record.start().public_view()
    assert head_row(view).plain.split() == ["seat", "cash", *(name[0] for name in view.rules.chain_names), "worth"]
    assert len(list(seat_rows(view, BOTS[:2]))) == 2
    assert left_row(view).plain.split()[:2] == ["shares", "left"]


# --- the command -------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="reads pipes as POSIX has them")
def test_a_person_plays_a_challenge_to_the_end_and_gets_a_line_to_send(
    command_line: list[str], plain_environment: dict[str, str], tmp_path: Path
) -> None:
    command = [*command_line, "match", "human", "greedy", "--challenge", "0a1b", "--hints"]
    environment = plain_environment | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as child:
        assert child.stdin
        assert child.stdout
        shown = asked = ""
        while arrived := os.read(child.stdout.fileno(), 65_536).decode():
            shown += arrived
            asked += arrived
            if asked.endswith("> "):
                child.stdin.write(f"{hinted(asked)}\n".encode())
                child.stdin.flush()
                asked = ""
        assert child.wait(LIMIT_S) == 0, shown
    record = next((tmp_path / "records").iterdir())
    end = shown[shown.rindex("the game is over") :]
    assert re.search(r"\n(You won, with|You came second of 2 with) \$([0-9,]+)", end)
    assert end.index("You ") < end.index("place   seat")
    assert "longest" not in end
    assert "watch it again with: " in end
    assert f"replay records/{record.name}\n" in end
    money = re.search(r"(?:won, with|second of 2 with) (\$[0-9,]+)", end)
    assert money
    line = f"To send: Beat my {money[1]} on this deal: mergemaker match human greedy --challenge a1b\n"
    assert end.endswith(line)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("random", "random", "--hints"), "--hints is for a person, and none plays"),
        (("random", "random", "--challenge", "1"), "--challenge is for a person, and none plays"),
        (("human", "random", "--challenge", "1", "--seed", "2"), "the seed is given twice: by --seed and by --challenge"),
        (("human", "random", "--challenge", "xyz"), "hexadecimal digits"),
        ((), "BOT. A match has one bot for each seat"),
    ],
)
def test_wrong_use_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], why: str) -> None:
    done = run("match", *arguments)
    assert done.status == 2
    assert why in done.err
