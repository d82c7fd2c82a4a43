"""The slices of a soak, from the driver's intervals and the monitor's samples of its window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from middlemark.judge.samples import MIB, SampleSums
from middlemark.records.soak import Quantity, Soak, SoakPlan
from middlemark.verdict.conditions import error_share
from middlemark.verdict.drift import window_of
from middlemark.verdict.soak import SliceFigure, Slices, judge_soak
from middlemark.workload.course import Course
from middlemark.workload.window import WindowFigures

# The driver's word for a request that was under way when it was told to end (docs/reference/driver.md).
CUT_OFF = "cut_off"
# By the monitor's name of a column: quantity, unit, and how many of the monitor's units make one of these.
_HELD = {
    "rss_mib": (Quantity.MEMORY, "MiB", 1.0),
    "lab_rss_mib": (Quantity.MEMORY, "MiB", 1.0),
    "connections": (Quantity.CONNECTIONS, "connections", 1.0),
    "prepared": (Quantity.PREPARED, "transactions", 1.0),
    "size_bytes": (Quantity.DISK, "MiB", float(MIB)),
}


def soak_of(window: WindowFigures, sums: SampleSums, plan: SoakPlan, *, ended: bool) -> Soak:
    """Judge a soak by its intervals, each of which is a slice; the last one may be too short for that."""
    course = [one for one in window_of(window.course) if one.end_s - one.start_s >= plan.slice_s / 2]
    return judge_soak(_slices(course, window, sums), plan, ended=ended)


def _slices(course: Sequence[Course], window: WindowFigures, sums: SampleSums) -> Slices:
    edges_s = [*(one.start_s for one in course), *(one.end_s for one in course[-1:])]
    begin_s = edges_s[0] if edges_s else 0.0
    errors = np.array([one.errors / (one.end_s - one.start_s) for one in course])
    others = [SliceFigure(Quantity.ERRORS, "", "errors/s", errors)] if errors.any() else []
    return Slices(
        edges_s=np.array(edges_s) - begin_s,
        transactions=np.array([float(one.count) for one in course]),
        tps=np.array([one.tps for one in course]),
        # Without a response there is no response time.
        mean_ms=np.array([one.mean_ms or np.nan for one in course]),
        error_share=_error_share(window),
        others=[*_rates(course), *others, *_held(sums, edges_s)],
    )


def _rates(course: Sequence[Course]) -> Iterator[SliceFigure]:
    """Yield the rate of each transaction, where there are several."""
    names = sorted({name for one in course for name in one.each})
    for name in names if len(names) > 1 else ():
        rates = [one.each.get(name, 0) / (one.end_s - one.start_s) for one in course]
        yield SliceFigure(Quantity.RATE, name, "transactions/s", np.array(rates))


def _error_share(window: WindowFigures) -> float:
    """As in every window, without what the driver itself cut off when it was stopped."""
    errors = window.total.errors - window.errors_by_kind.get(CUT_OFF, 0)
    return error_share(window.total.model_copy(update={"errors": errors}), window.errors_by_kind)


def _held(sums: SampleSums, edges_s: Sequence[float]) -> Iterator[SliceFigure]:
    """Yield memory, connections, disk, and prepared transactions where there were any."""
    for field, name, means in sums.held(edges_s):
        quantity, unit, size = _HELD[field]
        values = np.array(means) / size
        if np.isfinite(values).any() and (quantity is not Quantity.PREPARED or np.nanmax(values) > 0):
            yield SliceFigure(quantity, name, unit, values)
