"""`mergemaker review`: what is rated, in which deals, and what is said of it."""

import json
import os
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mergemaker_engine.actions import Buy, NoOffer
from mergemaker_engine.game import Game
from mergemaker_engine.playout import declares_end
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_engine.wording import action_text, parse_action
from mergemaker_referee.records.secrets_file import write_secrets
from mergemaker_testkit.exported_records import CLASSIC, FORKED, FORKED_AT
from mergemaker_testkit.recorded import opened, recorded_match
from mergemaker_testkit.replayed import SEED, altered, decisions_of, match_of
from mergemaker_tools.commands import review
from mergemaker_tools.redealing.estimates import Estimate, estimate, t_quantile
from mergemaker_tools.reviewing import rating
from mergemaker_tools.reviewing.accuracy import conduct_of
from mergemaker_tools.reviewing.asking import Asked, NotRated, Skipped, questions_of
from mergemaker_tools.reviewing.house import House, play_on
from mergemaker_tools.reviewing.rating import Plan, Rated, Work, rate

from tests.tools.conftest import Run
from tests.tools.test_replay_page import inside

Command = Callable[..., Run]
Written = Callable[..., str]
CHEAP = ("--effort", "quick", "--house", "random", "--jobs", "1")
SMALL = Work(others=3, scouting=2, rating=3)
SHORT = match_of("renegade-classic", 2, decisions=60)
"""The beginning of a match, so that a review is cheap."""
NUMBER = 60
"""A decision with a choice of the match in these tests."""


def asked_in(lines: list[bytes], others: int = 4, seat: int | None = None, at: int | None = None) -> list[Asked | Skipped]:
    return [*questions_of(read_record(lines), None, others, seat, at)]


def rated_in(lines: list[bytes]) -> list[Asked]:
    return [question for question in asked_in(lines) if isinstance(question, Asked)]


def document(run: Command, *arguments: str) -> dict[str, Any]:
    done = run("review", *arguments, *CHEAP, "--json")
    assert (done.status, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


# --- what is rated --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_every_decision_with_a_choice_is_rated_and_all_others_have_a_reason(name: str) -> None:
    lines = match_of(name, 3)
    questions = asked_in(lines)
    for step, question in zip(read_record(lines).steps(), questions, strict=True):
        assert question.number == step.number
        if isinstance(question, Skipped):
            is_forced = len(step.legal) == 1
            assert question.why is (NotRated.FORCED if is_forced else NotRated.NO_OFFER)
            assert is_forced or isinstance(step.answer, NoOffer)
            continue
        assert question.answers[0] == step.answer
        assert 2 <= len(set(question.answers)) == len(question.answers) <= 5
        assert all(answer in step.legal for answer in question.answers)
        assert question.view == step.view(step.seat)
    assert sum(isinstance(question, Asked) for question in questions) > 20


def test_declaring_the_end_and_not_are_both_tried() -> None:
    found = 0
    for question in rated_in(match_of("renegade-classic", 3)):
        if question.view.end_allowed and not question.view.declared and isinstance(question.answers[0], Buy):
            assert {declares_end(answer) for answer in question.answers} == {True, False}
            found += 1
    assert found


def test_what_a_fork_repeats_is_not_rated() -> None:
    questions = asked_in(FORKED)
    repeated = [question.number for question in questions if isinstance(question, Skipped) and question.why is NotRated.REPEATED]
    assert repeated == [*range(1, FORKED_AT)]
    assert {question.number for question in questions if isinstance(question, Asked)}
    (named,) = asked_in(FORKED, at=next(one.number for one in rated_in(CLASSIC) if one.number < FORKED_AT))
    assert isinstance(named, Asked)


# --- the deals ------------------------------------------------------------------------------------------------


def exact(game: Game, text: str, seat: int) -> float:
    """A seat's share of all money if this answer ends the game."""
    after = game.copy()
    after.apply(parse_action(text, game.rules))
    while after.decision is not None:
        after.apply(after.legal()[0])
    assert after.result is not None
    return after.result.cash[seat] / sum(after.result.cash)


@pytest.mark.parametrize("name", ["renegade-classic", "avalon-hill"])
@pytest.mark.parametrize("house", House)
def test_where_nothing_is_left_to_chance_the_loss_is_exact(name: str, house: House) -> None:
    """In the last purchase the others' money counts, too: with hidden assets it comes from the seat's books."""
    lines = recorded_match(preset(name), 4, bytes(32))
    question = next(one for one in reversed(rated_in(lines)) if isinstance(one.answers[0], Buy))
    game = next(step.before for step in read_record(lines).steps() if step.number == question.number)
    assert (None in question.view.cash) is (name == "avalon-hill")
    ending = tuple(dict.fromkeys([question.answers[0], *filter(declares_end, game.legal())]))
    assert len(ending) > 5
    rated = rate(Plan(SMALL, house, SEED), replace(question, answers=ending))
    recorded, other = (exact(game, text, question.seat) for text in (rated.recorded, rated.alternative))
    assert other == max(exact(game, action_text(answer, game.rules), question.seat) for answer in ending[1:])
    assert rated.share.mean == pytest.approx(recorded)
    assert rated.gain.mean == pytest.approx(other - recorded)
    assert rated.share.half == pytest.approx(0, abs=1e-12)
    assert rated.gain.half == pytest.approx(0, abs=1e-12)
    assert rated.is_preferred is (other > recorded)


def test_the_deals_that_choose_the_alternative_do_not_rate_it(monkeypatch: pytest.MonkeyPatch) -> None:
    (question,) = (one for one in rated_in(match_of()) if one.number == NUMBER)
    dealt: list[int] = []

    def shares(_plan: Plan, _asked: Asked, answers: tuple[Any, ...], deal: int) -> list[float]:
        dealt.append(deal)
        return [0.1 * (1 + at) for at in range(len(answers))]

    monkeypatch.setattr(rating, "_shares", shares)
    rated = rate(Plan(SMALL, House.RANDOM, SEED), question)
    assert dealt == [0, 1, 2, 3, 4]
    assert rated.alternative == action_text(question.answers[-1], question.view.rules)
    assert rated.is_preferred
    assert rated.gain.mean == pytest.approx(0.1)


def test_all_answers_meet_the_same_deals_and_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    (question,) = (one for one in rated_in(match_of()) if one.number == NUMBER)
    met: list[tuple[object, bytes]] = []

    def played(game: Game, house: House, seed: bytes) -> tuple[int, ...]:
        met.append((game.deal, seed))
        return play_on(game, house, seed)

    monkeypatch.setattr(rating, "play_on", played)
    rate(Plan(SMALL, House.RANDOM, SEED), question)
    tried = len(question.answers)
    assert len(met) == 2 * tried + 3 * 2
    series = [met[0:tried], met[tried : 2 * tried], *(met[at : at + 2] for at in range(2 * tried, len(met), 2))]
    assert all(len({seed for _, seed in deal}) == 1 and all(one == deal[0] for one in deal) for deal in series)
    assert len({deal[0][1] for deal in series}) == 5


@pytest.mark.parametrize("house", House)
def test_a_playout_ends_and_repeats(house: House) -> None:
    game = next(step.before for step in read_record(match_of("avalon-hill-powers", 3)).steps() if step.number == 30)
    one, same = (play_on(game.copy(), house, SEED) for _ in range(2))
    assert one == same
    assert len(one) == 3


# --- what is made of them -------------------------------------------------------------------------------------


def rated(seat: int, gains: list[float], *, is_preferred: bool = True, share: float = 0.3) -> Rated:
    return Rated(1, 1, seat, "bot", "5C", "6C", Estimate(share, 0.0, 3), estimate(gains), is_preferred, 2)


def test_losses_add_up_and_so_do_their_variances() -> None:
    wide, narrow = [0.1, 0.2, 0.3, 0.2], [0.01, 0.02, 0.03, 0.02]
    conduct = conduct_of(1, [rated(1, wide), rated(1, narrow), rated(1, wide, is_preferred=False), rated(0, wide)])
    assert conduct is not None
    errors = [estimate(gains).half / t_quantile(3) for gains in (wide, narrow)]
    assert conduct.rated == 3
    assert conduct.expected == pytest.approx(0.3)
    assert conduct.lost.mean == pytest.approx(0.22)
    assert conduct.lost.freedom == 3  # almost all of the variance is that of the first
    assert conduct.lost.half == pytest.approx(t_quantile(3) * (errors[0] ** 2 + errors[1] ** 2) ** 0.5)
    assert conduct.accuracy == pytest.approx(0.3 / 0.52)
    assert conduct.low < conduct.accuracy < conduct.high
    assert conduct_of(2, [rated(1, wide)]) is None


def test_an_answer_that_no_other_beat_loses_nothing() -> None:
    best = rated(0, [0.1, 0.2, 0.3], is_preferred=False)
    assert (best.loss, best.low, best.is_clear) == (0, 0, False)
    assert best.high == best.gain.high
    assert rated(0, [-0.1, -0.2, -0.3], is_preferred=False).high == pytest.approx(max(0, estimate([-0.1, -0.2, -0.3]).high))
    conduct = conduct_of(0, [best])
    assert conduct is not None
    assert (conduct.accuracy, conduct.low, conduct.high) == (1, 1, 1)
    assert rated(0, [0.2, 0.2, 0.2]).is_clear
    assert rated(0, [-0.2, -0.2, -0.2]).loss == pytest.approx(-0.2)


# --- the command ----------------------------------------------------------------------------------------------


def test_two_reviews_agree_to_the_byte_with_any_number_of_processes(run: Command, written: Written) -> None:
    path = written(SHORT)
    arguments = ("review", path, "--seat", "1", "--effort", "quick", "--house", "random", "--json")
    one, other = (run(*arguments, "--jobs", jobs) for jobs in ("1", "2"))
    assert one == other
    assert one.status == 0
    differs = run(*arguments, "--jobs", "1", "--seed", "8")
    assert json.loads(differs.out)["reviews"] != json.loads(one.out)["reviews"]


def test_the_document_has_every_figure(run: Command, written: Written) -> None:
    lines = match_of("renegade-classic", 2)
    path = written(lines)
    found = document(run, path, "--seat", "0")
    assert (found["effort"], found["house"], found["deals"]) == ("quick", "random", {"scouting": 2, "rating": 4})
    (review,) = found["reviews"]
    assert (review["record"], review["match"], review["voided"]) == (path, "m-1", False)
    own = asked_in(lines, seat=0)
    assert [one["decision"] for one in review["decisions"]] == [one.number for one in own if isinstance(one, Asked)]
    skipped = [{"decision": one.number, "why": "forced"} for one in own if isinstance(one, Skipped)]
    assert review["not_rated"] == skipped
    for one in review["decisions"]:
        assert one["gain"]["low"] <= one["gain"]["mean"] <= one["gain"]["high"]
        assert one["loss"]["mean"] in (0, one["gain"]["mean"])
        assert one["recorded"] != one["alternative"]
    (seat,) = review["seats"]
    assert (seat["seat"], seat["rated"]) == (0, len(review["decisions"]))
    assert seat["lost"]["mean"] == pytest.approx(sum(one["loss"]["mean"] for one in review["decisions"]))
    assert 0 < seat["accuracy"]["low"] <= seat["accuracy"]["mean"] <= seat["accuracy"]["high"] <= 1


def test_people_get_accuracy_and_the_worst_decisions_in_words_that_fit(run: Command, written: Written) -> None:
    shown = run("review", written(SHORT), *CHEAP)
    assert (shown.status, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= 80
    assert re.search(r"^The \d+ worst decisions:\n 1\. decision \d+, turn \d+: seat \d \(", shown.out, re.MULTILINE)
    assert "accuracy" in shown.out
    assert " more of all money" in shown.out.replace("\n    ", " ")
    assert "because it had one legal answer" in shown.out.replace("\n  ", " ")
    assert shown.out.endswith("effort quick, seed 0\n")


def test_one_decision_alone(run: Command, written: Written) -> None:
    found = document(run, f"{written(match_of())}@{NUMBER}")
    assert [one["decision"] for one in found["reviews"][0]["decisions"]] == [NUMBER]


def test_several_records_and_a_folder(run: Command, written: Written, tmp_path: Path) -> None:
    written(SHORT, "a.jsonl")
    written(match_of("avalon-hill", 2, decisions=60), "b.jsonl")
    found = document(run, str(tmp_path), "--seat", "1")
    assert [Path(review["record"]).name for review in found["reviews"]] == ["a.jsonl", "b.jsonl"]
    assert all({one["seat"] for one in review["decisions"]} == {1} for review in found["reviews"])
    alone = document(run, str(tmp_path / "b.jsonl"), "--seat", "1")
    assert alone["reviews"][0] == found["reviews"][1]


def test_a_voided_match_is_rated_and_named_so(run: Command, written: Written) -> None:
    path = written(match_of(decisions=40))
    assert document(run, path, "--seat", "0")["reviews"][0]["voided"]
    assert "The match was voided." in run("review", path, "--seat", "0", *CHEAP).out


def test_a_page_has_the_review(run: Command, written: Written, tmp_path: Path) -> None:
    path, page = written(SHORT), tmp_path / "review.html"
    done = run("review", path, "--html", str(page), "--json", *CHEAP)
    assert done.err.startswith(f"wrote {page}, ")
    decisions = json.loads(done.out)["reviews"][0]["decisions"]
    review = inside(page)["review"]
    assert page.stat().st_size <= 150_000
    assert [(one[0], one[4], bool(one[5])) for one in review["decisions"]] == [
        (one["decision"], one["alternative"], one["loss"]["mean"] != 0) for one in decisions
    ]
    assert [one[1] for one in review["decisions"]] == [round(one["loss"]["mean"], 5) for one in decisions]
    assert review["deals"] == [2, 4]


def test_an_unfinished_match_needs_its_secrets(run: Command, written: Written) -> None:
    path = written(match_of()[:70])
    refused = run("review", path, *CHEAP)
    assert (refused.status, refused.out) == (1, "")
    assert "review the match when it has ended, or where its secrets are beside it" in refused.err
    write_secrets(Path(path), Secrets(SEED, None, None))
    found = document(run, path, "--seat", "2")
    assert found["reviews"][0]["decisions"][-1]["decision"] <= 70


def test_a_record_that_does_not_hold_is_refused(run: Command, written: Written, tmp_path: Path) -> None:
    lines = match_of()
    another = decisions_of(opened(lines))[40].digest
    refused = run("review", written(altered(lines, 40, digest=another)), *CHEAP)
    assert (refused.status, refused.out) == (1, "")
    assert "says what is wrong with a record" in refused.err
    (tmp_path / "no.jsonl").write_text("{}\n", "utf-8")
    assert "is not a record" in run("review", str(tmp_path / "no.jsonl")).err


@pytest.mark.parametrize(
    ("place", "more", "said"),
    [
        ("", ("--seat", "5"), "--seat takes a seat of this match, 0 to 3, not 5"),
        ("@9999", (), "and no decision 9999"),
        ("@0", (), "and no decision 0"),
        ("@seat0:999", (), "there is no @seat0:999"),
        ("", ("--force",), "--force replaces the file of --html"),
        ("", ("--effort", "quik"), "quick"),
        ("", ("--house", "planner"), "takes one of greedy, random"),
        ("", ("--seed", "x"), "--seed takes"),
        ("", ("--html", "none/a.html"), "there is no folder"),
        ("", ("match.jsonl@3", "--html", "a.html"), "review them one by one"),
        ("", ("nothing.jsonl",), "nothing.jsonl cannot be found"),
    ],
)
def test_what_is_refused(run: Command, written: Written, place: str, more: tuple[str, ...], said: str) -> None:
    shown = run("review", written(match_of()) + place, *more)
    assert (shown.status, shown.out) == (2, "")
    assert said in shown.err


def test_a_forced_decision_alone_cannot_be_rated(run: Command, written: Written) -> None:
    lines = match_of()
    forced = next(question.number for question in asked_in(lines) if isinstance(question, Skipped))
    shown = run("review", f"{written(lines)}@{forced}", *CHEAP)
    assert (shown.status, shown.out) == (1, "")
    assert f"decision {forced} cannot be rated: it had one legal answer" in shown.err


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is another thing there")
def test_ctrl_c_says_how_far_it_got(run: Command, written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(SHORT)
    rates = 0

    def interrupted(plan: Plan, asked: Asked) -> Rated:
        nonlocal rates
        rates += 1
        if rates == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return rate(plan, asked)

    monkeypatch.setattr(review, "rate", interrupted)
    stopped = run("review", path, *CHEAP)
    assert (stopped.status, stopped.out) == (130, "")
    assert stopped.err.startswith("mergemaker review: interrupted after 2 of ")
