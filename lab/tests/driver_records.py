"""Reads the driver's file of records, as docs/reference/driver.md describes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Records:
    """The first line of the file, and the records with their fields as columns."""

    head: dict[str, Any]
    rows: NDArray[Any]

    def valid(self, transaction: str, phase: str = "measure") -> NDArray[Any]:
        """Return the valid records of a transaction in a phase."""
        wanted = {"transaction": transaction, "outcome": "valid", "phase": phase}
        numbers = {name: self.head[f"{name}s"].index(value) for name, value in wanted.items()}
        fitting: NDArray[Any] = np.logical_and.reduce([self.rows[name] == number for name, number in numbers.items()])
        rows: NDArray[Any] = self.rows[fitting]
        return rows


def read_records(path: Path) -> Records:
    """Return what a file of records holds."""
    line, body = path.read_bytes().split(b"\n", 1)
    return Records(json.loads(line), np.frombuffer(body, dtype=RECORD))
