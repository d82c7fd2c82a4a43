"""Certificates for TLS and signed tokens, which the lab makes for each deployment, and the processes that get them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from middlemark.documents import Document, wrong_at
from middlemark.specification.resources import Condition
from middlemark.specification.tiers import Name, Variable

OF_THE_LAB = ("iat", "exp")


class NamedCertificate(Document):
    """A certificate with a subject of its own: that of a tier's processes, or one that only cases show."""

    cn: str = Field(min_length=1, max_length=64, description="common name")
    ou: str = Field("", max_length=64, description="organizational unit; none if left out")
    tier: Name | None = Field(None, description="tier of the processes that have it; only cases know one without")
    signed_by: Literal["another authority"] | None = Field(None, description="not by the authority that tiers trust")

    @model_validator(mode="after")
    def _is_of_the_authority_where_a_process_has_it(self) -> Self:
        if self.tier and self.signed_by:
            raise wrong_at(("signed_by",), "the processes of a tier have certificates of the authority")
        return self


class Tls(Document):
    """Certificates: each process gets files with its own and its key, signed by an authority of the deployment."""

    certificate: Variable = Field(description="gets the path of the certificate (PEM)")
    key: Variable = Field(description="gets the path of its key (PEM, PKCS #8, no password)")
    authority: Variable | None = Field(None, description="gets the path of the authority's certificate (PEM)")
    certificates: dict[Name, NamedCertificate] = Field({})
    when: Condition = Field({}, description="only then there are certificates, and listeners over https")


class TokenKey(Document):
    """The key by which tokens are checked."""

    variable: Variable = Field(description="gets the path of the public key (PEM)")
    tier: Name = Field(description="tier of the processes that get it")
    when: Condition = Field({}, description="only then there are tokens")


class Token(Document):
    """A JSON Web Token, signed with RS256 by a key made for the deployment."""

    claims: dict[str, bool | int | str | tuple[str, ...]] = Field(description="its content, besides iat and exp")
    lifetime_seconds: int = Field(description="from the start of the deployment to `exp`; negative: it has expired")
    variable: Variable | None = Field(None, description="gets the token")
    tier: Name | None = Field(None, description="tier of the processes that get it; only cases know one without")
    signed_by: Literal["another key"] | None = Field(None, description="not by the key that checks it: a forgery")

    @model_validator(mode="after")
    def _has_a_place_and_claims(self) -> Self:
        if (self.variable is None) != (self.tier is None):
            raise wrong_at(("variable",), "`variable` and `tier` belong together")
        for claim in OF_THE_LAB:
            if claim in self.claims:
                raise wrong_at(("claims", claim), "the lab sets it, by `lifetime_seconds`")
        return self
