"""What connections over TLS agreed on, and how often a session was resumed, from the driver's lines."""

from __future__ import annotations

from collections import Counter

from middlemark.records.driver_lines import Interval, PhaseName
from middlemark.records.window import TlsSuite


class TlsSums:
    """Handshakes by version and cipher."""

    def __init__(self) -> None:
        self._handshakes, self._full, self._resumed = (Counter[tuple[str, str]]() for _ in range(3))

    def add(self, interval: Interval) -> None:
        """Add the handshakes of an interval."""
        for one in interval.tls:
            suite = (one.version, one.cipher)
            self._handshakes[suite] += one.full + one.resumed
            if interval.phase is PhaseName.MEASURE:
                self._full[suite] += one.full
                self._resumed[suite] += one.resumed

    def suites(self) -> tuple[TlsSuite, ...]:
        """Return each version and cipher of any phase, with the handshakes of the window, the most frequent first.

        Connections that are kept have their handshakes before the window.
        """
        return tuple(
            TlsSuite(
                version=suite[0],
                cipher=suite[1],
                handshakes=count,
                full=self._full[suite],
                resumed=self._resumed[suite],
            )
            for suite, count in self._handshakes.most_common()
        )
