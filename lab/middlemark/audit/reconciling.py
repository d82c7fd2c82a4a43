"""Compares what was answered with what was done, for each user and order when the driver names them.

For each name *k*: valid(k) ≤ found(k) ≤ valid(k) + unanswered(k) + invalid(k). What is missing at one name is lost,
what is too much at another was done twice, and the two never cancel. Without the names of the valid answers only
their number can be compared, and an order lost and another doubled would cancel; the result says which it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from middlemark.records.point import Fate, Reconciled

Name = tuple[str, ...]

_ROWS_SHOWN = 10


@dataclass
class Asked:
    """Requests of one transaction: how many were answered how, and by whose name as far as that is known."""

    valid: int
    invalid: int
    named: Mapping[Fate, Counter[Name]] = field(default_factory=lambda: {fate: Counter() for fate in Fate})
    nameless: Counter[Fate] = field(default_factory=Counter)

    def add(self, fate: Fate, name: Name | None) -> None:
        """Take one request in; None is one without a name."""
        if name is None:
            self.nameless[fate] += 1
        else:
            self.named[fate][name] += 1

    @property
    def unanswered(self) -> int:
        """Return how many requests have no complete answer."""
        return self.named[Fate.UNANSWERED].total() + self.nameless[Fate.UNANSWERED]


@dataclass(frozen=True)
class Found:
    """What the database holds: the total, and for whom as far as anybody asked."""

    total: int
    each: Mapping[Name, int]


@dataclass(frozen=True)
class _Explained:
    """How many traces are explained by which requests, and what is not explained."""

    unanswered_done: int
    invalid_done: int
    lost: int
    doubled: int


def reconciled(asked: Asked, found: Found, *, order: bool, every: bool) -> Reconciled:
    """Return the numbers of one transaction. `every`: each valid answer leaves a trace; else some may leave none."""
    by_name = every and asked.named[Fate.VALID].total() == asked.valid > 0
    explained = _by_name(asked, found) if by_name else _by_number(asked, found)
    return Reconciled(
        order=order,
        by_name=by_name,
        confirmed=asked.valid,
        found=found.total,
        unanswered=asked.unanswered,
        unanswered_done=explained.unanswered_done,
        invalid=asked.invalid,
        invalid_done=explained.invalid_done,
        lost=explained.lost if every else 0,
        doubled=explained.doubled,
        rows=_rows(asked, found),
    )


def _by_number(asked: Asked, found: Found) -> _Explained:
    """Explain what is more than confirmed by requests that may have been done: those whose names have a trace."""
    surplus = max(0, found.total - asked.valid)
    names = asked.named[Fate.UNANSWERED].items()
    possible = sum(min(times, found.each.get(name, 0)) for name, times in names) + asked.nameless[Fate.UNANSWERED]
    unanswered_done = min(possible, surplus)
    invalid_done = min(asked.invalid, surplus - unanswered_done)
    doubled = surplus - unanswered_done - invalid_done
    return _Explained(unanswered_done, invalid_done, max(0, asked.valid - found.total), doubled)


def _by_name(asked: Asked, found: Found) -> _Explained:
    """Explain every name's traces by its own requests; what no name explains may be of a request without one."""
    names = [_explained_at(asked, found, name) for name in _names(asked) | set(found.each)]
    unanswered_done, invalid_done, lost, doubled = (
        sum(getattr(one, what) for one in names) for what in ("unanswered_done", "invalid_done", "lost", "doubled")
    )
    doubled += max(0, found.total - sum(found.each.values()))
    nameless_done = min(asked.nameless[Fate.UNANSWERED], doubled)
    named_invalid = asked.named[Fate.INVALID].total()
    nameless_invalid = min(max(0, asked.invalid - named_invalid), doubled - nameless_done)
    return _Explained(
        unanswered_done + nameless_done,
        invalid_done + nameless_invalid,
        lost,
        doubled - nameless_done - nameless_invalid,
    )


def _explained_at(asked: Asked, found: Found, name: Name) -> _Explained:
    valid, invalid, unanswered = (asked.named[fate][name] for fate in (Fate.VALID, Fate.INVALID, Fate.UNANSWERED))
    there = found.each.get(name, 0)
    more = max(0, there - valid)
    unanswered_done = min(unanswered, more)
    invalid_done = min(invalid, more - unanswered_done)
    return _Explained(unanswered_done, invalid_done, max(0, valid - there), more - unanswered_done - invalid_done)


def _names(asked: Asked) -> set[Name]:
    return {name for counter in asked.named.values() for name in counter}


def _rows(asked: Asked, found: Found) -> tuple[dict[str, str], ...]:
    """Return the names worth showing: what is lost or doubled first, then requests without a valid answer."""
    by_name = asked.named[Fate.VALID].total() > 0
    worst: list[tuple[int, Name]] = []
    for name in _names(asked) | (set(found.each) if by_name else set()):
        explained = _explained_at(asked, found, name)
        wrong = explained.lost + explained.doubled if by_name else 0
        if wrong or asked.named[Fate.UNANSWERED][name] or asked.named[Fate.INVALID][name]:
            worst.append((-wrong, name))
    return tuple(_row(asked, found, name) for _, name in sorted(worst)[:_ROWS_SHOWN])


def _row(asked: Asked, found: Found, name: Name) -> dict[str, str]:
    counts = {fate.value: asked.named[fate][name] for fate in Fate}
    said = {what: str(count) for what, count in counts.items() if count}
    return {"who": " ".join(name), **said, "found": str(found.each.get(name, 0))}
