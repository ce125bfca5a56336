"""`mergemaker serve`: configurations, tokens, refusals, and how it reports the server's problems."""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from mergemaker_referee.configuration.file import read_configuration
from mergemaker_referee.configuration.settings import Address, LogFormat, Settings, Tls
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.ed25519 import key_text, read_key
from mergemaker_referee.rpc.server import ServerProblem
from mergemaker_referee.tokens import token_hash
from mergemaker_tools.server import serving

from tests.tools.conftest import Run

HASH = token_hash("mmo_a")
OPENSSL_LIMIT_S = 60
"""A guard against a hang, far above what it takes."""


@dataclass(frozen=True, slots=True)
class _Running:
    addresses: tuple[str, ...]


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings of each server that would have started; the fake one reports that it listens, and ends."""
    found: list[Settings] = []

    def serve_forever(settings: Settings, announce: Callable[[_Running], None], _beside: object) -> None:
        found.append(settings)
        announce(_Running(tuple(f"grpc://{address}" for address in settings.listen)))

    monkeypatch.setattr(serving, "serve_forever", serve_forever)
    return found


def _file(text: str, name: str = "a.toml") -> str:
    Path(name).write_text(text, "utf-8")
    return name


# --- making a configuration ---------------------------------------------------------------------------------


def test_a_first_configuration_is_written_and_its_token_shown_once(run: Callable[..., Run]) -> None:
    made = run("serve", "--init", "new/folder")
    path = Path("new/folder/mergemaker.toml")
    token = next(line for line in made.out.splitlines() if line.startswith("operator's token: ")).removeprefix(
        "operator's token: "
    )
    assert (made.status, made.err) == (0, "")
    assert f"mergemaker serve --config {path}" in made.out
    assert token.startswith("mmo_")
    assert token not in path.read_text("utf-8")
    assert read_configuration(path).operator_token_hash == token_hash(token)


def test_a_key_for_signatures_is_made_that_only_its_owner_can_read(run: Callable[..., Run]) -> None:
    made = json.loads(run("serve", "--init", "new", "--json").out)
    settings = read_configuration(Path(made["configuration"]))
    assert settings.signing_key is not None
    assert os.name != "posix" or settings.signing_key.stat().st_mode & 0o777 == 0o600
    key = read_key(settings.signing_key)
    assert (made["signing_key"], made["signing_key_id"]) == (key_text(key.public), key.id)
    assert Path("new/signing_key.pub").read_text("ascii").splitlines()[-1] == key_text(key.public)
    assert "the key that checks them, for everybody: " in run("serve", "--init", "other").out
    assert b"PRIVATE" not in Path("new/mergemaker.toml").read_bytes()


def test_without_the_extra_a_configuration_is_made_that_signs_nothing(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    made = run("serve", "--init", ".")
    assert (made.status, "the ends of records will not be signed" in made.err) == (0, True)
    assert read_configuration(Path("mergemaker.toml")).signing_key is None


@pytest.mark.parametrize("content", ["", "no key", "certificate"])
def test_a_file_without_a_right_key_is_said_before_the_start(run: Callable[..., Run], content: str) -> None:
    if content == "certificate":
        key = ec.generate_private_key(ec.SECP256R1())
        content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    _file(content, "key.pem")
    checked = run("serve", "--config", _file("[server]\nsigning_key = 'key.pem'\n"), "--check-config")
    assert (checked.status, "server.signing_key: " in checked.err) == (2, True)


def test_a_configuration_is_never_written_over(run: Callable[..., Run]) -> None:
    made = json.loads(run("serve", "--init", ".", "--json").out)
    before = Path("mergemaker.toml").read_bytes()
    assert read_configuration(Path(made["configuration"])).operator_token_hash == token_hash(made["operator_token"])
    refused = run("serve", "--init", ".")
    assert (refused.status, refused.out) == (2, "")
    assert "mergemaker.toml is there already, and is not written over" in refused.err
    assert Path("mergemaker.toml").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_said(run: Callable[..., Run]) -> None:
    _file("a file", "taken")
    refused = run("serve", "--init", "taken/folder")
    assert (refused.status, refused.out) == (1, "")
    assert "cannot write taken/folder/mergemaker.toml" in refused.err.replace("\\", "/")


@pytest.mark.parametrize(
    "option", [("--config", "a.toml"), ("--listen", "a:1"), ("--data", "d"), ("--log", "json"), ("--processes", "2")]
)
def test_init_takes_no_other_settings(run: Callable[..., Run], option: tuple[str, str]) -> None:
    refused = run("serve", "--init", ".", *option)
    assert (refused.status, f"leave out {option[0]}," in refused.err) == (2, True)
    assert not Path("mergemaker.toml").exists()


# --- checking it --------------------------------------------------------------------------------------------


def test_a_right_configuration_is_ok_and_what_is_probably_not_meant_is_noted(run: Callable[..., Run]) -> None:
    run("serve", "--init", ".")
    right = run("serve", "--config", "mergemaker.toml", "--check-config")
    assert (right.status, right.out, right.err) == (0, "mergemaker.toml: ok\n", "")
    name = _file("[server]\nlisten = '0.0.0.0:1'\n[tls]\nplain_text_allowed = true\n")
    noted = run("serve", "--config", name, "--check-config")
    assert (noted.status, noted.out) == (0, "a.toml: ok\n")
    assert "note: 0.0.0.0:1 can be reached from other machines" in noted.err
    document = json.loads(run("serve", "--config", name, "--check-config", "--json").out)
    assert (document["ok"], len(document["remarks"])) == (True, 2)


@pytest.mark.parametrize("what", [("--check-config",), (), ("--add-bot", "a")])
def test_all_that_is_wrong_with_a_configuration_is_said(run: Callable[..., Run], what: tuple[str, ...]) -> None:
    name = _file("[limits]\nmatch_max = 5\n[server]\nlisten = 'x'\n")
    refused = run("serve", "--config", name, *what)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.splitlines()[0] == "mergemaker serve: the configuration cannot be used; 2 things are wrong"
    assert refused.err.splitlines()[1].startswith("a.toml, line 2: limits.match_max is no setting; did you mean matches_max")
    assert refused.err.splitlines()[2].startswith("a.toml, line 4: server.listen an address is HOST:PORT")


def test_files_that_are_no_certificate_are_said(run: Callable[..., Run], served: list[Settings]) -> None:
    files = (_file("no certificate", "cert.pem"), _file("no key", "key.pem"))
    name = _file(f"[tls]\ncertificate = '{files[0]}'\nkey = '{files[1]}'\n")
    for what in (("--check-config",), ()):
        refused = run("serve", "--config", name, *what)
        assert (refused.status, refused.out, served) == (2, "", [])
        assert "a.toml: cert.pem and key.pem are no certificate and its key, as PEM files without a pass phrase" in refused.err


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, to make a certificate")
def test_a_certificate_and_its_key_are_right(run: Callable[..., Run]) -> None:
    name = _file("[tls]\ncertificate = 'cert.pem'\nkey = 'key.pem'\n")
    make = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
        "-subj",
        "/CN=a",
    ]
    subprocess.run(make, check=True, capture_output=True, timeout=OPENSSL_LIMIT_S)
    assert run("serve", "--config", name, "--check-config").status == 0
    subprocess.run([*make[:9], "other.pem", *make[10:]], check=True, capture_output=True, timeout=OPENSSL_LIMIT_S)
    mixed = run("serve", "--config", name, "--check-config")
    assert (mixed.status, "are no certificate and its key" in mixed.err) == (2, True)


def test_wrong_use_is_said(run: Callable[..., Run]) -> None:
    assert "needs --config FILE" in run("serve", "--check-config").err
    assert "a.toml: cannot be read: " in run("serve", "--config", "a.toml", "--check-config").err
    assert "--listen or --web: an address is HOST:PORT" in run("serve", "--listen", "nowhere").err
    assert "--listen: an address is given twice" in run("serve", "--listen", "a:1", "--listen", "a:1").err
    assert "not allowed with argument" in run("serve", "--check-config", "--init", ".").err


@pytest.mark.parametrize("what", [("--check-config",), ()])
def test_no_server_lets_other_machines_in_without_tls(
    run: Callable[..., Run], served: list[Settings], what: tuple[str, ...]
) -> None:
    name = _file("[server]\nlisten = ['127.0.0.1:0', '0.0.0.0:0']\n")
    refused = run("serve", "--config", name, *what)
    assert (refused.status, refused.out, served) == (2, "", [])
    assert "a.toml: 0.0.0.0:0 can be reached from other machines, and without TLS" in refused.err
    for way in ("tls.certificate", "--init FOLDER --host NAME", "127.0.0.1", "tls.plain_text_allowed = true", "--plain-text"):
        assert way in refused.err
    assert run("serve", "--config", name, *what, "--plain-text").status == 0


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, to check a certificate")
def test_a_first_configuration_with_a_certificate_of_its_own(run: Callable[..., Run]) -> None:
    made = run("serve", "--init", "new", "--host", "referee.example", "--host", "127.0.0.1")
    folder = Path("new")
    assert (made.status, made.err) == (0, "")
    assert f"MERGEMAKER_CA={folder / 'ca.pem'}" in made.out
    assert "PRIVATE KEY" in (folder / "key.pem").read_text("ascii")
    if os.name == "posix":
        assert stat.S_IMODE((folder / "key.pem").stat().st_mode) == 0o600
    settings = read_configuration(folder / "mergemaker.toml")
    assert settings.tls == Tls(folder / "certificate.pem", folder / "key.pem")
    assert not settings.listen[0].is_loopback
    assert run("serve", "--config", str(folder / "mergemaker.toml"), "--check-config").status == 0
    checked = ["openssl", "verify", "-x509_strict", "-CAfile", "ca.pem", "-verify_hostname", "referee.example", "certificate.pem"]
    assert subprocess.run(checked, cwd=folder, capture_output=True, timeout=OPENSSL_LIMIT_S, check=False).returncode == 0
    checked[6] = "other.example"
    assert subprocess.run(checked, cwd=folder, capture_output=True, timeout=OPENSSL_LIMIT_S, check=False).returncode != 0
    (folder / "mergemaker.toml").unlink()
    again = run("serve", "--init", "new", "--host", "referee.example")
    assert (again.status, "ca" in again.err or "certificate.pem is there already" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--init", "new", "--host", "a,DNS:b"), "--host takes the name or the address by which bots reach the server"),
        (("--init", "new", "--host", "a b"), "--host takes"),
        (("--init", "new", "--host", "referee.example:7350"), "without a port"),
        (("--host", "a"), "--host goes with --init"),
        (("--init", "new", "--plain-text"), "leave out --plain-text"),
    ],
)
def test_a_certificate_for_what_is_no_host_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("serve", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert not Path("new/mergemaker.toml").exists()


def test_without_its_extra_a_certificate_is_not_made(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    refused = run("serve", "--init", "new", "--host", "a")
    assert (refused.status, "needs an extra: `pip install 'mergemaker[server]'`" in refused.err) == (1, True)
    assert not Path("new/mergemaker.toml").exists()


# --- bots ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["alice", 'a "b" \\ ü', "x" * 64])
def test_a_bot_gets_a_token_and_the_line_that_makes_it_known(run: Callable[..., Run], name: str) -> None:
    made = json.loads(run("serve", "--add-bot", name, "--json").out)
    config = _file(f"[bots]\n{made['line']}\n")
    assert read_configuration(Path(config)).bots == {name: token_hash(made["token"])}
    assert made["token"].startswith("mmb_")
    told = run("serve", "--add-bot", "bob", "--config", config).out
    assert "the token of bob: mmb_" in told
    assert '\n[bots]\n"bob" = "' in told
    refused = run("serve", "--add-bot", name, "--config", config)
    assert (refused.status, "knows a bot" in refused.err) == (2, True)


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb"])
def test_a_name_that_no_bot_can_have_is_refused(run: Callable[..., Run], name: str) -> None:
    refused = run("serve", "--add-bot", name)
    assert (refused.status, "1 to 64 printable characters" in refused.err) == (2, True)


# --- serving ------------------------------------------------------------------------------------------------


def test_without_a_configuration_a_token_is_made_for_this_run(run: Callable[..., Run], served: list[Settings]) -> None:
    told = run("serve")
    document = json.loads(run("serve", "--json").out)
    assert told.status == 0
    assert told.out.startswith("listening on grpc://127.0.0.1:7350\nrecords: data")
    tokens = [told.out.split()[-1], document["operator_token"]]
    assert [settings.operator_token_hash for settings in served] == [token_hash(token) for token in tokens]
    assert tokens[0] != tokens[1]
    assert document["addresses"] == ["grpc://127.0.0.1:7350"]
    assert document["records"] == str(Path("data/records"))


def test_the_command_line_goes_before_the_configuration(run: Callable[..., Run], served: list[Settings]) -> None:
    name = _file(
        f"[operator]\ntoken_hash = '{HASH}'\n[server]\nlisten = 'localhost:1'\ndata_folder = 'x'\n[log]\nlevel = 'error'\n"
    )
    run("serve", "--config", name)
    command = (
        "serve",
        "--config",
        name,
        "--listen",
        "localhost:2",
        "--listen",
        "[::1]:0",
        "--data",
        "y",
        "--log",
        "json",
        "--json",
    )
    told = run(*command)
    assert [settings.data_folder for settings in served] == [Path("x"), Path("y")]
    assert [settings.listen for settings in served] == [(Address("localhost", 1),), (Address("localhost", 2), Address("::1", 0))]
    assert [settings.log_format for settings in served] == [LogFormat.CONSOLE, LogFormat.JSON]
    assert [settings.operator_token_hash for settings in served] == [HASH, HASH]
    assert "operator_token" not in json.loads(told.out)
    assert told.out.count("\n") == 1


def test_what_is_probably_not_meant_is_noted_at_the_start(run: Callable[..., Run], served: list[Settings]) -> None:
    assert "can be reached from other machines" in run("serve", "--listen", "[::]:0", "--plain-text").err
    assert len(served) == 1


def test_a_missing_extra_is_named(run: Callable[..., Run], served: list[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "extra" not in run("serve").err
    monkeypatch.setattr(serving, "_EXTRAS", ("no_such_module",))
    assert "pip install 'mergemaker[server]'" in run("serve").err
    assert len(served) == 2


@pytest.mark.parametrize("problem", [RefereeError("folder-in-use", "it is taken"), ServerProblem("it is taken")])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_what_stands_against_a_start_is_said(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, problem: Exception, depth: int
) -> None:
    raised = problem
    for _ in range(depth):
        raised = ExceptionGroup("tasks", [raised])

    def serve_forever(_settings: Settings, _announce: object, _beside: object) -> None:
        raise raised

    monkeypatch.setattr(serving, "serve_forever", serve_forever)
    failed = run("serve")
    assert (failed.status, failed.out, failed.err) == (1, "", "mergemaker serve: it is taken\n")


def test_a_fault_of_the_server_is_not_hidden(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def serve_forever(_settings: Settings, _announce: object, _beside: object) -> None:
        raise ExceptionGroup("tasks", [ZeroDivisionError(), RefereeError("a", "b")])

    monkeypatch.setattr(serving, "serve_forever", serve_forever)
    with pytest.raises(ExceptionGroup):
        run("serve")


def test_a_server_that_nobody_hears_ends(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def serve_forever(_settings: Settings, _announce: object, _beside: object) -> None:
        raise ExceptionGroup("tasks", [BrokenPipeError()])

    monkeypatch.setattr(serving, "serve_forever", serve_forever)
    assert run("serve").status == 141
