"""Compares what was answered with what was done, name by name where the driver gives names.

For each name *k*: valid(k) ≤ found(k) ≤ valid(k) + unanswered(k) + invalid(k). What is missing at one name is lost,
what is too much at another was done twice, and the two never cancel. Without the names of the valid responses only
their number can be compared, and one lost and another doubled would cancel; the result shows which it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from middlemark.records.point import Reconciled, ReconciledName, RequestOutcome

Name = tuple[str, ...]

_MAX_NAMES = 10


@dataclass
class Requests:
    """Requests of one transaction: how many ended how, and by whose name as far as that is known.

    `open_ended`: the report of calls that an application makes broke off, and it may have made any number of others.
    """

    valid: int
    invalid: int
    named: Mapping[RequestOutcome, Counter[Name]] = field(
        default_factory=lambda: {outcome: Counter() for outcome in RequestOutcome}
    )
    nameless: Counter[RequestOutcome] = field(default_factory=Counter)
    open_ended: bool = False

    def add(self, outcome: RequestOutcome, name: Name | None) -> None:
        """Take one request in; None is one without a name."""
        if name is None:
            self.nameless[outcome] += 1
        else:
            self.named[outcome][name] += 1

    @property
    def unanswered(self) -> int:
        """Return how many requests have no complete response."""
        return self.named[RequestOutcome.UNANSWERED].total() + self.nameless[RequestOutcome.UNANSWERED]

    @property
    def names(self) -> set[Name]:
        """Return every name."""
        return {name for counter in self.named.values() for name in counter}


@dataclass(frozen=True)
class Found:
    """What the database holds: the total, and for whom as far as that was asked."""

    total: int
    each: Mapping[Name, int]


@dataclass(frozen=True)
class _Explained:
    """How many effects are explained by which requests, and what is not explained."""

    unanswered_done: int
    invalid_done: int
    lost: int
    doubled: int


def reconciled(requests: Requests, found: Found, *, effect: str, every: bool) -> Reconciled:
    """Return the numbers of one transaction, counted as `effect`.

    `every`: each valid response has an effect; else some may have none.
    """
    by_name = every and requests.named[RequestOutcome.VALID].total() == requests.valid > 0
    explained = _by_name(requests, found) if by_name else _by_number(requests, found)
    return Reconciled(
        effect=effect,
        by_name=by_name,
        confirmed=requests.valid,
        found=found.total,
        unanswered=requests.unanswered,
        unanswered_done=explained.unanswered_done,
        invalid=requests.invalid,
        invalid_done=explained.invalid_done,
        lost=explained.lost if every else 0,
        doubled=explained.doubled,
        names=_worth_a_look(requests, found),
    )


def _by_number(requests: Requests, found: Found) -> _Explained:
    """Explain what is more than confirmed by requests that may have been done: those whose names have an effect."""
    surplus = max(0, found.total - requests.valid)
    unanswered = requests.named[RequestOutcome.UNANSWERED].items()
    possible = sum(min(times, found.each.get(name, 0)) for name, times in unanswered)
    possible += requests.nameless[RequestOutcome.UNANSWERED]
    unanswered_done = surplus if requests.open_ended else min(possible, surplus)
    invalid_done = min(requests.invalid, surplus - unanswered_done)
    doubled = surplus - unanswered_done - invalid_done
    return _Explained(unanswered_done, invalid_done, max(0, requests.valid - found.total), doubled)


def _by_name(requests: Requests, found: Found) -> _Explained:
    """Explain every name's effects by its own requests; what no name explains may be of a request without one."""
    names = [_explained_at(requests, found, name) for name in requests.names | set(found.each)]
    unanswered_done, invalid_done, lost, doubled = (
        sum(getattr(one, what) for one in names) for what in ("unanswered_done", "invalid_done", "lost", "doubled")
    )
    doubled += max(0, found.total - sum(found.each.values()))
    nameless_done = doubled if requests.open_ended else min(requests.nameless[RequestOutcome.UNANSWERED], doubled)
    named_invalid = requests.named[RequestOutcome.INVALID].total()
    nameless_invalid = min(max(0, requests.invalid - named_invalid), doubled - nameless_done)
    return _Explained(
        unanswered_done + nameless_done,
        invalid_done + nameless_invalid,
        lost,
        doubled - nameless_done - nameless_invalid,
    )


def _explained_at(requests: Requests, found: Found, name: Name) -> _Explained:
    valid, invalid, unanswered = (
        requests.named[outcome][name]
        for outcome in (RequestOutcome.VALID, RequestOutcome.INVALID, RequestOutcome.UNANSWERED)
    )
    there = found.each.get(name, 0)
    more = max(0, there - valid)
    unanswered_done = min(unanswered, more)
    invalid_done = min(invalid, more - unanswered_done)
    return _Explained(unanswered_done, invalid_done, max(0, valid - there), more - unanswered_done - invalid_done)


def _worth_a_look(requests: Requests, found: Found) -> tuple[ReconciledName, ...]:
    """Return what is lost first, then what is doubled, then requests without a valid response."""
    by_name = requests.named[RequestOutcome.VALID].total() > 0
    worst: list[tuple[int, int, Name]] = []
    for name in requests.names | (set(found.each) if by_name else set()):
        explained = _explained_at(requests, found, name)
        lost, doubled = (explained.lost, explained.doubled) if by_name else (0, 0)
        failed = requests.named[RequestOutcome.UNANSWERED][name] + requests.named[RequestOutcome.INVALID][name]
        if lost or doubled or failed:
            worst.append((-lost, -doubled, name))
    return tuple(_at_name(requests, found, name) for *_, name in sorted(worst)[:_MAX_NAMES])


def _at_name(requests: Requests, found: Found, name: Name) -> ReconciledName:
    counts = {outcome.value: requests.named[outcome][name] for outcome in RequestOutcome}
    return ReconciledName(name=" ".join(name), found=found.each.get(name, 0), **counts)
