"""Writes the window's histograms as an HdrHistogram log, for the standard tools.

Format: HistogramLogWriter 1.3 of https://github.com/HdrHistogram/HdrHistogram (tags since 1.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from middlemark.load.latencies import Latencies
from middlemark.load.lines import Hello, Interval, Line, PhaseName


def write_hlog(lines: Sequence[Line], path: Path) -> None:
    """Write one entry per interval of the window and transaction, tagged with its name.

    Values are µs, times are seconds since the first line's wall clock, `Interval_Max` is in ms.
    """
    path.write_text("\n".join(_log(lines)) + "\n", encoding="utf-8")


def _log(lines: Sequence[Line]) -> Iterator[str]:
    start = next((line.wall_clock for line in lines if isinstance(line, Hello)), None)
    yield "#[Histogram log format version 1.3]"
    yield "#[Values are microseconds, Interval_Max is milliseconds]"
    if start is not None:
        yield f"#[StartTime: {start.timestamp():.3f} (seconds since epoch), {start.isoformat()}]"
        yield f"#[BaseTime: {start.timestamp():.3f} (seconds since epoch)]"
    yield '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
    for line in lines:
        if isinstance(line, Interval) and line.phase is PhaseName.MEASURE:
            yield from _entries(line)


def _entries(interval: Interval) -> Iterator[str]:
    for name, counts in interval.transactions.items():
        # The format: a tag holds neither commas nor blanks.
        tag = re.sub(r"[,\s]", "_", name)
        max_ms = Latencies.decode(counts.histogram).max_us / 1000
        yield f"Tag={tag},{interval.start_ns / 1e9:.6f},{interval.seconds:.6f},{max_ms:.3f},{counts.histogram}"
