"""`prices.json`: what a run's software, or its middle tier, costs by a price sheet."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from middlemark.records.record import Record

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
        """Return price × quantity."""
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
        if self.per is PricePer.HOUR and self.lines[0].years is not None:
            raise ValueError("`years` is for purchases alone")
        return self

    @property
    def scope(self) -> PriceScope:
        """Return the scope of all lines."""
        return self.lines[0].scope

    @property
    def currency(self) -> str:
        """Return the currency of all lines."""
        return self.lines[0].currency

    @property
    def per(self) -> PricePer:
        """Return what all lines are paid for."""
        return self.lines[0].per

    @property
    def years(self) -> float | None:
        """Return for how many years the purchases are, None where that is not stated."""
        return self.lines[0].years
