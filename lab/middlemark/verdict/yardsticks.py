"""By what combinations are compared: a figure of a point, and which of two values is the faster side's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from middlemark.records.point import Verdict
from middlemark.verdict.judgement import Better

# Roles whose CPU time is not the platform's.
UNMEASURED_ROLES = frozenset({"driver", "database"})


@dataclass(frozen=True)
class Yardstick:
    """A figure by which two combinations are compared. `name` is also its key in a file of noise floors."""

    name: str
    of: Callable[[Verdict], float]
    better: Better


def cpu_ms_per_transaction(verdict: Verdict) -> float:
    """Return CPU-ms per transaction of the measured tiers (all but driver and database); NaN when none was watched."""
    measured = [f.cpu_ms_per_transaction for name, f in verdict.tiers.items() if is_measured(name)]
    return sum(measured) if measured else math.nan


def database_ms_per_transaction(verdict: Verdict) -> float:
    """Return CPU-ms per transaction of the database; NaN when it was not watched."""
    return verdict.tiers["database"].cpu_ms_per_transaction if "database" in verdict.tiers else math.nan


def throughput_tps(verdict: Verdict) -> float:
    """Return transactions per second."""
    return verdict.throughput_tps


def is_measured(tier: str) -> bool:
    """Whether a tier (roles joined with `+`) is the platform's."""
    return UNMEASURED_ROLES.isdisjoint(tier.split("+"))


CPU_TIME = Yardstick("CPU time per transaction", cpu_ms_per_transaction, Better.LOWER)
DATABASE_CPU = Yardstick("database CPU per transaction", database_ms_per_transaction, Better.LOWER)
THROUGHPUT = Yardstick("throughput", throughput_tps, Better.HIGHER)
YARDSTICKS = (CPU_TIME, DATABASE_CPU, THROUGHPUT)
