"""What a transaction asks of the databases: statements, rows written and bytes of the write-ahead log."""

from __future__ import annotations

import statistics
from pathlib import Path

from pydantic import Field

from middlemark.records.record import Record
from middlemark.records.run import Combination

WORK = "work"


class StepWork(Record):
    """The work of one step of a session, each figure the median over `count` executions by a user alone.

    `statements` are those an application sends besides `transaction_control` (BEGIN, COMMIT and the like); `rows` are
    inserted, updated and deleted ones; `wal_bytes` are without images of whole pages. `texts` are the statements of
    an execution with as many statements as the median.
    """

    step: str
    transaction: str
    count: int
    statements: int
    transaction_control: int
    rows: int
    wal_bytes: int
    texts: list[str] = Field(default_factory=list)


class TransactionWork(Record):
    """The work of a transaction: means over the steps of a session that are counted under its name."""

    transaction: str
    statements: float
    rows: float
    wal_bytes: float


class Work(Record):
    """The work of a combination by step; `unavailable` is why there is none."""

    combination: str
    steps: list[StepWork] = Field(default_factory=list)
    unavailable: str = ""

    @property
    def transactions(self) -> list[TransactionWork]:
        """The work of each transaction, in the order of the session."""
        names = dict.fromkeys(step.transaction for step in self.steps)
        return [_mean(name, [step for step in self.steps if step.transaction == name]) for name in names]


def work_file(root: Path, combination: Combination) -> Path:
    """The file of a combination's work in the result folder `root`; it may not exist."""
    return root / WORK / f"{combination.path}.json"


def _mean(name: str, steps: list[StepWork]) -> TransactionWork:
    return TransactionWork(
        transaction=name,
        statements=statistics.fmean(step.statements for step in steps),
        rows=statistics.fmean(step.rows for step in steps),
        wal_bytes=statistics.fmean(step.wal_bytes for step in steps),
    )
