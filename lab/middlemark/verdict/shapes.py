"""The shape of a figure over hours: level, a straight line, one that begins or ends at a moment, or a step.

Each shape is a least-squares fit `a + b · f(x)` over equal slices; for shapes with a moment, every moment is tried. A
shape is chosen when chance does not explain how much smaller its residuals are than those of the next simpler shape.
This depends on the number of *independent* slices: neighbours are alike, and 1,440 slices of a minute are worth some
hundred independent ones. Of n slices n (1 - r) ÷ (1 + r) are independent, with the correlation r of neighbouring
residuals (Santer et al., "Statistical significance of trends", J. Geophys. Res. 105, 2000). The penalty of each
parameter is that of the Bayesian information criterion (Schwarz, Ann. Stat. 6, 1978); the search for a moment counts as
one more. A smooth bend fits none of the shapes well: it has the best of them when it goes one way in all its parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from middlemark.records.soak import Shape

Values = NDArray[np.float64]
# Fewer slices show no shape.
MIN_SLICES = 10
# A change below this share of the larger value is level, however certain: it is too small to matter.
MIN_CHANGE = 0.05
# Slices on either side of a moment, at least: a single odd slice is not a new level.
MIN_SIDE, MIN_SIDE_SHARE = 3, 0.02
# Where there are more moments, some are tried first, then those near the best of them.
MAX_TRIED = 240
# A smooth bend goes one way from part to part; a step back may be this share of the whole change.
PARTS, TOLERANCE = 5, 0.1
# Counters that agree to the last bit would make any shape certain.
EXACT = 1e-9


@dataclass(frozen=True)
class Fit:
    """A shape with its values at both ends; `place` is the first slice after its moment, None without one."""

    shape: Shape
    before: float
    after: float
    place: int | None = None


def fit_shape(values: Values, least: float = 0.0) -> Fit:
    """The shape of some slices, all known. A change of less than 5 % is level.

    So is one of less than `least`, in the unit of `values`.
    """
    count = len(values)
    mean = float(values.mean()) if count else 0.0
    level = Fit(Shape.LEVEL, mean, mean)
    spread = float(((values - mean) ** 2).sum())
    if count < MIN_SLICES or spread <= (EXACT * (abs(mean) or 1.0)) ** 2 * count:
        return level
    line = _fitted(values, Shape.LINE, None)
    best = min((_best(values, shape) for shape in (Shape.BEGINS, Shape.ENDS, Shape.STEP)), key=lambda one: one.left)
    independent, penalty = independent_values(values - best.values), math.log(count)

    def gain(simple: float, other: _Fitted) -> float:
        return independent * math.log(simple / max(other.left, EXACT * spread))

    chosen = best if gain(max(line.left, EXACT * spread), best) > 2 * penalty else line
    if gain(spread, chosen) <= (2 if chosen is line else 3) * penalty and not _goes_one_way(values):
        return level
    # A line through what bends leads beyond what there was.
    before, after = (float(end) for end in np.clip(chosen.values[[0, -1]], values.min(), values.max()))
    if abs(after - before) < max(least, MIN_CHANGE * max(abs(before), abs(after))):
        return level
    return Fit(chosen.shape, before, after, chosen.place)


def _goes_one_way(values: Values) -> bool:
    """Whether the medians of fifths rise from part to part, or fall: then the series bends, and does not scatter."""
    medians = np.array([np.median(part) for part in np.array_split(values, PARTS)])
    whole = float(medians[-1] - medians[0])
    steps = np.diff(medians) * (1 if whole > 0 else -1)
    return abs(whole) >= MIN_CHANGE * float(np.abs(medians).max()) and bool((steps >= -TOLERANCE * abs(whole)).all())


def independent_values(residuals: Values) -> float:
    """Number of independent values that these residuals are worth, at least 3."""
    middle = residuals - residuals.mean()
    spread = float((middle**2).sum())
    alike = float((middle[1:] * middle[:-1]).sum()) / spread if spread > 0 else 0.0
    count = len(residuals)
    return min(float(count), max(3.0, count * (1 - alike) / (1 + alike)))


_FORMS: dict[Shape, Callable[[Values, int], Values]] = {
    Shape.LINE: lambda x, _: x,
    Shape.BEGINS: lambda x, place: np.maximum(x - place, 0.0),
    Shape.ENDS: lambda x, place: np.minimum(x, float(place)),
    Shape.STEP: lambda x, place: (x >= place).astype(np.float64),
}


@dataclass(frozen=True)
class _Fitted:
    """A fit of a shape: its values, and the sum of squared residuals (`left`)."""

    shape: Shape
    place: int | None
    values: Values
    left: float


def _fitted(values: Values, shape: Shape, place: int | None) -> _Fitted:
    form = _FORMS[shape](np.arange(len(values), dtype=np.float64), place or 0)
    middle, mean = form - form.mean(), values.mean()
    # Not by `@`, whose threads wait for one another (workload/latencies.py).
    slope = float((middle * (values - mean)).sum() / (middle**2).sum())
    along = mean + slope * middle
    return _Fitted(shape, place, along, float(((values - along) ** 2).sum()))


def _best(values: Values, shape: Shape) -> _Fitted:
    """The best fit of a shape with a moment: first among some moments, then among those near the best of them."""
    count = len(values)
    side = max(MIN_SIDE, round(MIN_SIDE_SHARE * count))
    apart = max(1, count // MAX_TRIED)
    near = _least(values, shape, range(side, count - side + 1, apart))
    around = range(max(side, near - apart + 1), min(count - side + 1, near + apart))
    return _fitted(values, shape, _least(values, shape, around))


def _least(values: Values, shape: Shape, places: Iterable[int]) -> int:
    return min(places, key=lambda place: _fitted(values, shape, place).left)
