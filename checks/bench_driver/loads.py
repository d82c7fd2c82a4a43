"""The same load, in the words of each tool."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from checks.bench_driver.server import MARKER, Nginx

CONNECTIONS = 64
USERS = 5000
THINK_MS = 1000
# Drawn anew each time: users whom a tool starts together would stay together for ever with a constant one.
THINK_FROM_MS, THINK_TO_MS = 500, 1500
# More than any tool gets from one nginx worker.
MAX_PER_SECOND = 300_000
# A tool of which only a window is measured is ended by us.
FOR_LONG = 600


class Load(StrEnum):
    """What the tools do."""

    KEEP = "keep"
    NEW = "new"
    THINK = "think"
    BURST = "burst"


TITLES = {
    Load.KEEP: f"{CONNECTIONS} connections, kept",
    Load.NEW: f"{CONNECTIONS} at a time, a new connection for each request",
    Load.THINK: f"{USERS:,} users, 1 s think time",
    Load.BURST: f"{USERS:,} users, 1 s think time, all at once",
}

# The tools that can run a load; the driver comes first, and the others are compared with it.
DRIVER = "middlemark-driver"
TOOLS = {
    Load.KEEP: (DRIVER, "wrk", "ab", "hey", "oha", "k6", "hyperfoil"),
    Load.NEW: (DRIVER, "wrk", "ab", "hey", "oha", "k6", "hyperfoil"),
    Load.THINK: (DRIVER, "k6", "hyperfoil"),
    Load.BURST: (DRIVER, "hyperfoil"),
}
THINKING = frozenset({Load.THINK, Load.BURST})
# Tools that compile while they run: only a window after that is measured.
WARM = frozenset({"k6", "hyperfoil"})


@dataclass(frozen=True)
class Stage:
    """Where a load runs: files go to `folder`."""

    server: Nginx
    folder: Path
    seconds: int


def words(tool: str, load: Load, stage: Stage) -> list[str]:
    """Return the arguments with which a tool runs a load."""
    if tool == DRIVER:
        return _driver(load, stage)
    if tool == "k6":
        return _k6(load, stage)
    if tool == "hyperfoil":
        return _hyperfoil(load, stage)
    return _simple(tool, load, stage)


def plan(stage: Stage, **differs: object) -> dict[str, object]:
    """Return a plan of one step with cookies and a check."""
    step = {
        "id": "page",
        "transaction": "page",
        "method": "GET",
        "path": "/page.html?${user}",
        "expect": {"status": 200, "marker": MARKER},
        "capture": [{"name": "type", "header": "Content-Type"}],
    }
    return {
        "v": 1,
        "name": "bench",
        "run": "bench",
        "seed": 1,
        "targets": [stage.server.address],
        "load": {"model": "closed", "users": USERS, "spread_ms": THINK_MS},
        "think": {"constant_ms": THINK_MS},
        "phases": {"ramp_ms": THINK_MS, "settle_ms": 0, "measure_ms": stage.seconds * 1000, "drain_ms": 5000},
        "connections": "keep",
        "cookies": "keep",
        "threads": 1,
        "timeouts_ms": {"connect": 10000, "response": 10000},
        "limits": {"header_bytes": 65536, "body_bytes": 1 << 24},
        "feeds": [{"name": "user", "per": "iteration", "unique": "{run}-{user}-{iteration}"}],
        "steps": [step],
        **differs,
    }


def written(stage: Stage, name: str, content: dict[str, object]) -> str:
    """Write a file and return its path."""
    path = stage.folder / name
    path.write_text(json.dumps(content))
    return str(path)


def _driver(load: Load, stage: Stage) -> list[str]:
    if load in THINKING:
        long = Stage(stage.server, stage.folder, FOR_LONG)
        if load is Load.THINK:
            content = plan(long, think={"uniform_ms": [THINK_FROM_MS, THINK_TO_MS]})
        else:
            content = plan(long, load={"model": "closed", "users": USERS, "spread_ms": 0})
        return ["run", written(stage, f"{load}.json", content)]
    policy = {Load.KEEP: "keep", Load.NEW: "per-request"}[load]
    options = ["--connections", str(CONNECTIONS), "--duration", f"{stage.seconds}s", "--connection", policy]
    return ["get", stage.server.page, *options, "--check", MARKER, "--json"]


def _simple(tool: str, load: Load, stage: Stage) -> list[str]:
    many, seconds = str(CONNECTIONS), str(stage.seconds)
    new = load is Load.NEW
    options = {
        "wrk": ["-t1", "-c", many, "-d", f"{seconds}s", *(["-H", "Connection: close"] if new else [])],
        # -t sets the number of requests to 50,000, so a larger one comes behind it; ab keeps 32 bytes for each.
        "ab": ["-q", "-c", many, "-t", seconds, "-n", str(MAX_PER_SECOND * stage.seconds), *([] if new else ["-k"])],
        "hey": ["-c", many, "-z", f"{seconds}s", *(["-disable-keepalive"] if new else [])],
        "oha": ["--no-tui", "-c", many, "-z", f"{seconds}s", *(["--disable-keepalive"] if new else [])],
    }
    return [*options[tool], stage.server.page]


def _k6(load: Load, stage: Stage) -> list[str]:
    from_s, to_s = THINK_FROM_MS / 1000, THINK_TO_MS / 1000
    pause = f"sleep({from_s:g} + {to_s - from_s:g} * Math.random());" if load is Load.THINK else ""
    users = USERS if load is Load.THINK else CONNECTIONS
    script = stage.folder / "k6.js"
    script.write_text(f"""import http from "k6/http";
import {{ check, sleep }} from "k6";
export const options = {{ vus: {users}, duration: "{FOR_LONG}s", noConnectionReuse: {str(load is Load.NEW).lower()} }};
export default function () {{
  const response = http.get("{stage.server.page}");
  check(response, {{ "is the page": (page) => page.status === 200 && page.body.includes("{MARKER}") }});
  {pause}
}}
""")
    return ["run", "--quiet", "--no-usage-report", str(script)]


def _hyperfoil(load: Load, stage: Stage) -> list[str]:
    users = USERS if load in THINKING else CONNECTIONS
    drawn = f"{{ random: LINEAR, min: {THINK_FROM_MS}ms, max: {THINK_TO_MS}ms }}"
    think = {Load.THINK: drawn, Load.BURST: f"{THINK_MS}ms"}.get(load)
    pause = f"\n        - thinkTime: {think}" if think else ""
    strategy = "ALWAYS_NEW" if load is Load.NEW else "SHARED_POOL"
    benchmark = stage.folder / "hyperfoil.hf.yaml"
    benchmark.write_text(f"""name: bench
threads: 1
http:
  host: {stage.server.address}
  sharedConnections: {users}
  connectionStrategy: {strategy}
phases:
- run:
    always:
      users: {users}
      duration: {FOR_LONG}s
      scenario:
      - page:
        - httpRequest:
            GET: /page.html
            sync: true
            handler:
              status:
                range: 200{pause}
""")
    return [str(benchmark)]
