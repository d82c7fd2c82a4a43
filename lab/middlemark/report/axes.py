"""A chart with two axes, drawn as SVG: grid, ticks, lines, dots, bands. Colours come from the page's CSS.

Class names: `s0`, `s1` … a series; `grid`, `axis`, `tick`, `label`, `limit`, `shade`, `line`, `bar`, `whisker`,
`dot`, `band`, `column`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from middlemark.report.scales import Scale, written
from middlemark.report.svg import element

Points = Sequence[tuple[float, float]]

# The page's CSS has so many colours; more series begin again, with other markers.
COLOURS = 6
# A marker for each series beside its colour, so that no reader depends on colours.
MARKERS = ("circle", "square", "diamond", "triangle", "cross")
MARKER_SIZE = 4.2
# Half the width of a whisker's ends.
CAP = 3


@dataclass(frozen=True)
class Size:
    """Width and height of a chart in pixels, and the room around its plot."""

    width: float
    height: float
    left: float = 46
    right: float = 14
    top: float = 12
    bottom: float = 38


@dataclass
class Axes:
    """A chart under construction. `x` and `y` map values into the plot; what is drawn first lies below."""

    size: Size
    x: Scale
    y: Scale
    parts: list[Markup] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Position of the plot's left edge."""
        return self.size.left

    @property
    def right(self) -> float:
        """Position of the plot's right edge."""
        return self.size.width - self.size.right

    @property
    def bottom(self) -> float:
        """Position of the plot's lower edge."""
        return self.size.height - self.size.bottom

    def y_axis(self, ticks: Sequence[float], label: str = "") -> None:
        """Draw a grid line and a number for each tick, and the axis's label above them."""
        for tick in ticks:
            at = self.y.at(tick)
            self.parts.append(element("line", class_="grid", x1=self.left, x2=self.right, y1=at, y2=at))
            self.text(self.left - 7, at + 3.8, written(tick, ticks, log=self.y.log), "tick end")
        if label:
            self.text(2, self.size.top - 13, label, "label")

    def x_axis(self, ticks: Sequence[float], label: str = "", names: Sequence[str] = ()) -> None:
        """Draw the line below the plot, a mark and a number (or name) for each tick, and the axis's label."""
        self.parts.append(element("line", class_="axis", x1=self.left, x2=self.right, y1=self.bottom, y2=self.bottom))
        for index, tick in enumerate(ticks):
            at = self.x.at(tick)
            self.parts.append(element("line", class_="axis", x1=at, x2=at, y1=self.bottom, y2=self.bottom + 4))
            self.text(at, self.bottom + 16, names[index] if names else written(tick, ticks), "tick middle")
        if label:
            self.text((self.left + self.right) / 2, self.size.height - 5, label, "label middle")

    def line(self, points: Points, style: str) -> None:
        """Draw a line through points."""
        self.parts.append(element("path", class_=f"line {style}", d=self._path(points)))

    def bar(self, x: float, y: float, half: float, style: str) -> None:
        """Draw a level bar `half` pixels to either side of a value."""
        at, height = self.x.at(x), self.y.at(y)
        self.parts.append(element("line", class_=f"line bar {style}", x1=at - half, x2=at + half, y1=height, y2=height))

    def whisker(self, x: float, ends: tuple[float, float], aside: float, style: str) -> None:
        """Draw an interval with caps, `aside` pixels right of its x, where no dot hides it."""
        at, low, high = self.x.at(x) + aside, self.y.at(ends[0]), self.y.at(ends[1])
        caps = "".join(f"M{at - CAP:.1f} {end:.1f}h{2 * CAP}" for end in (low, high))
        self.parts.append(element("path", class_=f"line whisker {style}", d=f"M{at:.1f} {low:.1f}V{high:.1f}{caps}"))

    def column(self, x: float, ends: tuple[float, float], half: float, style: str, title: str) -> None:
        """Fill a part of a column, `half` pixels to either side of a value, between two values of y."""
        at, low, high = self.x.at(x), self.y.at(ends[0]), self.y.at(ends[1])
        named = element("title", title)
        shape = element("rect", named, class_=f"column {style}", x=at - half, y=high, width=2 * half, height=low - high)
        self.parts.append(shape)

    def steps(self, points: Points, end: float, style: str) -> None:
        """Draw a value from each point's x to the next one's, the last up to `end`."""
        corners: list[tuple[float, float]] = []
        for (x, y), (until, _) in zip(points, [*points[1:], (end, 0.0)], strict=True):
            corners += [(x, y), (until, y)]
        self.line(corners, style)

    def band(self, points: Sequence[tuple[float, float, float]], style: str) -> None:
        """Fill between low and high: points are x, low, high."""
        around = [(x, high) for x, _, high in points] + [(x, low) for x, low, _ in reversed(points)]
        self.parts.append(element("path", class_=f"band {style}", d=self._path(around) + "Z"))

    def dot(self, x: float, y: float, series: int, title: str, *, hollow: bool = False) -> None:
        """Draw one measured value with the series' marker and a title; hollow when it does not count."""
        self.parts.append(marker(series, (self.x.at(x), self.y.at(y)), title, hollow=hollow))

    def shade(self, low: float, high: float) -> None:
        """Shade the plot between two values of x."""
        start, end = self.x.at(low), self.x.at(high)
        top = self.size.top
        self.parts.append(element("rect", class_="shade", x=start, y=top, width=end - start, height=self.bottom - top))

    def moment(self, x: float, label: str) -> None:
        """Draw a dashed line at a value of x, labelled above the plot."""
        at = self.x.at(x)
        self.parts.append(element("line", class_="limit", x1=at, x2=at, y1=self.size.top, y2=self.bottom))
        self.text(at + 3, self.size.top + 10, label, "tick ink")

    def text(self, x: float, y: float, words: str, style: str) -> None:
        """Write words at a position; `style` may hold `middle` or `end`."""
        self.parts.append(element("text", words, class_=style, x=x, y=y))

    def markup(self, name: str) -> Markup:
        """Return the SVG; `name` describes it to readers who do not see it."""
        box = f"0 0 {self.size.width:g} {self.size.height:g}"
        return element("svg", *self.parts, viewBox=box, width=self.size.width, role="img", aria_label=name)

    def _path(self, points: Points) -> str:
        corners = [f"{self.x.at(x):.1f} {self.y.at(y):.1f}" for x, y in points if math.isfinite(y)]
        return "M" + "L".join(corners) if corners else ""


def colour(series: int) -> str:
    """Return the CSS class that gives a series its colour."""
    return f"s{series % COLOURS}"


def marker(series: int, at: tuple[float, float], title: str = "", *, hollow: bool = False) -> Markup:
    """Return the marker of a series at a position."""
    x, y = at
    named = [element("title", title)] if title else []
    style, size = f"{'hollow' if hollow else 'dot'} {colour(series)}", MARKER_SIZE
    shape = MARKERS[series % len(MARKERS)]
    if shape == "circle":
        return element("circle", *named, class_=style, cx=x, cy=y, r=size)
    if shape == "square":
        side = size * 1.8
        return element("rect", *named, class_=style, x=x - side / 2, y=y - side / 2, width=side, height=side)
    far = size * 1.25
    if shape == "cross":
        arm = f"{2 * size:.1f}"
        across = f"M{x - size:.1f} {y - size:.1f}l{arm} {arm}m0 -{arm}l-{arm} {arm}"
        return element("path", *named, class_=f"cross {colour(series)}", d=across)
    corners = (
        [(x, y - far), (x + far, y), (x, y + far), (x - far, y)]
        if shape == "diamond"
        else [(x, y - far), (x + far, y + far * 0.8), (x - far, y + far * 0.8)]
    )
    return element("path", *named, class_=style, d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in corners) + "Z")
