"""`clients/vectors/` agrees with the Python client, and covers every case that clients must distinguish."""

import json
from base64 import b64decode
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from make_vectors import DIALOGUES, all_files
from mergemaker.v1 import actions_pb2, answers_pb2, questions_pb2, referee_pb2
from mergemaker_client.bots.greedy import scores_of
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_client.reading import match_info, turn_of
from mergemaker_client.turn import chance_seed
from mergemaker_engine.deal import Chances
from mergemaker_engine.decisions import PowerPhase, PurchaseTerms
from mergemaker_wire.actions import action_to_message
from mergemaker_wire.answers import answers_from_message

VECTORS = Path(__file__).parents[2] / "clients" / "vectors"
BYTES_MAX = 1_000_000
KINDS = {field.name for field in questions_pb2.Question.DESCRIPTOR.oneofs[0].fields}


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text("ascii").splitlines()]


@cache
def _dialogue(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(_lines(f"dialogues/{name}.jsonl"))


def _response(line: dict[str, Any]) -> referee_pb2.PlayResponse:
    return referee_pb2.PlayResponse.FromString(b64decode(line["response"]))


def test_the_files_are_what_the_script_makes() -> None:
    made = dict(all_files())
    found = {path.relative_to(VECTORS).as_posix(): path.read_bytes() for path in VECTORS.rglob("*.jsonl")}
    assert sorted(found) == sorted(made)
    differing = [name for name, content in made.items() if found[name] != content]
    assert not differing, "run tools/project/make_vectors.py, and say in the change log that bots in other languages must follow"
    assert sum(map(len, found.values())) < BYTES_MAX


@pytest.mark.parametrize("name", DIALOGUES)
def test_the_bots_answer_as_written(name: str) -> None:
    first, *questions, last = _dialogue(name)
    offered = referee_pb2.MatchOffered.FromString(b64decode(first["offered"]))
    started = referee_pb2.MatchStarted.FromString(b64decode(first["started"]))
    info = match_info(first["dialogue"], offered, started)
    told = 0
    for line in questions:
        response = _response(line)
        assert [event.number for event in response.events] == list(range(told + 1, told + 1 + len(response.events)))
        told += len(response.events)
        decision = response.decision
        assert (response.match, decision.id, decision.view.last_event) == (name, line["decision"], told)
        assert decision.view.asked.WhichOneof("kind") == line["kind"]
        turn = turn_of(info, decision, (), 0)
        assert len(turn.answers) == line["count"] == decision.answers.count
        scores = scores_of(turn)
        assert scores.index(max(scores)) == line["greedy"]
        assert turn.answers[line["random"]] == RandomBot().answer(turn)
    assert _response(last).HasField("match_ended")


def test_every_kind_of_question_is_there() -> None:
    counts = Counter(line["kind"] for name in DIALOGUES for line in _dialogue(name)[1:-1])
    assert set(counts) == KINDS
    assert min(counts.values()) >= 2, counts


def test_what_is_rare_is_there() -> None:
    seen: set[object] = set()
    for name in DIALOGUES:
        for line in _dialogue(name)[1:-1]:
            view = _response(line).decision.view
            answers = _response(line).decision.answers
            seen.add(("hand", len(view.hand)))
            asked = view.asked
            seen.add(("phase", asked.choose_power.phase))
            seen.add(("terms", asked.choose_purchase.terms))
            seen.add(("most", asked.choose_tile.most, asked.choose_tile.number > 1))
            seen.add(("stop", any(action.HasField("stop_play") for action in answers.listed.actions)))
            seen.add(("declare", answers.purchase.declare))
            seen.add(("declared", view.declared, line["kind"]))
            seen.add(("reply", line["kind"], answers.count))
    missing = {
        ("hand", 11),
        *(("phase", number + 1) for number in range(len(PowerPhase))),
        *(("terms", number + 1) for number in range(len(PurchaseTerms))),
        ("most", 4, True),
        ("stop", True),
        ("declare", True),
        ("declared", True, "choose_purchase"),
        ("reply", "choose_reply", 1),
        ("reply", "choose_reply", 2),
    } - seen
    assert not missing


def test_greedy_and_random_are_told_apart_from_the_default_and_from_each_other() -> None:
    for kind in KINDS - {"choose_offer"}:
        lines = [line for name in DIALOGUES for line in _dialogue(name)[1:-1] if line["kind"] == kind and line["count"] > 1]
        assert any(line["greedy"] != line["random"] for line in lines), kind
        assert any(line["random"] != _response(line).decision.default_index for line in lines), kind


def test_listings_are_as_written() -> None:
    for line in _lines("listings.jsonl"):
        message = answers_pb2.LegalAnswers.FromString(b64decode(line["answers"]))
        answers = answers_from_message(message).answers()
        assert len(answers) == message.count, line["listing"]
        for place, action in line["actions"]:
            assert action_to_message(answers[place]) == actions_pb2.Action.FromString(b64decode(action)), (line["listing"], place)


def test_chances_are_as_written() -> None:
    for line in _lines("chances.jsonl"):
        seed = chance_seed(bytes.fromhex(line["nonce"]), line["last_event"], line["kind"])
        assert seed.hex() == line["seed"]
        stream = Chances(seed, "bot")
        assert [[limit, str(stream.below(int(limit)))] for limit, _ in line["below"]] == line["below"]
