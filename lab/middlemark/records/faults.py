"""`faults.json` of a point: which faults it was to have, when they struck, and when everything worked again."""

from __future__ import annotations

from typing import Literal

from middlemark.records.run import Record


class Fault(Record):
    """One fault. Times are seconds since the driver's hello, where the ramp begins.

    `victim` is the process or server it struck. `struck_s` is None when it never struck, `ready_s` when not everything
    worked again; `problem` says why.
    """

    kind: str
    planned_s: float
    victim: str = ""
    struck_s: float | None = None
    ready_s: float | None = None
    problem: str = ""

    @property
    def done(self) -> bool:
        """Whether it struck and everything worked again."""
        return self.struck_s is not None and self.ready_s is not None and not self.problem


class Faults(Record):
    """The whole file: a point's faults in the order of their planned times."""

    v: Literal[1] = 1
    faults: tuple[Fault, ...]
