"""The figures of a window by which combinations are shown and compared: each once, with its name, unit and direction.

A figure is added here alone: levels, comparisons, charts, tables of a report and the CSV file have it from here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from middlemark.records.placement import REVERSE_PROXY, is_database, is_platform
from middlemark.records.run_parts import SpecificationRecord
from middlemark.records.window import Window

MEGABYTE = 1e6


class Better(StrEnum):
    """Which value is that of the faster side: the higher one of rates, the lower one of costs and times."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True)
class Figure:
    """A figure of a window; NaN where it is not known.

    `name` is its name in files; `title` and `unit` are for people, with `{unit}` for what the driver counts. `leads_as`
    is its name in a specification's `leads_with`. `compared`: combinations are compared by it. `warms`: it becomes
    better while the platform is still warming up. `averaged`: not of percentiles.
    """

    name: str
    title: str
    unit: str
    of: Callable[[Window], float]
    better: Better = Better.LOWER
    leads_as: str = ""
    compared: bool = False
    warms: bool = True
    averaged: bool = True

    @property
    def costs(self) -> bool:
        """Whether more of it is worse."""
        return self.better is Better.LOWER

    def titled(self, specification: SpecificationRecord) -> str:
        """Title with the specification's word: `CPU time per transaction`."""
        return self.title.format(unit=specification.unit)

    def united(self, specification: SpecificationRecord) -> str:
        """Unit with the specification's word: `transactions per second`."""
        return self.unit.format(unit=specification.unit)


def _sum_of_tiers(name: str, counts: Callable[[str], bool]) -> Callable[[Window], float]:
    def total(window: Window) -> float:
        found = [getattr(figures, name) for tier, figures in window.tiers.items() if counts(tier)]
        return sum(found) if found else math.nan

    return total


_CPU = "cpu_ms_per_transaction"
CPU_TIME = Figure(_CPU, "CPU time per {unit}", "ms", _sum_of_tiers(_CPU, is_platform), leads_as=_CPU, compared=True)
THROUGHPUT = Figure(
    "throughput", "throughput", "{unit}s per second", lambda window: window.throughput_tps, Better.HIGHER,
    leads_as="throughput", compared=True,
)  # fmt: skip
USERS_SUPPORTED = Figure(
    "users_at_limit", "users supported", "users",
    lambda window: math.nan if window.users_at_limit is None else window.users_at_limit, Better.HIGHER,
    leads_as="users_at_limit", compared=True,
)  # fmt: skip
RESPONSE_TIME = Figure(
    "mean_ms", "mean response time", "ms", lambda window: window.total.mean_ms, leads_as="response_time"
)
P95 = Figure("p95_ms", "95th percentile of response time", "ms", lambda window: window.total.p95_ms, averaged=False)
BYTES = Figure(
    "megabytes_per_s", "bytes received", "MB per second", lambda window: window.bytes_per_s / MEGABYTE, Better.HIGHER,
    leads_as="bytes_per_second",
)  # fmt: skip


def _with_sub_resources(count: Callable[[Window], float]) -> Callable[[Window], float]:
    """What is counted where pages are fetched with their sub-resources; a page alone is one response."""
    return lambda window: count(window) if window.sub_resources else math.nan


RESPONSES = Figure(
    "responses_per_s", "responses, with sub-resources", "responses per second",
    _with_sub_resources(lambda window: window.responses / window.window_s), Better.HIGHER,
)  # fmt: skip
RESPONSES_EACH = Figure(
    "responses_per_transaction", "responses per transaction", "responses",
    _with_sub_resources(lambda window: window.responses / (window.total.count + window.total.errors)), warms=False,
)  # fmt: skip
MEMORY = Figure("memory_mib", "memory of the platform's tiers", "MiB", _sum_of_tiers("memory_mean_mib", is_platform))
DATABASE_CPU = Figure(
    f"database_{_CPU}", "database CPU per {unit}", "ms", _sum_of_tiers(_CPU, is_database), compared=True, warms=False
)
PROXY_CPU = Figure(
    f"reverse_proxy_{_CPU}", "reverse proxy CPU per {unit}", "ms",
    _sum_of_tiers(_CPU, lambda tier: tier == REVERSE_PROXY), compared=True, warms=False,
)  # fmt: skip
FIGURES = (
    CPU_TIME,
    DATABASE_CPU,
    PROXY_CPU,
    THROUGHPUT,
    USERS_SUPPORTED,
    RESPONSE_TIME,
    P95,
    BYTES,
    RESPONSES,
    RESPONSES_EACH,
    MEMORY,
)
BY_NAME = {figure.name: figure for figure in FIGURES}
COMPARED = tuple(figure for figure in FIGURES if figure.compared)


def leading(specification: SpecificationRecord) -> Figure:
    """The figure by which a result is ranked: the first compared one of those that the specification leads with.

    A run that searches the limit leads with the users supported there.
    """
    by_lead = {figure.leads_as: figure for figure in COMPARED if figure.leads_as}
    return next((by_lead[name] for name in specification.leads_with if name in by_lead), CPU_TIME)
