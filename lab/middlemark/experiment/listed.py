"""Values of choices as experiments write them: one, or a list."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema

from middlemark.documents import wrong_at
from middlemark.experiment.placing import ALL


def _listed(value: object) -> object:
    """Return a single value as a list of one."""
    return [value] if isinstance(value, str | int | float) else value


def _text(value: object) -> object:
    """Return a number as text; YAML reads `on` and `yes` as a truth value, whose text is lost."""
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
