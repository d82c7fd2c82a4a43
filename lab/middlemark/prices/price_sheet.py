"""Reads a price sheet, a TOML file that people write."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from middlemark.documents import Document, read_toml
from middlemark.records.side_files import PriceLine, PriceSheet


class PriceLineDefinition(PriceLine, Document):
    """One line of a price sheet."""


class PriceSheetDefinition(PriceSheet, Document):
    """A price sheet: all lines are of one scope, in one currency, per one thing and for as many years."""

    lines: tuple[PriceLineDefinition, ...] = Field(min_length=1, description="each item with its price")


def read_price_sheet(file: Path) -> PriceSheet:
    """Return the price sheet in a file; InputError with the file and the key for anything wrong in it."""
    definition = read_toml(file, PriceSheetDefinition)
    return PriceSheet.model_validate(definition.model_dump())
