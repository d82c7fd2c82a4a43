"""What an experiment chooses of the driver: HTTP version, connections, TLS, threads; values as `drive` has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationError, WithJsonSchema

from middlemark.documents import suggestion, wrong_at
from middlemark.errors import InputError
from middlemark.experiment.placing import ALL
from middlemark.explaining import first_mistake
from middlemark.records.choices import CONNECTIONS, HTTP, THREADS, TLS
from middlemark.workload.plan import ConnectionPolicy, PlanTls
from middlemark.workload.planning import Transport


def _listed(value: object) -> object:
    return [value] if isinstance(value, str | int | float) else value


def _text(value: object) -> object:
    """A number as text. YAML makes true of `on` and `yes`, and what was written is lost: such a value is refused."""
    if isinstance(value, bool):
        raise wrong_at((), "this is a truth value in YAML: put it between quotes")
    return str(value) if isinstance(value, int | float) else value


def _schema(item: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item, "minItems": 1, "uniqueItems": True}]})


Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": ["string", "number"]})]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed), _schema({"type": ["string", "number"]})]
Counts = Annotated[tuple[int, ...], BeforeValidator(_listed), _schema({"type": "integer", "minimum": 1})]
CpuCounts = Annotated[
    tuple[int | Literal["all"], ...],
    BeforeValidator(_listed),
    _schema({"anyOf": [{"type": "integer", "minimum": 1}, {"const": ALL}]}),
]
Names = Annotated[tuple[str, ...], BeforeValidator(_listed), _schema({"type": "string"})]


HTTP_1_0, HTTP_1_1 = "1.0", "1.1"


def problem_of_driver(choice: str, value: str) -> str:
    """What is wrong with a value of a choice of the driver; empty when nothing is, InputError for tls."""
    if choice == THREADS:
        return problem_of_count(value)
    if choice == TLS:
        _tls(value)
        return ""
    known = (HTTP_1_1, HTTP_1_0) if choice == HTTP else tuple(policy.value for policy in ConnectionPolicy)
    return "" if value in known else f"'{value}' is not a value of {choice}. {suggestion(value, known)}"


def problem_of_count(value: str) -> str:
    """What is wrong with a number of things; empty when nothing is."""
    is_count = value.isascii() and value.isdigit() and int(value) > 0
    return "" if is_count else f"expected a whole number from 1 up, found '{value}'"


def transport_of(
    choices: Mapping[str, str], *, sources: tuple[str, ...], receive_stamps: bool, authority: Path | None = None
) -> Transport:
    """How requests travel with these choices, else as in the session; `authority`: trusted where they name no `ca`."""
    tls = _tls(choices[TLS]) if TLS in choices else None
    if authority is not None and (tls is None or tls.ca is None):
        tls = (tls or PlanTls()).model_copy(update={"ca": str(authority)})
    return Transport(
        connections=ConnectionPolicy(choices[CONNECTIONS]) if CONNECTIONS in choices else None,
        http_1_0=choices.get(HTTP) == HTTP_1_0,
        sources=sources,
        tls=tls,
        receive_stamps=receive_stamps,
    )


def _tls(text: str) -> PlanTls:
    """The TLS of `KEY=VALUE,…`; InputError for an unknown key or value."""
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
        raise InputError(f"tls {first_mistake(error)}") from error
