"""Response times split into what network and server took and what was the driver's own receive lag."""

from __future__ import annotations

from middlemark.records.driver_lines import AuditLine
from middlemark.records.window import ReceiveLag, TransactionFigures
from middlemark.workload.latencies import Latencies

MAX_UNSTAMPED = 0.01
"""This share of the responses may lack their stamp, as the first ones of a machine do."""


class Stamps:
    """Sums of what the driver's audits report of the kernel's stamps. `unstamped` None: one does not count them."""

    def __init__(self) -> None:
        self.lag = Latencies()
        self.unstamped: int | None = 0

    def add(self, audit: AuditLine) -> None:
        """Add an audit."""
        if audit.receive_lag is not None:
            self.lag.add(audit.receive_lag)
        self.unstamped = None if self.unstamped is None or audit.unstamped is None else self.unstamped + audit.unstamped

    @property
    def enough(self) -> bool:
        """Whether nearly all responses had a stamp. Not by transactions: redirects have responses of their own."""
        unstamped = self.unstamped
        return unstamped is not None and unstamped <= MAX_UNSTAMPED * (self.lag.count + unstamped)


def receive_lag(stamps: Stamps, total: TransactionFigures, sub_resources: int) -> ReceiveLag | None:
    """Return the receive lag by these stamps; None where they were not requested, or the kernel has set none.

    `total` are all transactions in the same time, counted from their actual start, and `sub_resources` those of
    their pages. A transaction takes the lags of its responses, redirects included, one after the other, so that its
    mean is split by their sum. It is not split where a transaction failed, whose responses have a lag but no time, nor
    with sub-resources, whose lags overlap, nor where too many responses came without a stamp or were not counted. Means
    are subtracted, percentiles never.
    """
    lag = stamps.lag
    if not lag.count:
        return None
    mean_ms = lag.mean_us / 1000
    can_split = total.count and not total.errors and not sub_resources and stamps.enough
    return ReceiveLag(
        responses=lag.count,
        mean_ms=mean_ms,
        p50_ms=lag.percentile_us(50) / 1000,
        p99_ms=lag.percentile_us(99) / 1000,
        max_ms=lag.max_us / 1000,
        server_mean_ms=total.mean_ms - mean_ms * lag.count / total.count if can_split else None,
    )
