"""What the throughput of a combination costs by a price sheet."""

from __future__ import annotations

from dataclasses import dataclass

from middlemark.records.prices import PricePer, PriceSheet
from middlemark.records.run import Combination
from middlemark.verdict.levels import Estimate

TRANSACTIONS, SECONDS_OF_AN_HOUR = 1e6, 3600.0


@dataclass(frozen=True)
class Cost:
    """What a throughput costs, and from where to where by the interval (or spread) of that throughput.

    Of purchases it is the price of one transaction per second, of hourly prices that of a million transactions.
    """

    value: float
    low: float
    high: float
    currency: str
    per: PricePer


def price_of(sheet: PriceSheet, combination: Combination) -> float | None:
    """Return the sum of the lines for a combination's subjects; None where no line is for one of them.

    Where other subjects run single tiers, the lines of all count.
    """
    if without_price(sheet, combination):
        return None
    return sum(line.total for line in sheet.lines if {*line.subjects} & {*combination.subjects})


def without_price(sheet: PriceSheet, combination: Combination) -> list[str]:
    """Return the subjects of a combination for which the sheet has no line."""
    priced = {subject for line in sheet.lines for subject in line.subjects}
    return [subject for subject in combination.subjects if subject not in priced]


def cost_of(sheet: PriceSheet, combination: Combination, throughput: Estimate) -> Cost | None:
    """Return what a throughput in transactions per second costs; None where the sheet is not for the combination."""
    price = price_of(sheet, combination)
    if price is None:
        return None
    ends = (throughput.mean, throughput.high, throughput.low)
    value, low, high = (_cost(sheet.per, price, tps) for tps in ends)
    return Cost(value, low, high, sheet.currency, sheet.per)


def _cost(per: PricePer, price: float, tps: float) -> float:
    """Return the price of one transaction per second, or of a million transactions at a price per hour."""
    if tps <= 0:
        return float("inf")
    return price / tps if per is PricePer.PURCHASE else price / (tps * SECONDS_OF_AN_HOUR) * TRANSACTIONS
