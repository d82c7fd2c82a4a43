"""How equally virtual users were served: the rule of docs/reference/results.md."""

from __future__ import annotations

import random

import pytest

from middlemark.records.driver_lines import Client, ClientTimes
from middlemark.records.window import Fairness, TransactionFigures
from middlemark.verdict.fairness import fairness_of


def total(mean_ms: float = 2.0, sd_ms: float = 1.0) -> TransactionFigures:
    """Return figures with this mean and spread; the others do not matter here."""
    others = dict.fromkeys(("count", "errors", "tps", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms"), 0)
    return TransactionFigures(**others, mean_ms=mean_ms, sd_ms=sd_ms)


def judged(transactions: list[int], mean_ms: list[float] | None = None, reason: str = "") -> Fairness:
    """Judge users with these transactions and mean response times."""
    times = mean_ms or [2.0] * len(transactions)
    clients = [
        Client(
            user=user,
            transactions=count,
            errors=0,
            response_ms=ClientTimes(mean=mean if count else 0, p50=0, p99=0, max=0),
        )
        for user, (count, mean) in enumerate(zip(transactions, times, strict=True))
    ]
    found = fairness_of(clients, total(), reason_against=reason)
    assert found is not None
    return found


def test_users_with_like_transactions_and_times_are_served_equally() -> None:
    found = judged([1000, 1010, 990, 1005])
    assert (found.equal, found.message) == (True, "clients served equally")
    assert (found.transactions_min, found.transactions_max) == (990, 1010)
    assert found.transactions_cv == pytest.approx(0.0085, abs=0.0005)


@pytest.mark.parametrize(
    ("transactions", "mean_ms"),
    [
        ([1000] * 4 + [700] * 4, None),
        # One of sixty at half speed, which a coefficient of variation hides.
        ([1000] * 59 + [500], None),
        ([1000] * 59 + [0], None),
        # As many transactions, because think times are long, but later responses.
        ([1000] * 8, [2.0] * 4 + [3.0] * 4),
    ],
)
def test_users_of_whom_some_are_served_worse_are_not(transactions: list[int], mean_ms: list[float] | None) -> None:
    found = judged(transactions, mean_ms)
    assert (found.equal, found.message) == (False, "clients not served equally")


def test_what_chance_makes_of_few_transactions_is_no_difference() -> None:
    chance = random.Random(1)  # noqa: S311 (the same chance in every run)
    unequal = 0
    for _ in range(500):
        # As many as arrive by a Poisson process, about 40 for each.
        transactions = [sum(chance.expovariate(1) < 0.04 for _ in range(1000)) for _ in range(8)]
        unequal += judged(transactions).equal is False
    assert unequal <= 3


@pytest.mark.parametrize(
    ("transactions", "reason", "message"),
    [
        ([1000], "", "not judged: one user alone"),
        ([20, 29, 30], "", "not judged: fewer than 30 transactions for each user"),
        ([0, 0], "", "not judged: fewer than 30 transactions for each user"),
        ([1000, 10], "not judged: open model", "not judged: open model"),
    ],
)
def test_what_allows_no_judgement_is_said(transactions: list[int], reason: str, message: str) -> None:
    found = judged(transactions, reason=reason)
    assert (found.equal, found.message) == (None, message)


def test_without_the_figures_of_users_there_is_none() -> None:
    assert fairness_of([], total()) is None
