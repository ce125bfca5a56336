"""A seat for a language model: what it reads, how its replies are read, models as commands and as HTTP endpoints, settings."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from mergemaker_client.answer import NOTE_BYTES_MAX
from mergemaker_client.errors import BotError
from mergemaker_client.in_words import read_reply, turn_text
from mergemaker_client.language_model import (
    CommandModel,
    HttpModel,
    LanguageModelBot,
    bot_from_file,
)
from mergemaker_client.recorded import turns_of
from mergemaker_client.testing import play_match
from mergemaker_client.turn import Turn
from mergemaker_engine.actions import Place
from mergemaker_engine.rules import PRESETS
from mergemaker_engine.wording import action_text

LIMIT_S = 60


def _turns(rules: str = "renegade-classic") -> list[Turn]:
    return [each.turn for each in turns_of(play_match(["greedy", "random", "random"], rules, seed=8).record, 0)]


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    return _turns()


@pytest.fixture(scope="module")
def tile(turns: list[Turn]) -> Turn:
    return next(turn for turn in turns if len(turn.tiles) > 3)


# --- prompts and replies -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS)
def test_every_listed_answer_can_be_given_by_number_and_by_words(rules: str) -> None:
    for turn in _turns(rules)[::5]:
        text = turn_text(turn)
        assert f"You are seat 0 of 3. {turn.view.pile} tiles in the pile." in text
        count = min(len(turn.answers), 300)
        for index in range(0, count, 7):
            words = action_text(turn.answers[index], turn.match.rules)
            if len(turn.answers) <= 300:
                assert f"  {index + 1}. {words}\n" in f"{text}\n"
            assert read_reply(f"ANSWER: {index + 1}", turn).answer == turn.answers[index]
            assert read_reply(f"ANSWER: {words}", turn).answer == turn.answers[index]


def test_a_prompt_without_answers_says_how_they_are_written(tile: Turn) -> None:
    text = turn_text(tile, answers=False)
    assert "Legal answers" not in text
    assert "Answers are written as in" in text
    assert all(f"  {action_text(each.action, tile.match.rules)} " in text for each in tile.tiles)


def test_what_the_seat_cannot_know_is_in_no_prompt() -> None:
    for turn in _turns("avalon-hill")[::9]:
        text = turn_text(turn)
        assert text.count("cash hidden, shares hidden") == 2


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        ("5 words here.\nANSWER: {}", "5 words here."),
        ("Two lines\nof reasons\n\n**ANSWER:** `{}`.", "Two lines\nof reasons"),
        ("ANSWER: no\nI changed my mind.\nAnswer: {}\n", "ANSWER: no\nI changed my mind."),
        ("> answer: {}", ""),
        ('{{"answer": "{}", "reason": "as JSON"}}', "as JSON"),
        ("{}", ""),
    ],
)
def test_replies_are_read_as_models_write_them(tile: Turn, reply: str, note: str) -> None:
    wanted = tile.tiles[1].action
    for words in (action_text(wanted, tile.match.rules), action_text(wanted, tile.match.rules).lower()):
        noted = read_reply(reply.format(words), tile)
        assert (noted.answer, noted.note) == (wanted, note)


def test_default_is_the_referees_choice(tile: Turn) -> None:
    assert read_reply("ANSWER: Default", tile).answer == tile.default


@pytest.mark.parametrize(
    ("reply", "reason", "why"),
    [
        ("", "bad-answer", "is no action"),
        ("I do not know.\nSorry.", "no-answer", "has no line `ANSWER: …`"),
        ("ANSWER: 99", "bad-answer", "there is no answer 99: they are numbered 1 to"),
        ("ANSWER: 0", "bad-answer", "there is no answer 0"),
        ("ANSWER: " + "9" * 400, "bad-answer", "there is no answer 999999999"),
        ("ANSWER: buy nothing", "illegal-answer", "`buy nothing` is not legal now"),
        ("ANSWER: play 5C please", "bad-answer", "is no action"),
        ('{"answer": ["5C"]}', "bad-answer", "is no action"),
    ],
)
def test_what_is_no_answer_is_said_with_the_reason(tile: Turn, reply: str, reason: str, why: str) -> None:
    with pytest.raises(BotError, match=why) as refused:
        read_reply(reply, tile)
    assert refused.value.reason == reason


def test_a_tile_that_cannot_be_placed_is_said(tile: Turn) -> None:
    elsewhere = next(square for square in range(108) if Place(square) not in tile.answers)
    with pytest.raises(BotError, match="cannot be placed now"):
        read_reply(f"ANSWER: {action_text(Place(elsewhere), tile.match.rules)}", tile)


def test_a_long_reason_is_cut_to_the_size_of_a_note(tile: Turn) -> None:
    noted = read_reply("ü" * 2_000 + "\nANSWER: default", tile)
    assert len(noted.note.encode()) == NOTE_BYTES_MAX


# --- models --------------------------------------------------------------------------------------------------


class Scripted:
    """A model that gives these replies in turn, and the last one again and again."""

    def __init__(self, *replies: str) -> None:
        self._replies = list(replies)
        self.prompts: list[str] = []
        self.limits: list[float] = []

    def __call__(self, system: str, prompt: str, limit_s: float) -> str:
        assert "The most money wins." in system
        self.prompts.append(prompt)
        self.limits.append(limit_s)
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def test_a_model_plays_a_whole_match_and_its_reasons_are_in_the_record() -> None:
    model = Scripted("As I like it.\nANSWER: default")
    played = play_match([lambda: LanguageModelBot(model), "greedy"], seed=3)
    assert played.faults == ()
    notes = {line.note for line in played.record.decisions if line.seat == 0 and line.note}
    assert notes == {"As I like it."}
    assert all("Legal answers" in prompt for prompt in model.prompts)


def test_a_reply_that_cannot_be_used_is_sent_back_with_the_reason(tile: Turn) -> None:
    model = Scripted("ANSWER: nonsense", "ANSWER: 1")
    noted = LanguageModelBot(model).answer(tile)
    assert noted == read_reply("ANSWER: 1", tile)
    assert "Your reply was:\nANSWER: nonsense\n\nIt cannot be used: " in model.prompts[1]
    with pytest.raises(BotError, match="is no action"):
        LanguageModelBot(Scripted("ANSWER: nonsense"), tries=3).answer(tile)


def test_the_limit_is_what_is_left_of_the_clock() -> None:
    model = Scripted("ANSWER: default")
    play_match([lambda: LanguageModelBot(model, limit_s=5), "random"], seed=3, clock="fast")
    # 100 ms for each decision and 10 s of bank: the bank runs out of nothing, as no time passes.
    assert set(model.limits) == {5.0}
    short = Scripted("ANSWER: default")
    play_match([lambda: LanguageModelBot(short, limit_s=600), "random"], seed=3, clock="fast")
    assert max(short.limits) <= 10.1 - 0.2


def test_a_command_reads_the_prompt_and_writes_the_reply(tmp_path: Path, tile: Turn) -> None:
    (tmp_path / "model.py").write_text(
        "import sys\nprompt = sys.stdin.read()\nassert 'Legal answers' in prompt\nprint('short\\nANSWER: 2')\n", "utf-8"
    )
    bot = LanguageModelBot(CommandModel([sys.executable, "model.py"], tmp_path))
    assert bot.answer(tile) == read_reply("short\nANSWER: 2", tile)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["/nowhere/no-model"], "cannot be started"),
        ([sys.executable, "-c", "raise SystemExit(3)"], "ended with status 3"),
        ([sys.executable, "-c", "import threading; threading.Event().wait()"], "did not reply within"),
    ],
)
def test_a_command_that_fails_is_the_bots_failure(tile: Turn, command: list[str], why: str) -> None:
    with pytest.raises(BotError, match=why):
        LanguageModelBot(CommandModel(command), limit_s=0.5).answer(tile)


class _Endpoint(BaseHTTPRequestHandler):
    """Answers as an endpoint for chats, at /text as one for texts; at /broken and /error not."""

    asked: list[dict[str, object]] = []  # noqa: RUF012 - one list for all

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _Endpoint.asked.append({"path": self.path, "key": self.headers["Authorization"], "body": body.decode()})
        chat = json.dumps({"choices": [{"message": {"role": "assistant", "content": "by HTTP\nANSWER: 1"}}]})
        status, said = {"/chat": (200, chat), "/text": (200, "ANSWER: 2"), "/broken": (200, "{}")}.get(
            self.path, (500, "overloaded")
        )
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said.encode())

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    _Endpoint.asked.clear()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(LIMIT_S)


def test_an_http_endpoint_for_chats_gets_messages_and_the_key(endpoint: str, tile: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    bot = LanguageModelBot(HttpModel(f"{endpoint}/chat", "small", key="k1"), instructions="Be bold.")
    assert bot.answer(tile) == read_reply("by HTTP\nANSWER: 1", tile)
    (asked,) = _Endpoint.asked
    assert asked["key"] == "Bearer k1"
    body = json.loads(str(asked["body"]))
    assert (body["model"], [each["role"] for each in body["messages"]]) == ("small", ["system", "user"])
    assert "Be bold." in body["messages"][0]["content"]


def test_an_http_endpoint_for_texts_takes_and_gives_text(endpoint: str, tile: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    assert LanguageModelBot(HttpModel(f"{endpoint}/text", form="text")).answer(tile) == read_reply("ANSWER: 2", tile)


@pytest.mark.parametrize(
    ("path", "why"), [("/broken", "no chat's reply came from"), ("/error", "answered with status 500: 'overloaded'")]
)
def test_an_endpoint_that_fails_is_the_bots_failure(
    endpoint: str, tile: Turn, monkeypatch: pytest.MonkeyPatch, path: str, why: str
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(BotError, match=why):
        LanguageModelBot(HttpModel(endpoint + path)).answer(tile)


def test_an_endpoint_that_is_not_there_is_the_bots_failure(tile: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(BotError, match="no reply came from"):
        LanguageModelBot(HttpModel("http://127.0.0.1:1/chat")).answer(tile)


# --- settings ------------------------------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "model.toml"
        path.write_text(text, "utf-8")
        return path

    return write


def test_a_file_says_which_model_plays(settings: Callable[[str], Path]) -> None:
    assert isinstance(
        bot_from_file(settings('command = ["my-model"]\nanswers = false\nlimit_s = 1.5\ntries = 3')), LanguageModelBot
    )
    with_key = settings('url = "https://models.example/chat"\nmodel = "m"\nkey_variable = "MY_KEY"')
    assert isinstance(bot_from_file(with_key, {"MY_KEY": "secret"}), LanguageModelBot)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "either command or url"),
        ('command = ["a"]\nurl = "http://a"', "either command or url"),
        ("command = []", "command is a list of texts"),
        ("command = [1]", "command is a list of texts"),
        ('command = "a"', "command cannot be 'a'"),
        ('url = "ftp://a"', "begins with http://"),
        ('url = "http://a"\nform = "xml"', "form is chat or text"),
        ('url = "http://a"\nkey_variable = "MY_KEY"', "the variable MY_KEY, which is not set"),
        ('command = ["a"]\nlimit_s = 0', "limit_s is above 0"),
        ('command = ["a"]\ntries = 0', "tries is from 1 to 10"),
        ('command = ["a"]\ntries = true', "tries cannot be True"),
        ('command = ["a"]\nanswer = true', "there is no key 'answer'"),
        ("command = [", "is no TOML"),
    ],
)
def test_a_wrong_setting_is_refused(settings: Callable[[str], Path], text: str, why: str) -> None:
    with pytest.raises(BotError, match=why) as refused:
        bot_from_file(settings(text), {})
    assert refused.value.reason == "bad-setting"


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="cannot be read"):
        bot_from_file(tmp_path / "none.toml")
