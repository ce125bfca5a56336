"""Runs a referee that bots connect to over the network, until Ctrl-C or SIGTERM.

Without --config it listens on this machine alone, keeps its data in ./data, and makes an operator's token that is valid
until it ends. `mergemaker matches` makes matches on it, and prints what bots need to connect.
"""

import argparse
import getpass
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mergemaker_processes.texts import shown_path
from mergemaker_referee.configuration.entries import BOTS
from mergemaker_referee.configuration.file import WrongConfiguration, read_configuration, tls_problem
from mergemaker_referee.configuration.page import CONFIGURATION_NAME, initial_configuration, toml_text
from mergemaker_referee.configuration.settings import (
    BOT_NAME_CHARACTERS_MAX,
    PROCESSES_MAX,
    USUAL_PORT,
    USUAL_WEB_PORT,
    Address,
    LogFormat,
    Settings,
)
from mergemaker_referee.configuration.web import PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN, password_hash
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.ed25519 import SigningKey, key_problem, key_text, make_key
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash

from mergemaker_tools import options as shared
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.screen import show_line, show_notes, write_document
from mergemaker_tools.server.own_certificate import KEY_NAME, VALID_DAYS, make_certificate

SIGNING_KEY_NAME: Final = "signing_key.pem"
PUBLIC_KEY_NAME: Final = "signing_key.pub"
EVERYWHERE: Final = f"0.0.0.0:{USUAL_PORT}"
"""Where a server with a certificate listens, unless it is told otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--config", metavar="FILE", type=Path, help="the configuration; --init makes one")
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        action="append",
        help="where to listen, instead of the configured address; port 0: a free one; may be given several times",
    )
    parser.add_argument(
        "--processes",
        metavar="N",
        type=shared.whole_number(1, PROCESSES_MAX),
        help="how many processes play matches, instead of the configured number; 1: the server plays them itself",
    )
    parser.add_argument("--data", metavar="FOLDER", type=Path, help="the folder for records and other data, likewise")
    parser.add_argument(
        "--host",
        metavar="NAME",
        action="append",
        help="with --init: make a certificate, too, for this name or address of the server; may be given several times",
    )
    parser.add_argument(
        "--plain-text", action="store_true", help="let other machines connect without TLS, in a network that you trust"
    )
    parser.add_argument(
        "--web",
        metavar="HOST:PORT",
        nargs="?",
        const=f"127.0.0.1:{USUAL_WEB_PORT}",
        help="serve pages for browsers, too, at this address instead of the configured one (default: %(const)s)",
    )
    parser.add_argument(
        "--log",
        metavar=f"{{{','.join(LogFormat)}}}",
        type=shared.one_of(LogFormat),
        help="how the log is written to standard error",
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--check-config", action="store_true", help="check the configuration, and end")
    instead.add_argument(
        "--init",
        metavar="FOLDER",
        type=Path,
        help="write a commented configuration and show the operator's token, once, and end",
    )
    instead.add_argument(
        "--web-password", action="store_true", help="ask for the viewers' password, show its line of the configuration, and end"
    )
    instead.add_argument(
        "--add-bot", metavar="NAME", help="make a token for a bot, show what to add to the configuration, and end"
    )
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Serves, or does what an option asks for instead."""
    if options.init is not None:
        _refuse_beside("--init", options)
        return _make_configuration(options.init, options.host or [], options.json)
    if options.host:
        raise WrongUse("--host goes with --init, which makes the certificate")
    if options.web_password:
        return _keep_password(options.json)
    settings = _settings(options)
    if options.add_bot is not None:
        return _add_bot(options.add_bot, settings, options.json)
    if options.check_config:
        return _tell_right(options.config, settings, options.json)
    operator_token = None
    if options.config is None:
        operator_token = fresh_token(TokenKind.OPERATOR)
        settings = replace(settings, operator_token_hash=token_hash(operator_token))
    # gRPC and trio are slow to import, and the code above needs neither.
    from mergemaker_tools.server.serving import serve  # noqa: PLC0415 - as said

    return serve(settings, operator_token, _tournaments_of, as_json=options.json)


def _tournaments_of(database: str) -> Any:  # noqa: ANN401 - its type is of an extra
    """The tournaments of a database, for the pages."""
    from mergemaker_tools.tournaments.stored_tournaments import StoredTournaments  # noqa: PLC0415 - of an extra

    return StoredTournaments(database)


def _refuse_beside(what: str, options: argparse.Namespace) -> None:
    names = ("config", "listen", "processes", "data", "log", "web")
    given = [f"--{name}" for name in names if getattr(options, name) is not None]
    given += ["--plain-text"] if options.plain_text else []
    if given:
        raise WrongUse(f"{what} writes a configuration with the usual settings: leave out {', '.join(given)}, and edit it")


def _settings(options: argparse.Namespace) -> Settings:
    """The configuration's settings, changed by the options of the command line."""
    if options.check_config and options.config is None:
        raise WrongUse("--check-config needs --config FILE: which file is to be checked?")
    changes: dict[str, Any] = {}
    try:
        settings = Settings() if options.config is None else read_configuration(options.config)
        if options.listen:
            changes["listen"] = tuple(map(Address.parse, options.listen))
        changes |= _web_changes(options, settings)
    except WrongConfiguration as problem:
        count = len(problem.problems)
        what = "the configuration cannot be used" if count == 1 else f"the configuration cannot be used; {count} things are wrong"
        raise WrongUse(f"{what}\n{problem}") from problem
    except RefereeError as problem:
        raise WrongUse(f"--listen or --web: {problem}") from problem
    for wrong in (settings.tls and tls_problem(settings.tls), settings.signing_key and key_problem(settings.signing_key)):
        if wrong is not None:
            raise WrongUse(f"the configuration cannot be used\n{shown_path(options.config)}: {wrong}")
    if len(set(changes.get("listen", ()))) < len(changes.get("listen", ())):
        raise WrongUse("--listen: an address is given twice")
    for name, setting in (("data", "data_folder"), ("processes", "processes"), ("log", "log_format")):
        if getattr(options, name) is not None:
            changes[setting] = getattr(options, name)
    if options.plain_text:
        changes["plain_text_allowed"] = True
    found = replace(settings, **changes)
    if options.add_bot is None and (wrong := found.problem()) is not None:
        raise WrongUse(
            wrong if options.config is None else f"the configuration cannot be used\n{shown_path(options.config)}: {wrong}"
        )
    return found


def _web_changes(options: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    return {"web": replace(settings.web, listen=Address.parse(options.web))} if options.web else {}


def _make_configuration(folder: Path, hosts: Sequence[str], as_json: bool) -> int:
    token = fresh_token(TokenKind.OPERATOR)
    path = folder / CONFIGURATION_NAME
    more: dict[tuple[str, str], object] = {}
    authority = key = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if hosts and not path.exists():
            made = make_certificate(folder, hosts)
            authority = made.authority
            more = {
                ("tls", "certificate"): made.certificate.name,
                ("tls", "key"): made.key.name,
                ("server", "listen"): [EVERYWHERE],
            }
        if not path.exists() and (key := _make_signing_key(folder)) is not None:
            more["server", "signing_key"] = SIGNING_KEY_NAME
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(initial_configuration(token_hash(token), more))
    except FileExistsError as error:
        raise WrongUse(f"{shown_path(error.filename)} is there already, and is not written over: name another folder") from error
    except OSError as error:
        raise CommandFailed(f"cannot write {shown_path(path)}: {error.strerror}") from error
    if as_json:
        document = {"configuration": str(path), "operator_token": token} | ({"ca": str(authority)} if authority else {})
        write_document(document | ({"signing_key": key_text(key.public), "signing_key_id": key.id} if key else {}))
        return DONE
    show_line(f"configuration: {shown_path(path)}")
    if authority:
        trust = f"bots trust it by MERGEMAKER_CA={shown_path(authority)}"
        show_line(f"certificate for {', '.join(hosts)}, good for {VALID_DAYS} days; {trust}")
        show_line(f"Give {authority.name} to all who come, and {KEY_NAME} to nobody.")
    if key:
        show_line(f"records are signed; the key that checks them, for everybody: {key_text(key.public)}")
    show_line(f"operator's token: {token}")
    show_line("Keep the token: it is shown this once, and the file has only its hash.")
    show_line(f"start the server: {own_command('serve', '--config', str(path))}")
    return DONE


def _make_signing_key(folder: Path) -> SigningKey | None:
    """Makes the key that signs ends of records, and a file with the public one; None, with a note, without the extra."""
    try:
        key = make_key(folder / SIGNING_KEY_NAME)
    except RefereeError as problem:
        show_notes("serve", [f"the ends of records will not be signed: {problem}"])
        return None
    with (folder / PUBLIC_KEY_NAME).open("x", encoding="ascii", newline="\n") as file:
        file.write(f"# Checks the signatures of this server's records: mergemaker verify --key {PUBLIC_KEY_NAME}\n")
        file.write(f"{key_text(key.public)}\n")
    return key


def _add_bot(name: str, settings: Settings, as_json: bool) -> int:
    if not 1 <= len(name) <= BOT_NAME_CHARACTERS_MAX or not name.isprintable():
        raise WrongUse(f"--add-bot takes a name of 1 to {BOT_NAME_CHARACTERS_MAX} printable characters, not {name!r}")
    if name in settings.bots:
        raise WrongUse(f"the configuration knows a bot {name!r} already: name another one, or remove its line for a new token")
    token = fresh_token(TokenKind.BOT)
    line = f"{toml_text(name)} = {toml_text(token_hash(token))}"
    if as_json:
        write_document({"bot": name, "token": token, "token_hash": token_hash(token), "line": line})
        return DONE
    show_line(f"the token of {name}: {token}")
    show_line("Keep it: it is shown this once. Add this line to the configuration and start the server again:")
    show_line(f"\n[{BOTS}]\n{line}")
    return DONE


def _keep_password(as_json: bool) -> int:
    """Asks for a password, and shows what it is kept as."""
    try:
        password = getpass.getpass("The viewers' password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    except EOFError:
        password = ""
    if not PASSWORD_CHARACTERS_MIN <= len(password) <= PASSWORD_CHARACTERS_MAX:
        raise WrongUse(f"a password has {PASSWORD_CHARACTERS_MIN} to {PASSWORD_CHARACTERS_MAX} characters, not {len(password)}")
    line = f"password_hash = {toml_text(password_hash(password))}"
    if as_json:
        write_document({"line": line})
        return DONE
    show_line("Add this line to the configuration, and start the server again:")
    show_line(f"\n[web]\n{line}")
    return DONE


def _tell_right(path: Path, settings: Settings, as_json: bool) -> int:
    remarks = settings.remarks()
    if as_json:
        write_document({"configuration": str(path), "ok": True, "remarks": list(remarks)})
        return DONE
    show_line(f"{shown_path(path)}: ok")
    show_notes("serve", remarks)
    return DONE
