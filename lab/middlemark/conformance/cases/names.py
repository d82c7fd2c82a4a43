"""`${name}` in the texts of a case: what earlier steps captured."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping

from middlemark.conformance.failure import StepFailed

Captured = Mapping[str, object]

_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)\}")
_REPEATED = re.compile(r"(.)\*([0-9]+)\Z", re.DOTALL)


def filled(text: str, captured: Captured) -> str:
    """Return the text with every `${name}` replaced, `${x*70000}` by that many x; StepFailed for an unknown name."""
    return _replaced(text, captured, str)


def filled_regex(regex: str, captured: Captured) -> str:
    """Return the regular expression with every `${name}` replaced by what matches exactly that text; see `filled`."""
    return _replaced(regex, captured, re.escape)


def _replaced(text: str, captured: Captured, written: Callable[[str], str]) -> str:
    def value(found: re.Match[str]) -> str:
        if found[1] is None:
            return written("${")
        repeated = _REPEATED.match(found[1])
        if repeated:
            return written(repeated[1] * int(repeated[2]))
        return written(text_of(_known(found[1], captured)))

    return _REFERENCE.sub(value, text)


def filled_value(value: object, captured: Captured) -> object:
    """Return a request's value with names replaced at any depth; a text that is one name alone keeps its type."""
    if isinstance(value, str):
        alone = _REFERENCE.fullmatch(value)
        if alone and alone[1] in captured:
            return captured[alone[1]]
        return filled(value, captured)
    if isinstance(value, Mapping):
        return {key: filled_value(item, captured) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [filled_value(item, captured) for item in value]
    return value


def references(text: str) -> Iterator[str]:
    """Yield each name that the text refers to."""
    for found in _REFERENCE.finditer(text):
        if found[1] is not None and not _REPEATED.match(found[1]):
            yield found[1]


def samples(text: str) -> Iterator[str]:
    """Yield what the text can become, before anything is captured: each `${name}` a word, or a number."""
    plain = _REFERENCE.split(text)[::2]
    for words in itertools.product(("x", "1"), repeat=len(plain) - 1):
        yield "".join(itertools.chain.from_iterable(itertools.zip_longest(plain, words, fillvalue="")))


def text_of(value: object) -> str:
    """Return a captured value as it is written inside a longer text."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _known(name: str, captured: Captured) -> object:
    if name not in captured:
        known = ", ".join(sorted(captured)) or "none"
        raise StepFailed(f"nothing has been captured as '{name}' (captured: {known})")
    return captured[name]
