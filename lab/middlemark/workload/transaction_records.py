"""The driver's file of records: each transaction with its begin, as docs/reference/driver.md describes it."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path

_RECORD = struct.Struct("<QIIIIIHBB")


@dataclass(frozen=True)
class TransactionRecord:
    """One transaction: its begin in nanoseconds since the driver's hello, and the iteration of its user."""

    start_ns: int
    transaction: str
    iteration: int
    valid: bool


def read_transaction_records(path: Path) -> list[TransactionRecord]:
    """The records of a file, by their begin."""
    line, body = path.read_bytes().split(b"\n", 1)
    names = json.loads(line)["transactions"]
    whole = len(body) - len(body) % _RECORD.size
    found = [
        TransactionRecord(start_ns, names[transaction], iteration, outcome == 0)
        for start_ns, _, _, _, iteration, _, transaction, outcome, _ in _RECORD.iter_unpack(body[:whole])
    ]
    return sorted(found, key=lambda record: record.start_ns)
