"""Reads the driver's file of records: what became of each single transaction (docs/reference/driver.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from middlemark.errors import InputError

RECORD = np.dtype(
    [
        ("start_ns", "<u8"),
        ("latency_us", "<u4"),
        ("service_us", "<u4"),
        ("user", "<u4"),
        ("iteration", "<u4"),
        ("client", "<u4"),
        ("transaction", "<u2"),
        ("outcome", "u1"),
        ("phase", "u1"),
    ]
)
"""One record; 32 bytes, little-endian."""


class RecordsHead(BaseModel):
    """The first line: the names behind the numbers, and the origin of `start_ns` on CLOCK_MONOTONIC."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    v: Literal[1]
    record_bytes: Literal[32]
    name: str
    run: str
    monotonic_ns: int
    transactions: list[str] = Field(min_length=1)
    outcomes: list[str] = Field(min_length=1)
    phases: list[str] = Field(min_length=1)


@dataclass(frozen=True)
class Records:
    """All records of a run in the order in which they were handed over, with their fields as columns of `rows`."""

    head: RecordsHead
    rows: NDArray[Any]

    def select(self, transaction: str, *, outcome: str = "valid", phase: str = "measure") -> NDArray[Any]:
        """Return the rows of a transaction that ended so in that phase; ValueError for an unknown name."""
        numbers = self.head.transactions.index(transaction), self.head.outcomes.index(outcome)
        rows = self.rows
        ended_so = (rows["transaction"] == numbers[0]) & (rows["outcome"] == numbers[1])
        selected: NDArray[Any] = rows[ended_so & (rows["phase"] == self.head.phases.index(phase))]
        return selected


def read_records(path: Path) -> Records:
    """Return what a file of records holds; what a killed run did not write to its end is left out.

    Raises InputError when it cannot be read or is no such file.
    """
    try:
        with path.open("rb") as file:
            line = file.readline()
            body = file.read()
    except OSError as error:
        raise InputError(f"cannot read the records ({error.strerror})", where=str(path)) from error
    try:
        head = RecordsHead.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"no file of records ({first['msg']})", where=str(path), todo="Name the file of the plan's `records`"
        ) from error
    whole = len(body) - len(body) % RECORD.itemsize
    return Records(head, np.frombuffer(body[:whole], dtype=RECORD))
