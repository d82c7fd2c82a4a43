"""Whose a connection to a database is: the tiers that may have pools, and the ports that their processes use."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

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
                self._known.update(dict.fromkeys(_local_ports(owner.pids) & unknown, tier))
        return {port: self._known[port] for port in ports & self._known.keys()}


def _local_ports(pids: Iterable[int]) -> set[int]:
    """Return the ports from which these processes and their descendants have connections."""
    found: set[int] = set()
    for pid in pids:
        with suppress(psutil.Error):
            root = psutil.Process(pid)
            for process in (root, *root.children(recursive=True)):
                with suppress(psutil.Error):
                    found |= {one.laddr.port for one in process.net_connections("tcp") if one.raddr}
    return found
