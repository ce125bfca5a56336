"""Reads a server's configuration file: finds all its errors at once, each with its line.

TOML's reader does not report the line of a value, so `KeyLines` looks for the keys in the text. It knows `key =` and
`[table]` at the start of a line, which is how such files are written. Errors inside an inline table are reported on the line
where the table begins.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from mergemaker_engine.errors import EngineError
from mergemaker_engine.near_names import nearest_names
from mergemaker_engine.notation import parse_rules
from mergemaker_engine.shown import shown
from mergemaker_table.terms import CLOCKS, ClockTerms, FaultTerms

from mergemaker_referee.configuration.entries import (
    BOTS,
    CLOCKS_SECTION,
    SECTIONS,
    Section,
)
from mergemaker_referee.configuration.kinds import TOKEN_HASH, Kind, WrongValue
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import (
    BOT_NAME_CHARACTERS_MAX,
    USUAL_CLOCK,
    USUAL_RULES,
    Settings,
    Tls,
    WebSettings,
)
from mergemaker_referee.errors import RefereeError

CONFIGURATION_BYTES_MAX: Final = 4 * 1_024 * 1_024
LINE_DOTS_MAX: Final = 200
"""Dots in a line that is no comment. The time of TOML's reader grows with the square of a key's parts."""

_OF_SERVER: Final = ("listen", "fast_loop", "processes", "earlier_signing_keys")
_PATHS_OF_SERVER: Final = ("records_folder", "data_folder", "signing_key")
_OF_MATCHES: Final = ("missing_seats", "wait_ms_max", "durability", "automatic_delay_ms_max")
"""Settings in [matches] that have the same name in `Settings`."""
_TLS_FILES: Final = ("certificate", "key")
_KEY: Final = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEYS: Final = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_TABLE: Final = re.compile(rf"[ \t]*\[\[?[ \t]*(?P<keys>{_KEYS})[ \t]*\]")
_ASSIGNED: Final = re.compile(rf"[ \t]*(?P<keys>{_KEYS})[ \t]*=")
_LONG_QUOTES: Final = re.compile(r'"""|\'\'\'')
_TOML_PLACE: Final = re.compile(r"(?P<what>.*?) \(at (?:line (?P<line>[0-9]+), column [0-9]+|end of document)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a configuration file."""

    line: int | None
    key: str
    """Such as `limits.matches_max`; empty if the error is about no key."""
    text: str

    def sentence(self, file: str) -> str:
        """For people."""
        where = file if self.line is None else f"{file}, line {self.line}"
        return f"{where}: {self.key} {self.text}" if self.key else f"{where}: {self.text}"


class WrongConfiguration(RefereeError):
    """A configuration file cannot be used. `problems` lists all errors in the order of the lines."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.problems: Final = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        super().__init__("bad-configuration", "\n".join(problem.sentence(file) for problem in self.problems))


def read_configuration(path: Path) -> Settings:
    """The settings in a file. Its paths are relative to the file's folder."""
    try:
        with path.open("rb") as file:
            content = file.read(CONFIGURATION_BYTES_MAX + 1)
    except OSError as error:
        raise WrongConfiguration(str(path), [Problem(None, "", f"cannot be read: {error.strerror or error}")]) from error
    return parse_configuration(content, str(path), path.parent)


def parse_configuration(content: bytes, file: str, folder: Path) -> Settings:
    """The settings in a file's content. `file` is its name in errors."""
    text, document = parsed_toml(content, file)
    reader = _Reader(KeyLines(text), folder)
    settings = reader.settings(document)
    if settings is None:
        raise WrongConfiguration(file, reader.problems)
    return settings


def tls_problem(tls: Tls) -> str | None:
    """Why a certificate and its key cannot be used, in words and before a server starts; None if they can."""
    import ssl  # noqa: PLC0415 - slow to import, and needed only here

    try:
        # A key with a pass phrase is refused: nobody is there to type it.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.certificate, tls.key, password=b"")
    except (OSError, ValueError) as error:  # every error of TLS is an OSError
        return (
            f"{tls.certificate} and {tls.key} are no certificate and its key, as PEM files without a pass phrase: "
            f"{getattr(error, 'reason', None) or error}"
        )
    return None


def parsed_toml(content: bytes, file: str) -> tuple[str, dict[str, Any]]:
    """A file's text, and the document in it."""
    if len(content) > CONFIGURATION_BYTES_MAX:
        problem = Problem(None, "", f"is longer than {CONFIGURATION_BYTES_MAX:,} bytes: is this a configuration file?")
        raise WrongConfiguration(file, [problem])
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise WrongConfiguration(file, [Problem(line, "", "is not UTF-8; save the file in that encoding")]) from error
    for number, written in enumerate(text.split("\n"), start=1):
        if written.count(".") > LINE_DOTS_MAX and not written.lstrip(" \t").startswith("#"):
            what = f"has more than {LINE_DOTS_MAX} dots: no key has that many parts, and a long list can go over several lines"
            raise WrongConfiguration(file, [Problem(number, "", what)])
    try:
        return text, tomllib.loads(text)
    except RecursionError as error:
        raise WrongConfiguration(file, [Problem(None, "", "is nested too deeply")]) from error
    except ValueError as error:  # of TOML, and of numbers with thousands of digits
        found = _TOML_PLACE.fullmatch(str(error))
        last = text.rstrip("\n").count("\n") + 1
        place = int(found["line"] or last) if found else None
        what = found["what"] if found else str(error)
        raise WrongConfiguration(file, [Problem(place, "", f"is not TOML: {what}")]) from error


class KeyLines:
    """The lines of the keys in a TOML text."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        quotes = ""
        for number, line in enumerate(text.split("\n"), start=1):
            if not quotes:
                if found := _TABLE.match(line):
                    table = _key_path(found["keys"])
                    self._lines.setdefault(table, number)
                elif found := _ASSIGNED.match(line):
                    self._lines.setdefault((*table, *_key_path(found["keys"])), number)
            for mark in _LONG_QUOTES.findall(line):
                # A string over several lines holds no keys.
                quotes = "" if quotes == mark else quotes or mark

    def line(self, *path: str) -> int | None:
        """The line of a key, or of the innermost table around it that has a line."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)


def _key_path(keys: str) -> tuple[str, ...]:
    """`a."b c"` as its parts."""
    try:
        inner: object = tomllib.loads(f"{keys} = 0")
    except ValueError:
        return ()
    path = []
    while isinstance(inner, dict):
        ((name, inner),) = inner.items()
        path.append(name)
    return tuple(path)


class _Reader:
    """Turns the document into settings, and collects errors."""

    def __init__(self, lines: KeyLines, folder: Path) -> None:
        self.problems: list[Problem] = []
        self._lines = lines
        self._folder = folder

    def settings(self, document: Mapping[str, Any]) -> Settings | None:
        """The settings, or None if there are errors."""
        known = {section.name: section for section in SECTIONS}
        found: dict[str, dict[str, Any]] = {name: {} for name in known}
        for name, value in document.items():
            if name not in known:
                self._complain((name,), self._unknown_section(name, known))
            elif not isinstance(value, dict):
                self._complain((name,), f"is a table, written [{name}], not {shown(value)}")
            elif name == BOTS:
                found[name] = self._bots(value)
            elif name == CLOCKS_SECTION:
                found[name] = self._clocks(known[name], value)
            else:
                found[name] = self._entries(known[name], value, (name,))
        settings = self._assembled(found)
        return None if self.problems else settings

    def _complain(self, path: tuple[str, ...], text: str) -> None:
        key = ".".join(part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else shown(part) for part in path)
        self.problems.append(Problem(self._lines.line(*path), key, text))

    def _unknown_section(self, name: str, known: Mapping[str, Section]) -> str:
        home = [section for section in SECTIONS if section.name != CLOCKS_SECTION and section.entry(name)]
        if home:
            return f"belongs below [{home[0].name}]"
        return f"is no table of this file{nearest_names(name, known) or '.'} The tables are {', '.join(known)}."

    def _entries(self, section: Section, table: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        values = {}
        for name, value in table.items():
            entry = section.entry(name)
            if entry is None:
                names = [entry.name for entry in section.entries]
                self._complain((*path, name), f"is no setting{nearest_names(name, names) or ': there are ' + ', '.join(names)}")
                continue
            found = self._value(entry.kind, value, (*path, name))
            if found is not None:
                values[name] = found
        return values

    def _value(self, kind: Kind, value: object, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - has the type of its kind
        try:
            return kind.read(value)
        except WrongValue as wrong:
            self._complain(path, str(wrong) or kind.refusal(value))
            return None

    def _bots(self, table: Mapping[str, Any]) -> dict[str, Any]:
        bots: dict[str, str] = {}
        for name, value in table.items():
            hashed = self._value(TOKEN_HASH, value, (BOTS, name))
            if not 1 <= len(name) <= BOT_NAME_CHARACTERS_MAX or not name.isprintable():
                self._complain((BOTS, name), f"is no name for a bot: it has 1 to {BOT_NAME_CHARACTERS_MAX} printable characters")
            elif hashed is not None and hashed in bots.values():
                self._complain(
                    (BOTS, name), "has the token of another bot: make it one of its own with `mergemaker serve --add-bot`"
                )
            elif hashed is not None:
                bots[name] = hashed
        return bots

    def _clocks(self, section: Section, table: Mapping[str, Any]) -> dict[str, Any]:
        clocks = {}
        for name, value in table.items():
            path = (CLOCKS_SECTION, name)
            if not isinstance(value, dict):
                self._complain(
                    path, f"is a table, written [{CLOCKS_SECTION}.NAME] with the settings of a clock, not {shown(value)}"
                )
            elif name in CLOCKS:
                self._complain(path, "is a clock that every referee has: give yours another name")
            else:
                clocks[name] = self._clock(section, name, value)
        return clocks

    def _clock(self, section: Section, name: str, table: Mapping[str, Any]) -> ClockTerms:
        before = len(self.problems)
        terms = self._entries(section, table, (CLOCKS_SECTION, name))
        if len(self.problems) == before:
            try:
                return ClockTerms(**{"allowance_ms": None, **terms, "name": name})
            except EngineError as error:
                self._complain((CLOCKS_SECTION, name), f"cannot be: {error}")
        # A stand-in, so that a setting that names this clock is not reported as naming an unknown one.
        return CLOCKS[USUAL_CLOCK]

    def _assembled(self, found: Mapping[str, dict[str, Any]]) -> Settings:
        """Puts the sections together, and checks what concerns several of them."""
        server, matches = found["server"], found["matches"]
        settings = Settings(
            bots=found[BOTS],
            own_clocks=found[CLOCKS_SECTION],
            tls=self._tls({name: path for name, path in found["tls"].items() if name in _TLS_FILES}),
            plain_text_allowed=found["tls"].get("plain_text_allowed", False),
            faults=FaultTerms(**found["faults"]),
            limits=Limits(**found["limits"]),
            operator_token_hash=found["operator"].get("token_hash"),
        )
        if settings.operator_token_hash in settings.bots.values():
            self._complain(("operator", "token_hash"), "is the token of a bot, too: the operator needs its own")
        changes: dict[str, Any] = {name: server[name] for name in _OF_SERVER if name in server}
        changes |= {name: self._folder / server[name] for name in _PATHS_OF_SERVER if name in server}
        if "signing_key" in changes and not changes["signing_key"].is_file():
            self._complain(("server", "signing_key"), f"names a file that is not there: {changes['signing_key']}")
        if "data_folder" not in server:
            changes["data_folder"] = self._folder / settings.data_folder
        changes |= {f"log_{name}": value for name, value in found["log"].items()}
        changes |= {f"spectating_{name}": value for name, value in found["spectating"].items()}
        changes |= {f"metrics_{name}": value for name, value in found["metrics"].items()}
        changes["web"] = WebSettings(**found["web"] | self._database(found["web"]))
        changes |= {name: matches[name] for name in _OF_MATCHES if name in matches}
        return replace(settings, **changes, **self._usual(settings, matches))

    def _database(self, web: Mapping[str, Any]) -> dict[str, str]:
        """The database of the pages: a URL as it is, a path relative to the file's folder."""
        name = web.get("database")
        return {} if name is None or "://" in name else {"database": str(self._folder / name)}

    def _tls(self, files: Mapping[str, Path]) -> Tls | None:
        if not files:
            return None
        paths = {name: self._folder / path for name, path in files.items()}
        for name, path in paths.items():
            if not path.is_file():
                self._complain(("tls", name), f"names a file that is not there: {path}")
        if len(paths) == 1:
            (name,) = paths
            other = "key" if name == "certificate" else "certificate"
            self._complain(("tls", name), f"needs tls.{other} beside it")
            return None
        return Tls(paths["certificate"], paths["key"])

    def _usual(self, settings: Settings, matches: Mapping[str, Any]) -> dict[str, Any]:
        """The rules and the clock of a match that names none."""
        usual: dict[str, Any] = {}
        if "rules" in matches or "set" in matches:
            try:
                usual["rules"] = parse_rules(" ".join([matches.get("rules", USUAL_RULES), *matches.get("set", ())]))
            except EngineError as error:
                self._complain(("matches", "set"), f"cannot be: {error}")
        if "clock" in matches:
            try:
                usual["clock"] = settings.clock_named(matches["clock"])
            except RefereeError as error:
                self._complain(("matches", "clock"), f"cannot be: {error}{nearest_names(matches['clock'], settings.clocks)}")
        return usual
