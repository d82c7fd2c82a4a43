"""What charts are drawn of: scales, ticks, axes, and SVG elements. Colours come from the page's CSS.

Class names: `s0`, `s1` … a series; `grid`, `axis`, `tick`, `label`, `limit`, `shade`, `line`, `interval`, `dot`,
`band`, `column`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

Points = Sequence[tuple[float, float]]
MAX_DECIMALS = 7
# The page's CSS has so many colours; more series begin again, with other markers.
COLOURS = 6
# Shapes of the markers that each series has beside its colour, so that no reader depends on colours.
MARKERS = 5
MARKER_SIZE = 4.2
# Half the height of an interval's ends.
CAP = 3
WIDE, PHONE = 1140.0, 344.0


def element(name: str, /, *inside: str, **attributes: str | float) -> Markup:
    """`<name …>inside</name>`, escaped; `stroke_width` becomes `stroke-width`, `class_` becomes `class`.

    A tenth of a pixel is not seen: coordinates have at most one decimal.
    """
    written = Markup().join(
        Markup(' {}="{}"').format(
            key.rstrip("_").replace("_", "-"),
            value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0"),
        )
        for key, value in attributes.items()
        if value != ""
    )
    return Markup("<{}{}>{}</{}>").format(name, written, Markup().join(escape(part) for part in inside), name)


def svg(parts: Sequence[Markup], width: float, height: float, name: str) -> Markup:
    """A whole drawing; `name` describes it to readers who do not see it."""
    return element("svg", *parts, viewBox=f"0 0 {width:g} {height:g}", width=width, role="img", aria_label=name)


@dataclass(frozen=True)
class Scale:
    """Values `low` … `high` on positions `start` … `end` (pixels); logarithmic when `log`, which needs low > 0."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The position of a value."""
        low, high, here = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """At most `most` round values (1, 2 or 5 times a power of ten apart) that enclose `low` … `high`."""
    if not high > low:
        high = low + 1
    step = 10 ** math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 5, 10, 20, 50):
        first, last = math.floor(low / (step * factor) + 1e-9), math.ceil(high / (step * factor) - 1e-9)
        if last - first + 1 <= most:
            return [tick * step * factor for tick in range(first, last + 1)]
    raise AssertionError("fifty times the step always fits")


def log_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Values 1, 2, 5 times powers of ten that enclose `low` … `high`, both > 0; only powers when too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
    start = max((i for i, tick in enumerate(every) if tick <= low * (1 + 1e-9)), default=0)
    end = min((i for i, tick in enumerate(every) if tick >= high * (1 - 1e-9)), default=len(every) - 1)
    ticks = every[start : end + 1]
    return ticks if len(ticks) <= most else [10.0**power for power in range(first, last + 1)]


def ratio_ticks(low: float, high: float) -> list[float]:
    """Ticks inside the axis of a ratio: finer than 1, 2, 5 when the ratios lie close together."""
    step = 0.05 if high - low < 0.3 else 0.1 if high - low < 0.8 else 0.25 if high - low < 1.5 else 0.5
    ticks = log_ticks(low, high) if high / low > 6 else [round(i * step, 2) for i in range(1, int(high / step) + 1)]
    return [tick for tick in ticks if low <= tick <= high]


def written(value: float, ticks: Sequence[float], *, log: bool = False) -> str:
    """A tick's label with as many decimals as its neighbours (on a log axis: as it) need to differ."""
    if log:
        return f"{value:,.0f}" if value >= 1 else f"{value:g}"
    for decimals in range(MAX_DECIMALS):
        if all(math.isclose(round(tick, decimals), tick, rel_tol=1e-9, abs_tol=1e-12) for tick in ticks):
            return f"{value:,.{decimals}f}"
    return f"{value:g}"


@dataclass(frozen=True)
class Size:
    """Width and height of a chart in pixels, and the room around its plot."""

    width: float
    height: float
    left: float = 46
    right: float = 14
    top: float = 26
    bottom: float = 38


# Widths from which charts are shown without being scaled down much: a column of the page, a phone.
HALF, FULL, ON_PHONE = Size(560, 300), Size(WIDE, 300), Size(PHONE, 250)
STRIP, STRIP_ON_PHONE = Size(WIDE, 92, right=84, top=16, bottom=20), Size(PHONE, 92, 40, 62, 16, 20)
PANEL, SMALL = (
    Size(268, 200, left=50, right=10, top=30, bottom=34),
    Size(268, 150, left=40, right=10, top=30, bottom=34),
)


@dataclass
class Axes:
    """A chart under construction. `x` and `y` map values into the plot; what is drawn first lies below."""

    size: Size
    x: Scale
    y: Scale
    parts: list[Markup] = field(default_factory=list)

    @property
    def right(self) -> float:
        """Position of the plot's right edge."""
        return self.size.width - self.size.right

    @property
    def bottom(self) -> float:
        """Position of the plot's lower edge."""
        return self.size.height - self.size.bottom

    def add(self, name: str, /, *inside: str, **attributes: str | float) -> None:
        """Draw an element, with positions in pixels."""
        self.parts.append(element(name, *inside, **attributes))

    def y_axis(self, ticks: Sequence[float], label: str = "") -> None:
        """Draw a grid line and a number for each tick, and the axis's label above them."""
        for tick in ticks:
            at = self.y.at(tick)
            self.add("line", class_="grid", x1=self.size.left, x2=self.right, y1=at, y2=at)
            self.text(self.size.left - 7, at + 3.8, written(tick, ticks, log=self.y.log), "tick end")
        if label:
            self.text(2, self.size.top - 13, label, "label")

    def x_axis(self, ticks: Sequence[float], label: str = "", names: Sequence[str] = ()) -> None:
        """Draw the line below the plot, a mark and a number (or name) for each tick, and the axis's label."""
        low = self.bottom
        self.add("line", class_="axis", x1=self.size.left, x2=self.right, y1=low, y2=low)
        for index, tick in enumerate(ticks):
            at = self.x.at(tick)
            self.add("line", class_="axis", x1=at, x2=at, y1=low, y2=low + 4)
            self.text(at, low + 16, names[index] if names else written(tick, ticks), "tick middle")
        if label:
            self.text((self.size.left + self.right) / 2, self.size.height - 5, label, "label middle")

    def line(self, points: Points, style: str, closed: str = "") -> None:
        """Draw a line through points; `closed` is `Z` for what fills it."""
        corners = [f"{self.x.at(x):.1f} {self.y.at(y):.1f}" for x, y in points if math.isfinite(y)]
        self.add("path", class_=style, d=f"M{'L'.join(corners)}{closed}" if corners else "")

    def dot(self, x: float, y: float, series: int, title: str, *, hollow: bool = False) -> None:
        """Draw one measured value with the series' marker and a title; hollow when it does not count."""
        self.parts.append(marker(series, (self.x.at(x), self.y.at(y)), title, hollow=hollow))

    def text(self, x: float, y: float, words: str, style: str) -> None:
        """Write words at a position; `style` may hold `middle` or `end`."""
        self.add("text", words, class_=style, x=x, y=y)

    def markup(self, name: str) -> Markup:
        """The drawing; `name` describes it to readers who do not see it."""
        return svg(self.parts, self.size.width, self.size.height, name)


def colour(series: int) -> str:
    """The CSS class that gives a series its colour."""
    return f"s{series % COLOURS}"


def swatch(series: int) -> Markup:
    """The marker of a series for a legend."""
    return element("svg", marker(series, (7, 7)), viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")


def marker(series: int, at: tuple[float, float], title: str = "", *, hollow: bool = False) -> Markup:
    """The marker of a series at a position."""
    x, y = at
    named = [element("title", title)] if title else []
    style, size, far = f"{'hollow' if hollow else 'dot'} {colour(series)}", MARKER_SIZE, MARKER_SIZE * 1.25
    match series % MARKERS:
        case 0:
            return element("circle", *named, class_=style, cx=x, cy=y, r=size)
        case 1:
            side = size * 1.8
            return element("rect", *named, class_=style, x=x - side / 2, y=y - side / 2, width=side, height=side)
        case 2:
            corners = [(x, y - far), (x + far, y), (x, y + far), (x - far, y)]
        case 3:
            corners = [(x, y - far), (x + far, y + far * 0.8), (x - far, y + far * 0.8)]
        case _:
            arm = f"{2 * size:.1f}"
            across = f"M{x - size:.1f} {y - size:.1f}l{arm} {arm}m0 -{arm}l-{arm} {arm}"
            return element("path", *named, class_=f"cross {colour(series)}", d=across)
    return element("path", *named, class_=style, d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in corners) + "Z")
