"""Compares a value with what is expected and says in words where they differ."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from middlemark.conformance.cases.expected import (
    Anything,
    Elements,
    Exactly,
    Expected,
    Keys,
    Now,
    Pattern,
    Queried,
    Unlike,
    Wanted,
)
from middlemark.conformance.cases.names import Captured, filled, filled_regex, filled_value

_SHOWN = 300


class _Missing:
    """Stands for what is not there; null is there."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def no_database(_: Queried) -> object:
    """Answer a query where there is no database to ask."""
    raise LookupError("no database is known; give --database URL")


@dataclass(frozen=True)
class Surroundings:
    """What a comparison may need: captured values, when the case began (UTC), and who asks the databases.

    `ask` gets the query with its names filled in.
    """

    captured: Captured
    began: datetime.datetime
    ask: Callable[[Queried], object] = field(default=no_database)


def difference(expected: Expected, actual: object, where: str, surroundings: Surroundings) -> str | None:
    """Return `where: expected …, found …` for the first difference, None when there is none."""
    return _difference(expected.wanted, actual, where, surroundings)


def _difference(wanted: Wanted, actual: object, where: str, around: Surroundings) -> str | None:
    match wanted:
        case Exactly(literal):
            value = filled_value(literal, around.captured)
            wrong = None if _same(value, actual) else shown(value)
        case Pattern(regex):
            regex = filled_regex(regex, around.captured)
            fits = isinstance(actual, str | int) and not isinstance(actual, bool) and re.fullmatch(regex, str(actual))
            wrong = None if fits else f"what matches /{regex}/"
        case Now():
            wrong = None if is_now(actual, around.began) else f"a time from {around.began:%H:%M:%S.%f} UTC until now"
        case Anything():
            wrong = None if actual is not None and actual is not MISSING else "anything"
        case Unlike(literal):
            value = filled_value(literal, around.captured)
            wrong = "anything else" if _same(value, actual) or actual is MISSING else None
        case Queried(sql, database):
            value = around.ask(Queried(filled(sql, around.captured), database))
            wrong = None if _same_text(value, actual) else f"{shown(value)} (what the database says)"
        case Elements(elements):
            return _difference_of_lists(elements, actual, where, around)
        case Keys(keys):
            return _difference_of_objects(keys, actual, where, around)
    return None if wrong is None else f"{where}: expected {wrong}, found {shown(actual)}"


def _difference_of_lists(elements: tuple[Wanted, ...], actual: object, where: str, around: Surroundings) -> str | None:
    if not isinstance(actual, list | tuple):
        return f"{where}: expected a list, found {shown(actual)}"
    for index, (wanted, value) in enumerate(zip(elements, actual, strict=False)):
        found = _difference(wanted, value, f"{where}[{index}]", around)
        if found:
            return found
    if len(actual) != len(elements):
        return f"{where}: expected {len(elements)} elements, found {len(actual)}: {shown(actual)}"
    return None


def _difference_of_objects(keys: Mapping[str, Wanted], actual: object, where: str, around: Surroundings) -> str | None:
    if not isinstance(actual, Mapping):
        return f"{where}: expected an object, found {shown(actual)}"
    for key, wanted in keys.items():
        found = _difference(wanted, actual.get(key, MISSING), f"{where}.{key}" if where else key, around)
        if found:
            return found
    return None


def is_now(value: object, began: datetime.datetime) -> bool:
    """Say whether a value is a time between `began` and this moment.

    One in whole seconds counts from its second on, a date from the begin of its day in UTC.
    """
    try:
        time = datetime.datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return False
    if time is None:
        return False
    time = time.replace(tzinfo=datetime.UTC) if time.tzinfo is None else time
    first = began if "." in str(value) else began.replace(microsecond=0)
    if len(str(value)) == len("2026-01-31"):
        first = first.replace(hour=0, minute=0, second=0)
    return first <= time <= datetime.datetime.now(datetime.UTC)


def shown(value: object) -> str:
    """Return a value as a reader of the case file would write it, cut when it is long."""
    text = repr(value) if isinstance(value, _Missing) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _same(wanted: object, actual: object) -> bool:
    # True == 1 in Python, and nowhere else.
    return type(wanted) is type(actual) and wanted == actual


def _same_text(wanted: object, actual: object) -> bool:
    """Compare what a database says, which may have another type than the answer's."""
    if wanted is None or actual is None or actual is MISSING:
        return wanted is actual
    return _text(wanted) == _text(actual)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
