"""Whose a connection to a database is: the tiers that may have pools, and the ports that their processes use."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.processes.process_table import process_table

# Looking up ports reads the table of all connections of a process: not more often than this, and not for ever.
_RETRY_S = 1.0
_MAX_TRIES = 5


@dataclass(frozen=True)
class PoolOwner:
    """A tier that works on a database: its root processes, and how many connections all of these may have together."""

    pids: tuple[int, ...]
    size: int


@dataclass
class Clients:
    """Finds the tier of a connection by the port that it comes from."""

    owners: Mapping[str, PoolOwner] = field(default_factory=dict)
    _known: dict[int, str] = field(default_factory=dict)
    _tries: dict[int, int] = field(default_factory=dict)
    _next_s: float = 0.0

    @property
    def sizes(self) -> dict[str, int]:
        """Return how many connections each tier may have of which one was found."""
        found = set(self._known.values())
        return {tier: owner.size for tier, owner in self.owners.items() if tier in found}

    def tiers_of(self, ports: AbstractSet[int]) -> dict[int, str]:
        """Return the tier of each port; one that is nobody's, or was not found yet, is left out."""
        unknown = {port for port in ports - self._known.keys() if self._tries.get(port, 0) < _MAX_TRIES}
        if self.owners and unknown and time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + _RETRY_S
            self._tries.update({port: self._tries.get(port, 0) + 1 for port in unknown})
            for tier, owner in self.owners.items():
                self._known.update(dict.fromkeys(_owned(owner.pids, unknown), tier))
        return {port: self._known[port] for port in ports & self._known.keys()}


def _owned(pids: Iterable[int], ports: AbstractSet[int]) -> set[int]:
    """Return those of the ports from which these processes, or their descendants, have connections; only on Linux.

    psutil looks at the whole table of connections for each process, which takes a quarter of a second with 400 users.
    """
    sockets = {number for pid in _family(pids) for number in _sockets(pid)}
    return {port for port, number in _connections() if port in ports and number in sockets}


def _family(pids: Iterable[int]) -> list[int]:
    family = list(pids)
    table = process_table().values()
    for pid in family:
        family += [entry.pid for entry in table if entry.parent == pid]
    return family


def _sockets(pid: int) -> Iterator[bytes]:
    """Yield the numbers of a process's sockets: `socket:[4711]` is where its descriptors lead."""
    folder = b"/proc/%d/fd" % pid
    with suppress(OSError):
        for descriptor in os.listdir(folder):  # noqa: PTH208 (there are thousands)
            with suppress(OSError):
                target = os.readlink(folder + b"/" + descriptor)  # noqa: PTH115 (as above)
                if target.startswith(b"socket:["):
                    yield target[len(b"socket:[") : -1]


def _connections() -> Iterator[tuple[int, bytes]]:
    """Yield local port and socket of every TCP connection; proc(5), /proc/net/tcp."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", table).read_bytes().splitlines()[1:]:
                fields = line.split()
                yield int(fields[1].rpartition(b":")[2], 16), fields[9]
