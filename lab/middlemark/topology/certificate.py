"""Certificates of one deployment: made by an authority of its own, and gone with it."""

from __future__ import annotations

import datetime
import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from middlemark.processes.ports import LOOPBACK

# What Java's own stores have. It protects nothing that the mode of the file does not.
STORE_PASSWORD = "changeit"  # noqa: S105
_STORED = BestAvailableEncryption(STORE_PASSWORD.encode())
_NAME_IN_STORE = b"s1as"  # Payara looks for it; others take the only one
_LASTS = datetime.timedelta(days=30)
_NAMES = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK)), x509.DNSName("localhost")])
_BOTH_ENDS = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key as files (PEM)."""

    certificate: Path
    key: Path

    @property
    def key_store(self) -> Path:
        """The file (PKCS #12) with both, for servers that read no PEM."""
        return self.key.with_suffix(".p12")


class Authority:
    """Signs the certificates of processes. Its own is in the file `certificate` (PEM), its key in no file."""

    def __init__(self, folder: Path) -> None:
        """Make an authority with its files in this folder."""
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Middlemark")
        self.certificate = folder / "authority.pem"
        made = _builder(self._name, self._name, self._key.public_key())
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = made.add_extension(_usage(signs_certificates=True), critical=True)
        signed = made.sign(self._key, hashes.SHA256())
        _write(self.certificate, signed.public_bytes(Encoding.PEM), mode=0o644)
        trusted = pkcs12.serialize_java_truststore([pkcs12.PKCS12Certificate(signed, b"authority")], _STORED)
        _write(trust_store(self.certificate), trusted, mode=0o644)

    def issue(self, name: str, cn: str, ou: str = "") -> Certificate:
        """Make a key and a certificate, for both ends of a loopback connection; `name` begins the names of their files.

        `cn` and `ou` are the common name and the organizational unit of its subject.
        """
        issued = Certificate(self._folder / f"{name}.certificate.pem", self._folder / f"{name}.key.pem")
        key = ec.generate_private_key(ec.SECP256R1())
        made = _builder(_name(cn, ou), self._name, key.public_key())
        # Clients that follow RFC 5280 refuse the certificate of an authority as that of a server.
        made = made.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        made = made.add_extension(_usage(signs_certificates=False), critical=True)
        made = made.add_extension(_BOTH_ENDS, critical=False).add_extension(_NAMES, critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = made.add_extension(issuer, critical=False).sign(self._key, hashes.SHA256())
        _write(issued.certificate, signed.public_bytes(Encoding.PEM), mode=0o644)
        _write(issued.key, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), mode=0o600)
        stored = pkcs12.serialize_key_and_certificates(_NAME_IN_STORE, key, signed, None, _STORED)
        _write(issued.key_store, stored, mode=0o600)
        return issued


def trust_store(authority: Path) -> Path:
    """Return the file (PKCS #12) with the certificate of an authority, for servers that read no PEM."""
    return authority.with_suffix(".p12")


def _builder(subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return x509.CertificateBuilder(
        issuer_name=issuer,
        subject_name=subject,
        public_key=public_key,
        serial_number=x509.random_serial_number(),
        not_valid_before=now - datetime.timedelta(minutes=1),
        not_valid_after=now + _LASTS,
    ).add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)


def _name(cn: str, ou: str = "") -> x509.Name:
    parts = {NameOID.COMMON_NAME: cn, NameOID.ORGANIZATIONAL_UNIT_NAME: ou}
    return x509.Name([x509.NameAttribute(kind, text) for kind, text in parts.items() if text])


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _write(file: Path, content: bytes, *, mode: int) -> None:
    """Write a file that has its mode from the start: at no time can another user read a key."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as opened:
        opened.write(content)
    file.chmod(mode)
