"""The rounds: in each, every tool runs every load, one after the other."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from checks.bench_driver.costs import Cost, whole, window
from checks.bench_driver.installing import Absent, Installed
from checks.bench_driver.itself import lateness, memory
from checks.bench_driver.loads import DRIVER, THINKING, TOOLS, WARM, Load, Stage, words
from checks.bench_driver.server import nginx
from checks.bench_driver.targets import LATE_US, Rounds
from middlemark.errors import TargetError

SERVER_CPU, TOOL_CPU = 0, 1
# The driver compiles nothing: all its users have begun after their think time of a second.
DRIVER_WARM_SECONDS = 3


@dataclass(frozen=True)
class Extent:
    """How much is measured: rounds, seconds of each tool, seconds before that for those that warm up."""

    rounds: int
    seconds: int
    warm: int
    loads: tuple[Load, ...]
    itself: bool


def measured(extent: Extent, tools: dict[str, Installed | Absent]) -> Rounds:
    """Measure all rounds. A tool that fails in a round has no cost there, and stderr has the reason."""
    here = {name: tool.command for name, tool in tools.items() if isinstance(tool, Installed)}
    rounds = Rounds({load: {} for load in extent.loads}, [], {wake: [] for wake in LATE_US})
    with tempfile.TemporaryDirectory(prefix="middlemark-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # nginx' worker is another user
        with nginx(folder / "nginx", SERVER_CPU) as server:
            stage = Stage(server, folder, extent.seconds)
            for number in range(extent.rounds):
                for load in extent.loads:
                    for tool in _turn([tool for tool in TOOLS[load] if tool in here], number):
                        cost = _cost(tool, load, here[tool], (stage, extent))
                        rounds.costs[load].setdefault(tool, []).append(cost)
                        text = f"{cost.cpu_us_per_request:.2f} µs a request" if cost else "failed"
                        print(f"round {number + 1}, {load}, {tool}: {text}", file=sys.stderr)
                if extent.itself:
                    _driver_itself(list(here[DRIVER]), stage, rounds)
    return rounds


def _turn(tools: list[str], number: int) -> list[str]:
    """Return the tools in the order of a round: another one comes first each time."""
    first = number % len(tools)
    return tools[first:] + tools[:first]


def _cost(tool: str, load: Load, command: tuple[str, ...], where: tuple[Stage, Extent]) -> Cost | None:
    stage, extent = where
    full = [*command, *words(tool, load, stage)]
    try:
        if tool in WARM or load in THINKING:
            warm = extent.warm if tool in WARM else DRIVER_WARM_SECONDS
            return window(full, TOOL_CPU, stage.server, (warm, extent.seconds))
        return whole(full, TOOL_CPU, stage.server)
    except TargetError as error:
        print(f"bench_driver: {error}", file=sys.stderr)
        return None


def _driver_itself(command: list[str], stage: Stage, rounds: Rounds) -> None:
    rounds.memory.append(memory(command, stage, TOOL_CPU))
    for wake, found in rounds.lateness.items():
        found.append(lateness(command, stage, TOOL_CPU, wake))
        last = found[-1]
        disturbed = f"run queue {last.waited:.2%}, stolen {last.stolen:.2%}"
        print(f"lateness, {wake}: p99 {last.p99_us:.0f} µs, {disturbed}", file=sys.stderr)
