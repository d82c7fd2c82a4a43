"""Response times as HdrHistograms: decoded, added, never averaged.

The format and the meaning of its values: https://github.com/HdrHistogram/HdrHistogram. Decoding is the hdrhistogram
package's; the figures are computed over all counters at once because the package walks them one by one in Python.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable

import numpy as np
from hdrh.codec import HdrCookieException, HdrHistogramSettingsException, HdrLengthException
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from middlemark.errors import InputError

LOWEST_US, HIGHEST_US, DIGITS = 1, 120_000_000, 3
"""The driver's histograms (docs/reference/driver.md)."""
# What the package raises for bytes that are no histogram.
_UNREADABLE = (
    ValueError, IndexError, OverflowError, zlib.error, HdrCookieException, HdrHistogramSettingsException,
    HdrLengthException,
)  # fmt: skip


class Latencies:
    """Counts of times in µs, with the resolution of the driver's histograms (three digits)."""

    def __init__(self, counts: NDArray[np.int64] | None = None) -> None:
        self.counts = np.zeros(_SIZE, dtype=np.int64) if counts is None else counts

    @classmethod
    def decode(cls, encoded: str) -> Latencies:
        """Return the times of an encoded histogram (V2, deflated, base64).

        Raises InputError for what cannot be decoded, and for other bounds or digits than the driver's.
        """
        try:
            histogram = HdrHistogram.decode(encoded)
        except _UNREADABLE as error:
            raise InputError(f"this is not a histogram of the driver ({error or type(error).__name__})") from error
        bounds = (histogram.lowest_trackable_value, histogram.highest_trackable_value, histogram.significant_figures)
        if bounds != (LOWEST_US, HIGHEST_US, DIGITS):
            raise InputError(f"expected a histogram of {(LOWEST_US, HIGHEST_US, DIGITS)}, found one of {bounds}")
        return cls(np.array(histogram.counts, dtype=np.int64))

    def encode(self) -> str:
        """The times as the driver writes a histogram."""
        histogram = HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)
        used = np.flatnonzero(self.counts)
        for index in used:
            histogram.record_value(int(_HIGHEST[index]), int(self.counts[index]))
        encoded: bytes = histogram.encode()
        return encoded.decode("ascii")

    def add(self, encoded: str) -> None:
        """Add the times of an encoded histogram; raise InputError as `decode`."""
        self.counts += Latencies.decode(encoded).counts

    @classmethod
    def merged(cls, parts: Iterable[Latencies]) -> Latencies:
        """Return all times of `parts` together."""
        total = cls()
        for part in parts:
            total.counts += part.counts
        return total

    @property
    def count(self) -> int:
        """Return how many times there are."""
        return int(self.counts.sum())

    @property
    def mean_us(self) -> float:
        """Return the arithmetic mean; 0 when empty."""
        count = self.count
        return self._sum(_MIDDLE) / count if count else 0.0

    @property
    def sd_us(self) -> float:
        """Return the standard deviation (of all of them, divided by n); 0 when empty."""
        count = self.count
        return math.sqrt(self._sum((_MIDDLE - self.mean_us) ** 2) / count) if count else 0.0

    def _sum(self, values: NDArray[np.float64]) -> float:
        """Return the sum of a value of each counter, as often as it counted.

        Not by `@`: numpy's library shares a product of this size among threads, which wait for one another.
        """
        used = np.flatnonzero(self.counts)
        return float((self.counts[used] * values[used]).sum())

    @property
    def max_us(self) -> int:
        """Return the largest time (the highest value its counter stands for); 0 when empty."""
        used = np.flatnonzero(self.counts)
        return int(_HIGHEST[used[-1]]) if used.size else 0

    def percentile_us(self, percent: float) -> int:
        """Return the time that `percent` % of the times do not exceed; 0 when empty."""
        count = self.count
        if not count:
            return 0
        # Rounded first, because 99.9 % of 1,000 is 999.0000000000001 in binary.
        rank = max(1, math.ceil(round(percent * count / 100, 6)))
        return int(_HIGHEST[int(np.searchsorted(np.cumsum(self.counts), rank))])


def _values() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the middle and the highest value of each counter.

    As the package's get_value_from_index, which computes one: the first 2 · half counters stand for one value each, the
    next `half` for two each, then four, and so on.
    """
    reference = HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)
    index = np.arange(reference.counts_len, dtype=np.int64)
    half = reference.sub_bucket_half_count
    bucket = np.maximum((index // half) - 1, 0)
    lowest = (index - bucket * half) << bucket
    width = np.int64(1) << bucket
    # A counter of one value stands for it, a wider one for the middle of its range.
    return (lowest + width // 2).astype(np.float64), lowest + width - 1


_MIDDLE, _HIGHEST = _values()
_SIZE = len(_HIGHEST)
