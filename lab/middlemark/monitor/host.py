"""What the kernel counts of the whole machine: its network, pressure, disks and single CPUs."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import psutil

from middlemark.monitor.pressure import disks, stalled_s
from middlemark.records.samples import CpuSample, HostSample

LOOPBACKS = frozenset({"lo", "lo0"})
STAT = Path("/proc/stat")
_CPU = re.compile(r"^cpu(\d+) (.*)$", re.MULTILINE)


def host_sample(cpus: Collection[int] = ()) -> HostSample:
    """Look at the whole machine now, and at these CPUs one by one."""
    counters = psutil.net_io_counters(pernic=True)
    sent = {name in LOOPBACKS: 0 for name in counters}
    for name, counter in counters.items():
        sent[name in LOOPBACKS] += counter.bytes_sent
    return HostSample(
        loopback_bytes=sent.get(True),
        network_bytes=sent.get(False),
        steal_s=getattr(psutil.cpu_times(), "steal", None),
        cpu_stalled_s=stalled_s("cpu"),
        io_stalled_s=stalled_s("io"),
        memory_stalled_s=stalled_s("memory"),
        disks=disks(),
        cpus=cpu_samples(cpus),
    )


def cpu_samples(cpus: Collection[int]) -> dict[int, CpuSample] | None:
    """The counters of these CPUs since the machine's start; None for none, and where the kernel has none.

    Busy is the time that was neither idle nor stolen nor spent on interrupts: the kernel measures idleness where its
    clock stops when idle, while user and system time are counted by ticks, of which a window of seconds holds too few.
    Time of interrupts is in the CPU time of the interrupted process or not, as the kernel was built, and never here.
    Source: proc(5), /proc/stat; get_idle_time() in fs/proc/stat.c of Linux.
    """
    if not cpus:
        return None
    with suppress(OSError, ValueError):
        now_s, tick_s = time.clock_gettime(time.CLOCK_BOOTTIME), 1 / os.sysconf("SC_CLK_TCK")
        found = {int(one[1]): one[2].split() for one in _CPU.finditer(STAT.read_text(encoding="ascii"))}
        samples: dict[int, CpuSample] = {}
        for number in sorted(set(cpus) & found.keys()):
            _, _, _, idle, waiting, interrupts, soft, stolen = (int(ticks) * tick_s for ticks in found[number][:8])
            busy_s = now_s - idle - waiting - interrupts - soft - stolen
            samples[number] = CpuSample(busy_s=round(busy_s, 3), steal_s=round(stolen, 2))
        return samples or None
    return None
