"""Finds `${names}` in the steps of a case that no earlier step captures, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from middlemark.documents import Location, suggestion
from middlemark.steps.template import names_in

ROUND = "number"


def token_name(token: str) -> str:
    """The name of a token of the specification, which steps know without capturing it."""
    return f"token-{token}"


def uncaptured(steps: Sequence[Mapping[str, Any]], below: Location, known: set[str]) -> Iterator[tuple[Location, str]]:
    """Yield the place and the fault of each name that is not known where it stands.

    `steps` are those of the file, valid as steps. `known` gets what they capture.
    """
    for index, step in enumerate(steps):
        place = (*below, index)
        if "at_once" in step:
            for client, own in enumerate(step["at_once"]):
                yield from uncaptured(own, (*place, "at_once", client), set(known))
            continue
        if "repeat" in step:
            known.add(ROUND)
        inner = next((key for key in ("steps", "during") if key in step), None)
        captures = step.get("capture", {})
        yield from _unknown({key: v for key, v in step.items() if key not in {inner, "capture"}}, place, known)
        yield from _unknown(captures, (*place, "capture"), known | captures.keys())
        known.update(captures)
        if inner is not None:
            yield from uncaptured(step[inner], (*place, inner), known)


def names_used(content: object) -> Iterator[str]:
    """Yield the `${names}` in texts at any depth."""
    if isinstance(content, str):
        with suppress(ValueError):
            yield from names_in(content, repeats=True)
    elif isinstance(content, Mapping):
        yield from (name for value in content.values() for name in names_used(value))
    elif isinstance(content, Sequence):
        yield from (name for value in content for name in names_used(value))


def _unknown(content: object, place: Location, known: set[str]) -> Iterator[tuple[Location, str]]:
    if isinstance(content, str):
        try:
            names = names_in(content, repeats=True)
        except ValueError as error:
            yield place, str(error)
            return
        for name in names:
            if name not in known:
                yield place, f"no step before this one captures '{name}'. {suggestion(name, known)}"
    elif isinstance(content, Mapping):
        for key, value in content.items():
            yield from _unknown(value, (*place, key), known)
    elif isinstance(content, Sequence):
        for index, value in enumerate(content):
            yield from _unknown(value, (*place, index), known)
