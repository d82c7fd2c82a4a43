"""The faults of a run: those requested, in `run.json`, and what became of those of a point, in its `faults.json`."""

from __future__ import annotations

from typing import Literal

from middlemark.records.record import Record


class PlannedFault(Record):
    """A fault that a point is to have: `at_s` seconds after the ramp began; None: a seeded moment inside the window."""

    kind: str
    at_s: float | None = None


class Fault(Record):
    """One fault. Times are seconds since the driver's hello, where the ramp begins.

    `target` is the process or server into which it was injected. `injected_s` is None when it never was, `ready_s` when
    not everything worked again; `problem` is the reason.
    """

    kind: str
    planned_s: float
    target: str = ""
    injected_s: float | None = None
    ready_s: float | None = None
    problem: str = ""

    @property
    def done(self) -> bool:
        """Whether it was injected and everything worked again."""
        return self.injected_s is not None and self.ready_s is not None and not self.problem


class Faults(Record):
    """The whole file: a point's faults in the order of their planned times."""

    v: Literal[1] = 1
    faults: tuple[Fault, ...]
