"""Compares two sides by slices that take turns, until the answer is known or the budget is used."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from middlemark.ab.cpu import CpuMeter, Unseen
from middlemark.ab.options import AbOptions
from middlemark.ab.result import (
    AbResult,
    Metric,
    PairResult,
    SideResult,
    SliceResult,
    WarmUpResult,
    side_times,
)
from middlemark.ab.sequential import (
    UNKNOWN,
    Interval,
    Word,
    against,
    falls,
    interval_at,
    is_decided,
    next_look,
    word_of,
)
from middlemark.ab.side import MeasuredSlice, Side, both_sides, turns
from middlemark.errors import TargetError
from middlemark.processes.watchdog import watchdog
from middlemark.verdict.drift import FLAT_LIMIT, CpuCourse, Flatness, flatness
from middlemark.wording import counted
from middlemark.workload.error_kinds import MEANINGS
from middlemark.workload.latencies import Latencies

MAX_ERROR_RATE = 0.01
DRIVER_LIMIT = 0.8
"""Share of its CPU above which the driver may be the limit of throughput."""
MAX_DROPPED = 0.1
"""Share of pairs that may be dropped, beside the first three, before a comparison is given up."""
# The clock of a process is exact; what a fork of it has left is counted in ticks of 10 ms.
CLOCK_STEP_S = 1e-6


@dataclass(frozen=True)
class Worked:
    """A slice as a stretch of the time in which its side worked, for the course of its cost."""

    start_s: float
    end_s: float
    count: int


@dataclass
class Course:
    """The slices of a side in their order."""

    slices: list[MeasuredSlice] = field(default_factory=list)

    def flatness(self, metric: Metric) -> Flatness | None:
        """By how much the cost still changes; None when too little was seen."""
        worked, costs, now = [], [], 0.0
        for one in self.slices:
            worked.append(Worked(now, now + one.counts.seconds, one.counts.requests))
            costs.append(_amount(one, metric))
            now += one.counts.seconds
        return flatness(worked, CpuCourse(tuple(costs), CLOCK_STEP_S))


Progress = Callable[[str], None]


def compare(options: AbOptions, progress: Progress) -> AbResult:
    """Compare B with A and return what was found; all that was started is stopped. `progress` gets the present state.

    Raises InputError, HostError and TargetError when the sides cannot be compared. Ctrl-C ends it with what is known so
    far once pairs are measured, else it raises KeyboardInterrupt.
    """
    with (
        watchdog() as watching,
        watching.private_folder("middlemark-ab-") as folder,
        both_sides(options, watching, folder) as sides,
    ):
        return _Comparison(options, sides, progress).run()


class _Comparison:
    def __init__(self, options: AbOptions, sides: tuple[Side, Side], progress: Progress) -> None:
        self._options = options
        self._sides = sides
        self._progress = progress
        self._turns = turns(options.seed)
        self._began = time.monotonic()
        self._warm_up = (Course(), Course())
        self._measured = (Course(), Course())
        self._firsts: list[bool] = []
        self._values: list[float] = []
        self._looks = self._looked_at = self._dropped = 0
        self._interval = UNKNOWN
        seen = all(isinstance(side.meter, CpuMeter) for side in sides)
        self._metric = Metric.CPU_TIME if seen else Metric.TIME

    def run(self) -> AbResult:
        warm_up_s = self._warmed_up()
        for side in self._sides:
            side.cpu_while_held_s = 0.0  # compilers worked for what is measured only now
        decided = interrupted = False
        used_before = _driver_cpu(self._sides)
        try:
            for _ in self._pairs_in_budget():
                decided = self._look_if_due()
                if decided:
                    break
            if not decided and len(self._values) > self._looked_at:
                decided = self._look()
        except KeyboardInterrupt:
            if len(self._values) < 2:
                raise
            interrupted = True
            if len(self._values) > self._looked_at:
                self._look()
        worked_s = sum(one.counts.seconds for course in self._measured for one in course.slices)
        limited = worked_s > 0 and (_driver_cpu(self._sides) - used_before) / worked_s > DRIVER_LIMIT
        return self._result(warm_up_s, decided=decided, interrupted=interrupted, limited=limited)

    def _warmed_up(self) -> float:
        """Let both sides work in turn until their costs are flat, or the limit is reached; return how long it took."""
        limit_s = self._options.longest_warm_up_s
        while True:
            self._pair(self._warm_up)
            took_s = time.monotonic() - self._began
            self._use_what_is_seen()
            flat = [course.flatness(self._metric) for course in self._warm_up]
            self._progress(f"warm-up, {took_s:.0f} s of at most {limit_s:.0f} s")
            if took_s >= limit_s or all(one is not None and one.flat for one in flat):
                return took_s

    def _use_what_is_seen(self) -> None:
        """Compare times when a process that listens works no more than nothing: another one does it."""
        for side, course in zip(self._sides, self._warm_up, strict=True):
            if self._metric is Metric.CPU_TIME and not course.slices[-1].cpu_s:
                side.meter = Unseen("the process that listens uses no CPU time; others do its work")
                self._metric = Metric.TIME

    def _pairs_in_budget(self) -> Iterator[int]:
        """Measure pair after pair as long as the budget has room for one more."""
        end = self._began + self._options.budget.seconds
        longest = 0.0
        while time.monotonic() + longest <= end or len(self._values) < 2:
            begun = time.monotonic()
            a_first = self._pair(self._measured)
            longest = max(longest, time.monotonic() - begun)
            a, b = (_cost(course.slices[-1], self._metric) for course in self._measured)
            if min(a, b) <= 0:
                self._drop_pair()
                continue
            self._firsts.append(a_first)
            self._values.append(math.log(b / a))
            yield len(self._values)

    def _drop_pair(self) -> None:
        """Drop a pair with a slice that cost nothing, as no work does; TargetError when there are too many.

        What a process worked that has ended is in no sum until its parent has waited for it.
        """
        self._dropped += 1
        if self._dropped > 3 + MAX_DROPPED * len(self._values):
            raise TargetError(
                f"{counted(self._dropped, 'pair')} beside {len(self._values)} "
                f"have a slice without any {self._metric.value}",
                todo="Look whether the processes that do the work end and begin all the time",
            )
        for course in self._measured:
            course.slices.pop()

    def _pair(self, into: tuple[Course, Course]) -> bool:
        """Measure a slice of each side and return whether A was first; TargetError when too many requests failed."""
        a_first = next(self._turns)
        pair: dict[int, MeasuredSlice] = {}
        for index in (0, 1) if a_first else (1, 0):
            pair[index] = self._sides[index].measure(self._options.slice.seconds)
        for index, one in sorted(pair.items()):
            into[index].slices.append(one)
        self._check_errors(into)
        return a_first

    def _check_errors(self, courses: tuple[Course, Course]) -> None:
        counts = [
            (
                sum(one.counts.requests for one in course.slices),
                sum(one.counts.errors.total() for one in course.slices),
            )
            for course in courses
        ]
        for index, (valid, failed) in enumerate(counts):
            if failed > MAX_ERROR_RATE * (valid + failed) or not valid:
                side, other = self._sides[index], counts[1 - index]
                kinds = courses[index].slices[-1].counts.errors or courses[index].slices[0].counts.errors
                why = "; ".join(f"{kind} {number:,}: {MEANINGS.get(kind, kind)}" for kind, number in kinds.items())
                raise TargetError(
                    f"{failed:,} of {valid + failed:,} requests to {side.letter} failed ({why}), "
                    f"and {other[1]:,} of {sum(other):,} to {self._sides[1 - index].letter}",
                    where=side.options.name,
                    todo="Errors cost other work than pages do, so nothing is compared",
                )

    def _look_if_due(self) -> bool:
        pairs = len(self._values)
        self._report(pairs)
        return pairs == next_look(pairs - 1) and self._look()

    def _look(self) -> bool:
        """Look at all pairs so far; return whether the answer is known."""
        self._interval = interval_at(self._looks, self._values)
        self._looks, self._looked_at = self._looks + 1, len(self._values)
        if self._still_faster():
            return False
        return is_decided(self._interval, self._options.equal_within, self._options.fail_if_slower)

    def _still_faster(self) -> str | None:
        """Letter of the side that an answer would be against although it was, or is, still getting faster."""
        loser = against(self._interval, self._options.equal_within, self._options.fail_if_slower)
        if loser is None:
            return None
        beside = self._values if loser else [-value for value in self._values]
        if not (_warm_up(self._warm_up[loser], self._metric).still_cheaper or falls(beside, FLAT_LIMIT)):
            return None
        return self._sides[loser].letter

    def _report(self, pairs: int) -> None:
        took_s, budget_s = time.monotonic() - self._began, self._options.budget.seconds
        known = ""
        if self._interval != UNKNOWN:
            low, high = 100 * self._interval.low, 100 * self._interval.high
            known = f", B beside A {low:+.1f} … {high:+.1f} % ({self._metric.value})"
        self._progress(f"{counted(pairs, 'pair')}, {took_s:.0f} s of at most {budget_s:.0f} s{known}")

    def _result(self, warm_up_s: float, *, decided: bool, interrupted: bool, limited: bool) -> AbResult:
        options, interval, still = self._options, self._interval, self._still_faster()
        unknown = still is not None or (limited and self._metric is Metric.TIME)
        word = Word.UNDECIDED if unknown else word_of(interval, options.equal_within)
        fails = options.fail_if_slower is not None and not unknown and interval.low > options.fail_if_slower
        a, b = (self._side_result(index) for index in (0, 1))
        return AbResult(
            word=word,
            **_ends(interval),
            metric=self._metric,
            equal_within=options.equal_within,
            fail_if_slower=options.fail_if_slower,
            failed=fails,
            still_faster=still,
            decided=decided,
            interrupted=interrupted,
            looks=self._looks,
            dropped_pairs=self._dropped,
            seconds=time.monotonic() - self._began,
            warm_up_s=warm_up_s,
            slice_s=options.slice.seconds,
            users=options.users,
            seed=options.seed,
            same_address=options.is_same,
            started=bool(options.sides[0].command),
            driver_limited=limited,
            a=a,
            b=b,
            pairs=tuple(self._pair_results()),
        )

    def _pair_results(self) -> Iterator[PairResult]:
        a, b = (course.slices for course in self._measured)
        for first, left, right, value in zip(self._firsts, a, b, self._values, strict=False):
            yield PairResult(a_first=first, a=_slice_result(left), b=_slice_result(right), log_ratio=value)

    @property
    def _is_one_program(self) -> bool:
        """Whether both sides are the same processes: none is ever without work."""
        meters = [side.meter for side in self._sides]
        a, b = (one.pids if isinstance(one, CpuMeter) else () for one in meters)
        return bool(a) and a == b

    def _side_result(self, index: int) -> SideResult:
        side, slices = self._sides[index], self._measured[index].slices
        seconds = sum(one.counts.seconds for one in slices)
        requests = sum(one.counts.requests for one in slices)
        responses = sum(one.counts.responses for one in slices)
        seen = isinstance(side.meter, CpuMeter)
        cpu_s = sum(one.cpu_s or 0.0 for one in slices)
        mean_ms, p99_ms = side_times(Latencies.merged(one.counts.times for one in slices))
        return SideResult(
            name=side.options.name,
            address=side.address,
            process=str(side.meter) if isinstance(side.meter, CpuMeter) else None,
            cpu_unseen=side.meter.reason if isinstance(side.meter, Unseen) else None,
            requests=requests,
            errors=sum(one.counts.errors.total() for one in slices),
            seconds=seconds,
            requests_per_s=requests / seconds if seconds else 0.0,
            cpu_ms_per_request=1000 * cpu_s / requests if seen and requests else None,
            cpu_while_held_s=None if self._is_one_program else side.cpu_while_held_s,
            mean_ms=mean_ms,
            p99_ms=p99_ms,
            body_bytes=sum(one.counts.body_bytes for one in slices) / responses if responses else None,
            warm_up=_warm_up(self._warm_up[index], self._metric),
        )


def _amount(one: MeasuredSlice, metric: Metric) -> float:
    return one.cpu_s or 0.0 if metric is Metric.CPU_TIME else one.counts.seconds


def _cost(one: MeasuredSlice, metric: Metric) -> float:
    """Cost of a request in the slice; 0 or less when its work was not seen in it."""
    return _amount(one, metric) / one.counts.requests if one.counts.requests else 0.0


def _slice_result(one: MeasuredSlice) -> SliceResult:
    mean_ms, p99_ms = side_times(one.counts.times)
    return SliceResult(
        seconds=one.counts.seconds,
        requests=one.counts.requests,
        errors=one.counts.errors.total(),
        cpu_s=one.cpu_s,
        mean_ms=mean_ms,
        p99_ms=p99_ms,
    )


def _warm_up(course: Course, metric: Metric) -> WarmUpResult:
    flat = course.flatness(metric)
    if flat is None:
        return WarmUpResult(
            slices=len(course.slices), flat=False, ahead_s=None, change=None, uncertainty=None, still_cheaper=False
        )
    return WarmUpResult(
        slices=len(course.slices),
        flat=flat.flat,
        ahead_s=flat.seconds,
        change=flat.change,
        uncertainty=flat.uncertainty,
        still_cheaper=flat.change + flat.uncertainty < -FLAT_LIMIT,
    )


def _ends(interval: Interval) -> dict[str, float | None]:
    high = interval.high if math.isfinite(interval.high) else None
    return {"change": interval.change, "low": interval.low, "high": high}


def _driver_cpu(sides: tuple[Side, Side]) -> float:
    return sum(side.driver_cpu_s() for side in sides)
