"""Whether the virtual users were served equally: the spread of their transactions and of their mean response times."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.records.driver_lines import Client
from middlemark.records.window import Fairness, TransactionFigures

LIMIT = 0.10
"""Coefficient of variation that is equal enough, beside what chance adds: a fairness index of Jain of 0.99."""
FARTHEST = 0.25
"""How far a single user may be from the mean, or four times what chance adds where that is more."""
MIN_TRANSACTIONS = 30
"""Fewer for each user, on average, allow no judgement."""
_Z_999 = 3.09
OPEN_MODEL = "not judged: in the open model arrivals choose among the users"
LEVELS = "not judged: with several levels users come and go"
EQUAL, UNEQUAL = "clients served equally", "clients not served equally"


@dataclass(frozen=True)
class _Spread:
    """Values of all users, and the coefficient of variation that chance alone would give them."""

    values: Sequence[float]
    chance: float

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def cv(self) -> float:
        return statistics.stdev(self.values) / self.mean if self.mean else 0.0

    @property
    def farthest(self) -> float:
        return max(abs(value / self.mean - 1) for value in self.values) if self.mean else 0.0

    @property
    def is_equal(self) -> bool:
        allowed = LIMIT**2 + self.chance**2 * _chi_square_999(len(self.values) - 1)
        return self.cv**2 <= allowed and self.farthest <= max(FARTHEST, 4 * self.chance)


def fairness_of(
    clients: Sequence[Client] | None, total: TransactionFigures, *, reason_against: str = ""
) -> Fairness | None:
    """How equally users were served; None where the driver did not report each of them.

    `total` are the figures of all transactions. With a `reason_against` users need not have been served alike.
    """
    if not clients:
        return None
    times = [client.response_ms.mean for client in clients if client.transactions]
    counts, responses = _spreads(clients, times, total)
    why = reason_against or _why_not(clients, counts)
    equal = None if why else counts.is_equal and len(times) == len(clients) and responses.is_equal
    return Fairness(
        clients=len(clients),
        transactions_mean=counts.mean,
        transactions_cv=counts.cv if len(clients) > 1 else 0.0,
        transactions_min=min(client.transactions for client in clients),
        transactions_max=max(client.transactions for client in clients),
        response_cv=responses.cv if len(times) > 1 else None,
        response_min_ms=min(times, default=None),
        response_max_ms=max(times, default=None),
        equal=equal,
        message=why or (EQUAL if equal else UNEQUAL),
    )


def _spreads(clients: Sequence[Client], times: Sequence[float], total: TransactionFigures) -> tuple[_Spread, _Spread]:
    """The spreads of transactions and of mean response times.

    A user that waits for each of n responses, whose times have the coefficient of variation c, gets c / √n more or
    fewer of them (D. R. Cox, Renewal Theory, 1962), and a mean that is as far off. Think times vary by no more than 1,
    which stands for c where that is less.
    """
    mean = statistics.fmean(client.transactions for client in clients)
    varies = total.sd_ms / total.mean_ms if total.mean_ms else 0.0
    root = math.sqrt(max(mean, 1.0))
    counts = _Spread([float(client.transactions) for client in clients], max(1.0, varies) / root)
    return counts, _Spread(times or [0.0], varies / root)


def _why_not(clients: Sequence[Client], counts: _Spread) -> str:
    if len(clients) < 2:
        return "not judged: one user alone"
    if counts.mean < MIN_TRANSACTIONS:
        return f"not judged: fewer than {MIN_TRANSACTIONS} transactions for each user"
    return ""


def _chi_square_999(freedom: int) -> float:
    """What 99.9 % of χ² ÷ its degrees of freedom stay below (Wilson and Hilferty, PNAS 17, 1931)."""
    part = 2 / (9 * freedom)
    return (1 - part + _Z_999 * math.sqrt(part)) ** 3
