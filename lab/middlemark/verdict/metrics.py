"""By what combinations are compared: a figure of a point, and which of two values is the faster side's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from middlemark.records.placement import REVERSE_PROXY, is_database, is_platform
from middlemark.records.point import Verdict
from middlemark.records.specification import SpecificationRecord
from middlemark.verdict.estimate import Better

BYTES_PER_SECOND = "bytes_per_second"
"""A name in a specification's `leads_with`: bytes received are shown, and nothing is compared by them."""


@dataclass(frozen=True)
class Metric:
    """A figure by which two combinations are compared.

    `name` is its name in files, `words` that for people, with `{unit}` for what the driver counts. `warms`: it becomes
    better while the platform is still warming up.
    """

    name: str
    words: str
    of: Callable[[Verdict], float]
    better: Better
    warms: bool = True

    def title(self, specification: SpecificationRecord) -> str:
        """Return its name for people: `CPU time per transaction`."""
        return self.words.format(unit=specification.unit)


def cpu_ms_per_transaction(verdict: Verdict) -> float:
    """Return CPU-ms per transaction of the platform's tiers; NaN when none was watched."""
    return _cpu_of(verdict, is_platform)


def database_cpu_ms_per_transaction(verdict: Verdict) -> float:
    """Return CPU-ms per transaction of all database servers; NaN when none was watched."""
    return _cpu_of(verdict, is_database)


def reverse_proxy_cpu_ms_per_transaction(verdict: Verdict) -> float:
    """Return CPU-ms per transaction of the reverse proxy; NaN where there was none."""
    return _cpu_of(verdict, lambda tier: tier == REVERSE_PROXY)


def throughput_tps(verdict: Verdict) -> float:
    """Return transactions per second."""
    return verdict.throughput_tps


def mean_response_ms(verdict: Verdict) -> float:
    """Return the mean response time of all transactions."""
    return verdict.total.mean_ms


def leading(specification: SpecificationRecord) -> Metric:
    """Return the metric by which the report's first sentence compares: the first of those it leads with."""
    by_name = {metric.name: metric for metric in METRICS}
    return next((by_name[name] for name in specification.leads_with if name in by_name), CPU_TIME)


def _cpu_of(verdict: Verdict, counts: Callable[[str], bool]) -> float:
    found = [figures.cpu_ms_per_transaction for tier, figures in verdict.tiers.items() if counts(tier)]
    return sum(found) if found else math.nan


CPU_TIME = Metric("cpu_ms_per_transaction", "CPU time per {unit}", cpu_ms_per_transaction, Better.LOWER)
DATABASE_CPU = Metric(
    "database_cpu_ms_per_transaction",
    "database CPU per {unit}",
    database_cpu_ms_per_transaction,
    Better.LOWER,
    warms=False,
)
REVERSE_PROXY_CPU = Metric(
    "reverse_proxy_cpu_ms_per_transaction",
    "reverse proxy CPU per {unit}",
    reverse_proxy_cpu_ms_per_transaction,
    Better.LOWER,
    warms=False,
)
THROUGHPUT = Metric("throughput", "throughput", throughput_tps, Better.HIGHER)
RESPONSE_TIME = Metric("mean_ms", "mean response time", mean_response_ms, Better.LOWER)
"""Not one of those by which combinations are ranked."""
METRICS = (CPU_TIME, DATABASE_CPU, REVERSE_PROXY_CPU, THROUGHPUT)
