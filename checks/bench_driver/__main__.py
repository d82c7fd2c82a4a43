"""`python -m checks.bench_driver`: CPU time per request of the driver and of others, in interleaved rounds."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import sys
from pathlib import Path

from checks.bench_driver.installing import INSTALLERS, Absent, Installed, installed
from checks.bench_driver.loads import DRIVER, Load
from checks.bench_driver.machine import machine
from checks.bench_driver.rounds import SERVER_CPU, TOOL_CPU, Extent, measured
from checks.bench_driver.table import Circumstances, markdown
from checks.bench_driver.targets import Rounds, judged
from checks.listing import REPOSITORY
from middlemark.errors import HostError, LabError

OPEN_FILES = 16384


def main(arguments: list[str]) -> int:
    """Return the exit status: 0 when it was measured, else that of the error."""
    options = _parsed(arguments)
    extent = Extent(options.rounds, options.seconds, options.warm, tuple(options.loads), options.itself)
    try:
        _require_cpus()
        _allow_open_files()
        tools = _tools(options)
        rounds = measured(extent, tools)
        _write(options.out, rounds, tools, extent)
    except LabError as error:
        print(f"bench_driver: {error}", file=sys.stderr)
        return error.exit_status
    return 0


def _parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m checks.bench_driver", description=__doc__)
    parser.add_argument("--driver", type=Path, default=REPOSITORY / ".venv/bin/middlemark-driver")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=2, help="measured of each tool in each round")
    parser.add_argument("--warm", type=int, default=10, help="before that, for tools that compile while they run")
    parser.add_argument("--tools", nargs="*", default=list(INSTALLERS), choices=list(INSTALLERS))
    parser.add_argument("--loads", nargs="*", type=Load, default=list(Load))
    parser.add_argument("--no-itself", dest="itself", action="store_false", help="leave out memory and lateness")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "docs/reference", help="folder of driver-bench.*")
    return parser.parse_args(arguments)


def _require_cpus() -> None:
    if not {SERVER_CPU, TOOL_CPU} <= os.sched_getaffinity(0):
        raise HostError(
            f"CPU {SERVER_CPU} is needed for nginx and CPU {TOOL_CPU} for the tools; "
            f"this process may use {sorted(os.sched_getaffinity(0))}",
            todo="Run it where both may be used; taskset -p $$ prints what the shell may use",
        )


def _allow_open_files() -> None:
    """Give every tool the open files of the largest load."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < OPEN_FILES:
        raise HostError(f"the limit of open files is {hard}", todo=f"Raise it: ulimit -n {OPEN_FILES}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, hard))


def _tools(options: argparse.Namespace) -> dict[str, Installed | Absent]:
    if not options.driver.exists():
        raise HostError("the driver is not built", where=str(options.driver), todo="make setup builds it")
    cache = REPOSITORY / ".build" / "bench-driver"
    tools: dict[str, Installed | Absent] = {DRIVER: Installed((str(options.driver.resolve()),), "of this checkout")}
    for name in options.tools:
        tools[name] = installed(name, cache)
        print(f"{name}: {tools[name]}", file=sys.stderr)
    return tools


def _write(out: Path, rounds: Rounds, tools: dict[str, Installed | Absent], extent: Extent) -> None:
    """Write driver-bench.json, all that was measured, and driver-bench.md, what came of it."""
    circumstances = Circumstances(machine(), extent.rounds, extent.seconds)
    measured_and_judged = {
        "v": 1,
        "machine": circumstances.machine,
        "extent": dataclasses.asdict(extent),
        "tools": {name: getattr(tool, "version", None) for name, tool in tools.items()},
        "absent": {name: tool.reason for name, tool in tools.items() if isinstance(tool, Absent)},
        **dataclasses.asdict(rounds),
        "targets": [dataclasses.asdict(one) for one in judged(rounds)],
    }
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(measured_and_judged, indent=2, ensure_ascii=False)
    (out / "driver-bench.json").write_text(f"{text}\n")
    page = markdown(rounds, tools, circumstances)
    (out / "driver-bench.md").write_text(page)
    print(page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
