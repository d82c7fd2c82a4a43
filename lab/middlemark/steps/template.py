"""Texts with `${name}` in them; `$${` is a plain `${`.

Where a text may repeat a character, `${x*70000}` is 70,000 times x.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping

_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
NAME_PATTERN = f"^{_NAME}$"
Values = Mapping[str, object]

_REPEATED = re.compile(r"(.)\*([0-9]+)\Z", re.DOTALL)
_PLACE = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")


class UnknownNameError(LookupError):
    """A text holds a name without a value."""

    def __init__(self, name: str, known: Values) -> None:
        """Name what is missing and what there is."""
        super().__init__(f"'{name}' has no value (known: {', '.join(sorted(known)) or 'none'})")
        self.name = name


def is_name(text: str) -> bool:
    """Return whether a value may have this name: letters, digits, `-` and `_`, a letter or `_` first."""
    return re.fullmatch(_NAME, text) is not None


def names_in(template: str, *, repeats: bool = False) -> list[str]:
    """Return the names that stand in `template`, in order; raise ValueError for a place that is not a name.

    With `repeats` a character may be repeated.
    """
    names: list[str] = []
    for place in _PLACE.finditer(template):
        if place[0] == "$${" or (repeats and place[2] and _REPEATED.match(place[1])):
            continue
        if not place[2]:
            raise ValueError(f"'{template}' has a ${{ without }}; for a plain ${{ write $${{")
        if not is_name(place[1]):
            raise ValueError(
                f"'${{{place[1]}}}' is not a name; a name is letters, digits, - and _, for example ${{user}}"
            )
        names.append(place[1])
    return names


def literal(text: str) -> str:
    """Return the template that stands for this very text."""
    return text.replace("${", "$${")


def fill(template: str, values: Values) -> str:
    """Return the text with every name replaced by its value; UnknownNameError for a name without one."""
    return _fill(template, values, str)


def fill_some(template: str, values: Values) -> str:
    """The template with these names replaced; the others, and every `$${`, stay as they are."""

    def replacement(place: re.Match[str]) -> str:
        known = place[0] != "$${" and place[1] in values
        return literal(text_of(values[place[1]])) if known else place[0]

    return _PLACE.sub(replacement, template)


def fill_regex(template: str, values: Values) -> str:
    """Return a regular expression with every name replaced by what matches exactly its value; see `fill`."""
    return _fill(template, values, re.escape)


def fill_value(value: object, values: Values) -> object:
    """Return a value with names replaced at any depth; a text that is one name alone takes the type of its value."""
    if isinstance(value, str):
        alone = _PLACE.fullmatch(value)
        return values[alone[1]] if alone and alone[1] in values else fill(value, values)
    if isinstance(value, Mapping):
        return {key: fill_value(item, values) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fill_value(item, values) for item in value]
    return value


def samples(template: str) -> Iterator[str]:
    """Yield what the text can become before any value is known: each place a word, or a number."""
    plain: list[str] = []
    end = 0
    for place in _PLACE.finditer(template):
        plain.append(template[end : place.start()])
        end = place.end()
    for words in itertools.product(("x", "1"), repeat=len(plain)):
        yield "".join(itertools.chain.from_iterable(zip(plain, words, strict=True))) + template[end:]


def text_of(value: object) -> str:
    """Return a value as it is written inside a longer text: nothing for None, `true` and `false` as in JSON."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fill(template: str, values: Values, write: Callable[[str], str]) -> str:
    def replacement(place: re.Match[str]) -> str:
        if place[0] == "$${":
            return write("${")
        repeated = _REPEATED.match(place[1])
        if repeated:
            return write(repeated[1] * int(repeated[2]))
        if place[1] not in values:
            raise UnknownNameError(place[1], values)
        return write(text_of(values[place[1]]))

    return _PLACE.sub(replacement, template)
