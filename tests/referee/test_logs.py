"""The server's log: where it goes, how it looks, and what it never contains."""

import io
import json
import sys
from collections.abc import Iterator

import pytest
import structlog
from mergemaker_referee.configuration.settings import LogFormat, LogLevel
from mergemaker_referee.logs import configure_log
from mergemaker_referee.tokens import TokenKind, fresh_token

TOKEN = fresh_token(TokenKind.SEAT)


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def _fail() -> None:
    raise ValueError(f"no {TOKEN}")


def _log_something() -> None:
    log = structlog.get_logger("test")
    log.debug("too small")
    said = f"came {TOKEN}"
    log.info(said, count=5, token=TOKEN, tokens=[TOKEN], nothing=None)
    try:
        _fail()
    except ValueError:
        log.exception("broke")


def test_a_program_gets_a_json_object_on_each_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_log(LogFormat.JSON, LogLevel.INFO)
    _log_something()
    out, err = capsys.readouterr()
    first, second = map(json.loads, err.splitlines())
    assert out == ""
    assert (first["event"], first["level"], first["count"], first["nothing"]) == ("came mms_…", "info", 5, None)
    assert first["timestamp"].endswith("Z")
    assert "ValueError: no mms_…" in second["exception"]


def test_people_get_lines_without_colour_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    configure_log(LogFormat.CONSOLE, LogLevel.DEBUG)
    _log_something()
    err = capsys.readouterr().err
    assert "too small" in err
    assert "came mms_…" in err
    assert "ValueError: no mms_…" in err
    assert "\x1b" not in err


@pytest.mark.parametrize("form", LogFormat)
def test_no_token_is_in_a_log(capsys: pytest.CaptureFixture[str], form: LogFormat) -> None:
    configure_log(form, LogLevel.INFO)
    _log_something()
    assert TOKEN not in capsys.readouterr().err


def test_what_is_less_important_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    configure_log(LogFormat.JSON, LogLevel.ERROR)
    _log_something()
    assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == ["broke"]


class _Full(io.StringIO):
    def write(self, _text: str) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize("file", [None, _Full()])
def test_a_log_that_takes_no_more_stops_nothing(monkeypatch: pytest.MonkeyPatch, file: io.StringIO | None) -> None:
    monkeypatch.setattr(sys, "stderr", file)
    configure_log(LogFormat.CONSOLE, LogLevel.INFO)
    _log_something()
