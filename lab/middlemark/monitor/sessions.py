"""What the sessions of a database wait for, looked at some ten times a second."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import LiteralString

import psycopg

from middlemark.databases.database import Connection
from middlemark.monitor.clients import Clients
from middlemark.records.samples import CPU, TRANSACTION, ObservedPool, SessionsSample

# Looks come at irregular moments: a regular look would see what is regular too often or never.
STEP_S = 0.1
_SPREAD = 0.5

# The watch itself is in another database. A worker of a parallel query has no client port and belongs to no pool.
_SESSIONS: LiteralString = """
SELECT client_port, state, wait_event_type || ':' || wait_event
FROM pg_stat_activity WHERE datname = %(name)s AND state <> 'idle'
"""

Row = tuple[int | None, str, str | None]


@dataclass
class _Sums:
    """What was seen since it was asked for last."""

    looks: int = 0
    waits: Counter[str] = field(default_factory=Counter)
    in_work: Counter[str] = field(default_factory=Counter)
    full: Counter[str] = field(default_factory=Counter)

    def sample(self, sizes: Mapping[str, int]) -> SessionsSample | None:
        """Return the means; None without a look."""
        looks = self.looks
        if not looks:
            return None
        return SessionsSample(
            looks=looks,
            waits={name: round(number / looks, 3) for name, number in sorted(self.waits.items())},
            pools={
                tier: ObservedPool(
                    size=size, in_work=round(self.in_work[tier] / looks, 3), full=round(self.full[tier] / looks, 3)
                )
                for tier, size in sizes.items()
            },
        )


class SessionLooks:
    """Adds up looks at the sessions of one database, and gives what was seen since it was asked last."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._sums = _Sums()
        self._lock = threading.Lock()

    def add(self, rows: list[Row]) -> None:
        """Take in one look: a row for each session with work."""
        tiers = self._clients.tiers_of({port for port, _, _ in rows if port is not None and port > 0})
        in_work = Counter(tiers[port] for port, _, _ in rows if port in tiers)
        with self._lock:
            sums = self._sums
            sums.looks += 1
            sums.waits.update(_what(state, event) for _, state, event in rows)
            sums.in_work.update(in_work)
            sums.full.update(tier for tier, size in self._clients.sizes.items() if in_work[tier] >= size)

    def take(self) -> SessionsSample | None:
        """Return what was seen since the last time; None without a look."""
        with self._lock:
            sums, self._sums = self._sums, _Sums()
        return sums.sample(self._clients.sizes)


@contextmanager
def looking(connection: Connection, database: str, clients: Clients) -> Iterator[SessionLooks]:
    """Look at the sessions of a database until the context ends, over a connection that nothing else uses."""
    looks, ended = SessionLooks(clients), threading.Event()
    chance = random.Random(0)  # noqa: S311 (moments, no secret)

    def look_until_ended() -> None:
        while not ended.wait(STEP_S * chance.uniform(1 - _SPREAD, 1 + _SPREAD)):
            try:
                looks.add(connection.execute(_SESSIONS, {"name": database}).fetchall())
            except psycopg.Error:
                return

    thread = threading.Thread(target=look_until_ended, name=f"sessions of {database}", daemon=True)
    thread.start()
    try:
        yield looks
    finally:
        ended.set()
        thread.join()


def _what(state: str, event: str | None) -> str:
    """Return what a session with work waits for."""
    return event or CPU if state == "active" else TRANSACTION
