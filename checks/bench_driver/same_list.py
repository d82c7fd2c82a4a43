"""`python -m checks.bench_driver.same_list`: the rate of the driver and of wrk over one list of paths, same nginx.

Both request the files of SPICE in the order of its fixed list, each connection from another place on, with the same
header lines. In each round both run, one after the other; who comes first changes from round to round. nginx and they
come before all other programs, where that is allowed: a rate is that of the machine otherwise, not of the tools.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from checks.bench_driver.figures import Ratio, Verdict, ratio
from checks.bench_driver.installing import Absent, installed
from checks.bench_driver.loads import CONNECTIONS, DRIVER, Stage, plan, written
from checks.bench_driver.machine import machine
from checks.bench_driver.processor import before_all_others, run_first, running_ns
from checks.bench_driver.rounds import SERVER_CPU, TOOL_CPU
from checks.bench_driver.server import nginx
from checks.bench_driver.table import ratio_text
from checks.listing import REPOSITORY
from middlemark.errors import HostError, LabError, TargetError
from middlemark.specification.file_set import MadeFiles, read_made_files

SITE = REPOSITORY / "specs" / "spice" / "site.toml"
RATE, SERVER_CPU_SHARE = 0.95, 0.05
# More of what a tool says it got than what nginx counted, or less: one of them counts wrongly.
MISCOUNTED = 0.02

# What the driver sends too.
HEADER_LINES = "User-Agent: middlemark-driver\r\nAccept: */*\r\n"

# Walks over the list of requests; each connection's next one is the next of the list.
SCRIPT = """local requests, next_one = {}, 0
function init(arguments)
  local file, version, lines = arguments[1], arguments[2], io.open(arguments[3]):read("*a")
  for path in io.lines(file) do
    requests[#requests + 1] = "GET /" .. path .. " HTTP/" .. version .. "\\r\\n" .. lines .. "\\r\\n"
  end
end
function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end
"""


class Http(StrEnum):
    """How the files are requested."""

    KEPT = "1.1"
    NEW = "1.0"


TITLES = {Http.KEPT: "HTTP/1.1, kept connections", Http.NEW: "HTTP/1.0, a new connection for each request"}


@dataclass(frozen=True)
class Turn:
    """What one tool got in one round: requests per second by its own count, and nginx's CPU time for each request."""

    requests_per_second: float
    server_us_per_request: float


@dataclass(frozen=True)
class Found:
    """Driver ÷ wrk over the rounds of one way to request."""

    http: Http
    rate: Ratio
    server_cpu: Ratio
    turns: dict[str, list[Turn]]

    def verdicts(self) -> tuple[Verdict, Verdict]:
        """Return whether the rate is high enough, and the server's CPU time the same."""
        return self.rate.at_least(RATE), self.server_cpu.within(SERVER_CPU_SHARE)


def main(arguments: list[str]) -> int:
    """Return the exit status: 0 when it was measured, whatever came of it, else that of the error."""
    parser = argparse.ArgumentParser(prog="python -m checks.bench_driver.same_list", description=__doc__)
    parser.add_argument("--driver", type=Path, default=REPOSITORY / ".venv/bin/middlemark-driver")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=2, help="of each tool in each round")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "docs/reference", help="folder of driver-same-list.*")
    options = parser.parse_args(arguments)
    try:
        wrk = installed("wrk", REPOSITORY / ".build" / "bench-driver")
        if isinstance(wrk, Absent):
            raise HostError(f"wrk is not here: {wrk.reason}", todo="Install wrk")
        if not options.driver.exists():
            raise HostError("the driver is not built", where=str(options.driver), todo="make setup builds it")
        commands = {DRIVER: (str(options.driver.resolve()),), "wrk": wrk.command}
        found = _measured(commands, options.rounds, options.seconds)
        _write(options.out, found, options)
    except LabError as error:
        print(f"bench_driver: {error}", file=sys.stderr)
        return error.exit_status
    return 0


def _measured(commands: dict[str, tuple[str, ...]], rounds: int, seconds: int) -> list[Found]:
    site = read_made_files(SITE)
    with tempfile.TemporaryDirectory(prefix="middlemark-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # nginx' worker is another user
        _make(site, folder / "nginx" / "pages")
        _lists(site, folder)
        with ExitStack() as running:
            with before_all_others():
                server = running.enter_context(nginx(folder / "nginx", SERVER_CPU))
            stage = Stage(server, folder, seconds)
            return [_compared(http, commands, stage, rounds) for http in Http]


def _make(site: MadeFiles, root: Path) -> None:
    for path, size in site.files():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(site.content(path, size))


def _lists(site: MadeFiles, folder: Path) -> None:
    """Write the list as the driver reads it, and as wrk has to send it so that both request the same at any time.

    Each of the driver's users begins at another place. wrk's connections share one walk, so its list takes one of each.
    """
    paths = site.requested()
    (folder / "paths").write_text("\n".join(paths) + "\n")
    starts = [user * len(paths) // CONNECTIONS for user in range(CONNECTIONS)]
    rows = len(paths) // CONNECTIONS
    walk = [paths[(start + row) % len(paths)] for row in range(rows) for start in starts]
    (folder / "walk").write_text("\n".join(walk) + "\n")
    (folder / "walk.lua").write_text(SCRIPT)


def _compared(http: Http, commands: dict[str, tuple[str, ...]], stage: Stage, rounds: int) -> Found:
    turns: dict[str, list[Turn]] = {tool: [] for tool in commands}
    for number in range(rounds):
        for tool in list(commands)[:: -1 if number % 2 else 1]:
            turns[tool].append(_turn(tool, http, commands[tool], stage))
            last = turns[tool][-1]
            text = f"{last.requests_per_second:,.0f}/s, nginx {last.server_us_per_request:.1f} µs a request"
            print(f"round {number + 1}, HTTP/{http}, {tool}: {text}", file=sys.stderr)
    ours, theirs = turns[DRIVER], turns["wrk"]
    rate = ratio(tuple(one.requests_per_second for one in ours), tuple(one.requests_per_second for one in theirs))
    cpu = ratio(tuple(one.server_us_per_request for one in ours), tuple(one.server_us_per_request for one in theirs))
    return Found(http, rate, cpu, turns)


def _turn(tool: str, http: Http, command: tuple[str, ...], stage: Stage) -> Turn:
    words = _driver_words(http, stage) if tool == DRIVER else _wrk_words(http, stage)
    server = stage.server
    before, running = server.requests(), running_ns(server.pid)
    result, _ = run_first([*command, *words], TOOL_CPU)
    running = running_ns(server.pid) - running
    counted = server.requests() - before - 1
    if result.returncode or counted <= 0:
        last = result.stderr.strip()[-300:]
        raise TargetError(f"ended with {result.returncode} after {counted} requests: {last}", where=command[0])
    requests, seconds = _of_driver(result.stdout) if tool == DRIVER else _of_wrk(result.stdout)
    if abs(requests - counted) > MISCOUNTED * counted + CONNECTIONS:
        raise TargetError(f"says {requests} requests, nginx counted {counted}", where=command[0])
    return Turn(requests / seconds, running / 1e3 / counted)


def _driver_words(http: Http, stage: Stage) -> list[str]:
    expect = {"status": 200}
    step = {"id": "file", "transaction": "file", "method": "GET", "path": "/${path}", "expect": expect}
    lines = {"file": str(stage.folder / "paths"), "draw": "sequence", "as_path": True}
    feed = {"name": "path", "per": "step", "list": lines}
    phases = {"ramp_ms": 0, "settle_ms": 0, "measure_ms": stage.seconds * 1000, "drain_ms": 5000}
    load = {"model": "closed", "users": CONNECTIONS, "spread_ms": 0}
    differs: dict[str, object] = {"load": load, "phases": phases, "feeds": [feed], "steps": [step], "http": str(http)}
    return ["run", written(stage, f"list-{http}.json", plan(stage, think={"constant_ms": 0}, **differs))]


def _wrk_words(http: Http, stage: Stage) -> list[str]:
    folder = stage.folder
    options = ["-t1", "-c", str(CONNECTIONS), "-d", f"{stage.seconds}s", "-s", str(folder / "walk.lua")]
    host = stage.server.address.removeprefix("http://")
    (folder / "lines").write_bytes(f"Host: {host}\r\n{HEADER_LINES}".encode())
    return [*options, stage.server.address, "--", str(folder / "walk"), str(http), str(folder / "lines")]


def _of_driver(lines: str) -> tuple[int, float]:
    read = [json.loads(line) for line in lines.splitlines()]
    end = read[-1]
    if end["errors"]:
        raise TargetError(f"errors {end['errors']}", where=DRIVER)
    window = [line for line in read if line["type"] == "interval" and line["phase"] == "measure"]
    requests = sum(line["transactions"]["file"]["count"] for line in window)
    return requests, sum(line["end_ns"] - line["start_ns"] for line in window) / 1e9


def _of_wrk(text: str) -> tuple[int, float]:
    found = re.search(r"(\d+) requests in ([\d.]+)s", text)
    if not found or "Non-2xx" in text or "Socket errors" in text:
        raise TargetError(f"expected responses without errors, found {text!r}", where="wrk")
    return int(found[1]), float(found[2])


def _write(out: Path, found: list[Found], options: argparse.Namespace) -> None:
    lines = [
        "# The driver and wrk over one list of paths",
        "",
        "Written by `make bench-same-list`; [how it is measured](driver.md#one-list-of-paths).",
        f"{options.rounds} interleaved rounds of {options.seconds} s for each tool, {machine()}.",
        "Driver ÷ wrk: geometric mean of the rounds with its 95 % interval (Student t of the log ratios).",
        "",
        f"| requests | requests/s (≥ {RATE}) | verdict | CPU of nginx for each (1 ± {SERVER_CPU_SHARE}) | verdict |",
        "|---|---|---|---|---|",
    ]
    for one in found:
        rate, cpu = one.verdicts()
        row = [TITLES[one.http], ratio_text(one.rate), rate, ratio_text(one.server_cpu), cpu]
        lines.append(f"| {' | '.join(row)} |")
    page = "\n".join([*lines, ""])
    out.mkdir(parents=True, exist_ok=True)
    (out / "driver-same-list.md").write_text(page)
    content = {
        "v": 1,
        "machine": machine(),
        "rounds": options.rounds,
        "seconds": options.seconds,
        "measured": [asdict(one) for one in found],
    }
    (out / "driver-same-list.json").write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    print(page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
