"""What comparing the results of separate runs found: what differs, and every figure that both have."""

from __future__ import annotations

from middlemark.records.findings import Estimate, Findings
from middlemark.records.record import Record
from middlemark.records.run import Load

LETTERS = 26


def letter(place: int) -> str:
    """The letter of a result by its place: A, B, C …; the number from 27 on."""
    return chr(ord("A") + place) if place < LETTERS else str(place + 1)


class DifferingValue(Record):
    """Something in which runs differ: its value in each, in the sequence of the runs. `prevents` a comparison."""

    what: str
    values: tuple[str, ...]
    prevents: bool = False


class RunSpread(Record):
    """The spread between runs of one build: the standard deviation of the logarithm of its leading figure.

    It was seen in so many `runs`; `degrees` of freedom say how well it is known.
    """

    sigma: float
    degrees: int
    runs: int


class BetweenRuns(Record):
    """A figure of a combination in two runs, `run` ÷ the first one; each by its place among the results.

    `low` and `high`: the interval at the level that the comparison has among the others. It is that of the builds
    where the spread between runs is known (`spread`), else that of these runs alone. `word` and `verdict` are of the
    figure that leads; `reason` is why there is no word, or no ratio.
    """

    combination: str
    name: str
    metric: str
    run: int
    load: Load
    a: Estimate
    b: Estimate
    ratio: float
    low: float | None = None
    high: float | None = None
    spread: RunSpread | None = None
    word: str = ""
    verdict: str = ""
    decided: bool = False
    reason: str = ""


class Between(Record):
    """Results beside each other, the first one what the others are compared with.

    `not_compared` says of combinations why they are in no comparison; `same_build`: whatever differs was not built.
    """

    results: tuple[Findings, ...]
    differing: tuple[DifferingValue, ...]
    compared: tuple[BetweenRuns, ...]
    not_compared: tuple[str, ...]
    metric: str
    same_build: bool
    answer: str

    @property
    def prevented(self) -> list[DifferingValue]:
        """What keeps the results from being compared."""
        return [one for one in self.differing if one.prevents]

    def leading(self) -> list[BetweenRuns]:
        """The comparisons by the figure that leads."""
        return [one for one in self.compared if one.metric == self.metric]
