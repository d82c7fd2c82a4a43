"""Diagrams of the tiers as they ran: boxes for processes, arrows from caller to called, the driver on top."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from middlemark.records.findings import Findings
from middlemark.records.placement import DRIVER, Placement, cpu_list
from middlemark.records.run_parts import DeploymentRecord, ProcessRecord
from middlemark.show.chart import PHONE, element, svg
from middlemark.show.tables import Picture, table
from middlemark.wording import TIMES

# Longer lists of what runs in a box, of its ports or of combinations are counted.
MAX_LISTED = 3
WIDE = 760.0
# Between boxes of one rank, between ranks; a line of text; room around it; the place of an arrow that passes a rank.
APART, RANK, LINE, INNER, PASSING, MAX_BOX = 24.0, 46.0, 15.0, 9.0, 14.0, 210.0
CHARACTER, HEAD = 6.4, 5.0
NOTE = "Arrows go from caller to called. Ports are those of the first start; each start takes free ones."


@dataclass(frozen=True)
class Box:
    """Processes that do the same, or the driver, or a database server; `runs` has what ran in it in each combination.

    `rank` 0 is the driver; who is called stands further than all its callers.
    """

    name: str
    carries: str
    runs: tuple[str, ...]
    ports: tuple[str, ...]
    cpus: str
    rank: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The texts of the box."""
        return tuple(
            text for text in (self.name, self.carries, listed(self.runs), listed(self.ports), self.cpus) if text
        )


@dataclass(frozen=True)
class Arrow:
    """A call from one box to another, by their places, and over what."""

    caller: int
    called: int
    over: str


@dataclass(frozen=True)
class Topology:
    """Boxes and arrows, and the names of the combinations that ran so."""

    names: tuple[str, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def topology_figures(findings: Findings) -> list[Picture]:
    """A diagram for each topology; none for combinations that were never started."""
    found = topologies(findings)
    several = len(found) > 1 or len(findings.combinations) == 1
    return [_figure(one, listed(one.names) if several else "All combinations") for one in found]


def topologies(findings: Findings) -> list[Topology]:
    """Each topology once, in the run's order."""
    found: dict[object, Topology] = {}
    for combination in findings.run.combinations:
        record = findings.run.deployments.get(combination.path)
        if record is None:
            continue
        placement = findings.run.placement.get(combination.path, Placement())
        one = _topology(findings.name(combination.path), record, placement)
        shape = (tuple((box.name, box.carries, box.cpus) for box in one.boxes), one.arrows)
        if (first := found.get(shape)) is not None:
            # The ports are those of the first.
            runs = [dict.fromkeys((*a.runs, *b.runs)) for a, b in zip(first.boxes, one.boxes, strict=True)]
            boxes = tuple(replace(box, runs=tuple(own)) for box, own in zip(first.boxes, runs, strict=True))
            one = Topology((*first.names, *one.names), boxes, one.arrows)
        found[shape] = one
    return list(found.values())


def listed(texts: Sequence[str]) -> str:
    """Texts one after the other; of many the first and how many more there are."""
    if len(texts) <= MAX_LISTED:
        return ", ".join(texts)
    return f"{', '.join(texts[: MAX_LISTED - 1])} and {len(texts) - MAX_LISTED + 1} more"


def _topology(name: str, record: DeploymentRecord, placement: Placement) -> Topology:
    groups: dict[object, list[ProcessRecord]] = {}
    for process in record.processes:
        groups.setdefault((process.tiers, process.runs), []).append(process)
    boxes = [Box(DRIVER, "virtual users", (), (), _cpus(placement, DRIVER))]
    places = {DRIVER: 0}
    for group in groups.values():
        first, label = group[0], "+".join(group[0].tiers)
        title = first.name if len(group) == 1 else f"{label} {TIMES} {len(group)}"
        carries = " + ".join(first.tiers) if len(first.tiers) > 1 else ""
        ports = tuple(f"{protocol} {port}" for process in group for protocol, port in process.ports.items())
        places |= dict.fromkeys((process.name for process in group), len(boxes))
        boxes.append(Box(title, carries, (first.runs,), ports, _cpus(placement, label)))
    for one in record.databases:
        own, cpus = ("a server of the user's", "") if one.users_own else ("", _cpus(placement, one.tier))
        places[one.tier] = len(boxes)
        ports = () if one.port is None else (f"SQL {one.port}",)
        boxes.append(Box(one.tier.replace(".", " "), own, (), ports, cpus))
    calls = [(DRIVER, call) for call in record.driver]
    calls += [(process.name, call) for process in record.processes for call in process.calls]
    over: dict[tuple[int, int], dict[str, None]] = {}
    for caller, call in calls:
        over.setdefault((places[caller], places[call.to]), {})[call.over] = None
    arrows = tuple(Arrow(*ends, ", ".join(texts)) for ends, texts in over.items())
    ranked = (replace(box, rank=rank) for box, rank in zip(boxes, _ranks(len(boxes), arrows), strict=True))
    return Topology((name,), tuple(ranked), arrows)


def _cpus(placement: Placement, tier: str) -> str:
    numbers = placement.of(tier)
    return f"CPU {cpu_list(numbers)}" if numbers else "any CPU"


def _ranks(number: int, arrows: Sequence[Arrow]) -> list[int]:
    """How far each box is from the driver by its longest way; who is not called stands before its callees."""
    called = {arrow.called for arrow in arrows}
    ranks = [0 if place == 0 else 1 for place in range(number)]
    for _ in range(number):
        for arrow in arrows:
            ranks[arrow.called] = max(ranks[arrow.called], ranks[arrow.caller] + 1)
    for place in range(1, number):
        callees = [ranks[arrow.called] for arrow in arrows if arrow.caller == place]
        if place not in called and callees:
            ranks[place] = max(1, min(callees) - 1)
    return ranks


def _figure(topology: Topology, title: str) -> Picture:
    boxes, arrows = topology.boxes, topology.arrows
    calls = {
        place: "; ".join(f"{boxes[one.called].name} over {one.over}" for one in arrows if one.caller == place)
        for place in range(len(boxes))
    }
    rows = table(
        enumerate(boxes),
        "process: 1.name | carries: 1.carries",
        ("runs", lambda one: ", ".join(one[1].runs)),
        ("listens on", lambda one: ", ".join(one[1].ports)),
        "CPUs: 1.cpus",
        ("calls", lambda one: calls[one[0]]),
    )
    return Picture(title, NOTE, _draw(topology, title, WIDE), _draw(topology, title, PHONE), rows)


@dataclass(frozen=True)
class _Slot:
    """A box, or without `lines` the place through which an arrow passes a rank: where it lies, and how large it is."""

    lines: tuple[str, ...] = ()
    x: float = 0.0
    y: float = 0.0
    width: float = PASSING
    height: float = PASSING

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def _draw(topology: Topology, title: str, width: float) -> Markup:
    placed = _placed(topology, width)
    boxes = topology.boxes
    ways = []
    for number, arrow in enumerate(topology.arrows):
        between = range(boxes[arrow.caller].rank + 1, boxes[arrow.called].rank)
        ends = placed["box", arrow.caller], placed["box", arrow.called]
        ways.append([ends[0], *(placed[f"way {number}", rank] for rank in between), ends[1]])
    parts = [part for way in ways for part in _arrow(way)]
    parts += [part for slot in placed.values() if slot.lines for part in _drawn_box(slot)]
    for arrow, way in zip(topology.arrows, ways, strict=True):
        # Over what is called stands at the middle of the first stretch.
        (x, y), (to_x, to_y) = _corners(way)[:2]
        parts.append(element("text", arrow.over, class_="label ink middle", x=(x + to_x) / 2, y=(y + to_y) / 2 + 3))
    texts = (f"{boxes[a.caller].name} calls {boxes[a.called].name} over {a.over}" for a in topology.arrows)
    height = max(slot.y + slot.height for slot in placed.values()) + 1
    return svg(parts, width, height, f"The tiers as they ran, {title}: {'; '.join(texts)}")


def _placed(topology: Topology, width: float) -> dict[tuple[str, int], _Slot]:
    """Place the ranks from top to bottom, each in the middle of the width; behind boxes the arrows that pass them."""
    last = max(box.rank for box in topology.boxes)
    placed: dict[tuple[str, int], _Slot] = {}
    y = 1.0
    for rank in range(last + 1):
        keys = [("box", place) for place, box in enumerate(topology.boxes) if box.rank == rank]
        passing = [
            (f"way {number}", rank)
            for number, arrow in enumerate(topology.arrows)
            if topology.boxes[arrow.caller].rank < rank < topology.boxes[arrow.called].rank
        ]
        count = len(keys) + len(passing)
        room = width - 2 - APART * (count - 1) - PASSING * len(passing)
        wide = min(MAX_BOX, room / max(len(keys), 1))
        most = max(int((wide - 2 * INNER) / CHARACTER), 6)
        row = []
        for key in keys:
            lines = tuple(line for text in topology.boxes[key[1]].lines for line in textwrap.wrap(text, most))
            row.append((key, _Slot(lines, width=wide, height=LINE * len(lines) + 2 * INNER)))
        row += [(key, _Slot()) for key in passing]
        x = (width - sum(slot.width for _, slot in row) - APART * (count - 1)) / 2
        height = max(slot.height for _, slot in row)
        for key, slot in row:
            placed[key] = replace(slot, x=x, y=y, height=height)
            x += slot.width + APART
        y += height + RANK
    return placed


def _corners(way: Sequence[_Slot]) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for place, slot in enumerate(way):
        points += [(slot.middle, slot.y)] * (place > 0) + [(slot.middle, slot.y + slot.height)] * (place < len(way) - 1)
    return points


def _arrow(way: Sequence[_Slot]) -> Iterator[Markup]:
    points = _corners(way)
    yield element("path", class_="flow", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points))
    (x, y), (before_x, before_y) = points[-1], points[-2]
    length = ((x - before_x) ** 2 + (y - before_y) ** 2) ** 0.5 or 1.0
    along, aside = ((x - before_x) / length * 2 * HEAD, (y - before_y) / length * 2 * HEAD), HEAD / length
    left = (x - along[0] - (y - before_y) * aside, y - along[1] + (x - before_x) * aside)
    right = (x - along[0] + (y - before_y) * aside, y - along[1] - (x - before_x) * aside)
    corners = "L".join(f"{a:.1f} {b:.1f}" for a, b in ((x, y), left, right))
    yield element("path", class_="head", d=f"M{corners}Z")


def _drawn_box(slot: _Slot) -> Iterator[Markup]:
    yield element("rect", class_="box", x=slot.x, y=slot.y, width=slot.width, height=slot.height, rx=6)
    for number, line in enumerate(slot.lines):
        style = "name ink" if number == 0 else "label"
        yield element("text", line, class_=style, x=slot.x + INNER, y=slot.y + INNER + LINE * (number + 0.75))
