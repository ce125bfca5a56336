"""A seat for a language model: any command, or any HTTP endpoint. `mergemaker new llm FOLDER` writes a project with it.

run(lambda: LanguageModelBot(CommandModel(["my-model", "--quiet"])))
"""

import json
import os
import subprocess
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.errors import BotError
from mergemaker_client.in_words import HOW_TO_REPLY, RULES_IN_SHORT, read_reply, turn_text
from mergemaker_client.turn import Turn

LIMIT_S: Final = 60.0
"""How long a model may take for one reply, if nothing else is said."""
LIMIT_S_MAX: Final = 3_600.0
TRIES: Final = 2
"""How often a model is asked one question if its reply cannot be used."""
TRIES_MAX: Final = 10
REPLY_BYTES_MAX: Final = 1_048_576
SPARE_MS: Final = 200
"""What is left of the clock for the way to the referee."""
_SHOWN_CHARACTERS: Final = 300


class Model(Protocol):
    """Answers a prompt with a text."""

    def __call__(self, system: str, prompt: str, limit_s: float) -> str:
        """The model's reply. It may take `limit_s`; a `BotError` says what failed."""


@dataclass(frozen=True, slots=True)
class CommandModel:
    """A program that reads the prompt from standard input and writes its reply to standard output."""

    command: Sequence[str]
    folder: Path | None = None
    """Where it is started; None: where the bot was."""

    def __call__(self, system: str, prompt: str, limit_s: float) -> str:
        """Runs the program."""
        try:
            done = subprocess.run(  # noqa: S603 - the command that the bot's author chose
                list(self.command),
                input=f"{system}\n\n{prompt}\n".encode(),
                stdout=subprocess.PIPE,
                cwd=self.folder,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise BotError("model-late", f"the model's command did not reply within {limit_s:.0f} s") from error
        except OSError as error:
            raise BotError(
                "model-failed", f"the model's command {self.command[0]} cannot be started: {error.strerror}"
            ) from error
        if done.returncode:
            raise BotError("model-failed", f"the model's command ended with status {done.returncode}")
        return done.stdout[:REPLY_BYTES_MAX].decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class HttpModel:
    """An HTTP endpoint: that of a chat (`chat`), as most servers of models have it, or one that takes and gives text (`text`)."""

    url: str
    model: str = ""
    """The model's name, for endpoints that have several."""
    form: str = "chat"
    key: str | None = None
    """Goes with each request as a bearer token."""

    def __post_init__(self) -> None:
        """Refuses what is no address, or no form."""
        if not self.url.startswith(("http://", "https://")):
            raise BotError("bad-setting", f"a model's url begins with http:// or https://, not {self.url!r}")
        if self.form not in ("chat", "text"):
            raise BotError("bad-setting", f"form is chat or text, not {self.form!r}")

    def __call__(self, system: str, prompt: str, limit_s: float) -> str:
        """Sends a request."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if self.form == "text":
            return self._sent(f"{system}\n\n{prompt}\n".encode(), headers | {"Content-Type": "text/plain"}, limit_s)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        named = {"model": self.model} if self.model else {}
        reply = self._sent(
            json.dumps({**named, "messages": messages}).encode(), headers | {"Content-Type": "application/json"}, limit_s
        )
        try:
            return str(json.loads(reply)["choices"][0]["message"]["content"])
        except (ValueError, LookupError, TypeError) as error:
            raise BotError("model-failed", f"no chat's reply came from {self.url}, but {reply[:_SHOWN_CHARACTERS]!r}") from error

    def _sent(self, body: bytes, headers: Mapping[str, str], limit_s: float) -> str:
        request = urllib.request.Request(self.url, body, dict(headers))  # noqa: S310 - http or https, as checked
        try:
            with urllib.request.urlopen(request, timeout=limit_s) as response:  # noqa: S310 - likewise
                content: bytes = response.read(REPLY_BYTES_MAX)
        except urllib.error.HTTPError as error:
            said = error.read(_SHOWN_CHARACTERS).decode("utf-8", "replace")
            raise BotError("model-failed", f"{self.url} answered with status {error.code}: {said!r}") from error
        except OSError as error:  # also when the time is over, and when nobody is there
            raise BotError("model-failed", f"no reply came from {self.url} within {limit_s:.0f} s: {error}") from error
        return content.decode("utf-8", "replace")


class LanguageModelBot(Bot):
    """Asks a model each question, and passes on its answer with its reasons as the note."""

    def __init__(
        self,
        model: Model,
        *,
        answers: bool = True,
        limit_s: float = LIMIT_S,
        tries: int = TRIES,
        instructions: str = "",
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """With `answers`, the prompt lists the legal ones. `instructions` come after the rules in each prompt."""
        self._model: Final = model
        self._answers: Final = answers
        self._limit_s: Final = limit_s
        self._tries: Final = tries
        self._system: Final = "\n\n".join(part for part in (RULES_IN_SHORT, instructions, HOW_TO_REPLY) if part)
        self._now_s: Final = now_s

    def answer(self, turn: Turn) -> Answer:
        """Asks until a reply can be used, or tries or time are over. Then the question fails, and its default counts."""
        prompt = turn_text(turn, answers=self._answers)
        begun_s, problem = self._now_s(), BotError("no-answer", "there was no time to ask the model")
        for _ in range(self._tries):
            limit_s = self._limit_s
            if turn.time_left_ms is not None:
                limit_s = min(limit_s, (turn.time_left_ms - SPARE_MS) / 1_000 - (self._now_s() - begun_s))
            if limit_s <= 0:
                break
            reply = self._model(self._system, prompt, limit_s)
            try:
                return read_reply(reply, turn)
            except BotError as error:
                problem = error
                prompt = f"{turn_text(turn, answers=self._answers)}\n\nYour reply was:\n{reply}\n\nIt cannot be used: {error}"
        raise problem


# --- settings ------------------------------------------------------------------------------------------------

_KEYS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "command": list,
    "url": str,
    "model": str,
    "form": str,
    "key_variable": str,
    "answers": bool,
    "limit_s": (int, float),
    "tries": int,
    "instructions": str,
}


def bot_from_file(path: Path, variables: Mapping[str, str] | None = None) -> LanguageModelBot:
    """The bot that a TOML file describes. A `BotError` says what is wrong with it.

    Keys: `command` (a list) or `url`; `model`, `form` and `key_variable` (the variable that holds the key) for a url; `answers`,
    `limit_s`, `tries`, `instructions`.
    """
    settings = _read(path)
    options = {name: settings[name] for name in ("answers", "limit_s", "tries", "instructions") if name in settings}
    if not 0 < float(options.get("limit_s", LIMIT_S)) <= LIMIT_S_MAX:
        raise BotError("bad-setting", f"{path.name}: limit_s is above 0 and at most {LIMIT_S_MAX:.0f}")
    if not 1 <= options.get("tries", TRIES) <= TRIES_MAX:
        raise BotError("bad-setting", f"{path.name}: tries is from 1 to {TRIES_MAX}")
    return LanguageModelBot(_model_of(path, settings, os.environ if variables is None else variables), **options)


def _model_of(path: Path, settings: Mapping[str, Any], variables: Mapping[str, str]) -> Model:
    if ("command" in settings) == ("url" in settings):
        raise BotError("bad-setting", f"{path.name}: either command or url says where the model is")
    if "command" in settings:
        command = settings["command"]
        if not command or not all(isinstance(word, str) for word in command):
            raise BotError("bad-setting", f'{path.name}: command is a list of texts, as in ["my-model", "--quiet"]')
        return CommandModel(tuple(command), path.absolute().parent)
    variable = settings.get("key_variable")
    if variable is not None and not variables.get(variable):
        raise BotError("bad-setting", f"{path.name}: the key is to be in the variable {variable}, which is not set")
    key = None if variable is None else variables[variable]
    return HttpModel(settings["url"], settings.get("model", ""), settings.get("form", "chat"), key)


def _read(path: Path) -> dict[str, Any]:
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BotError("bad-setting", f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BotError("bad-setting", f"{path.name} is no TOML: {error}") from error
    for name, value in settings.items():
        if name not in _KEYS:
            raise BotError("bad-setting", f"{path.name}: there is no key {name!r}; the keys are {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[name]) or (isinstance(value, bool) and _KEYS[name] is not bool):
            raise BotError("bad-setting", f"{path.name}: {name} cannot be {value!r}")
    return settings
