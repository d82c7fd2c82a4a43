"""Small files of a result folder: spreads of the ledger, published ratios, work by transaction, prices, orphans."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from middlemark.records.record import Record
from middlemark.records.run import Combination

LEDGER = "ledger.json"


class SeenSpread(Record):
    """How far starts of a subject lay apart: `squares` is the sum of squares of the logarithm of its leading figure.

    Divided by the `degrees` of freedom it is the variance between starts, without that of windows; what these hide
    has fewer degrees, and the sum may be below 0 where they scatter more than starts do. `starts` is how many it was
    seen in.
    """

    subject: str
    squares: float
    degrees: float
    starts: int


class Ledger(Record):
    """The whole file: what the machine's ledger knew of the run's subjects when it began."""

    v: Literal[1] = 1
    spreads: tuple[SeenSpread, ...] = ()

    def of(self, subject: str) -> SeenSpread | None:
        """What was seen of a subject; None for nothing."""
        return next((one for one in self.spreads if one.subject == subject), None)


STOPPED = "stopped.json"


class ClearedProcess(Record):
    """A process that was still there: what it was for, and how it ended."""

    # `processes` has the whole model of the file; the rest of it does not matter here.
    model_config = ConfigDict(extra="ignore", frozen=True)
    part: str
    how: str


class Clearing(Record):
    """When and why orphaned processes were stopped."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    when: str
    reason: str
    processes: list[ClearedProcess]

    @property
    def cause(self) -> str:
        """Why and when, as in `the lab was killed at 2026-11-20 08:05:00Z`."""
        return f"{self.reason} at {self.when.replace('T', ' ')}"

    @property
    def outcome(self) -> str:
        """What became of the processes; one that withstood every signal is not called stopped."""
        resisted = _parts(p for p in self.processes if p.how.startswith("survived"))
        stopped = _parts(p for p in self.processes if not p.how.startswith("survived"))
        text = f"orphaned processes were stopped: {stopped}" if stopped else "no process was stopped"
        return f"{text}; still running: {resisted}" if resisted else text


def _parts(processes: Iterable[ClearedProcess]) -> str:
    return ", ".join(dict.fromkeys(process.part for process in processes))


PUBLISHED = "published.json"


class RatioOf(StrEnum):
    """What a ratio is of.

    Costs are compared at the load at which combinations are compared, throughputs and mean response times each side at
    its own peak, where papers have them.
    """

    COST = "cost"
    THROUGHPUT = "throughput"
    RESPONSE_TIME = "response_time"


class PublishedRatio(Record):
    """One published ratio, upper ÷ lower, and the combinations of the run that are its counterparts.

    `text` names the two sides, `system` what the paper measured it on where it has the ratio several times; `figures`
    spells the published figures out, or says why there is none; `ratio` is None then. `upper_here` and `lower_here` are
    choices (name: value) that pick the combinations; None when it has no counterpart.
    `tiers` are those whose CPU time is added, of costs only.
    """

    test: str
    text: str
    ratio: float | None
    figures: str
    upper_here: dict[str, str] | None
    lower_here: dict[str, str] | None
    tiers: tuple[str, ...] = ()
    note: str
    of: RatioOf = RatioOf.COST
    system: str = ""


class PublishedSource(Record):
    """One paper with its ratios; `measured` is what its figures are."""

    source: str
    measured: str
    ratios: tuple[PublishedRatio, ...]


class Published(Record):
    """The whole file."""

    v: Literal[1] = 1
    sources: tuple[PublishedSource, ...]


WORK = "work"


class StepWork(Record):
    """The work of one step of a session, each figure the median over `count` executions by a user alone.

    `statements` are those an application sends besides `transaction_control` (BEGIN, COMMIT and the like); `rows` are
    inserted, updated and deleted ones; `wal_bytes` are without images of whole pages. `texts` are the statements of
    an execution with as many statements as the median.
    """

    step: str
    transaction: str
    count: int
    statements: int
    transaction_control: int
    rows: int
    wal_bytes: int
    texts: list[str] = Field(default_factory=list)


WORK_FIGURES = {"statements": "statements", "rows written": "rows", "WAL bytes": "wal_bytes"}
"""The figures of `TransactionWork` by their names for people."""


class TransactionWork(Record):
    """The work of a transaction: means over the steps of a session that are counted under its name."""

    transaction: str
    statements: float
    rows: float
    wal_bytes: float


class Work(Record):
    """The work of a combination by step; `unavailable` is why there is none."""

    combination: str
    steps: list[StepWork] = Field(default_factory=list)
    unavailable: str = ""

    @property
    def transactions(self) -> list[TransactionWork]:
        """The work of each transaction, in the order of the session."""
        found = []
        for name in dict.fromkeys(step.transaction for step in self.steps):
            steps = [step for step in self.steps if step.transaction == name]
            fields = WORK_FIGURES.values()
            means = {field: statistics.fmean(getattr(step, field) for step in steps) for field in fields}
            found.append(TransactionWork(transaction=name, **means))
        return found


def work_file(root: Path, combination: Combination) -> Path:
    """The file of a combination's work in the result folder `root`; it may not exist."""
    return root / WORK / f"{combination.path}.json"


PRICES = "prices.json"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class PriceScope(StrEnum):
    """What a price is of: the software alone, or a middle tier with its hardware."""

    SOFTWARE = "software"
    MIDDLE_TIER = "middle tier"


class PricePer(StrEnum):
    """What a price is paid for: once, or for each hour."""

    PURCHASE = "purchase"
    HOUR = "hour"


class PriceLine(Record):
    """One line of a price sheet."""

    date: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$")] = Field(
        description="when it was the price: year, year-month or year-month-day"
    )
    item: Text = Field(description="what is paid for")
    subjects: tuple[Text, ...] = Field(min_length=1, description="the subjects of runs that need it")
    price: float = Field(ge=0, allow_inf_nan=False, description="of one, without separators; 0 where nothing is paid")
    quantity: int = Field(1, gt=0, description="how many of it are needed")
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = Field(description="by ISO 4217: USD")
    per: PricePer = Field(description="purchase: paid once; hour: paid for each hour of use")
    years: float | None = Field(None, gt=0, description="of a purchase: for how many years it is paid")
    scope: PriceScope = Field(description="the software alone, or a middle tier with its hardware")
    source: Text = Field(description="where the price stands: an address, or the name of a document")

    @property
    def total(self) -> float:
        """Price × quantity."""
        return self.price * self.quantity


class PriceSheet(Record):
    """The whole sheet: all lines are of one scope, in one currency, per one thing and for as many years."""

    version: Literal[1] = Field(description="of this format")
    title: Text = Field(description="what the sheet is, as the report names it")
    lines: tuple[PriceLine, ...] = Field(min_length=1, description="each item with its price")

    @model_validator(mode="after")
    def _check_one_of_each(self) -> PriceSheet:
        for name, why in (
            ("scope", "software and a middle tier with hardware are never compared"),
            ("currency", "a report does not change money"),
            ("per", "a purchase and a price per hour have no sum"),
            ("years", "purchases for different times have no sum"),
        ):
            first = self.lines[0]
            for place, line in enumerate(self.lines):
                if getattr(line, name) != getattr(first, name):
                    values = f"'{getattr(first, name)}' and line {place + 1} '{getattr(line, name)}'"
                    raise ValueError(f"line 1 has the {name} {values}: {why}; write a sheet for each")
        if self.terms.per is PricePer.HOUR and self.terms.years is not None:
            raise ValueError("`years` is for purchases alone")
        return self

    @property
    def terms(self) -> PriceLine:
        """The first line, whose scope, currency, `per` and years are those of all."""
        return self.lines[0]
