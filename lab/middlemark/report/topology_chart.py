"""Draws the tiers as they ran: boxes for processes, arrows from caller to called, along the way of a request."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markupsafe import Markup

from middlemark.records.folder import Result
from middlemark.report.figure import Figure, text_table
from middlemark.report.svg import element
from middlemark.report.topology import Arrow, Topology, names_of, topologies
from middlemark.verdict.naming import short_names

WIDE, PHONE = 1140.0, 344.0
MAX_BOX, GAP, PHONE_GAP = 190.0, 112.0, 46.0
# Between boxes of one rank; a line of text; room around the texts of a box; the place of an arrow that passes a rank.
APART, LINE, INNER, PASSING = 16.0, 15.0, 9.0, 14.0
CHARACTER, HEAD = 6.4, 5.0
NOTE = "Arrows go from caller to called. Ports are those of the first start; each start takes free ones."

Point = tuple[float, float]


@dataclass(frozen=True)
class _Slot:
    """A box, or with no `lines` the place through which an arrow passes a rank: where it lies, and how large it is."""

    lines: tuple[str, ...]
    x: float = 0.0
    y: float = 0.0
    width: float = PASSING
    height: float = PASSING


@dataclass(frozen=True)
class _Drawing:
    """Slots by box, and by arrow and rank; `ways` of the arrows from begin to end."""

    width: float
    height: float
    boxes: tuple[_Slot, ...]
    ways: tuple[tuple[Point, ...], ...]


def topology_figures(result: Result) -> list[Figure]:
    """Return a diagram for each topology; none for a result that has not recorded how it ran."""
    names = short_names(result.run.combinations)
    found = topologies(result)
    several = len(found) > 1 or len(names) == 1
    return [_figure(one, names_of(one, names) if several else "All combinations") for one in found]


def _figure(topology: Topology, title: str) -> Figure:
    table = text_table(("process", "carries", "runs", "listens on", "CPUs", "calls"), list(_rows(topology)))
    return Figure(
        title, NOTE, _draw(topology, title, wide=True), _draw(topology, title, wide=False), table, kind="diagram"
    )


def _rows(topology: Topology) -> Iterator[tuple[str, ...]]:
    for place, box in enumerate(topology.boxes):
        calls = (f"{topology.boxes[a.called].name} over {a.over}" for a in topology.arrows if a.caller == place)
        yield box.name, box.carries, ", ".join(box.runs), ", ".join(box.ports), box.cpus, "; ".join(calls)


def _draw(topology: Topology, title: str, *, wide: bool) -> Markup:
    drawing = _drawing(topology, wide=wide)
    parts = [part for way in drawing.ways for part in _arrow(way)]
    parts += [part for box in drawing.boxes for part in _box(box)]
    parts += [_label(arrow, way, wide=wide) for arrow, way in zip(topology.arrows, drawing.ways, strict=True)]
    view = f"0 0 {drawing.width:g} {drawing.height:g}"
    boxes = topology.boxes
    texts = (f"{boxes[a.caller].name} calls {boxes[a.called].name} over {a.over}" for a in topology.arrows)
    name = f"The tiers as they ran, {title}: {'; '.join(texts)}"
    return element("svg", *parts, viewBox=view, width=drawing.width, role="img", aria_label=name)


def _drawing(topology: Topology, *, wide: bool) -> _Drawing:
    ranks = _ranks(topology)
    placed = _across(topology, ranks) if wide else _down(topology, ranks)
    ways = []
    for number, arrow in enumerate(topology.arrows):
        first, last = topology.boxes[arrow.caller].rank, topology.boxes[arrow.called].rank
        keys = [
            ("box", arrow.caller),
            *((f"way {number}", rank) for rank in range(first + 1, last)),
            ("box", arrow.called),
        ]
        ways.append(_way([placed[key] for key in keys], wide=wide))
    boxes = tuple(placed["box", place] for place in range(len(topology.boxes)))
    return _Drawing(
        WIDE if wide else PHONE,
        max(slot.y + slot.height for slot in placed.values()) + 1,
        boxes,
        tuple(ways),
    )


_Key = tuple[str, int]
_Ranks = list[list[_Key]]


def _ranks(topology: Topology) -> _Ranks:
    """Return what lies in each rank: boxes, and behind them the arrows that pass it."""
    last = max(box.rank for box in topology.boxes)
    ranks: _Ranks = [
        [("box", p) for p, box in enumerate(topology.boxes) if box.rank == rank] for rank in range(last + 1)
    ]
    for number, arrow in enumerate(topology.arrows):
        for rank in range(topology.boxes[arrow.caller].rank + 1, topology.boxes[arrow.called].rank):
            ranks[rank].append((f"way {number}", rank))
    return ranks


def _across(topology: Topology, ranks: _Ranks) -> dict[_Key, _Slot]:
    """Place the ranks from left to right, each in the middle of the height."""
    width = min(MAX_BOX, (WIDE - 2 - GAP * (len(ranks) - 1)) / len(ranks))
    columns = [[(key, _sized(topology, key, width)) for key in rank] for rank in ranks]
    heights = [sum(slot.height for _, slot in column) + APART * (len(column) - 1) for column in columns]
    placed: dict[_Key, _Slot] = {}
    for number, (column, height) in enumerate(zip(columns, heights, strict=True)):
        y = (max(heights) - height) / 2 + 1
        for key, slot in column:
            placed[key] = replace(slot, x=number * (width + GAP) + 1, y=y, width=width)
            y += slot.height + APART
    return placed


def _down(topology: Topology, ranks: _Ranks) -> dict[_Key, _Slot]:
    """Place the ranks from top to bottom, each in the middle of the width."""
    placed: dict[_Key, _Slot] = {}
    y = 1.0
    for rank in ranks:
        boxes = sum(kind == "box" for kind, _ in rank)
        room = PHONE - 2 - APART * (len(rank) - 1) - PASSING * (len(rank) - boxes)
        row = [(key, _sized(topology, key, min(MAX_BOX, room / max(boxes, 1)))) for key in rank]
        x = (PHONE - sum(slot.width for _, slot in row) - APART * (len(row) - 1)) / 2
        height = max(slot.height for _, slot in row)
        for key, slot in row:
            placed[key] = replace(slot, x=x, y=y, height=height)
            x += slot.width + APART
        y += height + PHONE_GAP
    return placed


def _sized(topology: Topology, key: _Key, width: float) -> _Slot:
    """Return a slot with its texts broken into lines that fit."""
    kind, place = key
    if kind != "box":
        return _Slot(())
    box = topology.boxes[place]
    most = max(int((width - 2 * INNER) / CHARACTER), 6)
    lines = tuple(line for text in (box.name, *box.lines) for line in textwrap.wrap(text, most))
    return _Slot(lines, width=width, height=LINE * len(lines) + 2 * INNER)


def _way(slots: list[_Slot], *, wide: bool) -> tuple[Point, ...]:
    """Return the corners of an arrow from its first slot, through those between, to its last."""
    points: list[Point] = []
    for place, slot in enumerate(slots):
        near = (slot.x, slot.y + slot.height / 2) if wide else (slot.x + slot.width / 2, slot.y)
        far = (slot.x + slot.width, near[1]) if wide else (near[0], slot.y + slot.height)
        points += [near] * (place > 0) + [far] * (place < len(slots) - 1)
    return tuple(points)


def _arrow(way: tuple[Point, ...]) -> Iterator[Markup]:
    corners = "L".join(f"{x:.1f} {y:.1f}" for x, y in way)
    yield element("path", class_="flow", d=f"M{corners}")
    (x, y), (before_x, before_y) = way[-1], way[-2]
    length = ((x - before_x) ** 2 + (y - before_y) ** 2) ** 0.5 or 1.0
    along, aside = ((x - before_x) / length * 2 * HEAD, (y - before_y) / length * 2 * HEAD), HEAD / length
    left = (x - along[0] - (y - before_y) * aside, y - along[1] + (x - before_x) * aside)
    right = (x - along[0] + (y - before_y) * aside, y - along[1] - (x - before_x) * aside)
    yield element(
        "path", class_="head", d=f"M{x:.1f} {y:.1f}L{left[0]:.1f} {left[1]:.1f}L{right[0]:.1f} {right[1]:.1f}Z"
    )


def _label(arrow: Arrow, way: tuple[Point, ...], *, wide: bool) -> Markup:
    """Write over what is called at the middle of the first stretch."""
    (x, y), (to_x, to_y) = way[:2]
    middle = ((x + to_x) / 2, (y + to_y) / 2)
    if wide:
        return element("text", arrow.over, class_="label ink middle", x=middle[0], y=middle[1] - 6)
    return element("text", arrow.over, class_="label ink middle", x=middle[0], y=middle[1] + 3)


def _box(slot: _Slot) -> Iterator[Markup]:
    yield element("rect", class_="box", x=slot.x, y=slot.y, width=slot.width, height=slot.height, rx=6)
    for number, line in enumerate(slot.lines):
        style = "name ink" if number == 0 else "label"
        yield element("text", line, class_=style, x=slot.x + INNER, y=slot.y + INNER + LINE * (number + 0.75))
