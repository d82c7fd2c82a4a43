"""What connections over TLS agreed on, and how often a session was resumed, from the driver's lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from middlemark.records.driver_lines import Interval, PhaseName
from middlemark.records.point import TlsSuite


def tls_suites(intervals: Iterable[Interval]) -> tuple[TlsSuite, ...]:
    """Return each version and cipher of any phase, with the handshakes of the window, the most frequent first.

    Connections that are kept have their handshakes before the window.
    """
    handshakes, full, resumed = (Counter[tuple[str, str]]() for _ in range(3))
    for interval in intervals:
        for one in interval.tls:
            suite = (one.version, one.cipher)
            handshakes[suite] += one.full + one.resumed
            if interval.phase is PhaseName.MEASURE:
                full[suite] += one.full
                resumed[suite] += one.resumed
    return tuple(
        TlsSuite(version=suite[0], cipher=suite[1], handshakes=count, full=full[suite], resumed=resumed[suite])
        for suite, count in handshakes.most_common()
    )
