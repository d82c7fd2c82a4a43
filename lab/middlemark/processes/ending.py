"""How a process and everything it started is ended. Standard library only, like the watchdog that uses it.

A process belongs to a watched one when it is a descendant of it, is in its group or session, or carries its mark in the
environment (which also finds a daemon that left both). A pid that was given to a stranger meanwhile is never touched.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from middlemark.processes.process_table import Entry, is_running, mark_of, process_table, send


class Part(StrEnum):
    """What a process is for, in the order in which processes are stopped."""

    TOOL = "tool"
    DRIVER = "driver"
    REVERSE_PROXY = "reverse-proxy"
    APPLICATION = "application"
    DATABASE = "database"


class Whom(StrEnum):
    """Who gets the signals before SIGKILL: the process alone, or all that belong to it."""

    LEADER = "leader"
    ALL = "all"


@dataclass(frozen=True)
class Ending:
    """Signals and how many seconds each may take; SIGKILL for all comes last, always."""

    steps: tuple[tuple[str, float], ...]
    whom: Whom = Whom.ALL


APPLICATION = Ending((("SIGTERM", 15.0),))
"""Applications finish what they have begun within 10 s (specs/README.md)."""

POSTGRESQL = Ending((("SIGINT", 20.0), ("SIGQUIT", 5.0)), Whom.LEADER)
"""Fast, then immediate shutdown of the postmaster: https://www.postgresql.org/docs/current/server-shutdown.html."""

SECONDS_AFTER_SIGKILL = 5.0


@dataclass(frozen=True)
class Watched:
    """A process of the lab. It leads its own session and group; `token` names the lab."""

    pid: int
    started: str
    part: Part
    name: str
    token: str
    ending: Ending = field(default=APPLICATION)

    @property
    def mark(self) -> str:
        """Return the value of the environment variable that everything started by it inherits."""
        return f"{self.token}/{self.part}/{self.name}"


class How(StrEnum):
    """How a process came to its end; a signal's name says that it sufficed."""

    GONE = "was gone"
    SIGNAL = "signal"
    SURVIVED = "survived SIGKILL"


@dataclass(frozen=True)
class Ended:
    """How one watched process ended: `signal` is the last one sent, `processes` counts all that belonged to it."""

    how: How
    signal: str
    processes: int
    seconds: float


def end(watched: Watched, *, hurry: float | None = None) -> Ended:
    """End the process and all that belongs to it; return when none is left. `hurry` limits the seconds of each step."""
    begun = time.monotonic()
    seen = {(entry.pid, entry.started) for entry in members(watched)}
    if not seen:
        return Ended(How.GONE, "", 0, 0.0)
    name = ""
    for name, seconds in (*watched.ending.steps, ("SIGKILL", SECONDS_AFTER_SIGKILL)):
        whom = Whom.ALL if name == "SIGKILL" else watched.ending.whom
        if _signal_until_gone(watched, (signal.Signals[name], whom), min(seconds, hurry or seconds), seen):
            return Ended(How.SIGNAL, name, len(seen), time.monotonic() - begun)
    return Ended(How.SURVIVED, name, len(seen), time.monotonic() - begun)


def members(watched: Watched) -> list[Entry]:
    """Return the running processes that belong to `watched`, itself included."""
    table = process_table()
    leader = table.get(watched.pid)
    found = {entry.pid for entry in table.values() if mark_of(entry.pid) == watched.mark}
    if leader and leader.started == watched.started:
        # No other group or session can have the number of a process that exists.
        found |= {e.pid for e in table.values() if watched.pid in (e.pid, e.group, e.session)}
    return [table[pid] for pid in _with_descendants(found, table) if not table[pid].ended]


def _with_descendants(roots: Collection[int], table: dict[int, Entry]) -> set[int]:
    children: dict[int, list[int]] = {}
    for entry in table.values():
        children.setdefault(entry.parent, []).append(entry.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, [])
    return found


def _signal_until_gone(
    watched: Watched, step: tuple[signal.Signals, Whom], seconds: float, seen: set[tuple[int, str]]
) -> bool:
    """Signal who belongs to `watched`, also those that appear meanwhile, until none runs or the seconds are over."""
    what, whom = step
    deadline = time.monotonic() + seconds
    signalled: set[tuple[int, str]] = set()
    woken: set[tuple[int, str]] = set()
    pause = 0.005
    while True:
        seen |= {(entry.pid, entry.started) for entry in members(watched)}
        running = {one for one in seen if is_running(*one)}
        if not running:
            return True
        leader = {one for one in running if one[0] == watched.pid}
        # A leader that is gone ends nobody: then all that it has left get the signal.
        meant = leader if leader and whom is Whom.LEADER else running
        for one in meant - signalled:
            send(*one, what)
        # A frozen process receives nothing but SIGKILL until it goes on.
        for one in running - woken:
            send(*one, signal.SIGCONT)
        signalled |= meant
        woken |= running
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
