"""`mergemaker matches` against a toy server: its requests, its output, and what statuses mean."""

import json
import socket
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_engine.rules import preset
from mergemaker_testkit.toy_operator import ALICE, BOB, MATCH, RECORD, TOKEN, Toy, _over
from mergemaker_wire.rules import rules_from_message

from tests.tools.conftest import Run


def _waiting() -> matches_pb2.MatchSummary:
    awaited = {"alice": "is not connected", "bob": "plays 2 at once, as many as it takes"}
    return matches_pb2.MatchSummary(
        match=MATCH,
        phase=matches_pb2.MATCH_PHASE_WAITING,
        bots=[ALICE, BOB],
        connected=[False, False],
        awaited=[matches_pb2.AwaitedBot(bot_id=bot, why=why) for bot, why in awaited.items()],
        join_from=Timestamp(seconds=1795024800),
    )


WAITS_FOR = f"match {MATCH} waits for its bots: alice is not connected; bob plays 2 at once, as many as it takes"


# --- create -------------------------------------------------------------------------------------------------


def test_a_match_is_made_as_it_is_wished(run: Callable[..., Run], toy: Toy) -> None:
    wish = ("--rules", "renegade-tycoon", "--set", "dead_tiles=forced", "--clock", "blitz", "--seed", "1f")
    made = run("matches", "create", "--seat", "alice", "--bot", "bob", "--seat", "carl", *wish)
    (request,) = toy.requests
    assert isinstance(request, matches_pb2.CreateMatchRequest)
    assert rules_from_message(request.rules) == preset("renegade-tycoon").with_knobs({"dead_tiles": "forced"})
    assert request.clock == match_pb2.ClockTerms(name="blitz")
    assert request.seed == bytes(31) + b"\x1f"
    assert [(seat.name, seat.bot_id) for seat in request.seats] == [("alice", ""), ("bob", "bob"), ("carl", "")]
    assert (made.status, made.err) == (0, "")
    assert f"match {MATCH} waits for its 3 bots" in made.out
    url = f"grpc://127.0.0.1:{toy.port}"
    assert f"seat 0, alice:\nexport MERGEMAKER_SERVER={url} MERGEMAKER_TOKEN=mms_0\n" in made.out
    assert "seat 1, bob: takes it with its own token\n" in made.out
    assert "MERGEMAKER_TOKEN=mms_2\n" in made.out


def test_what_is_not_said_is_left_to_the_server(run: Callable[..., Run], toy: Toy) -> None:
    run("matches", "create", "--seat", "a", "--seat", "b")
    run("matches", "create", "--seat", "a", "--seat", "b", "--joint")
    seats = [matches_pb2.SeatPlan(name="a"), matches_pb2.SeatPlan(name="b")]
    assert toy.requests == [
        matches_pb2.CreateMatchRequest(seats=seats),
        matches_pb2.CreateMatchRequest(seats=seats, deal_mode=match_pb2.DEAL_MODE_JOINT),
    ]


def test_when_a_match_is_to_begin_can_be_said(run: Callable[..., Run], toy: Toy) -> None:
    wish = ("--join-from", "2026-11-18T19:00+01:00", "--wait", "90m", "--missing", "play")
    toy.made = _waiting()
    del toy.made.bots[:]
    made = run("matches", "create", "--bot", "alice", "--bot", "bob", *wish)
    (request,) = toy.requests
    assert isinstance(request, matches_pb2.CreateMatchRequest)
    assert request.join_from == Timestamp(seconds=1795024800)
    assert (request.wait_ms_max, request.missing_seats) == (5_400_000, matches_pb2.MISSING_SEATS_PLAY)
    assert made.out.endswith(f"\n\nmatch {MATCH} waits until 2026-11-18T18:00:00Z\n{WAITS_FOR}\n")


def test_a_match_can_have_labels_and_a_key_and_be_found_by_its_labels(run: Callable[..., Run], toy: Toy) -> None:
    wish = ("--label", "event=spring-cup", "--label", "round=a=b", "--key", "spring-cup-1")
    run("matches", "create", "--seat", "a", "--seat", "b", *wish)
    run("matches", "list", "--label", "event=spring-cup")
    made, listed = toy.requests
    assert isinstance(made, matches_pb2.CreateMatchRequest)
    assert (dict(made.labels), made.idempotency_key) == ({"event": "spring-cup", "round": "a=b"}, "spring-cup-1")
    assert isinstance(listed, matches_pb2.ListMatchesRequest)
    assert dict(listed.labels) == {"event": "spring-cup"}
    toy.found.labels.update(made.labels)
    assert "\nlabels: event=spring-cup, round=a=b\n" in run("matches", "get", MATCH).out


def test_it_is_shown_for_whom_a_match_waits(run: Callable[..., Run], toy: Toy) -> None:
    toy.found, toy.listed, toy.count = _waiting(), _waiting(), 1
    shown = run("matches", "get", MATCH).out
    assert f"match {MATCH}: waiting\n" in shown
    assert f"{WAITS_FOR}\n\n" in shown
    listed = run("matches", "list", "--phase", "waiting").out
    assert f"\nmatch {MATCH} waits until 2026-11-18T18:00:00Z\n{WAITS_FOR}\n" in listed
    document = json.loads(run("matches", "get", MATCH, "--json").out)
    assert (document["phase"], document["join_from"]) == ("waiting", "2026-11-18T18:00:00Z")
    assert [each["bot"] for each in document["awaited"]] == ["alice", "bob"]
    toy.found = _over()
    assert "waits" not in run("matches", "get", MATCH).out
    assert json.loads(run("matches", "get", MATCH, "--json").out)["awaited"] == []


def test_a_program_gets_the_tokens_and_what_to_set(run: Callable[..., Run], toy: Toy) -> None:
    made = json.loads(run("matches", "create", "--seat", "a", "--bot", "b", "--json").out)
    url = f"grpc://127.0.0.1:{toy.port}"
    assert made["match"]["match"] == MATCH
    assert made["server"] == url
    assert made["seats"] == [
        {"seat": 0, "name": "a", "token": "mms_0", "environment": {"MERGEMAKER_SERVER": url, "MERGEMAKER_TOKEN": "mms_0"}},
        {"seat": 1, "name": "b", "token": None, "environment": None},
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "who plays? Give --seat NAME or --bot NAME"),
        (("--seat", "a", "--set", "dead_tiles=forced"), "name one with --rules"),
        (("--seat", "a", "--rules", "no"), "there is no preset 'no'"),
        (("--seat", "a", "--label", "spring"), "takes KEY=VALUE, as event=spring-cup, not 'spring'"),
        (("--seat", "a", "--seed", "x"), "--seed takes 1 to 64 hexadecimal digits"),
        (("--seat", "a", "--seed", "1", "--joint"), "not allowed with argument"),
        (("--seat", "a", "--join-from", "18:00"), "takes a time with its zone, as 2026-11-18T18:00Z"),
        (("--seat", "a", "--join-from", "2026-11-18T18:00"), "takes a time with its zone"),
        (("--seat", "a", "--wait", "24"), "takes a time up to 30d, as 90s, 30m, 24h or 7d, not '24'"),
        (("--seat", "a", "--wait", "31d"), "takes a time up to 30d"),
        (("--seat", "a", "--missing", "voids"), "takes one of void, play, not 'voids'"),
        (("--seta", "a"), "there is no option '--seta'"),
    ],
)
def test_a_match_that_cannot_be_is_not_asked_for(
    run: Callable[..., Run], toy: Toy, arguments: tuple[str, ...], said: str
) -> None:
    refused = run("matches", "create", *arguments)
    assert (refused.status, refused.out, toy.requests) == (2, "", [])
    assert said in refused.err


# --- fetch --------------------------------------------------------------------------------------------------


def test_a_record_is_fetched_and_verified(run: Callable[..., Run], toy: Toy) -> None:
    fetched = run("matches", "fetch", MATCH)
    path = Path(f"{MATCH}.jsonl")
    assert (fetched.status, fetched.err) == (0, "")
    assert path.read_bytes() == RECORD
    assert f"record: {path} ({len(RECORD):,} bytes, " in fetched.out
    assert "decisions, verified)" in fetched.out
    document = json.loads(run("matches", "fetch", MATCH, "-o", "b.jsonl", "--json", "--no-verify").out)
    assert document == {"match": MATCH, "record": "b.jsonl", "bytes": len(RECORD), "verified": False, "signature": None}
    assert sorted(file.name for file in Path().iterdir()) == ["ab12.jsonl", "b.jsonl"]
    assert len(toy.requests) == 4


def test_a_signature_is_fetched_with_its_record(run: Callable[..., Run], toy: Toy) -> None:
    toy.end_signature = b"a signature\n"
    fetched = run("matches", "fetch", MATCH)
    assert (fetched.status, f"signature: {MATCH}.jsonl.sig" in fetched.out) == (0, True)
    assert Path(f"{MATCH}.jsonl.sig").read_bytes() == b"a signature\n"
    again = run("matches", "fetch", MATCH, "-o", "b.jsonl.gz", "--json")
    assert json.loads(again.out)["signature"] == "b.jsonl.sig"
    Path(f"{MATCH}.jsonl").unlink()
    assert f"cannot write {MATCH}.jsonl.sig" in run("matches", "fetch", MATCH).err, "nothing is written over"


def test_a_file_that_is_there_is_never_written_over(run: Callable[..., Run], toy: Toy) -> None:
    Path("b.jsonl").write_text("mine", "utf-8")
    refused = run("matches", "fetch", MATCH, "-o", "b.jsonl")
    assert (refused.status, toy.requests) == (2, [])
    assert "b.jsonl is there already" in refused.err
    assert Path("b.jsonl").read_text("utf-8") == "mine"


def test_a_record_that_does_not_verify_is_kept_and_said(run: Callable[..., Run], toy: Toy) -> None:
    toy.record = [RECORD.replace(b'"seat":1', b'"seat":0', 1)]
    failed = run("matches", "fetch", MATCH)
    assert (failed.status, failed.out) == (1, "")
    assert "the record was fetched, and does not verify: ab12.jsonl: line " in failed.err
    assert Path("ab12.jsonl").read_bytes() == toy.record[0]
    toy.record = [RECORD[:-50]]
    assert "unfinished" in run("matches", "fetch", MATCH, "-o", "c.jsonl").err


def test_what_is_too_long_for_a_record_is_not_kept(run: Callable[..., Run], toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mergemaker_tools.server.fetching.RECORD_BYTES_MAX", 1_500)
    failed = run("matches", "fetch", MATCH)
    assert (failed.status, "has more than 1,500 bytes" in failed.err) == (1, True)
    assert list(Path().iterdir()) == []
    assert len(toy.requests) == 1


def test_where_nothing_can_be_written_is_said(run: Callable[..., Run], toy: Toy) -> None:
    failed = run("matches", "fetch", MATCH, "-o", "no/folder/a.jsonl")
    assert (failed.status, "cannot write " in failed.err, toy.requests) == (1, True, [])
    for name in ("../ab12", "NUL", "com1.x", ""):
        assert "say where to write with -o" in run("matches", "fetch", name).err


# --- servers, tokens, statuses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "details", "status", "said"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, "bad-seats: a match has 2 to 6 seats", 2, "a match has 2 to 6 seats"),
        (grpc.StatusCode.NOT_FOUND, "unknown-match: there is no match", 1, "there is no match"),
        (grpc.StatusCode.FAILED_PRECONDITION, "match-over: it is over", 1, "it is over"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "too-many: 1000 run", 1, "1000 run"),
        (grpc.StatusCode.PERMISSION_DENIED, "no-operator: not this one", 1, "this is not the operator's token (not this one)"),
        (grpc.StatusCode.UNAVAILABLE, "disk: the referee cannot write", 1, "UNAVAILABLE: the referee cannot write"),
        (grpc.StatusCode.UNAVAILABLE, "TLS: CERTIFICATE_VERIFY_FAILED", 1, "is not trusted: set MERGEMAKER_CA"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "", 1, "did not answer in time"),
        (grpc.StatusCode.UNIMPLEMENTED, "no", 1, "is no Mergemaker referee, or an older one"),
        (grpc.StatusCode.INTERNAL, "fault: a fault of the referee", 1, "INTERNAL: a fault of the referee"),
    ],
)
@pytest.mark.parametrize("part", [("get", MATCH), ("fetch", MATCH), ("list",), ("cancel", MATCH)])
def test_a_status_becomes_a_message(
    run: Callable[..., Run], toy: Toy, part: tuple[str, ...], code: grpc.StatusCode, details: str, status: int, said: str
) -> None:
    toy.problem = (code, details)
    failed = run("matches", *part)
    assert (failed.status, failed.out) == (status, "")
    assert said in failed.err
    assert list(Path().iterdir()) == []


def test_a_wrong_token_is_said_and_not_shown(run: Callable[..., Run], toy: Toy) -> None:
    failed = run("matches", "list", "--token", "mmo_other")
    assert failed.status == 1
    assert "does not know this token; matches want the operator's (nobody here has it)" in failed.err
    assert "mmo_other" not in failed.err
    assert len(toy.requests) == 1


def test_the_options_go_before_the_environment_wherever_they_stand(
    run: Callable[..., Run], toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--server", f"grpc://127.0.0.1:{toy.port}", "--token", TOKEN)
    monkeypatch.setenv("MERGEMAKER_SERVER", "grpc://127.0.0.1:9")
    monkeypatch.setenv("MERGEMAKER_TOKEN", "mmo_other")
    assert run("matches", *place, "list").status == 0
    assert run("matches", "list", *place).status == 0
    assert json.loads(run("matches", *place, "--json", "list").out)["matches"]


def test_a_server_that_is_not_there_is_said(run: Callable[..., Run], toy: Toy) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and nobody listens
        failed = run("matches", "list", "--server", f"grpc://127.0.0.1:{free.getsockname()[1]}")
    assert (failed.status, failed.out) == (1, "")
    assert "does the server run, and is this its address?" in failed.err
    assert toy.requests == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"MERGEMAKER_SERVER": ""}, "which server? Give --server, or set MERGEMAKER_SERVER: grpc://"),
        ({"MERGEMAKER_TOKEN": ""}, "the server wants the operator's token: set MERGEMAKER_TOKEN"),
        ({"MERGEMAKER_SERVER": "127.0.0.1:5"}, "a referee's address (MERGEMAKER_SERVER) is grpc://"),
        ({"MERGEMAKER_TOKEN": "a b"}, "a token is printable ASCII without spaces"),
        ({"MERGEMAKER_SERVER": "grpcs://localhost:5", "MERGEMAKER_CA": "no.pem"}, "no.pem cannot be read"),
    ],
)
def test_what_is_missing_or_wrong_in_the_environment_is_said(
    run: Callable[..., Run], toy: Toy, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], said: str
) -> None:
    for name, value in changes.items():
        monkeypatch.setenv(name, value)
    refused = run("matches", "list")
    assert (refused.status, refused.out, toy.requests) == (2, "", [])
    assert said in refused.err


def test_a_part_must_be_named(run: Callable[..., Run]) -> None:
    assert "PART" in run("matches").err
    assert "invalid choice: 'lst'" in run("matches", "lst").err


@pytest.mark.parametrize("part", ["create", "list", "get", "cancel", "fetch"])
def test_each_part_has_help(run: Callable[..., Run], part: str) -> None:
    helped = run("matches", part, "--help")
    assert (helped.status, helped.err) == (0, "")
    assert helped.out.startswith(f"usage: mergemaker matches {part}")
    assert "--server" in helped.out
