"""Turns the texts of options that several commands share into values."""

from __future__ import annotations

from collections.abc import Iterable

from middlemark.errors import InputError
from middlemark.load.duration import Duration


def chosen_modes(texts: Iterable[str] | None) -> dict[str, str]:
    """Return the value of each mode of `--set MODE=VALUE`; InputError for anything else."""
    return dict(_chosen_mode(text) for text in texts or ())


def duration_of(option: str, text: str | None) -> Duration | None:
    """Return the duration given to `option`, None when it was left out; InputError for anything else."""
    try:
        return None if text is None else Duration.parse(text)
    except ValueError as error:
        raise InputError(str(error), where=option) from error


def _chosen_mode(text: str) -> tuple[str, str]:
    mode, _, value = text.partition("=")
    if not mode or not value:
        raise InputError(f"'{text}' is not MODE=VALUE", where="--set", todo="Write it like --set binding=json")
    return mode, value
