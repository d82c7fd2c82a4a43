"""CPU time of a side: of the processes that listen on its port, or that were started for it, and of their children."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from middlemark.errors import TargetError
from middlemark.processes.process_table import PROC, Entry, cpu_clock_ns, entry_of, process_table

_LISTENS = "0A"
# Passes connections of a container on; whoever serves them listens in another network.
_FORWARDERS = frozenset({"docker-proxy", "rootlessport"})


@dataclass(frozen=True)
class Unseen:
    """Why the CPU time of a side cannot be seen."""

    reason: str


class CpuMeter:
    """CPU time of some processes and all they start, in nanoseconds.

    A running process is read by its clock, which counts its ended threads too. A child that ended is in the sums of the
    process that waited for it, which the kernel shows in ticks of 10 ms. A child whose parent ignores SIGCHLD is in no
    sum.
    """

    def __init__(self, roots: Collection[Entry]) -> None:
        self._roots = tuple(roots)
        self._members: dict[int, str] = {entry.pid: entry.started for entry in roots}

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the processes it began with."""
        return tuple(entry.pid for entry in self._roots)

    def __str__(self) -> str:
        """Name and process id of the first of them."""
        name = name_of(self._roots[0].pid)
        return f"{name}, pid {self._roots[0].pid}"

    def read_ns(self) -> int:
        """CPU time so far; TargetError when a process it began with has ended."""
        table = process_table()
        for root in self._roots:
            now = table.get(root.pid)
            if now is None or now.started != root.started or now.ended:
                raise TargetError(f"the process {root.pid}, which served requests, has ended")
        self._members = {entry.pid: entry.started for entry in _with_descendants(table, self._members)}
        return sum((cpu_clock_ns(pid) or 0) + _of_ended_children_ns(pid) for pid in self._members)


def meter_of_address(address: str) -> CpuMeter | Unseen:
    """Meter of the processes that listen at an address, or why there is none."""
    if address.startswith("unix:"):
        return Unseen("it listens on a Unix socket")
    parts = urlsplit(address)
    hosts = _addresses_of(parts.hostname or "")
    if not any(_is_of_this_machine(host) for host in hosts):
        return Unseen("it runs on another machine")
    inodes = set(_listening_inodes(parts.port or 80, hosts))
    if not inodes:
        return Unseen("no process of this machine is seen to listen there, as with a container's port")
    table = process_table()
    every = {pid: table[pid] for pid in sorted(table) if _holds(pid, inodes)}
    # Workers that share the socket of the process that began them come and go; they are found by it.
    holders = [entry for entry in every.values() if entry.parent not in every]
    if not holders:
        return Unseen("its process belongs to another user")
    if any(name_of(entry.pid) in _FORWARDERS for entry in holders):
        return Unseen("only a forwarder to a container listens there")
    return CpuMeter(holders)


def name_of(pid: int) -> str:
    """Name of a process as the kernel has it; `?` when it is gone."""
    with suppress(OSError):
        return (PROC / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    return "?"


def meter_of_process(pid: int) -> CpuMeter:
    """Meter of a process that was started; TargetError when it has ended."""
    entry = entry_of(pid)
    if entry is None or entry.ended:
        raise TargetError(f"the process {pid} has ended")
    return CpuMeter([entry])


def ports_of(pid: int) -> set[int]:
    """Ports on which a process listens itself."""
    found = set()
    for file in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (PROC / "net" / file).read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[3] == _LISTENS and _holds(pid, {words[9]}):
                    found.add(int(words[1].rpartition(":")[2], 16))
    return found


def _with_descendants(table: Mapping[int, Entry], known: Mapping[int, str]) -> Iterator[Entry]:
    """The known processes that are still there, and all that descend from one; an orphan stays known."""
    children: dict[int, list[Entry]] = {}
    for entry in table.values():
        children.setdefault(entry.parent, []).append(entry)
    waiting = [table[pid] for pid, started in known.items() if pid in table and table[pid].started == started]
    seen: set[int] = set()
    while waiting:
        entry = waiting.pop()
        if entry.pid not in seen:
            seen.add(entry.pid)
            waiting += children.get(entry.pid, [])
            yield entry


def _of_ended_children_ns(pid: int) -> int:
    """CPU time of the children that a process has waited for: cutime and cstime of proc_pid_stat(5)."""
    with suppress(OSError):
        words = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(words[13]) + int(words[14])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    return 0


def _addresses_of(host: str) -> set[str]:
    with suppress(OSError):
        return {str(found[4][0]).partition("%")[0] for found in socket.getaddrinfo(host, None)}
    return set()


def _is_of_this_machine(address: str) -> bool:
    """Whether this machine has the address: only then a socket can be bound to it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((address, 0))
        return True
    return False


def _listening_inodes(port: int, hosts: Collection[str]) -> Iterator[str]:
    """The inodes of the sockets that listen on the port at one of these addresses, or at all."""
    for file in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (PROC / "net" / file).read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                address, _, its_port = words[1].rpartition(":")
                if words[3] == _LISTENS and int(its_port, 16) == port and _is_one_of(_address(address), hosts):
                    yield words[9]


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Address as /proc/net writes it: words of four bytes, each in the machine's order, little-endian on both ports."""
    octets = b"".join(bytes.fromhex(text[begin : begin + 8])[::-1] for begin in range(0, len(text), 8))
    found = ipaddress.ip_address(octets)
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def _is_one_of(address: ipaddress.IPv4Address | ipaddress.IPv6Address, hosts: Collection[str]) -> bool:
    return address.is_unspecified or str(address) in hosts


def _holds(pid: int, inodes: Collection[str]) -> bool:
    wanted = {f"socket:[{inode}]" for inode in inodes}
    with suppress(OSError):
        for descriptor in Path(PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                if str(descriptor.readlink()) in wanted:
                    return True
    return False
