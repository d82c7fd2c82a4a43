"""Response times split into what network and server took and what was the driver's own receive lag."""

from __future__ import annotations

from collections.abc import Iterable

from middlemark.load.latencies import Latencies
from middlemark.load.lines import AuditLine
from middlemark.results.point import ReceiveLag, TransactionFigures

MOST_UNLIKE = 0.01
"""So many of the answers may lack their stamp, as the first ones of a machine do."""


def receive_lag(audits: Iterable[AuditLine], total: TransactionFigures) -> ReceiveLag | None:
    """Return the receive lag in these audits; None where the kernel was not asked, or has stamped nothing.

    `total` are all transactions in the same time, counted from their true begin. The mean is split only where every
    transaction was one answer: redirects, objects of pages and failed transactions have a lag too, and would make it
    too large. Means are subtracted, percentiles never.
    """
    lag = Latencies.merged(Latencies.decode(audit.receive_lag) for audit in audits if audit.receive_lag is not None)
    if not lag.count:
        return None
    mean_ms = lag.mean_us / 1000
    is_one_to_one = not total.errors and abs(lag.count - total.count) <= MOST_UNLIKE * total.count
    return ReceiveLag(
        answers=lag.count,
        mean_ms=mean_ms,
        p50_ms=lag.percentile_us(50) / 1000,
        p99_ms=lag.percentile_us(99) / 1000,
        max_ms=lag.max_us / 1000,
        server_mean_ms=total.mean_ms - mean_ms if is_one_to_one else None,
    )
