"""Whether two sides did the same under the same conditions: what is to be equal for their figures to be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from middlemark.records.folder import PointResult, Result
from middlemark.records.run import Combination, Run

# Settings of an application that may differ: the modes are what is compared, the rest is where processes happen to be.
FREE_SETTINGS = frozenset(
    {"role", "host", "port", "grpc_port", "database_url", "services_url", "binding", "orders", "data_access"}
)
# What decides what a commit means.
DURABILITY = ("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "data_checksums")
# The canonical pages hold bodies to 5 %; headers are each server's own, and in small answers weigh as much again.
LARGEST_SIZE_DEVIATION = 0.10


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a combination of a run with its points."""

    run: Run
    combination: Combination
    points: tuple[PointResult, ...]

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings its processes say they have; of several values all, without those of no process."""
        found: dict[str, set[str]] = {}
        for document in self._abouts():
            settings = document.get("settings")
            for name, value in settings.items() if isinstance(settings, Mapping) else ():
                if value and name not in FREE_SETTINGS and name not in self.combination.modes:
                    found.setdefault(str(name), set()).add(str(value))
        return {name: " and ".join(sorted(values)) for name, values in found.items()}

    @property
    def specification(self) -> str:
        """Return name, version and data of what was to be done."""
        said = {f"{d.get('specification')} {d.get('specification_version')}" for d in self._abouts()}
        return " and ".join(sorted(said)) or f"{self.run.spec} {self.run.spec_version}"

    @property
    def bytes_per_answer(self) -> float | None:
        """Return the mean size of what the driver received for a transaction; None without a valid point."""
        verdicts = [p.verdict for p in self.points if p.verdict and p.valid and p.verdict.total.count]
        answers = sum(v.total.count + v.total.errors for v in verdicts)
        return sum(v.bytes_per_s * v.window_s for v in verdicts) / answers if answers else None

    def _abouts(self) -> Iterator[Mapping[str, object]]:
        for point in self.points:
            if point.point is not None:
                yield from point.point.about.values()


def side(result: Result, combination: Combination) -> Side:
    """Return a combination of a run as one side of a comparison, by the points at which it is compared."""
    return Side(result.run, combination, tuple(result.compared(combination)))


def unequal(a: Side, b: Side) -> tuple[str, ...]:
    """Return in words everything for which the figures of the two cannot be compared; none when they can."""
    return (*_inputs(a, b), *_settings(a, b), *_sizes(a, b))


def _inputs(a: Side, b: Side) -> Iterator[str]:
    wanted = {
        "specification": (a.specification, b.specification),
        "scale": (a.run.scale, b.run.scale),
        "data set": (a.run.fingerprint, b.run.fingerprint),
        "session": (a.run.session, b.run.session),
        "think time": (a.run.think, b.run.think),
    }
    for what, (one, other) in wanted.items():
        if one != other:
            # A fingerprint says nothing to people; another scale says it all.
            yield f"another {what}" + ("" if what == "data set" else f" ({one}, {other})")
    for name in DURABILITY:
        one, other = (each.run.database.get(name, "unknown") for each in (a, b))
        if one != other:
            yield f"another durability ({name} {one}, {other})"


def _settings(a: Side, b: Side) -> Iterator[str]:
    ours, theirs = a.settings, b.settings
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name]:
            yield f"another {name.replace('_', ' ')} ({ours[name]}, {theirs[name]})"


def _sizes(a: Side, b: Side) -> Iterator[str]:
    one, other = a.bytes_per_answer, b.bytes_per_answer
    if one and other and max(one / other, other / one) - 1 > LARGEST_SIZE_DEVIATION:
        yield f"answers of another size ({one:,.0f}, {other:,.0f} bytes)"
