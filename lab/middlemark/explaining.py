"""What is wrong with a value that a model does not take: pydantic's problems in the words of this project.

No message of pydantic's reaches a user: it speaks of inputs, tuples and validators, and not of files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

OWN = ("wrong_at", "step")
"""Problems that models of this project raise with a message of their own."""
_LONGEST = 60
_KEY = "[key]"
"""The last part of pydantic's location of a name that is wrong itself, and not its value."""


def explained(problem: ErrorDetails, location: tuple[str | int, ...]) -> str:
    """A problem of a ValidationError with its place: keys and indexes from the top, without the tags of unions."""
    if location[-1:] == (_KEY,):
        location = location[:-1]
    key = ".".join(str(part) for part in location)
    if problem["type"] == "missing":
        return f"the key '{location[-1]}' is missing (at {key})"
    message = reason(problem)
    return f"{key}: {message}" if key else message


def first_mistake(error: ValidationError) -> str:
    """The first problem with its place."""
    first = error.errors()[0]
    return explained(first, first["loc"])


def reason(problem: ErrorDetails) -> str:
    """A problem without its place."""
    kind, context, found = problem["type"], problem.get("ctx", {}), shown(problem.get("input"))
    if kind in {"value_error", "assertion_error"}:
        return str(context["error"])
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, found {found}"
    if kind in _MESSAGES:
        return _MESSAGES[kind](context, found)
    return problem["msg"] if kind in OWN else f"{found} is not allowed here"


def shown(value: object) -> str:
    """A value of a file, in few words: text between quotes, lists and mappings by their kind."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "keys with their values"
    if isinstance(value, list | tuple | set | frozenset):
        return "a list" if value else "an empty list"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _amount(number: object, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _bound(words: str, key: str) -> Callable[[Mapping[str, Any], str], str]:
    return lambda context, found: f"expected {words.replace('#', f'{context[key]:g}')}, found {found}"


def _length(words: str, key: str, name: str) -> Callable[[Mapping[str, Any], str], str]:
    return lambda context, found: f"expected {words} {_amount(context[key], name)}, found {found}"


def _entries(words: str, key: str) -> Callable[[Mapping[str, Any], str], str]:
    """The length of a list; nobody counts those of which there are too many."""
    return lambda context, _: (
        f"expected {words} {_amount(context[key], 'element')}, found {context.get('actual_length') or 'none'}"
    )


def _choice(context: Mapping[str, Any], found: str) -> str:
    return f"expected {context['expected']}, found {found}"


_KEYS, _LIST, _WHOLE, _NUMBER = "keys with their values", "a list", "a whole number", "a number"
_EXPECTED = {
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type", "mapping_type", "frozen_dict_type"), _KEYS),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type", "deque_type"), _LIST),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type", "decimal_parsing"), _NUMBER),
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), "a date like 2026-01-31"),
    **dict.fromkeys(("time_type", "time_parsing"), "a time like 13:30:00"),
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_from_date_parsing"), "a date with a time"),
    "finite_number": "a finite number",
    "none_required": "nothing",
    "string_unicode": "text in UTF-8",
    "string_not_ascii": "text in ASCII",
    "bytes_type": "text",
    "json_type": "text in JSON",
}
"""What a value of the wrong kind should have been."""

_MESSAGES: dict[str, Callable[[Mapping[str, Any], str], str]] = {
    "extra_forbidden": lambda _, __: "unknown key",
    "invalid_key": lambda _, __: "a key is text",
    "json_invalid": lambda context, _: f"this is not JSON: {context['error']}",
    "string_type": lambda _, found: f"expected text, found {found}" + _quotes(found),
    "greater_than": _bound("more than #", "gt"),
    "greater_than_equal": _bound("# or more", "ge"),
    "less_than": _bound("less than #", "lt"),
    "less_than_equal": _bound("# or less", "le"),
    "multiple_of": _bound("a multiple of #", "multiple_of"),
    "too_short": _entries("at least", "min_length"),
    "too_long": _entries("at most", "max_length"),
    "string_too_short": _length("at least", "min_length", "character"),
    "string_too_long": _length("at most", "max_length", "character"),
    "string_pattern_mismatch": lambda context, found: f"{found} does not match the pattern {context['pattern']}",
    "enum": _choice,
    "literal_error": _choice,
    "union_tag_invalid": lambda context, _: f"expected one of {context['expected_tags']}, found '{context['tag']}'",
    "union_tag_not_found": lambda context, _: f"the key {context['discriminator']} is missing",
}
"""What is said where the problem knows more than the kind of value."""


def _quotes(found: str) -> str:
    return "" if found in {_KEYS, _LIST, "an empty list", "nothing"} else "; put it between quotes"
