"""`dataset.toml` of a specification: its scales and the statements that generate its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, PositiveInt, model_validator

from middlemark.checkout import checkout
from middlemark.documents import Document, read_toml, suggestion
from middlemark.errors import InputError

# Few enough to cost nothing, enough for a progress bar that moves.
_SLICES = 40


class Generate(Document):
    """A statement that makes rows of `table`, over a slice of the numbers 0 … N-1; `over` names N in the scale."""

    table: str
    over: str
    sql: str


class DatasetDefinition(Document):
    """The whole file: scale name to its numbers, and the statements in order."""

    version: int
    scales: dict[str, dict[str, PositiveInt]]
    generate: tuple[Generate, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_are_numbers_of_every_scale(self) -> DatasetDefinition:
        for name, numbers in self.scales.items():
            for statement in self.generate:
                if statement.over not in numbers:
                    raise ValueError(f"scale {name} has no number '{statement.over}' for table {statement.table}")
                try:
                    statement.sql.format_map({**numbers, "first": 0, "last": 0})
                except (KeyError, IndexError, ValueError) as error:
                    raise ValueError(f"table {statement.table}: scale {name} has no {error}") from error
        return self


@dataclass(frozen=True)
class Slice:
    """One statement ready to be run. It covers `size` of the numbers of its table's `over`."""

    table: str
    sql: str
    size: int


@dataclass(frozen=True)
class Dataset:
    """The data set of a specification at one scale, with all the SQL that makes it."""

    spec: str
    version: int
    scale: str
    numbers: Mapping[str, int]
    schema: str
    keys: str
    generate: tuple[Generate, ...]

    def slices(self) -> Iterator[Slice]:
        """Cut every statement into slices, in the order of the file."""
        for statement in self.generate:
            count = self.numbers[statement.over]
            size = max(1, -(-count // _SLICES))
            for first in range(0, count, size):
                last = min(first + size, count) - 1
                sql = statement.sql.format_map({**self.numbers, "first": first, "last": last})
                yield Slice(statement.table, sql, last - first + 1)


def specification(name: str) -> Path:
    """Return the folder of the specification `name` in the checkout; InputError when there is none with a data set."""
    specs = checkout() / "specs"
    known = sorted(path.parent.name for path in specs.glob("*/dataset.toml"))
    if name not in known:
        raise InputError(f"no specification is called '{name}'. {suggestion(name, known)}", where=str(specs))
    return specs / name


def read_dataset(spec_folder: Path, scale: str) -> Dataset:
    """Read `schema.sql`, `dataset.toml` and `keys.sql` of a specification; InputError when the scale is unknown."""
    path = spec_folder / "dataset.toml"
    definition = read_toml(path, DatasetDefinition)
    if scale not in definition.scales:
        raise InputError(f"unknown scale '{scale}'", where=str(path), todo=f"Known are {', '.join(definition.scales)}")
    return Dataset(
        spec=spec_folder.name,
        version=definition.version,
        scale=scale,
        numbers=definition.scales[scale],
        schema=_read(spec_folder / "schema.sql"),
        keys=_read(spec_folder / "keys.sql"),
        generate=definition.generate,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read this file ({error.strerror})", where=str(path)) from error
