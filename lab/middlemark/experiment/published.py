"""`published/*.toml`: finds the published ratios of classic papers that have counterparts in a run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from middlemark.documents import Document, read_toml
from middlemark.errors import InputError
from middlemark.records.naming import in_words
from middlemark.records.run import Combination
from middlemark.records.side_files import Published, PublishedRatio, PublishedSource, RatioOf

Row = Mapping[str, str]


class PublishedTest(Document):
    """A test of the paper; its ratios are shown for runs with one of these values of one of these modes."""

    when: dict[str, tuple[str, ...]] = Field(min_length=1)


class FigureColumn(Document):
    """A column of the figures that holds numbers."""

    name: str
    unit: str = Field(description="of its numbers, for people")


class RatioDefinition(Document):
    """A published ratio, upper ÷ lower, and its counterparts in a run; without rows nothing survives (see the note)."""

    test: str = Field(description="one of the tests, and of the figures' column `test` where a side names no other")
    text: str = Field(description="what the ratio compares")
    of: RatioOf = Field(
        RatioOf.COST,
        description="cost: the published one is the inverse of the throughputs, that of a run the CPU time of `tiers`; "
        "throughput, response_time: each side of a run at its own peak",
    )
    upper: dict[str, str] | None = Field(
        None, min_length=1, description="column: value, chooses one row of the figures"
    )
    lower: dict[str, str] | None = Field(
        None, min_length=1, description="column: value, chooses one row of the figures"
    )
    each: tuple[str, ...] = Field(
        (), description="columns in which both rows agree: there is a ratio for each of their values"
    )
    each_here: dict[str, str] = Field(
        {}, description="column of `each`: choice that has its value on both sides in a run"
    )
    upper_here: dict[str, str] | None = Field(None, description="mode or other choice: value, chooses combinations")
    lower_here: dict[str, str] | None = Field(None, description="mode or other choice: value, chooses combinations")
    also: dict[str, tuple[str, ...]] = Field(
        {}, description="mode: values, shows the ratio also for runs with one of them"
    )
    tiers: tuple[str, ...] = Field((), description="tiers whose CPU time per transaction is added; of costs only")
    note: str = Field(description="what keeps the two ratios from being the same thing")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        """Refuse half a ratio, and keys that do nothing."""
        unknown = next((column for column in self.each_here if column not in self.each), "")
        printed, here = self.upper is not None, self.upper_here is not None
        for wrong, message in (
            (here != (self.lower_here is not None), "upper_here and lower_here belong together"),
            (printed != (self.lower is not None), "upper and lower belong together"),
            (
                not printed and not here,
                "without upper and lower it needs upper_here and lower_here, else nothing is shown",
            ),
            (bool(self.tiers) != (self.of is RatioOf.COST), "a ratio of costs needs tiers, and no other one has any"),
            (self.each and not printed, "each needs upper and lower"),
            (unknown, f"'{unknown}' in each_here is not among each"),
            (self.each_here and not here, "each_here needs upper_here and lower_here"),
        ):
            if wrong:
                raise ValueError(message)
        return self


class PublishedDefinition(Document):
    """The whole file; `figures` is the CSV file beside it."""

    version: Literal[1]
    spec: str
    figures: str
    columns: dict[Literal["throughput", "response_time"], FigureColumn] = Field(
        min_length=1, description="which column of the figures has the numbers"
    )
    source: str
    measured: str
    tests: dict[str, PublishedTest]
    ratios: tuple[RatioDefinition, ...]

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for ratio in self.ratios:
            if ratio.test not in self.tests:
                raise ValueError(f"'{ratio.test}' is not among the tests")
            if ratio.upper is not None and column_of(ratio.of) not in self.columns:
                raise ValueError(f"a ratio of {ratio.of} needs the column of {column_of(ratio.of)} in columns")
        return self


def column_of(of: RatioOf) -> Literal["throughput", "response_time"]:
    """By which figures a ratio is computed: a cost is the inverse of a throughput."""
    return "response_time" if of is RatioOf.RESPONSE_TIME else "throughput"


def published_counterparts(home: Path, spec: str, combinations: Iterable[Combination]) -> Published | None:
    """Published ratios of the tests that a run repeats, if any; InputError for a wrong definition."""
    run = list(combinations)
    definitions = {file: read_published_file(file) for file in published_files(home)}
    sources = [_source(file, one, run) for file, one in definitions.items() if one.spec == spec]
    found = tuple(source for source in sources if source.ratios)
    return Published(sources=found) if found else None


def published_files(home: Path) -> list[Path]:
    """The definitions of the checkout."""
    return sorted((home / "published").glob("*.toml"))


def read_published_file(file: Path) -> PublishedDefinition:
    """A definition; InputError when it is wrong."""
    return read_toml(file, PublishedDefinition)


def _source(file: Path, definition: PublishedDefinition, run: list[Combination]) -> PublishedSource:
    try:
        with (file.parent / definition.figures).open(encoding="utf-8-sig", newline="") as lines:
            figures = _Figures(definition, file, list(csv.DictReader(lines)))
    except OSError as error:
        raise InputError(f"cannot read these figures ({error.strerror})", where=error.filename) from error
    shown = {name for name, test in definition.tests.items() if any(_has_one_of(c, test.when) for c in run)}
    ratios = tuple(
        one
        for ratio in definition.ratios
        if ratio.test in shown or any(_has_one_of(c, ratio.also) for c in run)
        for one in figures.ratios(ratio)
    )
    return PublishedSource(source=definition.source, measured=definition.measured, ratios=ratios)


def _has_one_of(combination: Combination, values: Mapping[str, tuple[str, ...]]) -> bool:
    return any(combination.modes.get(mode) in some for mode, some in values.items())


@dataclass(frozen=True)
class _Figures:
    """The published figures, and what makes ratios of them."""

    definition: PublishedDefinition
    file: Path
    rows: list[Row]

    def ratios(self, ratio: RatioDefinition) -> Iterator[PublishedRatio]:
        """Yield a ratio, or one for each of the values for which there are several."""
        every = dict.fromkeys(tuple(row.get(column, "") for column in ratio.each) for row in self.rows)
        found = [self._ratio(ratio, dict(zip(ratio.each, values, strict=True))) for values in every]
        if ratio.upper is not None and ratio.each and all(one.ratio is None for one in found):
            raise InputError(f"no two rows of the figures make the ratio '{ratio.text}'", where=str(self.file))
        yield from found

    def _ratio(self, ratio: RatioDefinition, same: Row) -> PublishedRatio:
        printed, figures = self._printed(ratio, same)
        here = {choice: same[column] for column, choice in ratio.each_here.items()}
        named = (
            in_words(ratio.each_here[column], value) if column in ratio.each_here else value
            for column, value in same.items()
        )
        return PublishedRatio(
            test=ratio.test,
            text=ratio.text,
            ratio=printed,
            figures=figures,
            upper_here=None if ratio.upper_here is None else ratio.upper_here | here,
            lower_here=None if ratio.lower_here is None else ratio.lower_here | here,
            tiers=ratio.tiers,
            note=ratio.note,
            of=ratio.of,
            system=", ".join(named),
        )

    def _printed(self, ratio: RatioDefinition, same: Row) -> tuple[float | None, str]:
        if ratio.upper is None or ratio.lower is None:
            return None, "nothing survives"
        column = self.definition.columns[column_of(ratio.of)]
        sides = [self._chosen({"test": ratio.test, **choice, **same}, ratio) for choice in (ratio.upper, ratio.lower)]
        for row in sides:
            if row is None or not row[column.name]:
                return None, (row or {}).get("reason") or "not among the published figures"
        upper, lower = (row for row in sides if row is not None)
        if ratio.of is RatioOf.COST:
            upper, lower = lower, upper
        figures = f"{_figure(upper, column)} ÷ {_figure(lower, column)} {column.unit}"
        return float(upper[column.name]) / float(lower[column.name]), figures

    def _chosen(self, choice: Mapping[str, str], ratio: RatioDefinition) -> Row | None:
        """The one row with these values; None where there may be none, as for some of several values."""
        found = [row for row in self.rows if all(row.get(column) == value for column, value in choice.items())]
        if len(found) == 1:
            return found[0]
        if not found and ratio.each:
            return None
        wanted = ", ".join(f"{column} {value}" for column, value in choice.items())
        raise InputError(f"expected one row of the figures with {wanted}, found {len(found)}", where=str(self.file))


def _figure(row: Row, column: FigureColumn) -> str:
    return f"{float(row[column.name]):,.10g}" + (f" ({row['origin']})" if row.get("origin") else "")
