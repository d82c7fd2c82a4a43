"""The conditions of a valid point. Each becomes one Check with the value found and the limit, in words for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from middlemark.load.lines import PhaseName
from middlemark.load.window import Course
from middlemark.results.point import Audit, Check, Outcome, TransactionFigures
from middlemark.results.work_left import WorkLeft
from middlemark.verdict.evidence import DriverFigures
from middlemark.verdict.student import t_quantile

ERROR_LIMIT = 0.0001
THREAD_LIMIT = 0.85
LATENESS_OF_THINK = 0.05
LATENESS_OF_P99 = 0.10
LITTLE_LIMIT = 0.02
MIX_LIMIT = 0.02
# Three standard deviations of counting: one in 370 transactions leaves it by chance, if counts were independent.
MIX_DEVIATIONS = 3
# Change of throughput from the window's begin to its end; the requirement leaves the figure open.
DRIFT_LIMIT = 0.05
# Below this the slope has no usable uncertainty.
LEAST_STRETCHES = 4


def little_tps(users: int, think_mean_ms: float, response_mean_ms: float) -> float:
    """Return the throughput of a closed load by Little's law (J. D. C. Little, Operations Research 9, 1961)."""
    cycle_s = (think_mean_ms + response_mean_ms) / 1000
    return users / cycle_s if cycle_s > 0 else 0.0


def errors_check(total: TransactionFigures, by_kind: Mapping[str, int]) -> Check:
    """Errors are below 0.01 % of all steps; a window without any transaction fails."""
    attempts = total.count + total.errors
    if attempts == 0:
        return _check("errors", ok=False, value="no transaction in the window", limit="< 0.01 %")
    share = total.errors / attempts
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(by_kind.items()) if count)
    value = f"{total.errors:,} of {attempts:,} ({100 * share:.3f} %)" + (f": {kinds}" if kinds else "")
    return _check("errors", ok=share < ERROR_LIMIT, value=value, limit="< 0.01 %")


def audit_check(audit: Audit | None) -> Check:
    """The database agrees with what the driver saw."""
    if audit is None:
        return _check("audit", ok=False, value="no audit was made", limit="every rule passes")
    broken = [f"{f.rule}: {f.message}" for f in audit.findings if f.outcome is Outcome.FAILED]
    unchecked = sum(f.outcome is Outcome.NOT_CHECKED for f in audit.findings)
    value = f"{len(broken)} of {len(audit.findings)} rules broken, the first: {broken[0]}" if broken else ""
    passed = f"{len(audit.findings) - unchecked} rules passed" + (f", {unchecked} not checked" if unchecked else "")
    return _check("audit", ok=audit.passed and not broken, value=value or passed, limit="every rule passes")


def driver_cpu_check(driver: DriverFigures) -> Check:
    """No driver thread used over 85 % of a CPU (when CPUs are shared it could get less than one: see the next two)."""
    return _check(
        "driver CPU",
        ok=driver.busiest_thread_share <= THREAD_LIMIT,
        value=f"busiest thread {100 * driver.busiest_thread_share:.0f} % of a CPU",
        limit=f"≤ {100 * THREAD_LIMIT:.0f} %",
    )


def driver_pace_check(driver: DriverFigures, think_mean_ms: float) -> Check:
    """Half of all think times end at most 5 % of their mean too late."""
    if think_mean_ms <= 0:
        return Check(name="driver pace", outcome=Outcome.NOT_CHECKED, value="no think time", limit="none")
    limit = LATENESS_OF_THINK * think_mean_ms
    return _check(
        "driver pace",
        ok=driver.lateness_p50_ms <= limit,
        value=f"p50 of lateness {driver.lateness_p50_ms:.2f} ms",
        limit=f"≤ {limit:.2f} ms (5 % of the think time)",
    )


def driver_lateness_check(driver: DriverFigures, p99_ms: float, *, shared_cpus: bool) -> Check:
    """The driver's p99 of lateness is at most 10 % of the reported p99.

    This protects the latency percentiles. When CPUs are shared, lateness the driver causes cannot be told from waiting
    for a CPU that the application has, and the percentiles are not ranked: then an excess is said, and does not fail.
    """
    limit = LATENESS_OF_P99 * p99_ms
    late = driver.lateness_p99_ms > limit
    value = f"p99 of lateness {driver.lateness_p99_ms:.2f} ms"
    text = f"≤ {limit:.2f} ms (10 % of the p99)"
    if late and shared_cpus:
        value += ", over the limit; CPUs are shared: percentiles are not ranked"
        return Check(name="driver lateness", outcome=Outcome.NOT_CHECKED, value=value, limit=text)
    return _check("driver lateness", ok=not late, value=value, limit=text)


def little_check(throughput_tps: float, expected_tps: float) -> Check:
    """Throughput is what Little's law expects of so many users, within 2 %."""
    off = throughput_tps / expected_tps - 1 if expected_tps > 0 else math.inf
    return _check(
        "Little's law",
        ok=abs(off) <= LITTLE_LIMIT,
        value=f"{throughput_tps:.2f}/s for {expected_tps:.2f}/s expected ({100 * off:+.2f} %)",
        limit="within ± 2 %",
    )


def mix_check(transactions: Mapping[str, TransactionFigures], mix: Mapping[str, float]) -> Check:
    """Every transaction has its share of the session within 2 % of it plus counting noise."""
    limit = f"within ± 2 % + {MIX_DEVIATIONS} standard deviations of counting"
    counts = {name: transactions[name].count if name in transactions else 0 for name in {*mix, *transactions}}
    total, whole = sum(counts.values()), sum(mix.values())
    if total == 0 or whole <= 0:
        return _check("mix", ok=False, value="no transaction in the window", limit=limit)
    worst, name, text = -math.inf, "", ""
    for transaction in sorted(counts):
        share = mix.get(transaction, 0.0) / whole
        expected = share * total
        allowed = MIX_LIMIT * expected + MIX_DEVIATIONS * math.sqrt(expected * (1 - share))
        excess = abs(counts[transaction] - expected) - allowed
        if excess > worst:
            worst, name, text = excess, transaction, f"{counts[transaction]:,} for {expected:,.0f} expected"
    return _check("mix", ok=worst <= 0, value=f"farthest: {name} {text}", limit=limit)


def steady_check(course: Sequence[Course]) -> Check:
    """Throughput does not drift inside the window: its change from begin to end is ≤ 5 % plus its 95 % uncertainty.

    A straight line through the rates of the window's intervals, weighted by their length.
    """
    limit = f"≤ {100 * DRIFT_LIMIT:.0f} % beyond the uncertainty"
    stretches = [c for c in course if c.phase is PhaseName.MEASURE and c.end_s > c.start_s]
    weight = sum(c.end_s - c.start_s for c in stretches)
    mean = sum(c.count for c in stretches) / weight if weight else 0.0
    if len(stretches) < LEAST_STRETCHES or mean <= 0:
        value = f"{len(stretches)} intervals are too few"
        return Check(name="steady state", outcome=Outcome.NOT_CHECKED, value=value, limit=limit)
    change, uncertainty = _drift(stretches, weight, mean)
    return _check(
        "steady state",
        ok=abs(change) - uncertainty <= DRIFT_LIMIT,
        value=f"{100 * change:+.1f} % over the window (± {100 * uncertainty:.1f} %)",
        limit=limit,
    )


def settings_check(changes: Sequence[str] | None) -> Check:
    """`/about` says what was asked before the point, and the same after it."""
    limit = "as asked, before and after"
    if changes is None:
        return Check(name="settings", outcome=Outcome.NOT_CHECKED, value="/about was not compared", limit=limit)
    value = "; ".join(changes) if changes else limit
    return _check("settings", ok=not changes, value=value, limit=limit)


def drained_check(work_left: WorkLeft | None) -> Check:
    """All orders were completed within the time that the specification gives them after the load."""
    if work_left is None:
        return Check(name="drained", outcome=Outcome.NOT_CHECKED, value="nobody waited for it", limit="none")
    what = "nothing was left" if work_left.done else "work was left"
    value = f"{what} {work_left.seconds:.1f} s after the driver's end"
    return _check("drained", ok=work_left.done, value=value, limit=f"≤ {work_left.limit_s:.0f} s")


def alone_check(other_runs: Sequence[int]) -> Check:
    """No other run measured on the same CPUs at the same time."""
    pids = ", ".join(str(pid) for pid in other_runs)
    value = f"another run measured at the same time (pid {pids})" if other_runs else "no other run"
    return _check("alone", ok=not other_runs, value=value, limit="no other run of this user's")


def conformance_check() -> Check:
    """There is no conformance suite yet; this says so on every point."""
    return Check(
        name="conformance", outcome=Outcome.NOT_CHECKED, value="no suite yet", limit="passed before and after the load"
    )


def _drift(stretches: Sequence[Course], weight: float, mean: float) -> tuple[float, float]:
    """Return the relative change over the window and its 95 % uncertainty (weighted least squares)."""
    lengths = [c.end_s - c.start_s for c in stretches]
    moments = [(c.start_s + c.end_s) / 2 for c in stretches]
    rates = [c.count / length for c, length in zip(stretches, lengths, strict=True)]
    middle = sum(w * t for w, t in zip(lengths, moments, strict=True)) / weight
    spread = sum(w * (t - middle) ** 2 for w, t in zip(lengths, moments, strict=True))
    points = list(zip(lengths, moments, rates, strict=True))
    slope = sum(w * (t - middle) * (r - mean) for w, t, r in points) / spread
    residuals = sum(w * (r - mean - slope * (t - middle)) ** 2 for w, t, r in points)
    degrees = len(stretches) - 2
    error = math.sqrt(residuals / degrees / spread)
    span = stretches[-1].end_s - stretches[0].start_s
    return slope * span / mean, t_quantile(0.95, degrees) * error * span / mean


def _check(name: str, *, ok: bool, value: str, limit: str) -> Check:
    return Check(name=name, outcome=Outcome.PASSED if ok else Outcome.FAILED, value=value, limit=limit)
