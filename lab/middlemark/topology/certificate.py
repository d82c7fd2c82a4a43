"""The certificate of listeners over TLS: made for one deployment, and gone with it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import TargetError
from middlemark.processes.ports import LOOPBACK
from middlemark.subject.platform import Toolchain, require_tool

_OPENSSL = Toolchain(
    name="OpenSSL",
    command=("openssl", "version"),
    minimum="1.1.1",
    debian="apt-get install -y openssl",
    macos="brew install openssl",
)
_DAYS = "30"
_CURVE = "ec_paramgen_curve:P-256"
_NAMES = f"subjectAltName=IP:{LOOPBACK},DNS:localhost"
# Clients that follow RFC 5280 refuse the certificate of an authority as that of a server.
_NO_AUTHORITY = "basicConstraints=critical,CA:FALSE"


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key as files (PEM). Whoever trusts the certificate trusts the listeners."""

    certificate: Path
    key: Path


def openssl_version() -> str:
    """Return the version of the program that makes certificates; MissingToolError when it is missing or too old."""
    return require_tool(_OPENSSL, "listeners over TLS")


def make_certificate(folder: Path) -> Certificate:
    """Make a key and a certificate for the loopback address in a folder; MissingToolError without openssl."""
    openssl_version()
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", _CURVE, "-nodes", "-days", _DAYS]
    command += ["-subj", "/CN=localhost", "-addext", _NAMES, "-addext", _NO_AUTHORITY]
    command += ["-keyout", str(made.key), "-out", str(made.certificate)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TargetError(f"openssl ended with {done.returncode}", where=" ".join(command), todo=done.stderr.strip())
    made.certificate.chmod(0o644)
    return made
