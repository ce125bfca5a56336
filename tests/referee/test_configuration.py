"""The configuration file: what it may contain, and everything that can be wrong with it."""

from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_engine.rules import preset
from mergemaker_referee.configuration.entries import SECTIONS
from mergemaker_referee.configuration.file import (
    CONFIGURATION_BYTES_MAX,
    LINE_DOTS_MAX,
    Problem,
    WrongConfiguration,
    parse_configuration,
    read_configuration,
)
from mergemaker_referee.configuration.limits import Limits, limit_bounds
from mergemaker_referee.configuration.page import initial_configuration
from mergemaker_referee.configuration.settings import Address, LogFormat, LogLevel, Settings, Tls, WebSettings
from mergemaker_referee.records.journal import Durability
from mergemaker_referee.tokens import token_hash
from mergemaker_table.join_terms import MissingSeats
from mergemaker_table.terms import CLOCKS, ClockTerms, FaultTerms

HASH = token_hash("mmo_operator")
OTHER_HASH = token_hash("mmb_bot")


def _parse(text: str, folder: Path = Path()) -> Settings:
    return parse_configuration(text.encode(), "x.toml", folder)


def _problems(content: str | bytes) -> list[Problem]:
    with pytest.raises(WrongConfiguration) as found:
        parse_configuration(content if isinstance(content, bytes) else content.encode(), "x.toml", Path())
    assert found.value.reason == "bad-configuration"
    return list(found.value.problems)


# --- what it may say ----------------------------------------------------------------------------------------


def test_an_empty_file_says_the_defaults() -> None:
    assert _parse("") == Settings()


def test_the_first_file_of_a_server_says_the_defaults_and_the_token() -> None:
    assert _parse(initial_configuration(HASH)) == Settings(operator_token_hash=HASH)


def test_what_is_a_comment_in_the_first_file_may_be_made_to_count(tmp_path: Path) -> None:
    (tmp_path / "PATH").write_text("pem", "utf-8")
    text = initial_configuration(HASH)
    commented = [line for section in SECTIONS for line in (section.example or "").split("\n") if line]
    commented += [f'{entry.name} = "PATH"' for section in SECTIONS[:2] for entry in section.entries if entry.default is None]
    commented.append('listen = "127.0.0.1:7351"')
    for line in commented:
        assert f"# {line}\n" in text
        text = text.replace(f"# {line}\n", f"{line}\n")
    settings = _parse(text, tmp_path)
    assert settings.tls == Tls(tmp_path / "PATH", tmp_path / "PATH")
    assert settings.records == tmp_path / "PATH"
    assert settings.bots == {"my bot": "0" * 64}
    assert list(settings.own_clocks) == ["blitz"]
    assert settings.metrics_listen == Address("127.0.0.1", 7351)


EVERY_SETTING = f"""
    [server]
    listen = ["0.0.0.0:1", "[::1]:0"]
    data_folder = "d"
    records_folder = "/r"
    signing_key = "signing.pem"
    earlier_signing_keys = ["A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg", "{"AB" * 32}"]
    fast_loop = false
    processes = 3
    [tls]
    certificate = "cert.pem"
    key = "key.pem"
    plain_text_allowed = true
    [operator]
    token_hash = "{HASH}"
    [bots]
    alice = "{OTHER_HASH}"
    [matches]
    rules = "renegade-tycoon"
    set = ["dead_tiles=forced"]
    clock = "mine"
    missing_seats = "play"
    wait_ms_max = 9
    durability = "power"
    automatic_delay_ms_max = 8
    [faults]
    refusals_max = 1
    defaults_max = 2
    recovery_grace_ms = 3
    [clocks.mine]
    allowance_ms = 1
    bank_ms = 2
    increment_ms = 3
    startup_ms = 4
    credit_decision_ms_max = 5
    credit_match_ms_max = 6
    [spectating]
    open = true
    delay_ms = 7
    [metrics]
    listen = "127.0.0.1:9"
    [web]
    listen = "127.0.0.1:10"
    prefix = "/watch"
    address = "https://acquire.example"
    password_hash = "scrypt:0123456789abcdefghijkl:0123456789abcdefghijklmnopqrstuvwxyz0123456"
    frame_ancestors = ["https://club.example:8443", "'self'"]
    behind_proxy = true
    delay_ms = 1
    database = "results.sqlite"
    spectators_max = 2
    spectators_per_address_max = 3
    connections_max = 4
    connections_per_address_max = 5
    requests_per_s_max = 6
    [log]
    format = "json"
    level = "debug"
    [limits]
"""


def test_every_setting_is_read(tmp_path: Path) -> None:
    for name in ("cert.pem", "key.pem", "signing.pem"):
        (tmp_path / name).write_text("pem", "utf-8")
    limits = {each.name: limit_bounds(each)[0] for each in fields(Limits)}
    settings = _parse(
        EVERY_SETTING + "\n".join(f"{name} = {value}" for name, value in limits.items()),
        tmp_path,
    )
    mine = ClockTerms(
        name="mine",
        allowance_ms=1,
        bank_ms=2,
        increment_ms=3,
        startup_ms=4,
        credit_decision_ms_max=5,
        credit_match_ms_max=6,
    )
    assert settings == Settings(
        listen=(Address("0.0.0.0", 1), Address("::1", 0)),  # noqa: S104 - a text, nothing listens
        data_folder=tmp_path / "d",
        records_folder=Path("/r"),
        signing_key=tmp_path / "signing.pem",
        earlier_signing_keys=(
            bytes.fromhex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"),
            bytes([171] * 32),
        ),
        fast_loop=False,
        processes=3,
        tls=Tls(tmp_path / "cert.pem", tmp_path / "key.pem"),
        plain_text_allowed=True,
        operator_token_hash=HASH,
        bots={"alice": OTHER_HASH},
        rules=preset("renegade-tycoon").with_knobs({"dead_tiles": "forced"}),
        clock=mine,
        own_clocks={"mine": mine},
        faults=FaultTerms(refusals_max=1, defaults_max=2, recovery_grace_ms=3),
        missing_seats=MissingSeats.PLAY,
        wait_ms_max=9,
        durability=Durability.POWER,
        automatic_delay_ms_max=8,
        spectating_open=True,
        spectating_delay_ms=7,
        metrics_listen=Address("127.0.0.1", 9),
        web=WebSettings(
            listen=Address("127.0.0.1", 10),
            prefix="/watch",
            address="https://acquire.example",
            password_hash="scrypt:0123456789abcdefghijkl:0123456789abcdefghijklmnopqrstuvwxyz0123456",  # noqa: S106 - of no password
            frame_ancestors=("https://club.example:8443", "'self'"),
            behind_proxy=True,
            delay_ms=1,
            database=str(tmp_path / "results.sqlite"),
            spectators_max=2,
            spectators_per_address_max=3,
            connections_max=4,
            connections_per_address_max=5,
            requests_per_s_max=6,
        ),
        log_format=LogFormat.JSON,
        log_level=LogLevel.DEBUG,
        limits=Limits(**limits),
    )
    defaults = Settings()
    assert [each.name for each in fields(Settings) if getattr(settings, each.name) == getattr(defaults, each.name)] == []
    assert settings.clock_named("mine") == mine
    assert settings.clock_named("fast") == CLOCKS["fast"]


@pytest.mark.parametrize(
    "text", ['[server]\nlisten = "127.0.0.1:5"', '[server]\r\nlisten = ["127.0.0.1:5"]\r\n', 'server.listen = "127.0.0.1:5"']
)
def test_a_file_may_be_written_in_many_ways(text: str) -> None:
    settings = parse_configuration(b"\xef\xbb\xbf" + text.encode(), "x.toml", Path())
    assert settings == replace(Settings(), listen=(Address("127.0.0.1", 5),))


def test_a_clock_without_an_allowance_has_no_limit() -> None:
    assert _parse("[clocks.free]").own_clocks == {"free": ClockTerms(name="free", allowance_ms=None)}


def test_records_lie_in_the_data_folder_unless_said_otherwise(tmp_path: Path) -> None:
    assert _parse("", tmp_path).records == tmp_path / "data" / "records"
    assert _parse('[server]\nrecords_folder = "r"', tmp_path).records == tmp_path / "r"


def test_each_clock_and_fault_term_and_limit_has_a_setting() -> None:
    names = {section.name: [entry.name for entry in section.entries] for section in SECTIONS}
    assert names["clocks"] == [each.name for each in fields(ClockTerms) if each.name != "name"]
    assert names["faults"] == [each.name for each in fields(FaultTerms)]
    assert names["limits"] == [each.name for each in fields(Limits)]


# --- what can be wrong --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "key", "said"),
    [
        ("listen = 'a:1'", 1, "listen", "belongs below [server]"),
        ("\nfoo = 1", 2, "foo", "is no table of this file. The tables are server, tls, "),
        ("[limit]", 1, "limit", "is no table of this file; did you mean limits? The tables are"),
        ("server = 5", 1, "server", "is a table, written [server], not 5"),
        ("[[server]]", 1, "server", "is a table, written [server], not [{}]"),
        ("[server]\n\n# port\nport = 5", 4, "server.port", "is no setting: there are listen, data_folder, "),
        ("[limits]\nmatch_max = 5", 2, "limits.match_max", "is no setting; did you mean matches_max"),
        ("limits = { sessions_max = 5, match_max = 5 }", 1, "limits.match_max", "is no setting; did you mean matches_max"),
        ("limits.match_max = 5", 1, "limits.match_max", "is no setting"),
        ("[limits]\nmatches_max = 0", 2, "limits.matches_max", "takes a whole number from 1 to 1000000, not 0"),
        ("[limits]\nmatches_max = 1.0", 2, "limits.matches_max", "not 1.0"),
        ("[limits]\nmatches_max = true", 2, "limits.matches_max", "not True"),
        ("[limits]\nmatches_max = 1000001", 2, "limits.matches_max", "not 1000001"),
        ("[server]\nlisten = 5", 2, "server.listen", "takes an address, HOST:PORT, or a list of them, not 5"),
        ("[server]\nlisten = []", 2, "server.listen", "takes at least one address"),
        ("[server]\nlisten = ['a:1', 'a:1']", 2, "server.listen", "has an address twice"),
        ("[server]\nlisten = 'a'", 2, "server.listen", "an address is HOST:PORT, as in 127.0.0.1:7350"),
        ("[server]\nlisten = 'a:65536'", 2, "server.listen", "with a port from 0 to 65535, not 'a:65536'"),
        ("[server]\nlisten = ['a:1', 2]", 2, "server.listen", "takes an address"),
        ("[server]\nfast_loop = 1", 2, "server.fast_loop", "takes true or false, not 1"),
        ("[server]\nprocesses = 0", 2, "server.processes", "takes a whole number from 1 to 64, not 0"),
        ("[server]\nprocesses = 65", 2, "server.processes", "takes a whole number from 1 to 64, not 65"),
        ("[server]\ndata_folder = ''", 2, "server.data_folder", "takes a path, not ''"),
        ('[server]\ndata_folder = "a\\u0000"', 2, "server.data_folder", "takes a path"),
        ("[server]\nsigning_key = 'no'", 2, "server.signing_key", "names a file that is not there: no"),
        ("[server]\nsigning_key = 5", 2, "server.signing_key", "takes a path, not 5"),
        ("[server]\nearlier_signing_keys = ['A']", 2, "server.earlier_signing_keys", "takes a list of public keys"),
        (f"[server]\nearlier_signing_keys = ['{'A' * 42}B']", 2, "server.earlier_signing_keys", "takes a list of public keys"),
        ("[server]\nearlier_signing_keys = 'A'", 2, "server.earlier_signing_keys", "takes a list of public keys"),
        ("[tls]\nkey = 'no'", 2, "tls.key", "names a file that is not there: no"),
        ("[tls]\ncertificate = 'no'", 2, "tls.certificate", "needs tls.key beside it"),
        ("[tls]\nkey = 'no'", 2, "tls.key", "needs tls.certificate beside it"),
        ("[operator]\ntoken_hash = 'mmo_secret'", 2, "operator.token_hash", "not a text of 10 characters"),
        ("[operator]\ntoken_hash = 5", 2, "operator.token_hash", "not <class 'int'>"),
        (f"[operator]\ntoken_hash = '{HASH}'\n[bots]\na = '{HASH}'", 2, "operator.token_hash", "is the token of a bot, too"),
        ("[bots]\n'a b' = 'short'", 2, "bots.'a b'", "takes the hash of a token, 64 small hexadecimal digits"),
        (f"[bots]\na = '{HASH}'\nb = '{HASH}'", 3, "bots.b", "has the token of another bot"),
        (f"[bots]\n'' = '{HASH}'", 2, "bots.''", "is no name for a bot"),
        (f'[bots]\n"a\\n" = "{HASH}"', 2, "bots.'a\\n'", "is no name for a bot"),
        (f"[bots]\n{'a' * 65} = '{HASH}'", 2, f"bots.{'a' * 65}", "it has 1 to 64 printable characters"),
        ("[matches]\nrules = 'renegade-clasic'", 2, "matches.rules", "did you mean renegade-classic"),
        ("[matches]\nrules = 5", 2, "matches.rules", "takes a preset, one of renegade-classic, "),
        ("[matches]\nset = ['a']", 2, "matches.set", "cannot be: "),
        ("[matches]\nset = ['no=1']", 2, "matches.set", "there is no knob 'no'"),
        ("[matches]\nset = 'no=1'", 2, "matches.set", "takes a list of texts KNOB=VALUE"),
        ("[matches]\nclock = 'fats'", 2, "matches.clock", "there are fast, standard, slow, none; did you mean fast"),
        ("[matches]\nclock = 5", 2, "matches.clock", "takes the name of a clock, not 5"),
        (
            "[matches]\ndurability = 'powr'",
            2,
            "matches.durability",
            "takes one of process, power, not 'powr'; did you mean power?",
        ),
        ("[matches]\ndurability = []", 2, "matches.durability", "takes one of process, power, not []"),
        ("[faults]\nrefusals_max = 0", 2, "faults.refusals_max", "takes a whole number from 1 to 100, not 0"),
        ("[clocks]\nmine = 5", 2, "clocks.mine", "is a table, written [clocks.NAME]"),
        ("[clocks.fast]", 1, "clocks.fast", "is a clock that every referee has"),
        ("[clocks.mine]\nbank_ms = 5", 1, "clocks.mine", "cannot be: a clock without an allowance"),
        ("[clocks.Mine]", 1, "clocks.Mine", "cannot be: a clock's name is 1 to 40 of a-z 0-9 -"),
        ("[clocks.mine]\nalowance_ms = 5", 2, "clocks.mine.alowance_ms", "did you mean allowance_ms"),
        ("[clocks.mine]\nallowance_ms = -5", 2, "clocks.mine.allowance_ms", "takes a whole number from 0 to 604800000, not -5"),
        ("[spectating]\nopen = 'yes'", 2, "spectating.open", "takes true or false, not 'yes'"),
        ("[metrics]\nlisten = 5", 2, "metrics.listen", "takes an address, HOST:PORT, not 5"),
        ("[metrics]\nlisten = '127.0.0.1'", 2, "metrics.listen", "an address is HOST:PORT"),
        ("[log]\nformat = 'text'", 2, "log.format", "takes one of console, json, not 'text'"),
        ("[log]\nlevel = 'warn'", 2, "log.level", "did you mean warning?"),
        ("# one\n# two\na = ", 3, "", "is not TOML: Invalid value"),
        ("[server]\nlisten = 'a\n", 2, "", "is not TOML: "),
        ("[server]\n[server]", 2, "", "is not TOML: Cannot declare"),
        (f"a = {'9' * 5000}", None, "", "is not TOML: Exceeds the limit"),
        ("a = " + "[" * 5_000, None, "", "is nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_key(text: str, line: int | None, key: str, said: str) -> None:
    problem = next(problem for problem in _problems(text) if said in problem.text)
    assert (problem.line, problem.key) == (line, key)


def test_what_is_no_text_is_said() -> None:
    assert _problems(b"a = 1\n# \xff") == [Problem(2, "", "is not UTF-8; save the file in that encoding")]
    assert "is this a configuration file?" in _problems(b"#" * (CONFIGURATION_BYTES_MAX + 1))[0].text


@pytest.mark.parametrize("text", ["[{}]", "{} = 1", "a = {{ {} = 1 }}", "  [[ {} ]]", 'a = ["{}"]'])
def test_a_key_with_parts_without_number_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def never(_: str) -> object:
        raise AssertionError("the parser is not to see this")

    monkeypatch.setattr("tomllib.loads", never)
    for parts in (LINE_DOTS_MAX + 2, 50_000):
        problems = _problems("# first\n" + text.format(".".join("a" * parts)))
        assert [(problem.line, problem.key) for problem in problems] == [(2, "")]
        assert problems[0].text.startswith(f"has more than {LINE_DOTS_MAX} dots: ")


def test_dots_are_allowed_in_comments_and_in_lists_on_several_lines() -> None:
    addresses = ",\n".join(f'"127.0.0.{number}:0"' for number in range(1, 101))
    settings = _parse(f"  # {'.' * 1_000}\n[server]\nlisten = [\n{addresses}\n]\n")
    assert len(settings.listen) == 100


def test_everything_that_is_wrong_is_said_at_once_in_the_order_of_the_lines() -> None:
    text = "[limits]\nmatch_max = 5\n[log]\nformat = 'x'\n[server]\nlisten = 5\n"
    assert [problem.line for problem in _problems(text)] == [2, 4, 6]
    with pytest.raises(WrongConfiguration) as found:
        _parse(text)
    assert [line.partition(": ")[0] for line in str(found.value).split("\n")] == [f"x.toml, line {line}" for line in (2, 4, 6)]


def test_no_token_is_shown_that_stands_in_place_of_its_hash() -> None:
    text = "[operator]\ntoken_hash = 'mmo_secret'\n[bots]\na = 'mmb_secret'"
    assert "secret" not in " ".join(problem.text for problem in _problems(text))


def test_a_wrong_clock_is_said_once_where_it_is_used_as_well() -> None:
    problems = _problems("[clocks.mine]\nalowance_ms = 5\nbank_ms = 5\n[matches]\nclock = 'mine'")
    assert [problem.key for problem in problems] == ["clocks.mine.alowance_ms"]


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "no.toml", tmp_path):
        with pytest.raises(WrongConfiguration, match=r"cannot be read: "):
            read_configuration(path)
    (tmp_path / "a.toml").write_text("[log]\nlevel = 'error'\n", "utf-8")
    assert read_configuration(tmp_path / "a.toml").log_level is LogLevel.ERROR


@given(st.text(max_size=80) | st.from_regex(r"(\[?\[[a-z. ]*\]\]?|[a-z\"'.]+ ?= ?[0-9a-z\"'\[\]{},]*|\n)+", fullmatch=True))
def test_strange_texts_are_settings_or_problems_with_a_line_that_is_there(text: str) -> None:
    problems: tuple[Problem, ...] = (Problem(None, "", "none"),)
    try:
        _parse(text)
    except WrongConfiguration as error:
        problems = error.problems
    lines = [problem.line for problem in problems]
    assert lines
    assert [line for line in lines if line is not None and not 1 <= line <= text.count("\n") + 1] == []
