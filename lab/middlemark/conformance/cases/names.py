"""`${name}` in the texts of a case: what earlier steps captured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from middlemark.conformance.failure import StepFailed
from middlemark.steps.template import UnknownNameError, fill, fill_regex, fill_value

Captured = Mapping[str, object]


def filled(text: str, captured: Captured) -> str:
    """Return the text with every `${name}` replaced, `${x*70000}` by that many x; StepFailed for an unknown name."""
    with _captured():
        return fill(text, captured)


def filled_regex(regex: str, captured: Captured) -> str:
    """Return the regular expression with every `${name}` replaced by what matches exactly that text; see `filled`."""
    with _captured():
        return fill_regex(regex, captured)


def filled_value(value: object, captured: Captured) -> object:
    """Return a request's value with names replaced at any depth; a text that is one name alone keeps its type."""
    with _captured():
        return fill_value(value, captured)


@contextmanager
def _captured() -> Iterator[None]:
    try:
        yield
    except UnknownNameError as error:
        raise StepFailed(str(error)) from error
