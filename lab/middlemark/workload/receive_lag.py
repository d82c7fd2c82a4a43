"""Response times split into what network and server took and what was the driver's own receive lag."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.records.driver_lines import AuditLine
from middlemark.records.point import ReceiveLag, TransactionFigures
from middlemark.workload.latencies import Latencies

MOST_UNSTAMPED = 0.01
"""So many of the answers may lack their stamp, as the first ones of a machine do."""


def receive_lag(audits: Sequence[AuditLine], total: TransactionFigures, objects: int) -> ReceiveLag | None:
    """Return the receive lag in these audits; None where the kernel was not asked, or has stamped nothing.

    `total` are all transactions in the same time, counted from their true begin, and `objects` those of their pages. A
    transaction takes the lags of its answers, redirects included, one after the other, so that its mean is split by
    their sum. Not where a transaction failed, whose answers have a lag but no time, nor with objects, whose lags
    overlap, nor where too many answers came without a stamp, or nobody counted them, as older drivers do. Means are
    subtracted, percentiles never.
    """
    lag = Latencies.merged(Latencies.decode(audit.receive_lag) for audit in audits if audit.receive_lag is not None)
    if not lag.count:
        return None
    mean_ms = lag.mean_us / 1000
    can_split = total.count and not total.errors and not objects and _stamped(audits, lag.count)
    return ReceiveLag(
        answers=lag.count,
        mean_ms=mean_ms,
        p50_ms=lag.percentile_us(50) / 1000,
        p99_ms=lag.percentile_us(99) / 1000,
        max_ms=lag.max_us / 1000,
        server_mean_ms=total.mean_ms - mean_ms * lag.count / total.count if can_split else None,
    )


def _stamped(audits: Sequence[AuditLine], stamped: int) -> bool:
    """Return whether nearly all answers had a stamp. Redirects make more answers than transactions: those tell not."""
    if any(audit.unstamped is None for audit in audits):
        return False
    unstamped = sum(audit.unstamped or 0 for audit in audits)
    return unstamped <= MOST_UNSTAMPED * (stamped + unstamped)
