"""Hears the driver's lines of a warm-up, reads the samples beside them, and decides when it is enough."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from middlemark.judge.samples import SampleSums
from middlemark.records.driver_lines import Interval, Line, PhaseName
from middlemark.records.run_parts import WarmUp, WarmUpCourse
from middlemark.records.samples import Samples
from middlemark.verdict.compilation import Compiling, is_done, last_span, rho_of
from middlemark.verdict.drift import CpuCourse, Flatness, flatness

# A look costs the lab milliseconds; the more looks, the likelier that chance makes one of them flat.
LOOK_S = 5.0
MAX_STRETCHES = 24
MAX_STRETCHES_OF_LOOK = 4


@dataclass(frozen=True)
class _Counted:
    """What the driver counted in an interval; seconds since its hello."""

    start_s: float
    end_s: float
    count: int


class WarmUpWatch:
    """What was heard and seen so far. `compiles`: tiers declare compiler threads, and these decide."""

    def __init__(self, folder: Path, first_look_s: float, *, compiles: bool = False) -> None:
        self._samples = Samples(folder / "monitor.ndjson")
        self._intervals: list[_Counted] = []
        self._watched: list[_Counted] = []
        self._compiles = compiles
        self._cpu = CpuCourse()
        self._compiling: list[Compiling] = []
        self._due_s = first_look_s
        self._end_s = 0.0
        self._found: Flatness | None = None
        self._is_over = False

    def hear(self, line: Line) -> None:
        """Take in a line."""
        if not isinstance(line, Interval) or line.phase is PhaseName.DRAIN or not line.seconds:
            return
        self._end_s = line.end_ns / 1e9
        if line.phase is PhaseName.MEASURE:
            self._intervals.append(_Counted(line.start_ns / 1e9, self._end_s, line.count))

    def enough(self) -> bool:
        """Whether a look was due, and the compiler was done, or CPU time per transaction flat."""
        if self._end_s < self._due_s:
            return False
        self._due_s = self._end_s + LOOK_S
        self._look()
        self._is_over = is_done(self._compiling) if self._compiles else self._is_flat()
        return self._is_over

    def record(self, combination: str, start: int, limit_s: float, *, judged: bool) -> WarmUp:
        """The record of the warm-up, which is over; `judged`: it might have ended before its limit.

        Seconds that were still under way when it was found warm change nothing of that.
        """
        self._look()
        found, last = self._found, last_span(self._compiling)
        seen = self._compiles and bool(self._compiling)
        share = (last.share if last else _share(self._compiling)) if seen else None
        return WarmUp(
            combination=combination,
            start=start,
            seconds=self._end_s,
            limit_s=limit_s,
            flat=self._is_over or self._is_flat() if judged and not self._compiles else None,
            change_s=found.seconds if found else None,
            change=found.change if found else None,
            uncertainty=found.uncertainty if found else None,
            compiled=self._is_over or is_done(self._compiling) if judged and self._compiles else None,
            compiler_share=share,
            rho=rho_of(self._compiling) if self._compiles else None,
            course=list(self._course(MAX_STRETCHES)),
        )

    def look_after(self, begin_s: float) -> list[WarmUpCourse]:
        """The course of the look at the measured load, which began so many seconds after the warm-up."""
        self._look()
        found = self._course(MAX_STRETCHES_OF_LOOK)
        return [one.model_copy(update={"end_s": begin_s + one.end_s, "at_load": True}) for one in found]

    def _is_flat(self) -> bool:
        return self._found is not None and self._found.flat

    def _look(self) -> None:
        samples = list(self._samples)
        if not samples:
            return
        # The first sample may be taken after the begin of the load, and the one beside the last interval not yet.
        first_s, last_s = samples[0].t_ns / 1e9, samples[-1].t_ns / 1e9
        watched = [one for one in self._intervals if first_s <= one.start_s and one.end_s <= last_s]
        if not watched:
            return
        sums, edges = SampleSums.of(samples), [*(one.start_s for one in watched), watched[-1].end_s]
        self._watched, self._cpu = watched, CpuCourse(sums.cpu_between(edges), sums.cpu_step_s)
        self._found = flatness(watched, self._cpu)
        compiler_s = sums.compiler_between(edges) if self._compiles else (0.0,) * len(watched)
        if len(compiler_s) == len(self._cpu.seconds) == len(watched):
            both = zip(watched, self._cpu.seconds, compiler_s, strict=True)
            self._compiling = [Compiling(one.start_s, one.end_s, one.count, cpu, spent) for one, cpu, spent in both]

    def _course(self, stretches: int) -> Iterable[WarmUpCourse]:
        """The CPU time per transaction of as many intervals together as are needed to have so few stretches."""
        size = max(1, math.ceil(len(self._compiling) / stretches))
        for begin in range(0, len(self._compiling), size):
            part = self._compiling[begin : begin + size]
            count, cpu_s = sum(one.count for one in part), sum(one.cpu_s for one in part)
            if count:
                share = _share(part) if self._compiles else None
                yield WarmUpCourse(end_s=part[-1].end_s, cpu_ms=1000 * cpu_s / count, compiler_share=share)


def _share(stretches: Sequence[Compiling]) -> float:
    cpu_s = sum(one.cpu_s for one in stretches)
    return sum(one.compiler_s for one in stretches) / cpu_s if cpu_s > 0 else 0.0
