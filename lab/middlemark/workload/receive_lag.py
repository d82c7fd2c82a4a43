"""Response times split into what network and server took and what was the driver's own receive lag."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.records.driver_lines import AuditLine
from middlemark.records.point import ReceiveLag, TransactionFigures
from middlemark.workload.latencies import Latencies

MAX_UNSTAMPED = 0.01
"""This share of the responses may lack their stamp, as the first ones of a machine do."""


def receive_lag(audits: Sequence[AuditLine], total: TransactionFigures, objects: int) -> ReceiveLag | None:
    """Return the receive lag in these audits; None where stamps were not requested, or the kernel has set none.

    `total` are all transactions in the same time, counted from their actual start, and `objects` the sub-resources of
    their pages. A transaction takes the lags of its responses, redirects included, one after the other, so that its
    mean is split by their sum. It is not split where a transaction failed, whose responses have a lag but no time, nor
    with sub-resources, whose lags overlap, nor where too many responses came without a stamp or were not counted. Means
    are subtracted, percentiles never.
    """
    lag = Latencies.merged(Latencies.decode(audit.receive_lag) for audit in audits if audit.receive_lag is not None)
    if not lag.count:
        return None
    mean_ms = lag.mean_us / 1000
    can_split = total.count and not total.errors and not objects and _stamped(audits, lag.count)
    return ReceiveLag(
        responses=lag.count,
        mean_ms=mean_ms,
        p50_ms=lag.percentile_us(50) / 1000,
        p99_ms=lag.percentile_us(99) / 1000,
        max_ms=lag.max_us / 1000,
        server_mean_ms=total.mean_ms - mean_ms * lag.count / total.count if can_split else None,
    )


def _stamped(audits: Sequence[AuditLine], stamped: int) -> bool:
    """Return whether nearly all responses had a stamp. Not by transactions: redirects have responses of their own."""
    if any(audit.unstamped is None for audit in audits):
        return False
    unstamped = sum(audit.unstamped or 0 for audit in audits)
    return unstamped <= MAX_UNSTAMPED * (stamped + unstamped)
