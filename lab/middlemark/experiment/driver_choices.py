"""What an experiment chooses of the driver: HTTP version, connections, TLS, threads; values as `drive` has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.records.choices import CONNECTIONS, HTTP, THREADS, TLS
from middlemark.workload.plan import ConnectionPolicy, PlanTls
from middlemark.workload.planning import Transport

HTTP_1_0, HTTP_1_1 = "1.0", "1.1"


def problem_of_driver(choice: str, value: str) -> str:
    """Return what is wrong with a value of one of the driver's choices; empty when nothing is."""
    if choice == THREADS:
        return problem_of_count(value)
    if choice == TLS:
        try:
            _tls(value)
        except InputError as error:
            return error.what
        return ""
    known = (HTTP_1_1, HTTP_1_0) if choice == HTTP else tuple(policy.value for policy in ConnectionPolicy)
    return "" if value in known else f"'{value}' is not a value of {choice}. {suggestion(value, known)}"


def problem_of_count(value: str) -> str:
    """Return what is wrong with a number of things; empty when nothing is."""
    is_count = value.isascii() and value.isdigit() and int(value) > 0
    return "" if is_count else f"expected a whole number from 1 up, found '{value}'"


def transport_of(choices: Mapping[str, str], *, receive_stamps: bool, authority: Path | None = None) -> Transport:
    """Return how requests travel with these choices; what is not chosen is as the session has it.

    `authority` is the certificate that is trusted where the choices name none.
    """
    tls = _tls(choices[TLS]) if TLS in choices else None
    if authority is not None and (tls is None or tls.ca is None):
        tls = (tls or PlanTls()).model_copy(update={"ca": str(authority)})
    return Transport(
        connections=ConnectionPolicy(choices[CONNECTIONS]) if CONNECTIONS in choices else None,
        http_1_0=choices.get(HTTP) == HTTP_1_0,
        tls=tls,
        receive_stamps=receive_stamps,
    )


def threads_of(choices: Mapping[str, str]) -> int:
    """Return the event loops of the driver."""
    return int(choices.get(THREADS, "1"))


def _tls(text: str) -> PlanTls:
    """Return the TLS of `KEY=VALUE,…`; InputError for an unknown key or value."""
    known = list(PlanTls.model_fields)
    chosen: dict[str, str] = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        if key not in known or not value:
            raise InputError(f"'{part}' is not KEY=VALUE of tls. {suggestion(key, known)}")
        chosen[key] = value
    try:
        return PlanTls.model_validate(chosen)  # yes and no become truth values
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"tls {first['loc'][0]}: {first['msg']}") from error
