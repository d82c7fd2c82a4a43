"""What a value must be: a literal, a matcher, or a list or object of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from middlemark.conformance.cases.selector import checked_regex
from middlemark.documents import Location, wrong_at

Scalar = str | int | bool | None


@dataclass(frozen=True)
class Exactly:
    """The value itself; a text may hold `${names}`."""

    value: Scalar


@dataclass(frozen=True)
class Pattern:
    """A text or number that matches the regular expression from beginning to end."""

    regex: str


@dataclass(frozen=True)
class Now:
    """A time between the beginning of the case and this moment."""


@dataclass(frozen=True)
class Anything:
    """Any value but a missing one."""


@dataclass(frozen=True)
class Unlike:
    """Any value but this one."""

    value: Scalar


@dataclass(frozen=True)
class Queried:
    """What a database answers to this query: its first column of its only row. None: the only database."""

    sql: str
    database: str | None = None


@dataclass(frozen=True)
class Elements:
    """A list of the same length whose elements match one by one."""

    elements: tuple[Wanted, ...]


@dataclass(frozen=True)
class Keys:
    """An object whose keys named here match; it may have others."""

    keys: dict[str, Wanted]


Wanted = Exactly | Pattern | Now | Anything | Unlike | Queried | Elements | Keys


class Expected:
    """A `Wanted` in a case file."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read what stands in a file."""
        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, cls) else cls(_read(value, ())),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda expected: repr(expected.wanted)),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe it for editors: fractions and dates are texts, so they are no types here."""
        return {
            "type": ["string", "integer", "boolean", "null", "array", "object"],
            "description": "a literal, a list, an object, or a matcher: {pattern: regex}, {time: now}, {any: true}, "
            "{not: literal}, {sql: query}, {sql: {database: name, sql: query}}",
        }


def _pattern(argument: object, location: Location) -> Wanted:
    if not isinstance(argument, str):
        raise wrong_at(location, "a pattern is a regular expression between quotes")
    try:
        return Pattern(checked_regex(argument))
    except ValueError as error:
        raise wrong_at(location, str(error)) from error


def _now(argument: object, location: Location) -> Wanted:
    if argument != "now":
        raise wrong_at(location, "the only time that can be expected is {time: now}; write any other one as text")
    return Now()


def _anything(argument: object, location: Location) -> Wanted:
    if argument is not True:
        raise wrong_at(location, "write {any: true}")
    return Anything()


def _unlike(argument: object, location: Location) -> Wanted:
    return Unlike(_scalar(argument, location))


def _query(argument: object, location: Location) -> Wanted:
    if isinstance(argument, str):
        return Queried(argument)
    if isinstance(argument, dict) and argument.keys() == {"database", "sql"}:
        database, sql = argument["database"], argument["sql"]
        if isinstance(database, str) and isinstance(sql, str):
            return Queried(sql, database)
    raise wrong_at(location, "a query is a text, or with several databases {database: NAME, sql: query}")


_MATCHERS: dict[str, Callable[[object, Location], Wanted]] = {
    "pattern": _pattern,
    "time": _now,
    "any": _anything,
    "not": _unlike,
    "sql": _query,
}


def _read(value: object, location: Location) -> Wanted:
    if isinstance(value, list):
        return Elements(tuple(_read(item, (*location, index)) for index, item in enumerate(value)))
    if not isinstance(value, dict):
        return Exactly(_scalar(value, location))
    if len(value) == 1:
        (key,) = value
        if key in _MATCHERS:
            return _MATCHERS[key](value[key], (*location, key))
    for key in value:
        if not isinstance(key, str):
            raise wrong_at((*location, key), f"the key {key!r} must be text; put it between quotes")
    return Keys({key: _read(item, (*location, key)) for key, item in value.items()})


def _scalar(value: object, location: Location) -> Scalar:
    if value is None or isinstance(value, str | int | bool):
        return value
    raise wrong_at(location, f"{value!r} is read as a {type(value).__name__}; put it between quotes, as it is sent")
