"""Thresholds of a drive: the limits of its figures."""

from __future__ import annotations

from dataclasses import dataclass

from middlemark.duration import Duration
from middlemark.records.point import Outcome
from middlemark.records.window import Check
from middlemark.workload.window import WindowFigures


@dataclass(frozen=True)
class Thresholds:
    """`max_error_rate`: failed ÷ all transactions, 0 … 1. `p99`: for each transaction by itself; None: no limit."""

    max_error_rate: float
    p99: Duration | None

    def checks(self, figures: WindowFigures) -> list[Check]:
        """Return one check for each threshold, with by how much it was missed."""
        checks = [_transactions(figures), _error_rate(figures, self.max_error_rate)]
        if self.p99 is not None:
            checks.append(_p99(figures, self.p99))
        return checks


def _transactions(figures: WindowFigures) -> Check:
    count = figures.total.count
    value = f"{count:,} valid transactions" if count else "no valid transaction in the window"
    return Check(name="transactions", outcome=_outcome(ok=count > 0), message=value, requirement="at least one")


def _error_rate(figures: WindowFigures, limit: float) -> Check:
    rate = figures.error_rate
    tried = figures.total.count + figures.total.errors
    value = f"error rate {_percent(rate)} ({figures.total.errors:,} of {tried:,})"
    if rate > limit:
        value += f" is {rate * 100 - limit * 100:.4g} percentage points above the limit"
    return Check(
        name="errors", outcome=_outcome(ok=rate <= limit), message=value, requirement=f"at most {_percent(limit)}"
    )


def _p99(figures: WindowFigures, limit: Duration) -> Check:
    if not figures.total.count:
        return Check(
            name="p99", outcome=Outcome.NOT_CHECKED, message="no valid transaction", requirement=f"at most {limit}"
        )
    worst = max(figures.transactions, key=lambda name: figures.transactions[name].p99_ms)
    p99_ms = figures.transactions[worst].p99_ms
    value = f"p99 of {worst} {p99_ms:,.1f} ms"
    if p99_ms > limit.ms:
        value += f" is {p99_ms - limit.ms:,.1f} ms above the limit"
    return Check(name="p99", outcome=_outcome(ok=p99_ms <= limit.ms), message=value, requirement=f"at most {limit}")


def _percent(rate: float) -> str:
    return f"{rate * 100:.4g} %"


def _outcome(*, ok: bool) -> Outcome:
    return Outcome.PASSED if ok else Outcome.FAILED
