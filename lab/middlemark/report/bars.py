"""Small charts of bars: a row for each combination with its name, a bar with its interval, and the number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from middlemark.report.axes import CAP, Size, colour, marker
from middlemark.report.figure import Figure, both
from middlemark.report.svg import element

ROW, NAME, BAR = 36.0, 13.0, 10.0
WIDE, PHONE = 268.0, 344.0
# Room right of the bars for the number, and how wide a character of a name is.
VALUE, CHARACTER = 74.0, 6.2
# The marker of a series before its name.
MARKER = 16.0


@dataclass(frozen=True)
class Bar:
    """A row: `value` from `low` to `high`, written as `text`; without a value `text` is the reason."""

    series: int
    name: str
    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None


def bar_figure(title: str, note: str, bars: Sequence[Bar]) -> Figure | None:
    """Return the chart; None where no bar has a value."""
    if all(bar.value is None for bar in bars):
        return None
    wide, narrow = both(lambda size: _draw(title, bars, size), _size(WIDE, bars), _size(PHONE, bars))
    return Figure(title, note, wide, narrow)


def _size(width: float, bars: Sequence[Bar]) -> Size:
    return Size(width, ROW * len(bars) + 4, 0, VALUE, 0, 0)


def _draw(title: str, bars: Sequence[Bar], size: Size) -> Markup:
    most = max(end for bar in bars for end in (bar.value or 0.0, bar.high or 0.0)) or 1.0
    scale = (size.width - size.right) / most
    parts = [part for place, bar in enumerate(bars) for part in _row(bar, ROW * place, scale, size.width)]
    name = f"{title}: {'; '.join(f'{bar.name} {bar.text}' for bar in bars)}"
    box = f"0 0 {size.width:g} {size.height:g}"
    return element("svg", *parts, viewBox=box, width=size.width, role="img", aria_label=name)


def _row(bar: Bar, top: float, scale: float, width: float) -> list[Markup]:
    """Return marker and name, below them the bar with its whisker, and the number; the reason where there is none."""
    bottom = top + NAME + 4
    middle = bottom + BAR / 2
    name = element("text", _cut(bar.name, width - MARKER), class_="label ink", x=MARKER, y=top + 12)
    parts = [marker(bar.series, (7, top + 8)), name]
    if bar.value is None:
        reason = element(
            "text", element("title", bar.text), _cut(f"none: {bar.text}", width), class_="label", x=0, y=middle + 4
        )
        return [*parts, reason]
    title = element("title", f"{bar.name}: {bar.text}")
    end, style = bar.value * scale, colour(bar.series)
    parts.append(element("rect", title, class_=f"column {style}", x=0, y=bottom, width=end, height=BAR))
    right = end
    if bar.low is not None and bar.high is not None and bar.low < bar.high:
        left, right = bar.low * scale, max(bar.high * scale, end)
        caps = "".join(f"M{at:.1f} {middle - CAP:.1f}v{2 * CAP}" for at in (left, bar.high * scale))
        line = f"M{left:.1f} {middle:.1f}H{bar.high * scale:.1f}{caps}"
        parts.append(element("path", class_="interval", d=line))
    parts.append(element("text", bar.text, class_="value", x=right + 6, y=middle + 4))
    return parts


def _cut(text: str, width: float) -> str:
    most = int(width / CHARACTER)
    return text if len(text) <= most else f"{text[: most - 1]}…"
