"""The table that the documentation includes."""

from __future__ import annotations

from dataclasses import dataclass

from checks.bench_driver.costs import Cost
from checks.bench_driver.figures import Figure, Ratio
from checks.bench_driver.installing import Absent, Installed
from checks.bench_driver.loads import TITLES, TOOLS, WARM
from checks.bench_driver.targets import Rounds, judged

NOTHING = "not measured"


@dataclass(frozen=True)
class Circumstances:
    """What the figures depend on, in words: machine, and rounds and seconds of the benchmark."""

    machine: str
    rounds: int
    seconds: int


def markdown(rounds: Rounds, tools: dict[str, Installed | Absent], circumstances: Circumstances) -> str:
    """Return the page with verdicts, costs and tools."""
    return "\n".join(
        [
            "# What the driver costs, beside others",
            "",
            "Written by `make bench-driver`; [how it is measured](driver.md#what-it-costs).",
            f"{circumstances.rounds} interleaved rounds of {circumstances.seconds} s each, {circumstances.machine}.",
            "Ratios are geometric means of the rounds with their 95 % intervals (Student t of the log ratios);",
            "a target inside the interval is *equal*. Other figures are medians ± half the distance from the",
            "smallest to the largest round; a target missed by no more than that, and reached in a round, is *equal*.",
            "",
            *_verdicts(rounds),
            *_costs(rounds),
            *_tools(tools),
        ]
    )


def _verdicts(rounds: Rounds) -> list[str]:
    lines = ["| figure | found | target | verdict |", "|---|---|---|---|"]
    for one in judged(rounds):
        remark = f" ({one.remark})" if one.remark else ""
        lines.append(f"| {one.what} | {_text(one.found)} | {one.target} | {one.verdict}{remark} |")
    return [*lines, ""]


def _costs(rounds: Rounds) -> list[str]:
    lines = []
    for load, tools in TOOLS.items():
        if load not in rounds.costs:
            continue
        lines += [
            f"## {TITLES[load]}",
            "",
            "| tool | CPU µs per request | requests/s | memory, MB |",
            "|---|---|---|---|",
        ]
        for tool in tools:
            costs = [cost for cost in rounds.costs[load].get(tool, []) if cost]
            figures = [NOTHING, NOTHING, NOTHING]
            if costs:
                figures = [
                    _text(Figure(tuple(cost.cpu_us_per_request for cost in costs))),
                    f"{Figure(tuple(cost.requests_per_second for cost in costs)).median:,.0f}",
                    _memory(costs),
                ]
            lines.append(f"| {tool}{', warm' if tool in WARM else ''} | {' | '.join(figures)} |")
        lines.append("")
    return lines


def _memory(costs: list[Cost]) -> str:
    known = tuple(cost.resident_bytes / 1e6 for cost in costs if cost.resident_bytes is not None)
    return f"{Figure(known).median:,.1f}" if known else NOTHING


def _tools(tools: dict[str, Installed | Absent]) -> list[str]:
    lines = ["## Tools", "", "| tool | version |", "|---|---|"]
    for name, tool in tools.items():
        lines.append(f"| {name} | {tool.version if isinstance(tool, Installed) else f'not compared: {tool.reason}'} |")
    return [*lines, ""]


def _text(figure: Figure | Ratio | None) -> str:
    if figure is None:
        return NOTHING
    if isinstance(figure, Ratio):
        return ratio_text(figure)
    digits = 0 if figure.median >= 1000 else 1 if figure.median >= 10 else 2 if figure.median >= 1 else 3
    return f"{figure.median:,.{digits}f} ± {figure.spread:,.{digits}f}"


def ratio_text(ratio: Ratio) -> str:
    """Return a ratio with its interval."""
    bounds = f" [{ratio.interval[0]:.3f} … {ratio.interval[1]:.3f}]" if ratio.interval else ""
    return f"{ratio.estimate:.3f}{bounds}"
