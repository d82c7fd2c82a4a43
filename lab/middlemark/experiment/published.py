"""`published/*.toml`: finds the published ratios of classic papers that have counterparts in a run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from middlemark.documents import Document, read_toml
from middlemark.errors import InputError
from middlemark.records.published import Published, PublishedRatio, PublishedSource
from middlemark.records.run import Combination

TPS = "peak_tps"

Row = Mapping[str, str]


class PublishedTest(Document):
    """A test of the paper; its ratios are shown for runs with one of these values of one of these modes."""

    when: dict[str, tuple[str, ...]] = Field(min_length=1)


class RatioDefinition(Document):
    """A published ratio of costs, upper ÷ lower, and the combinations of a run that are its counterparts.

    Without rows of the figures nothing survives of it, and the note has the reason.
    """

    test: str = Field(description="one of the tests, and of the figures' column `test`")
    text: str = Field(description="what the ratio compares")
    upper: dict[str, str] | None = Field(
        None, min_length=1, description="column: value, chooses one row of the figures"
    )
    lower: dict[str, str] | None = Field(
        None, min_length=1, description="column: value, chooses one row of the figures"
    )
    upper_here: dict[str, str] | None = Field(None, description="mode or other choice: value, chooses combinations")
    lower_here: dict[str, str] | None = Field(None, description="mode or other choice: value, chooses combinations")
    also: dict[str, tuple[str, ...]] = Field(
        {}, description="mode: values, shows the ratio also for runs with one of them"
    )
    tiers: tuple[str, ...] = Field(min_length=1, description="tiers whose CPU time per transaction is added")
    note: str = Field(description="what keeps the two ratios from being the same thing")

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.upper_here is None) != (self.lower_here is None):
            raise ValueError("upper_here and lower_here belong together")
        if (self.upper is None) != (self.lower is None):
            raise ValueError("upper and lower belong together")
        if self.upper is None and self.upper_here is None:
            raise ValueError(
                "without upper and lower it needs upper_here and lower_here, else there is nothing to show"
            )
        return self


class PublishedDefinition(Document):
    """The whole file; `figures` is the CSV file beside it."""

    version: Literal[1]
    spec: str
    figures: str
    source: str
    measured: str
    tests: dict[str, PublishedTest]
    ratios: tuple[RatioDefinition, ...]

    @model_validator(mode="after")
    def _tests_are_known(self) -> Self:
        for ratio in self.ratios:
            if ratio.test not in self.tests:
                raise ValueError(f"'{ratio.test}' is not among the tests")
        return self


def published_counterparts(home: Path, spec: str, combinations: Iterable[Combination]) -> Published | None:
    """Return the published ratios of the tests that a run repeats, None when there are none.

    Raises InputError for a definition that is wrong or does not fit its figures.
    """
    run = list(combinations)
    sources = [_source(file, run) for file in published_files(home) if read_published_file(file).spec == spec]
    found = tuple(source for source in sources if source.ratios)
    return Published(sources=found) if found else None


def published_files(home: Path) -> list[Path]:
    """Return the definitions of the checkout."""
    return sorted((home / "published").glob("*.toml"))


def read_published_file(file: Path) -> PublishedDefinition:
    """Return a definition; InputError when it is wrong."""
    return read_toml(file, PublishedDefinition)


def _source(file: Path, run: list[Combination]) -> PublishedSource:
    definition = read_published_file(file)
    rows = _rows(file.parent / definition.figures)
    shown = {name for name, test in definition.tests.items() if any(_has_one_of(c, test.when) for c in run)}
    ratios = tuple(
        _ratio(ratio, rows, file)
        for ratio in definition.ratios
        if ratio.test in shown or any(_has_one_of(c, ratio.also) for c in run)
    )
    return PublishedSource(source=definition.source, measured=definition.measured, ratios=ratios)


def _has_one_of(combination: Combination, values: Mapping[str, tuple[str, ...]]) -> bool:
    return any(combination.modes.get(mode) in some for mode, some in values.items())


def _ratio(ratio: RatioDefinition, rows: list[Row], file: Path) -> PublishedRatio:
    printed, figures = None, "nothing survives"
    if ratio.upper is not None and ratio.lower is not None:
        upper, lower = (_chosen(rows, {"test": ratio.test, **choice}, file) for choice in (ratio.upper, ratio.lower))
        printed = float(lower[TPS]) / float(upper[TPS])
        figures = f"{_figure(lower)} ÷ {_figure(upper)} transactions per second"
    return PublishedRatio(
        test=ratio.test,
        text=ratio.text,
        ratio=printed,
        figures=figures,
        upper_here=ratio.upper_here,
        lower_here=ratio.lower_here,
        tiers=ratio.tiers,
        note=ratio.note,
    )


def _chosen(rows: list[Row], choice: Mapping[str, str], file: Path) -> Row:
    """Return the one row with these values."""
    found = [row for row in rows if all(row.get(column) == value for column, value in choice.items())]
    if len(found) != 1:
        wanted = ", ".join(f"{column} {value}" for column, value in choice.items())
        raise InputError(f"expected one row of the figures with {wanted}, found {len(found)}", where=str(file))
    return found[0]


def _figure(row: Row) -> str:
    return f"{int(row[TPS]):,} ({row['origin']})"


def _rows(file: Path) -> list[Row]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))
    except OSError as error:
        raise InputError(f"cannot read these figures ({error.strerror})", where=str(file)) from error
