"""Reads survivors.toml: the mutants that verify does not notice, each with the reason."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from middlemark.documents import Document, read_toml
from middlemark.errors import InputError

SURVIVORS = Path(__file__).with_name("survivors.toml")


class Why(StrEnum):
    """Why a mutant survives: no client can tell it apart; no case can see it; a case is missing."""

    EQUIVALENT = "equivalent"
    UNSEEN = "unseen"
    MISSING = "missing"


class Survivor(Document):
    """One survivor, by the mutant's name."""

    mutant: Annotated[str, Field(min_length=1)]
    why: Why
    reason: Annotated[str, Field(min_length=10)]


class Survivors(Document):
    """The file."""

    version: int = Field(ge=1, le=1)
    survivor: tuple[Survivor, ...] = ()


def survivors() -> dict[str, Survivor]:
    """Return the listed survivors by the mutant's name. Raises InputError when one is listed twice."""
    found: dict[str, Survivor] = {}
    for entry in read_toml(SURVIVORS, Survivors).survivor:
        if entry.mutant in found:
            raise InputError(f"'{entry.mutant}' is listed twice", where=str(SURVIVORS))
        found[entry.mutant] = entry
    return found
