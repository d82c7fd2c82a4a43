"""`findings.json`: everything that judging a result found. Reports, terminals, tables and comparisons read it alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal

from pydantic import Field

from middlemark.records.figures import BY_NAME
from middlemark.records.naming import short_names
from middlemark.records.record import Record
from middlemark.records.run import Combination, Load, Run
from middlemark.records.side_files import Clearing, Ledger, PriceSheet, Published, PublishedRatio, Work
from middlemark.records.soak import Soak
from middlemark.records.window import Part, Window


class Measured(Record):
    """What a result folder holds, each raw file read once and each window judged.

    `folder` is its name; `windows` are in the order in which they ran, those of searches and those set aside last.
    `unfinished` says of windows that were begun and not finished why, by their folders; `under_way` has the soaks among
    them as far as they have come.
    """

    folder: str
    run: Run
    windows: tuple[Window, ...]
    unfinished: dict[str, str] = Field(default_factory=dict)
    under_way: dict[str, Soak] = Field(default_factory=dict)
    cleared: Clearing | None = None
    ledger: Ledger = Ledger()
    prices: PriceSheet | None = None
    published: Published | None = None
    work: tuple[Work, ...] = ()

    @cached_property
    def rounds(self) -> list[Window]:
        """The windows of rounds, which alone are compared."""
        return [one for one in self.windows if one.part is Part.ROUND]

    @cached_property
    def _by_place(self) -> dict[tuple[str, Load], list[Window]]:
        found: dict[tuple[str, Load], list[Window]] = {}
        for window in sorted(self.rounds, key=lambda one: one.repeat):
            found.setdefault((window.combination, window.load), []).append(window)
        return found

    def of(self, combination: Combination, load: Load) -> list[Window]:
        """The windows of a combination at a load, by repeat."""
        return self._by_place.get((combination.path, load), [])

    def soaks(self, combination: Combination) -> list[Soak]:
        """The soaks of a combination, finished or not; none where no load was held."""
        ended = [one.soak for one in self.rounds if one.combination == combination.path and one.soak]
        return ended + [soak for path, soak in self.under_way.items() if path.startswith(f"{combination.path}/")]

    def valid(self, combination: Combination, load: Load) -> list[Window]:
        """Those of them that count."""
        return [one for one in self.of(combination, load) if one.valid]

    def compared(self, combination: Combination) -> list[Window]:
        """The windows at which a combination is compared, by repeat."""
        return self.of(combination, self.run.top_load(combination))

    @cached_property
    def _names(self) -> dict[str, str]:
        return short_names(self.run.combinations)

    def name(self, path: str) -> str:
        """Name of a combination, or its path where the run has none of that path."""
        return self._names.get(path, path)

    def window_name(self, window: Window) -> str:
        """Name of a window for people: combination, load, round from 1; with faults it is no round."""
        number = f"point {window.repeat + 1}" if self.run.faults else f"round {window.repeat + 1}"
        place = "search" if window.part is Part.SEARCH else number
        return f"{self.name(window.combination)}, {self.run.load_name(window.load)}, {place}"

    @property
    def expected_windows(self) -> int:
        """Number of windows of rounds that the run was to have, or that its faults need.

        A search that has not ended was to find one load, or two around the limit.
        """
        run = self.run
        if run.faults:
            return sum(len(points) for points in run.faults.values())
        to_find = 2 if run.seeks_limit else 1
        loads = {one.path: to_find if run.is_searching(one) else len(run.loads_of(one)) for one in run.combinations}
        return sum(count * (run.repeats - run.cut.get(path, 0)) for path, count in loads.items())


class Estimate(Record):
    """A figure over rounds: its mean, and from where to where.

    With rounds enough (`is_interval`) that is the 95 % Student t interval of the mean, which ends at 0 where it would
    reach below, else the lowest and the highest round.
    """

    mean: float
    low: float
    high: float
    rounds: int
    is_interval: bool


class Level(Record):
    """A load of a combination: the rounds that count, and each figure over them that can be averaged, by its name."""

    load: Load
    repeats: tuple[int, ...]
    figures: dict[str, Estimate] = Field(default_factory=dict)


class Peak(Record):
    """Where a combination has its highest throughput: found by a search, or the best of its loads.

    `load` None: nowhere, for the `reason`, which is also why no round counts at the load. What a search saw there is
    `searched_tps`. `below` and `above` are the loads next to it that were measured, the peak lies between them.
    `hidden`: why the true peak may be another; `remark` is what else is to be known. `only_load`: of a single load it
    is not known whether it is the peak.
    """

    load: Load | None
    reason: str = ""
    searched_tps: float | None = None
    below: Load | None = None
    above: Load | None = None
    hidden: str = ""
    remark: str = ""
    only_load: bool = False


class UsefulPeak(Record):
    """The highest load at which clients are served equally and in time, and why the `next_load` is not useful."""

    load: Load | None
    next_load: Load | None
    why_not: str


class Starts(Record):
    """Seconds until a process was ready, over the `number` of its starts."""

    process: str
    number: int
    median_s: float
    min_s: float
    max_s: float


class Cost(Record):
    """What a throughput costs by a price sheet, and from where to where by the interval of that throughput.

    Of purchases it is the price of one transaction per second, of hourly prices that of a million transactions. `high`
    None: it has no end. `reason` is why there is none.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Spread:
    """What is known of the spread between starts of one program: the standard deviation of the logarithm of its figure.

    `degrees` of freedom say how well it is known; 0: not at all. `starts` are those it was measured with on this
    machine; 0: it is assumed.
    """

    sigma: float
    degrees: float
    starts: int = 0


class CombinationFinding(Record):
    """What was found of one combination.

    `name` has only what differs from the others; `group` is the name of those it may be ranked with, empty where that
    is all. `rank` counts from 1 within the group, equal for those that cannot be told apart. `percentiles` are
    response times in ms by percentage, of all rounds that count together, at the load at which it is compared; those
    beyond which fewer than ten responses lie are left out.
    """

    path: str
    name: str
    group: str
    rank: int | None
    load: Load
    levels: tuple[Level, ...]
    peak: Peak
    useful: UsefulPeak
    starts: tuple[Starts, ...]
    cost: Cost
    spread: Spread
    remaining_change: float
    percentiles: dict[float, float]
    responses: int

    @property
    def at(self) -> Level:
        """The level at which it is compared."""
        return self.at_load(self.load)

    def at_load(self, load: Load | None) -> Level:
        """The level of a load; empty where it has none."""
        return next((level for level in self.levels if level.load == load), Level(load=load or 0, repeats=()))


@dataclass(frozen=True)
class Round:
    """The same figure of both sides in one round, both above zero; `repeat` counts the rounds over all starts."""

    repeat: int
    a: float
    b: float
    start: int = 0

    @property
    def ratio(self) -> float:
        """B ÷ A."""
        return self.b / self.a


class Use(StrEnum):
    """What a comparison is for."""

    PAIR = "pair"
    CONTRAST = "contrast"
    RANK = "rank"
    LOAD = "load"
    REFERENCE_AT_PEAK = "reference at the peaks"
    REFERENCE = "reference at the highest load"
    PUBLISHED = "published"


class Comparison(Record):
    """B ÷ A by a figure (`metric`), each at its load, over rounds that both have.

    `ratio` is the geometric mean of the rounds of a start and then of the starts, `low` and `high` its 95 % interval;
    `reason` is why there is none. Pairs and contrasts have a `word`, from an interval at the level that they have among
    others (`word_low`, `word_high`); `contrasts` has the names of those that it shows. `verdict` is the word with its
    percentages, `basis` what it was found over, `more` why it is no other one, `assumed` the spread between starts
    taken for a single start. `not_ranked` is why a pair is shown and not ranked.
    """

    use: Use
    metric: str
    a: str
    b: str
    load_a: Load | None
    load_b: Load | None
    rounds: tuple[Round, ...] = ()
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    processes_low: float | None = None
    processes_high: float | None = None
    reason: str = ""
    not_ranked: str = ""
    contrasts: tuple[str, ...] = ()
    word: str = ""
    word_low: float | None = None
    word_high: float | None = None
    p_value: float | None = None
    decided: bool = False
    verdict: str = ""
    basis: str = ""
    more: str = ""
    assumed: str = ""
    starts: int = 0

    @property
    def text(self) -> str:
        """The verdict, what it was found over, and why it is no other one."""
        if self.not_ranked:
            return f"not ranked: {self.not_ranked}" if self.rounds else self.verdict
        whole = ", ".join(one for one in (self.verdict, self.basis) if one)
        return "; ".join(part for part in (whole, self.more, self.assumed) if part)

    @property
    def holds_one(self) -> bool:
        """Whether the sides may be equal: its interval holds 1, or there is none."""
        return self.low is None or self.high is None or self.low <= 1 <= self.high

    @property
    def ratios(self) -> list[float]:
        """The ratio of each round."""
        return [one.ratio for one in self.rounds]


class Counterpart(Record):
    """A published ratio, upper ÷ lower, beside that of the run; None where the run has no counterpart."""

    source: str
    ratio: PublishedRatio
    comparison: Comparison | None = None
    same: str = ""


class WorkDifference(Record):
    """A figure of the work of a transaction in which a combination differs from the first one that it is ranked with.

    `values` are those of the first one and of this one.
    """

    combination: str
    first: str
    transaction: str
    figure: str
    values: tuple[float, float]


class Mark(Record):
    """What is to be known beside the answer, in one sentence; `concerns` so many `of` all."""

    kind: str
    text: str
    concerns: int | None = None
    of: int | None = None


class Findings(Measured):
    """The whole file. `status` is how a run ended that did not finish, empty for one that did.

    `answer` is a sentence for people who know nothing of the lab, `basis` what it rests on. `run_is_valid`: it
    finished with right data and windows enough. `lab` is the version that judged.
    """

    v: Literal[1] = 1
    lab: str
    metric: str
    combinations: tuple[CombinationFinding, ...]
    comparisons: tuple[Comparison, ...]
    counterparts: tuple[Counterpart, ...] = ()
    work_differences: tuple[WorkDifference, ...] = ()
    marks: tuple[Mark, ...] = ()
    status: str = ""
    answer: str
    basis: str
    at: str
    shared: str = ""
    times_not_ranked: str = ""
    run_is_valid: bool

    @cached_property
    def by_path(self) -> dict[str, CombinationFinding]:
        """The findings of combinations by their paths."""
        return {one.path: one for one in self.combinations}

    def name(self, path: str) -> str:
        """Name of a combination, or its path where the run has none of that path."""
        return self.by_path[path].name if path in self.by_path else path

    def compared_by(self, metric: str, use: Use = Use.PAIR) -> list[Comparison]:
        """The comparisons of a use by a figure."""
        return [one for one in self.comparisons if one.use is use and one.metric == metric]

    @property
    def groups(self) -> list[str]:
        """Names of the groups within which combinations are ranked."""
        return list(dict.fromkeys(one.group for one in self.combinations))

    def ranked(self, group: str) -> Sequence[CombinationFinding]:
        """The combinations of a group, best rank first, of one rank the best mean first; those without any last."""
        sign = 1 if BY_NAME[self.metric].costs else -1

        def place(one: CombinationFinding) -> tuple[bool, int, float]:
            known = one.at.figures.get(self.metric)
            return one.rank is None, one.rank or 0, sign * known.mean if known else math.inf

        return sorted((one for one in self.combinations if one.group == group), key=place)
