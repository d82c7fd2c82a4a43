"""Charts with two axes: dots, lines and bands over a load, a time, a percentage or the place in a run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from middlemark.show.bars import Dot
from middlemark.show.chart import CAP, Axes, Scale, Size, colour, log_ticks, nice_ticks
from middlemark.show.tables import Picture, Table
from middlemark.wording import rounded

# Values of x nearer than this need a logarithmic axis, and there the label of one of them is left out.
NEAR, LABEL = 16, 24
# Series are drawn so many pixels aside of each other, so that equal values do not hide one another; where nothing is
# joined by a line there is room, and the bars of the means need it.
ASIDE, BAR_ASIDE, BAR = 5, 38, 15
# The scale of a strip ends just above the highest value, not at the next round one.
HEADROOM = 1.08


@dataclass(frozen=True)
class Line:
    """A series: dots by x, lines through points, and a mean with its interval at each x (`x, mean, low, high`)."""

    series: int
    name: str
    dots: tuple[tuple[float, Dot], ...] = ()
    lines: tuple[tuple[tuple[float, float], ...], ...] = ()
    means: tuple[tuple[float, float, float | None, float | None], ...] = ()
    thin: bool = False

    @property
    def values(self) -> list[float]:
        """Every value that is drawn."""
        ends = [end for _, mean, low, high in self.means for end in (mean, low, high) if end is not None]
        return [dot.value for _, dot in self.dots] + [y for line in self.lines for _, y in line] + ends

    @property
    def places(self) -> list[float]:
        """Every x."""
        return [x for x, _ in self.dots] + [x for line in self.lines for x, _ in line] + [one[0] for one in self.means]


@dataclass(frozen=True)
class Chart:
    """A chart of lines. `ticks` are the values of x with a tick, with `names` for them; none: round ones.

    `spread`: series lie beside each other at each x, which may need a logarithmic axis. `log`: of y. `shade` is a part
    of x, `moments` are labelled values of x; `limit` is a labelled value of y, drawn where values come near it; `aside`
    is a number that stands at the right, with its unit.
    """

    title: str
    lines: tuple[Line, ...]
    unit: str = ""
    x_label: str = ""
    note: str = ""
    ticks: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    spread: bool = False
    log: bool = False
    strip: bool = False
    highest: float = 0.0
    longest: float = 0.0
    shade: tuple[float, float] | None = None
    moments: tuple[tuple[float, str], ...] = ()
    limit: tuple[float, str] | None = None
    aside: tuple[float, str] | None = None
    table: Table | None = None

    def figure(self, sizes: tuple[Size, Size], *, legend: bool = True) -> Picture | None:
        """The chart in two sizes; None without a value."""
        if not any(line.values for line in self.lines):
            return None
        series = tuple((line.series, line.name) for line in self.lines) if legend else ()
        wide, narrow = map(self._draw, sizes)
        return Picture(self.title, self.note, wide, narrow, self.table, series)

    def _draw(self, size: Size) -> Markup:
        values = [value for line in self.lines for value in line.values if value > 0 or not self.log]
        y_ticks = self._y_ticks(values)
        top = self.highest * HEADROOM if self.strip else y_ticks[-1]
        y = Scale(y_ticks[0] if self.log else 0.0, top or 1.0, size.height - size.bottom, size.top, log=self.log)
        axes = Axes(size, self._x_scale(size), y)
        if self.shade is not None:
            start, end = map(axes.x.at, self.shade)
            axes.add("rect", class_="shade", x=start, y=size.top, width=end - start, height=axes.bottom - size.top)
        axes.y_axis([tick for tick in y_ticks if tick <= y.high], self.unit if not self.strip else "")
        self._x_axis(axes)
        middle, apart = axes.x, self._apart(axes)
        for place, line in enumerate(self.lines):
            aside = (place - (len(self.lines) - 1) / 2) * apart if self.spread else 0.0
            axes.x = replace(middle, start=middle.start + aside, end=middle.end + aside)
            _draw_line(axes, line, log=self.log)
        axes.x = middle
        for moment, label in self.moments:
            at = axes.x.at(moment)
            axes.add("line", class_="limit", x1=at, x2=at, y1=size.top, y2=axes.bottom)
            axes.text(at + 3, size.top + 10, label, "tick ink")
        if self.limit is not None and y.low < self.limit[0] <= y.high:
            at = y.at(self.limit[0])
            axes.add("line", class_="limit", x1=size.left, x2=size.width - size.right, y1=at, y2=at)
            axes.text(size.left + 3, at - 3, self.limit[1], "tick ink")
        self._beside(axes)
        return axes.markup(f"{self.title}: {', '.join(line.name for line in self.lines)}")

    def _y_ticks(self, values: Sequence[float]) -> list[float]:
        if self.log:
            return log_ticks(min(values), max(values))
        return nice_ticks(0.0, max([self.highest, *values]), 4 if self.strip else 6)

    def _x_scale(self, size: Size) -> Scale:
        """The scale of x: of loads logarithmic where some would lie on each other, as in a geometric ramp."""
        ends = size.left, size.width - size.right
        places = sorted({*self.ticks, *(x for line in self.lines for x in line.places)})
        if self.longest:
            return Scale(0.0, self.longest, *ends)
        margin = (places[-1] - places[0]) * 0.04 or 1
        linear = Scale(places[0] - margin, places[-1] + margin, *ends)
        near = any(linear.at(right) - linear.at(left) < NEAR for left, right in itertools.pairwise(places))
        if not self.spread or not near or places[0] <= 0:
            return linear
        aside = (places[-1] / places[0]) ** 0.04
        return Scale(places[0] / aside, places[-1] * aside, *ends, log=True)

    def _x_axis(self, axes: Axes) -> None:
        label = f"{self.x_label} (logarithmic)" if axes.x.log else self.x_label
        if not self.ticks:
            ticks = [tick for tick in nice_ticks(axes.x.low, axes.x.high, 8) if axes.x.low <= tick <= axes.x.high]
            axes.x_axis(ticks, label)
            return
        names = self.names or tuple(f"{tick:,g}" for tick in self.ticks)
        # The highest always has its label; one too near to its right neighbour's has none.
        shown, right = [], math.inf
        for tick, name in zip(reversed(self.ticks), reversed(names), strict=True):
            fits = right - axes.x.at(tick) >= LABEL
            shown.append(name if fits else "")
            right = axes.x.at(tick) if fits else right
        axes.x_axis(self.ticks, label, shown[::-1])

    def _apart(self, axes: Axes) -> float:
        apart = ASIDE if len({x for line in self.lines for x in line.places}) > 1 else BAR_ASIDE
        return min(apart, (axes.right - axes.size.left) / (len(self.lines) + 1))

    def _beside(self, axes: Axes) -> None:
        if self.strip:
            axes.text(axes.right + 5, axes.bottom + 16, "s", "tick")
        if self.shade is not None:
            axes.text(axes.x.at(self.shade[0]) + 3, axes.size.top - 4, "window", "tick")
        if self.aside is not None:
            at = min(max(axes.y.at(self.aside[0]), axes.size.top + 8), axes.bottom - 16)
            axes.text(axes.right + 8, at, rounded(self.aside[0]), "value")
            axes.text(axes.right + 8, at + 15, self.aside[1], "tick")


def _draw_line(axes: Axes, line: Line, *, log: bool) -> None:
    style = f"line {colour(line.series)}"
    intervals = [(x, low, high) for x, _, low, high in line.means if low is not None and high is not None]
    if len(intervals) > 1:
        around = [(x, high) for x, _, high in intervals] + [(x, low) for x, low, _ in reversed(intervals)]
        axes.line(around, f"band {colour(line.series)}", "Z")
    elif intervals:
        # An interval with caps, beside its x, where no dot hides it.
        at, low, high = axes.x.at(intervals[0][0]) + BAR, *map(axes.y.at, intervals[0][1:])
        caps = "".join(f"M{at - CAP:.1f} {end:.1f}h{2 * CAP}" for end in (low, high))
        axes.add("path", class_=f"line thin {colour(line.series)}", d=f"M{at:.1f} {low:.1f}V{high:.1f}{caps}")
    if len(line.means) > 1:
        axes.line([(x, mean) for x, mean, _, _ in line.means], style)
    elif line.means and len(line.dots) > 1:
        at, height = axes.x.at(line.means[0][0]), axes.y.at(line.means[0][1])
        axes.add("line", class_=style, x1=at - BAR, x2=at + BAR, y1=height, y2=height)
    for points in line.lines:
        axes.line([point for point in points if point[1] > 0 or not log], f"{style}{' thin' if line.thin else ''}")
    for x, dot in line.dots:
        axes.dot(x, dot.value, line.series, dot.title, hollow=dot.hollow)
