"""What the driver used and how late it was in a window: the sums of its audits of itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from middlemark.records.driver_lines import AuditLine, PhaseName, Window
from middlemark.workload.latencies import Latencies
from middlemark.workload.receive_lag import Stamps


class DriverSums:
    """The driver's audits of itself in the window: CPU time since the audit before each, lateness, memory."""

    def __init__(self) -> None:
        self.audits = 0
        self.lateness = Latencies()
        self.rss_bytes = 0
        self.max_rss_bytes = 0
        self.stamps = Stamps()
        self._cpu_ns = 0
        self._threads_ns: list[int] = []
        self._last: AuditLine | None = None

    def follow(self, other: DriverSums) -> None:
        """Begin where the sums of the level before ended: what the driver had used by then is not this one's."""
        self._last = other._last

    def add(self, audit: AuditLine, phase: PhaseName | None) -> None:
        """Add the audit of an interval of this phase."""
        before, self._last = self._last, audit
        if phase is not PhaseName.MEASURE:
            return
        self.audits += 1
        self._cpu_ns += _cpu_ns(audit) - _cpu_ns(before)
        self._add_threads([thread.cpu_ns for thread in audit.threads], before)
        self.lateness.add(audit.lateness)
        self.rss_bytes += audit.rss_bytes
        self.max_rss_bytes = max(self.max_rss_bytes, audit.rss_bytes)
        self.stamps.add(audit)

    @property
    def cpu_s(self) -> float:
        """Return the CPU time in the window."""
        return self._cpu_ns / 1e9

    @property
    def busiest_thread_s(self) -> float:
        """Return the CPU time of the thread that had most in the window."""
        return max(self._threads_ns, default=0) / 1e9

    def differences(self, windows: Sequence[Window]) -> Iterator[tuple[str, int, int]]:
        """Yield what the driver's own sums have not the same of, how much these have and how much those have.

        Older drivers do not sum these up.
        """
        used = [
            w.cpu_user_ns + w.cpu_system_ns
            for w in windows
            if w.cpu_user_ns is not None and w.cpu_system_ns is not None
        ]
        if len(used) == len(windows) and sum(used) != self._cpu_ns:
            yield "ns of CPU time", self._cpu_ns, sum(used)
        for name, own in (("lateness", self.lateness), ("receive_lag", self.stamps.lag)):
            written = [encoded for window in windows if (encoded := getattr(window, name)) is not None]
            both = Latencies.merged(map(Latencies.decode, written))
            if len(written) == len(windows) and not np.array_equal(both.counts, own.counts):
                yield f"times named {name}", own.count, both.count
        unstamped = [window.unstamped for window in windows if window.unstamped is not None]
        if len(unstamped) == len(windows) and sum(unstamped) != self.stamps.unstamped:
            yield "responses without a stamp", self.stamps.unstamped or 0, sum(unstamped)

    def _add_threads(self, now_ns: list[int], before: AuditLine | None) -> None:
        earlier = [thread.cpu_ns for thread in before.threads] if before else [0] * len(now_ns)
        spent = [now - then for now, then in zip(now_ns, earlier, strict=False)]
        sums = self._threads_ns or [0] * len(spent)
        self._threads_ns = [so_far + more for so_far, more in zip(sums, spent, strict=False)]


def _cpu_ns(audit: AuditLine | None) -> int:
    return audit.cpu_user_ns + audit.cpu_system_ns if audit else 0
