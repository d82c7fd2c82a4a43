"""The credentials of one deployment: certificates of its authority, and tokens signed by its key."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from middlemark.specification.credentials import Token
from middlemark.specification.description import SpecificationDescription
from middlemark.topology.certificate import Authority, Certificate

_KEY_BITS = 2048
_EXPONENT = 65537


@dataclass(frozen=True)
class Tokens:
    """The text of each token by its name, and the file (PEM) with the public key that checks them."""

    texts: Mapping[str, str]
    public_key: Path


class Credentials:
    """Makes the credentials of a specification, once, in a folder that ends with the processes that got them."""

    def __init__(self, folder: Path, description: SpecificationDescription) -> None:
        self._folder = folder
        self._description = description

    @cached_property
    def authority(self) -> Authority:
        """The authority that signs the certificates of all processes."""
        return Authority(self._folder)

    @cached_property
    def certificates(self) -> Mapping[str, Certificate]:
        """A certificate for each name of the specification, for callers from outside."""
        tls = self._description.tls
        return {
            name: (self._another_authority if one.signed_by else self.authority).issue(f"named-{name}", one.cn, one.ou)
            for name, one in (tls.certificates.items() if tls else ())
        }

    @cached_property
    def _another_authority(self) -> Authority:
        folder = self._folder / "another-authority"
        folder.mkdir(mode=0o700)
        return Authority(folder)

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of the specification; their lives begin now."""
        key, public_key = _new_key(), self._folder / "token-key.pem"
        content = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        public_key.write_bytes(content)
        described = self._description.tokens.items()
        return Tokens({name: _signed(one, _new_key() if one.signed_by else key) for name, one in described}, public_key)


def _new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(_EXPONENT, _KEY_BITS)


def _signed(token: Token, key: rsa.RSAPrivateKey) -> str:
    now = datetime.datetime.now(datetime.UTC)
    expires = now + datetime.timedelta(seconds=token.lifetime_seconds)
    claims = {name: list(value) if isinstance(value, tuple) else value for name, value in token.claims.items()}
    return jwt.encode({**claims, "iat": min(now, expires), "exp": expires}, key, algorithm="RS256")
