"""Turns the texts of options that several commands share into values."""

from __future__ import annotations

import math
from collections.abc import Iterable

from middlemark.duration import Duration
from middlemark.errors import InputError


def chosen_values(texts: Iterable[str] | None) -> dict[str, str]:
    """Return the value of each choice of `--set CHOICE=VALUE`; InputError for anything else."""
    found = {}
    for text in texts or ():
        pair = _name_and_value(text)
        if pair is None:
            raise InputError(f"'{text}' is not CHOICE=VALUE", where="--set", todo="Write it like --set cpus=2")
        found[pair[0]] = pair[1]
    return found


def modes_together(option: str, text: str) -> dict[str, str]:
    """Return the value of each mode of `MODE=VALUE,MODE=VALUE`; InputError for anything else."""
    pairs = [_name_and_value(part.strip()) for part in text.split(",")]
    found = dict(pair for pair in pairs if pair is not None)
    if len(found) < len(pairs):
        todo = "Name each mode once, with commas between them"
        raise InputError(f"'{text}' is not MODE=VALUE,MODE=VALUE", where=option, todo=todo)
    return found


def duration_of(option: str, text: str | None) -> Duration | None:
    """Return the duration given to `option`, None when it was left out; InputError for anything else."""
    try:
        return None if text is None else Duration.parse(text)
    except ValueError as error:
        raise InputError(str(error), where=option) from error


def share_of(option: str, text: str, noun: str = "a share") -> float:
    """Share given to `option` (`2%`, `0.02`), 0 or more and below 1; InputError for anything else."""
    number, sign, rest = text.partition("%")
    try:
        share = float(number) / (100 if sign else 1)
    except ValueError:
        share = math.nan
    if rest or not 0 <= share < 1:
        raise InputError(f"'{text}' is not {noun}", where=option, todo="Write it like 2% or 0.02")
    return share


def _name_and_value(text: str) -> tuple[str, str] | None:
    name, _, value = text.partition("=")
    return (name, value) if name and value else None
