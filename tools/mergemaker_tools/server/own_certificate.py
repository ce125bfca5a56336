"""A certificate for a private server, signed by an authority that is made for it alone. It needs the extra `server`."""

import ipaddress
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from mergemaker_processes.texts import shown_path

from mergemaker_tools.problems import CommandFailed, WrongUse

CERTIFICATE_NAME: Final = "certificate.pem"
KEY_NAME: Final = "key.pem"
AUTHORITY_NAME: Final = "ca.pem"
NAMES: Final = (CERTIFICATE_NAME, KEY_NAME, AUTHORITY_NAME)
VALID_DAYS: Final = 825
"""Some programs refuse servers' certificates that are valid for longer."""
KEY_MODE: Final = 0o600
CERTIFICATE_MODE: Final = 0o644
_AUTHORITY: Final = "Mergemaker, of one server"
_SERVER: Final = "Mergemaker"
_KEY_USES: Final = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"),
    *("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)
_HOST: Final = re.compile(r"(?=.{1,253}$)(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,62}))*")

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class OwnCertificate:
    """Where the files are."""

    certificate: Path
    key: Path
    authority: Path
    """What bots trust, by `MERGEMAKER_CA`. Its key is not kept: it signs this one certificate."""


def host_in(text: str) -> str | _Address:
    """The name or address of a host, as certificates tell them apart."""
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        pass
    if not _HOST.fullmatch(text):
        raise WrongUse(f"--host takes the name or the address by which bots reach the server, without a port, not {text!r}")
    return text


def make_certificate(folder: Path, hosts: Sequence[str]) -> OwnCertificate:
    """Makes a key, a certificate for all hosts that is valid from now on, and the authority that signs it."""
    names = list(map(host_in, hosts))
    key, certificate, authority = _signed_by_an_authority(names, datetime.now(UTC))
    for name in NAMES:
        if (folder / name).exists():
            raise WrongUse(f"{shown_path(folder / name)} is there already, and is not written over: name another folder")
    made = OwnCertificate(*(folder / name for name in NAMES))
    for path, data, mode in (
        (made.key, key, KEY_MODE),
        (made.certificate, certificate, CERTIFICATE_MODE),
        (made.authority, authority, CERTIFICATE_MODE),
    ):
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
    return made


def _signed_by_an_authority(hosts: Sequence[str | _Address], since: datetime) -> tuple[bytes, bytes, bytes]:
    """The server's key, its certificate, and that of the authority, as PEM."""
    try:
        from cryptography import x509  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - likewise
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise CommandFailed(
            "making a certificate needs an extra: `pip install 'mergemaker[server]'`, or leave --host out and use yours"
        ) from error

    def named(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    signer, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    signers_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())

    def signed(owner: str, key: ec.EllipticCurvePrivateKey, *more: tuple[x509.ExtensionType, bool]) -> bytes:
        builder = x509.CertificateBuilder(
            issuer_name=named(_AUTHORITY),
            subject_name=named(owner),
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=since,
            not_valid_after=since + timedelta(days=VALID_DAYS),
        )
        own_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        for extension, is_critical in ((own_id, False), (signers_id, False), *more):
            builder = builder.add_extension(extension, is_critical)
        return builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    signs_certificates = x509.KeyUsage(**{use: use == "key_cert_sign" for use in _KEY_USES})
    names = x509.SubjectAlternativeName([x509.DNSName(each) if isinstance(each, str) else x509.IPAddress(each) for each in hosts])
    authority = signed(_AUTHORITY, signer, (x509.BasicConstraints(ca=True, path_length=None), True), (signs_certificates, True))
    certificate = signed(_SERVER, own, (x509.BasicConstraints(ca=False, path_length=None), True), (names, False))
    key = own.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key, certificate, authority
