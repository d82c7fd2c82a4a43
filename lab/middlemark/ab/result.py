"""What a comparison of two sides found: the JSON of `middlemark ab --json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from middlemark.ab.sequential import Word
from middlemark.records.record import Record
from middlemark.show.csv import numbers
from middlemark.show.junit import Case, Suite, junit_xml
from middlemark.verdict.estimate import Interval
from middlemark.verdict.words import percentages
from middlemark.wording import counted
from middlemark.workload.latencies import Latencies

MAX_NAME = 40
MAX_HELD_SHARE = 0.02


class Metric(StrEnum):
    """The metric that leads; of both, more is slower."""

    CPU_TIME = "CPU time per request"
    TIME = "time per request"


class SliceResult(Record):
    """One slice of one side. `requests` are valid steps; `cpu_s` is None where it cannot be seen."""

    seconds: float
    requests: int
    errors: int
    cpu_s: float | None
    mean_ms: float
    p99_ms: float


class PairResult(Record):
    """A slice of each side, one right after the other, and ln of B's figure ÷ A's."""

    a_first: bool
    a: SliceResult
    b: SliceResult
    log_ratio: float


class WarmUpResult(Record):
    """Warm-up of a side: by how much its cost still changed in `ahead_s` at its end, ± `uncertainty`; None if unknown.

    `still_cheaper`: it fell for sure, by more than the limit of a flat course.
    """

    slices: int
    flat: bool
    ahead_s: float | None
    change: float | None
    uncertainty: float | None
    still_cheaper: bool


class SideResult(Record):
    """Figures of a side over all pairs. `cpu_unseen` says why its CPU time cannot be seen.

    `process` is the one whose CPU time is counted, with its children. `cpu_while_held_s` is what it used from the first
    pair on while the other side worked; None where both sides are the same processes.
    """

    name: str
    address: str
    process: str | None
    cpu_unseen: str | None
    requests: int
    errors: int
    seconds: float
    requests_per_s: float
    cpu_ms_per_request: float | None
    cpu_while_held_s: float | None
    mean_ms: float
    p99_ms: float
    body_bytes: float | None
    warm_up: WarmUpResult

    @property
    def held_share(self) -> float:
        """CPU time while the other side worked ÷ CPU time of its own slices."""
        used_s = (self.cpu_ms_per_request or 0.0) * self.requests / 1000
        return (self.cpu_while_held_s or 0.0) / used_s if used_s else 0.0


class AbResult(Record):
    """A comparison of B with A: 0.06 is 6 % more of the metric. `low` and `high` hold at every look (95 % together).

    `still_faster` names the side that was still getting cheaper, so that no word is said against it. `driver_limited`:
    throughput and times are the driver's as much as the servers', so that times have no word. Of `dropped_pairs` a
    slice showed no cost at all.
    """

    v: int = 1
    word: Word
    change: float
    low: float
    high: float | None
    metric: Metric
    equal_within: float
    fail_if_slower: float | None
    failed: bool
    still_faster: str | None
    decided: bool
    interrupted: bool
    looks: int
    dropped_pairs: int
    seconds: float
    warm_up_s: float
    slice_s: float
    users: int
    seed: int
    same_address: bool
    started: bool
    driver_limited: bool
    a: SideResult
    b: SideResult
    pairs: tuple[PairResult, ...]

    def lines(self) -> list[str]:
        """At most twelve lines for people, the answer first."""
        return [self.conclusion(), self._basis(), *_table(self.a, self.b), self._scope(), *self._notes()][:12]

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Yield the figures of every slice as rows of `show.csv`: a pair is a window, the sides are combinations."""
        for number, pair in enumerate(self.pairs, 1):
            for side, one in ((self.a, pair.a), (self.b, pair.b)):
                letter = "A" if side is self.a else "B"
                for metric, value in numbers(one.model_dump()):
                    yield (
                        "ab",
                        f"pair {number}",
                        "slice",
                        f"{letter} {side.name}",
                        self.users,
                        1,
                        number,
                        True,
                        metric,
                        value,
                    )

    def junit(self) -> bytes:
        """One case as JUnit XML: failed by the threshold, skipped without a word."""
        text, name = "\n".join(self.lines()), f"{self.b.name} beside {self.a.name}"
        failure = self.conclusion() if self.failed else ""
        skipped = self.conclusion() if self.word is Word.UNDECIDED and not self.failed else ""
        case = Case(name, self.metric.value, self.seconds, failure, skipped, text)
        return junit_xml("middlemark ab", [Suite("ab", [case])])

    def conclusion(self) -> str:
        """The answer in one sentence."""
        span, metric = f"{_span(self.low, self.high)}", self.metric.value
        if self.interrupted and not self.pairs:
            return "Interrupted before anything was compared."
        if self.driver_limited and self.metric is Metric.TIME:
            return f"Cannot tell ({span}, {metric}): the driver was the limit. Give fewer --users."
        if self.still_faster:
            return (
                f"Cannot tell ({span}, {metric}): {self.still_faster} was still getting faster; "
                f"not judged against it. Give a longer one: --warm-up {2 * max(self.warm_up_s, 15):.0f}s"
            )
        if self.word is Word.EQUAL:
            return f"B and A are equal within {100 * self.equal_within:g} % ({span}, {metric})."
        if self.word is Word.UNDECIDED:
            return f"Cannot tell ({span}, {metric})."
        amount = span.replace("+", "")
        if self.word is Word.FASTER:
            amount = _span(-(self.high or 0.0), -self.low).replace("+", "")
        return f"B is {self.word.value} by {amount} ({metric})."

    def _basis(self) -> str:
        spent = f"{self.seconds:.0f} s, {self.warm_up_s:.0f} s of them warm-up"
        ended = "interrupted" if self.interrupted else "decided" if self.decided else "the budget is used"
        pairs = f"{counted(len(self.pairs), 'pair')} of slices of {self.slice_s:g} s, {counted(self.users, 'user')}"
        return f"{pairs}; {spent}; {ended}."

    def _scope(self) -> str:
        if self.same_address:
            return "A and B are the same pages: a test of the measurement (A/A), no comparison."
        return (
            "The interval is that of these two processes; other starts of the same versions may differ by some percent."
        )

    def _notes(self) -> Iterable[str]:
        if self.driver_limited:
            yield "The driver used most of its CPU: requests/s are its limit as much as the servers'."
        if self.fail_if_slower is not None:
            yield self._threshold(self.fail_if_slower)
        for letter, side in (("A", self.a), ("B", self.b)):
            if side.cpu_unseen:
                yield f"CPU time of {letter} is not seen: {side.cpu_unseen}. Only throughput and times are compared."
        a, b = self.a.body_bytes or 0.0, self.b.body_bytes or 0.0
        if abs(a - b) > 0.01 * max(a, b):
            yield f"Bodies differ: {a:,.0f} bytes from A, {b:,.0f} from B. The work may not be the same."
        if self.dropped_pairs:
            yield f"{counted(self.dropped_pairs, 'pair')} dropped: a process ended in a slice, its work was not seen."
        restless = [
            letter for letter, side in (("A", self.a), ("B", self.b)) if not side.warm_up.flat and not self.still_faster
        ]
        if restless:
            yield f"The warm-up of {' and '.join(restless)} reached its time limit before the cost was surely steady."
        for letter, side in (("A", self.a), ("B", self.b)):
            if side.held_share > MAX_HELD_SHARE:
                yield (
                    f"{letter} used {side.cpu_while_held_s or 0:.2f} s of CPU time while no request of it was under "
                    f"way, {100 * side.held_share:.0f} % of what its slices used: work for later is in no figure."
                )

    def _threshold(self, limit: float) -> str:
        if self.failed:
            return f"FAIL: B is slower by more than {100 * limit:g} % for certain: all of the interval is above it."
        if self.high is not None and self.high <= limit:
            return f"PASS: B is not slower by more than {100 * limit:g} %: all of the interval is below it."
        return f"PASS, not proven: the interval does not exclude that B is slower by more than {100 * limit:g} %."


def side_times(times: Latencies) -> tuple[float, float]:
    """Mean and p99 in milliseconds; 0 without any."""
    return times.mean_us / 1000, times.percentile_us(99) / 1000


def _table(a: SideResult, b: SideResult) -> list[str]:
    rows = [f"{'':3}{'CPU ms/request':>15}{'requests/s':>13}{'mean ms':>10}{'p99 ms':>10}{'errors':>8}"]
    for letter, side in (("A", a), ("B", b)):
        cpu = "not seen" if side.cpu_ms_per_request is None else f"{side.cpu_ms_per_request:,.4g}"
        figures = f"{side.requests_per_s:>13,.1f}{side.mean_ms:>10,.2f}{side.p99_ms:>10,.2f}{side.errors:>8,}"
        name = side.name if len(side.name) <= MAX_NAME else f"{side.name[: MAX_NAME - 1]}…"
        rows.append(f"{letter:3}{cpu:>15}{figures}   {name}" + (f" ({side.process})" if side.process else ""))
    return rows


def _span(low: float, high: float | None) -> str:
    """Interval in percent; without an upper end: unlimited."""
    return "nothing known" if high is None else percentages(Interval(1 + low, 1 + high))
