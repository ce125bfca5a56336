"""A certificate for a private server, made with openssl, and signed by an authority that is made for it alone."""

import ipaddress
import os
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_processes.texts import shown_path

from mergemaker_tools.problems import CommandFailed, WrongUse

CERTIFICATE_NAME: Final = "certificate.pem"
KEY_NAME: Final = "key.pem"
AUTHORITY_NAME: Final = "ca.pem"
NAMES: Final = (CERTIFICATE_NAME, KEY_NAME, AUTHORITY_NAME)
VALID_DAYS: Final = 825
"""Some programs refuse servers' certificates that are valid for longer."""
SERIAL_BYTES: Final = 16
OPENSSL_LIMIT_S: Final = 60.0
KEY_MODE: Final = 0o600
_HOST: Final = re.compile(r"(?=.{1,253}$)(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,62}))*")
_NEW_KEY: Final = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass(frozen=True, slots=True)
class OwnCertificate:
    """Where the files are."""

    certificate: Path
    key: Path
    authority: Path
    """What bots trust, by `MERGEMAKER_CA`. Its key is not kept: it signs this one certificate."""


def alternative_name(host: str) -> str:
    """A host as certificates name it."""
    try:
        return f"IP:{ipaddress.ip_address(host.strip('[]'))}"
    except ValueError:
        pass
    if not _HOST.fullmatch(host):
        raise WrongUse(f"--host takes the name or the address by which bots reach the server, without a port, not {host!r}")
    return f"DNS:{host}"


def make_certificate(folder: Path, hosts: Sequence[str]) -> OwnCertificate:
    """Makes a key, a certificate for all hosts, and the authority that signs it."""
    names = ",".join(map(alternative_name, hosts))
    program = shutil.which("openssl")
    if program is None:
        raise CommandFailed(
            "the certificate is made with openssl, which is not there: install it, or leave --host out and use yours"
        )
    for name in NAMES:
        if (folder / name).exists():
            raise WrongUse(f"{shown_path(folder / name)} is there already, and is not written over: name another folder")
    made = OwnCertificate(*(folder / name for name in NAMES))
    with tempfile.TemporaryDirectory(prefix="mergemaker-ca-") as hidden:
        authority_key, request, extensions = (Path(hidden) / name for name in ("ca-key.pem", "request.pem", "extensions.txt"))
        extensions.write_text(f"subjectAltName={names}\nbasicConstraints=critical,CA:FALSE\n", "ascii")
        days = ("-days", str(VALID_DAYS))
        of_authority = ("-subj", "/CN=Mergemaker, of one server", "-addext", "keyUsage=critical,keyCertSign")
        _openssl(program, "req", "-x509", *_NEW_KEY, "-keyout", authority_key, "-out", made.authority, *days, *of_authority)
        os.close(os.open(made.key, os.O_CREAT | os.O_EXCL | os.O_WRONLY, KEY_MODE))
        _openssl(program, "req", *_NEW_KEY, "-keyout", made.key, "-out", request, "-subj", "/CN=Mergemaker")
        signed_by = ("-CA", made.authority, "-CAkey", authority_key, "-set_serial", f"0x{secrets.token_hex(SERIAL_BYTES - 1)}")
        _openssl(program, "x509", "-req", "-in", request, "-out", made.certificate, *days, *signed_by, "-extfile", extensions)
    return made


def _openssl(program: str, *arguments: object) -> None:
    command = [program, *map(str, arguments)]
    try:
        done = subprocess.run(  # noqa: S603 - openssl, with our arguments
            command, capture_output=True, text=True, timeout=OPENSSL_LIMIT_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise CommandFailed(f"openssl cannot be run: {problem}") from problem
    if done.returncode:
        raise CommandFailed(f"openssl {arguments[0]} failed: {done.stderr.strip()}")
