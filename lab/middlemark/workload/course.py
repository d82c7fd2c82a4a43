"""The course of a point: what each interval was like, as a compact series of numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from middlemark.records.driver_lines import PhaseName

_PHASES = tuple(PhaseName)


@dataclass(frozen=True, slots=True)
class Course:
    """One interval of the course of a point. `start_s`, `end_s` count from the driver's hello; `users` at its end.

    `count` and `tps` are of the transactions that the session counts, `errors` and times of all; `each` has the count
    of each transaction.
    """

    phase: PhaseName
    start_s: float
    end_s: float
    users: int
    count: int
    errors: int
    tps: float
    mean_ms: float
    p99_ms: float
    each: Mapping[str, int] = field(default_factory=dict)


class CourseSeries:
    """The intervals of a run in their order: 65 bytes and 8 for each transaction, of which a day may have 86,400."""

    def __init__(self) -> None:
        self._phases = bytearray()
        self._counts = array("q")
        self._figures = array("d")
        self._each: dict[str, array[int]] = {}

    def append(self, one: Course) -> None:
        """Add the next interval."""
        for name in one.each.keys() - self._each.keys():
            self._each[name] = array("q", bytes(8 * len(self)))
        for name, counts in self._each.items():
            counts.append(one.each.get(name, 0))
        self._phases.append(_PHASES.index(one.phase))
        self._counts.extend((one.users, one.count, one.errors))
        self._figures.extend((one.start_s, one.end_s, one.tps, one.mean_ms, one.p99_ms))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._phases)

    def __iter__(self) -> Iterator[Course]:
        """Yield each."""
        for number, phase in enumerate(self._phases):
            users, count, errors = self._counts[3 * number : 3 * number + 3]
            start_s, end_s, tps, mean_ms, p99_ms = self._figures[5 * number : 5 * number + 5]
            each = {name: counts[number] for name, counts in self._each.items()}
            yield Course(_PHASES[phase], start_s, end_s, users, count, errors, tps, mean_ms, p99_ms, each)
