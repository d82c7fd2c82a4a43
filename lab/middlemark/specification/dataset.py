"""The data set of a database: `schema.sql`, the statements of `dataset.toml` at one scale, `keys.sql`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from middlemark.documents import Document, read_toml
from middlemark.errors import InputError

# Few enough to cost nothing, enough for a progress bar that moves.
_SLICES = 40


class Generate(Document):
    """A statement that makes rows of `table`, over a slice of the numbers 0 … N-1; `over` names N in the scale."""

    table: str
    over: str
    sql: str


class DatasetDefinition(Document):
    """The whole file: the statements in order, none for a database that begins empty. spec.toml has the scales."""

    version: Literal[1]
    generate: tuple[Generate, ...] = ()

    def fault(self, scale: str, numbers: Mapping[str, int]) -> str:
        """Say which number of a scale is missing; empty when none is."""
        for statement in self.generate:
            if statement.over not in numbers:
                return f"scale {scale} has no number '{statement.over}' for table {statement.table}"
            try:
                statement.sql.format_map({**numbers, "first": 0, "last": 0})
            except (KeyError, IndexError, ValueError) as error:
                return f"table {statement.table}: scale {scale} has no {error}"
        return ""


@dataclass(frozen=True)
class Slice:
    """One statement ready to be run. It covers `size` of the numbers of its table's `over`."""

    table: str
    sql: str
    size: int


@dataclass(frozen=True)
class Dataset:
    """The data set of one database at one scale, with all the SQL that makes it; `folder` is where it stands."""

    database: str
    folder: Path
    scale: str
    numbers: Mapping[str, int]
    schema: str
    keys: str
    generate: tuple[Generate, ...]

    @property
    def total(self) -> int:
        """Return the size of all slices together."""
        return sum(self.numbers[statement.over] for statement in self.generate)

    def slices(self) -> Iterator[Slice]:
        """Cut every statement into slices, in the order of the file."""
        for statement in self.generate:
            count = self.numbers[statement.over]
            size = max(1, -(-count // _SLICES))
            for first in range(0, count, size):
                last = min(first + size, count) - 1
                sql = statement.sql.format_map({**self.numbers, "first": first, "last": last})
                yield Slice(statement.table, sql, last - first + 1)


def read_dataset(database: str, folder: Path, scale: str, numbers: Mapping[str, int]) -> Dataset:
    """Read the data set of a database in its folder; InputError when a file is missing or a number is."""
    path = folder / "dataset.toml"
    definition = read_toml(path, DatasetDefinition)
    fault = definition.fault(scale, numbers)
    if fault:
        raise InputError(fault, where=str(path), todo="The scales are in spec.toml")
    return Dataset(
        database=database,
        folder=folder,
        scale=scale,
        numbers=numbers,
        schema=_read(folder / "schema.sql"),
        keys=_read(folder / "keys.sql"),
        generate=definition.generate,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read this file ({error.strerror})", where=str(path)) from error
