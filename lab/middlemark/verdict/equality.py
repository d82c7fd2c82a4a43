"""Whether two sides did the same under the same conditions: what is to be equal for their figures to be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from middlemark.records.folder import PointResult, Result
from middlemark.records.run import Combination, Run

# What decides what a commit means.
DURABILITY = ("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "data_checksums")
# The canonical pages hold bodies to 5 %; headers are each server's own, and in small responses weigh as much again.
MAX_SIZE_DEVIATION = 0.10


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a combination of a run with its points."""

    run: Run
    combination: Combination
    points: tuple[PointResult, ...]

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of its processes that must be equal; of several values all, without those of no process.

        Those may differ that the lab chooses by itself, that are compared, or that the combination chooses.
        """
        chosen = {name.removeprefix("MM_").lower() for name in self.combination.settings}
        may_differ = chosen.union(self.run.specification.given_settings)
        found: dict[str, set[str]] = {}
        for document in self._abouts():
            settings = document.get("settings")
            for name, value in settings.items() if isinstance(settings, Mapping) else ():
                if value and name not in may_differ:
                    found.setdefault(str(name), set()).add(str(value))
        return {name: " and ".join(sorted(values)) for name, values in found.items()}

    @property
    def specification(self) -> str:
        """Return name and version of what was to be done."""
        found = {f"{d.get('specification')} {d.get('specification_version')}" for d in self._abouts()}
        return " and ".join(sorted(found)) or f"{self.run.spec} {self.run.spec_version}"

    @property
    def scale(self) -> str:
        """Return the scale of its data."""
        return self.run.scale_of(self.combination)

    @property
    def session(self) -> str:
        """Return the session of its users."""
        return self.run.session_of(self.combination)

    @property
    def bytes_per_response(self) -> float | None:
        """Return the mean size of what the driver received for a transaction; None without a valid point."""
        verdicts = [p.verdict for p in self.points if p.verdict and p.valid and p.verdict.total.count]
        responses = sum(v.total.count + v.total.errors for v in verdicts)
        return sum(v.bytes_per_s * v.window_s for v in verdicts) / responses if responses else None

    def _abouts(self) -> Iterator[Mapping[str, object]]:
        for point in self.points:
            if point.point is not None:
                yield from point.point.about.values()


def side(result: Result, combination: Combination) -> Side:
    """Return a combination of a run as one side of a comparison, by the points at which it is compared."""
    return Side(result.run, combination, tuple(result.compared(combination)))


def unequal(a: Side, b: Side) -> tuple[str, ...]:
    """Return in words everything for which the figures of the two cannot be compared; none when they can."""
    return (*_inputs(a, b), *_durability(a, b), *_settings(a, b), *_sizes(a, b))


def _inputs(a: Side, b: Side) -> Iterator[str]:
    inputs = {
        "specifications": (a.specification, b.specification),
        "scales": (a.scale, b.scale),
        "sessions": (a.session, b.session),
        "think times": (a.run.think, b.run.think),
    }
    for what, (one, other) in inputs.items():
        if one != other:
            yield f"different {what} ({one}, {other})"
    # A scale is a data set of its own, and people know it by its name.
    if a.scale == b.scale and a.run.fingerprints.get(a.scale) != b.run.fingerprints.get(b.scale):
        yield "different data sets"


def _durability(a: Side, b: Side) -> Iterator[str]:
    servers = list(dict.fromkeys([*a.run.databases, *b.run.databases]))
    for server in servers:
        of = f" of {server}" if len(servers) > 1 else ""
        for name in DURABILITY:
            one, other = (each.run.databases.get(server, {}).get(name, "unknown") for each in (a, b))
            if one != other:
                yield f"different durability{of} ({name} {one}, {other})"


def _settings(a: Side, b: Side) -> Iterator[str]:
    ours, theirs = a.settings, b.settings
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name]:
            yield f"different {name.replace('_', ' ')} ({ours[name]}, {theirs[name]})"


def _sizes(a: Side, b: Side) -> Iterator[str]:
    one, other = a.bytes_per_response, b.bytes_per_response
    if one and other and max(one / other, other / one) - 1 > MAX_SIZE_DEVIATION:
        yield f"different response sizes ({one:,.0f}, {other:,.0f} bytes)"
