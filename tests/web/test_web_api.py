"""The JSON API and what holds for all answers: headers, problems, prefix, password, delay, limits, and its own description."""

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import hypothesis
import pytest
from mergemaker_engine.events import TilesReceived
from mergemaker_engine.record.reading import read_record
from mergemaker_referee.configuration.settings import WebSettings
from mergemaker_referee.configuration.web import is_password, password_hash
from mergemaker_testkit.live_pages import LivePages, PlayedMatch, live_pages
from mergemaker_web.server.messages import EVENT_TYPES
from mergemaker_web.server.openapi import OPERATIONS, description
from mergemaker_web.server.port import Ear

EXAMPLES: Final = 25
PASSWORD: Final = "correct horse"  # noqa: S105 - of a test
_ALL_CHECKS: Final = list(hypothesis.HealthCheck)
A_DAY_MS: Final = 86_400_000


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivePages]:
    with live_pages(
        tmp_path_factory.mktemp("pages"), web=WebSettings(requests_per_s_max=10_000, connections_per_address_max=10_000)
    ) as served:
        yield served


@pytest.fixture(scope="module")
def over(pages: LivePages) -> PlayedMatch:
    """A match that is over."""
    match = PlayedMatch(pages, ("ada", "bob"))
    match.finish()
    return match


# --- every answer ------------------------------------------------------------------------------------------------


def test_every_answer_forbids_scripts_from_elsewhere(pages: LivePages, over: PlayedMatch) -> None:
    there = ("/", f"/match/{over.id}", f"/embed/match/{over.id}", "/api/site", "/static/viewer.js")
    for path in (*there, "/none", "/api/none", "/match/none"):
        answer, content = pages.ask(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers
        assert b"<script>" not in content or path.startswith("/static")
        assert b"style=" not in content or path.startswith("/static")


def test_problems_say_what_to_do(pages: LivePages) -> None:
    for path, status, reason in (
        ("/api/matches/none", 404, "unknown-match"),
        ("/api/matches/none/live", 404, "unknown-match"),
        ("/api/matches/none/record", 404, "unknown-match"),
        ("/api/matches/..%2f..%2fetc/record", 404, "unknown-page"),
        ("/api/bots/nobody", 404, "unknown-bot"),
        ("/api/matches?phase=odd", 400, "bad-phase"),
        ("/api/matches?limit=0", 400, "bad-limit"),
        ("/api/matches?limit=1e9", 400, "bad-limit"),
        ("/api/matches?after=none", 404, "bad-after"),
        ("/api/records.tar?since=yesterday", 400, "bad-day"),
        ("/api/records.tar?since=2026-02-30", 400, "bad-day"),
        ("/api/stream", 400, "bad-place"),
        ("/api/stream?match=none", 400, "bad-place"),
        ("/api/none", 404, "unknown-page"),
    ):
        problem = pages.json(path, status)
        assert (problem["status"], problem["reason"]) == (status, reason), path
        assert problem["todo"]
    answer, content = pages.ask("/match/none")
    assert answer.status == 404
    assert b"See the list of matches" in content
    answer, _ = pages.ask("/api/site", "POST")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_running_match_has_no_record(pages: LivePages) -> None:
    match = PlayedMatch(pages)
    match.begin()
    match.play(8)
    assert pages.json(f"/api/matches/{match.id}")["phase"] == "playing"
    for path in ("record", "viewer", "faults"):
        assert pages.json(f"/api/matches/{match.id}/{path}", 409)["reason"] == "not-released"
    live = pages.json(f"/api/matches/{match.id}/live")
    view = pages.public_view(match.id)
    hands = [pages.hand(match.id, seat) for seat in range(view.seats)]
    assert live["ended"] is None
    said = json.dumps(live)
    for secret in ("TilesReceived", "seed", "nonce", "agenda", '"hand"', "asked", "bank", *hands):
        assert secret not in said, secret
    match.finish()
    pages.until_released(match.id)


def test_what_only_a_seat_may_see_cannot_be_said() -> None:
    assert TilesReceived not in EVENT_TYPES
    assert b"TilesReceived" not in description("")


def test_a_process_that_plays_learns_that_its_responses_are_taken() -> None:
    ear = Ear(lambda _response: None, lambda _closing: None)
    taken: list[int] = []
    ear.send(b"", taken.append)
    assert len(taken) == 1  # it waits for that before it sends more


# --- records -----------------------------------------------------------------------------------------------------


def test_records_can_be_fetched(pages: LivePages, over: PlayedMatch) -> None:
    answer, content = pages.ask(f"/api/matches/{over.id}/record")
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert read_record([content]).header.match == over.id
    created = pages.json(f"/api/matches/{over.id}")["created"][:10]
    for query, count in (("", 1), (f"?since={created}", 1), ("?since=2999-01-01", 0)):
        _, packed = pages.ask(f"/api/records.tar{query}")
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            names = tar.getnames()
            assert (len(names) >= count) if count else names == []
            found = [read_record([tar.extractfile(name).read()]).header.match for name in names]  # type: ignore[union-attr]  # files
            assert (over.id in found) is bool(count)


def test_a_bots_page_has_results_and_faults(pages: LivePages, over: PlayedMatch) -> None:
    bot = pages.json("/api/bots/ada")
    assert bot["matches"] >= 1
    assert any(each["match"] == over.id for each in bot["recent"])
    assert bot["against"][0]["bot"] == "bob"
    assert bot["faults"] == []
    assert b"Head to head" in pages.ask("/bot/ada")[1]


def test_a_record_that_is_damaged_or_packed(tmp_path: Path) -> None:
    with live_pages(tmp_path) as pages:
        matches = [PlayedMatch(pages) for _ in range(2)]
        for match in matches:
            match.finish()
        paths = {match.id: next((tmp_path / "records").glob(f"*{match.id}*.jsonl")) for match in matches}
        damaged, packed = matches
        text = paths[damaged.id].read_bytes()
        paths[damaged.id].write_bytes(text[:2_000] + b"{" + text[2_001:])
        problem = pages.json(f"/api/matches/{damaged.id}/faults", 500)
        assert problem["reason"] == "bad-record"
        answer, content = pages.ask(f"/match/{damaged.id}")
        assert answer.status == 500
        assert b"mergemaker verify" in content
        assert pages.json(f"/api/matches/{packed.id}/viewer")["lines"][0]["kind"] == "header"


# --- settings ----------------------------------------------------------------------------------------------------


def test_all_addresses_have_the_prefix(tmp_path: Path) -> None:
    web = WebSettings(prefix="/watch", address="https://acquire.example", frame_ancestors=("https://club.example",))
    with live_pages(tmp_path, web=web) as pages:
        match = PlayedMatch(pages)
        match.finish()
        assert pages.address.endswith("/watch/")
        for path in ("/", f"/match/{match.id}", "/data"):
            content = pages.ask(path)[1].decode()
            assert 'href="/watch/static/style.css"' in content
            assert content.count('="/') == content.count('="/watch')
        preview = f'content="https://acquire.example/watch/match/{match.id}/picture.png"'
        assert preview in pages.ask(f"/match/{match.id}")[1].decode()
        answer, _ = pages.ask(f"/embed/match/{match.id}")
        assert "frame-ancestors https://club.example" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in pages.ask(f"/match/{match.id}")[0].headers["content-security-policy"]
        answer, drawn = pages.ask(f"/match/{match.id}/picture.png")
        assert (answer.status, drawn[:4]) == (200, b"\x89PNG")
        assert pages.ask_anything("/")[0].status == 404


def test_a_password_is_asked_for(tmp_path: Path) -> None:
    kept = password_hash(PASSWORD)
    assert PASSWORD not in kept
    with live_pages(tmp_path, web=WebSettings(password_hash=kept)) as pages:
        assert pages.json("/api/matches", 401)["reason"] == "no-password"
        answer, _ = pages.ask("/match/abc?x=1")
        assert (answer.status, answer.headers["location"]) == (303, "/login?back=%2Fmatch%2Fabc%3Fx%3D1")
        assert pages.ask("/static/style.css")[0].status == 200
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        answer, content = pages.ask("/login", "POST", "password=wrong&back=/", **form)
        assert (answer.status, b"This is not the password" in content, answer.headers["set-cookie"]) == (401, True, None)
        answer, _ = pages.ask("/login", "POST", "password=correct+horse&back=//evil.example", **form, Sec_Fetch_Site="cross-site")
        assert answer.status == 403
        answer, _ = pages.ask("/login", "POST", "password=correct+horse&back=//evil.example", **form)
        assert (answer.status, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert PASSWORD not in cookie
        named = cookie.partition(";")[0]
        assert pages.ask("/api/matches", Cookie=named)[0].status == 200
        assert pages.ask("/api/matches", Cookie=named[:-1] + ("0" if named[-1] != "0" else "1"))[0].status == 401
        answer, _ = pages.ask("/login", "POST", "x" * 3_000, **form)
        assert answer.status == 400
        statuses = [pages.ask("/login", "POST", "password=guess", **form)[0].status for _ in range(12)]
        assert statuses[-1] == 429


def test_passwords_are_compared() -> None:
    kept = password_hash(PASSWORD)
    assert is_password(PASSWORD, kept)
    assert not is_password("correct horsf", kept)
    assert not is_password(PASSWORD, "scrypt:wrong")
    assert kept != password_hash(PASSWORD)


def test_with_a_delay_nothing_is_told_before(tmp_path: Path) -> None:
    with live_pages(tmp_path, web=WebSettings(delay_ms=A_DAY_MS)) as pages:
        match = PlayedMatch(pages)
        match.begin()
        match.play(10)
        assert pages.json("/api/site")["delay_ms"] == A_DAY_MS
        live = pages.json(f"/api/matches/{match.id}/live")
        assert (live["view"], live["events"], live["delay_ms"]) == (None, [], A_DAY_MS)
        match.finish()
        listed = pages.json(f"/api/matches/{match.id}")
        assert (listed["phase"], listed["turn"], listed["ending"], listed["released"]) == ("playing", None, None, False)
        assert all(seat["place"] is None and seat["cash"] is None for seat in listed["seats"])
        assert pages.json(f"/api/matches/{match.id}/record", 409)["reason"] == "not-released"
        assert pages.ask(f"/match/{match.id}/picture.svg")[0].status == 404


def test_requests_of_one_address_are_limited(tmp_path: Path) -> None:
    with live_pages(tmp_path, web=WebSettings(requests_per_s_max=1, behind_proxy=True)) as pages:
        statuses = [pages.ask("/api/site", X_Forwarded_For="192.0.2.1, 192.0.2.7")[0].status for _ in range(20)]
        assert statuses[0] == 200
        assert statuses[-1] == 429
        assert pages.ask("/api/site", X_Forwarded_For="192.0.2.7, 192.0.2.8")[0].status == 200
        # One page wants dozens of files, and one address may open many pages.
        files = [pages.ask("/static/style.css", X_Forwarded_For="192.0.2.7")[0].status for _ in range(40)]
        assert set(files) == {200}


# --- the description ---------------------------------------------------------------------------------------------


def test_what_is_described_is_what_there_is(pages: LivePages, over: PlayedMatch) -> None:
    document = pages.json("/api/openapi.json")
    assert list(document["paths"]) == [each.path for each in OPERATIONS]
    for path in document["paths"]:
        if path not in ("/api/stream", "/api/tournaments/{tournament}"):
            assert pages.ask(path.replace("{match}", over.id).replace("{bot}", "ada"))[0].status in (200, 409), path


def test_the_api_is_as_it_describes_itself(pages: LivePages, over: PlayedMatch) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis, of the extra `dev`")
    schema = schemathesis.openapi.from_dict(pages.json("/api/openapi.json"))
    assert over.id
    for found in schema.exclude(path="/api/stream").get_all_operations():
        operation = found.ok()

        @hypothesis.settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=_ALL_CHECKS)
        @hypothesis.given(case=operation.as_strategy())
        def call(case: Any) -> None:
            case.call_and_validate(base_url=pages.address.rstrip("/"))

        call()
