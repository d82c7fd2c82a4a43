"""What the kernel counts of the whole machine's waiting: pressure stalls, and the disks."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import psutil

from middlemark.records.samples import DiskSample

PRESSURE = Path("/proc/pressure")
_TOTAL = re.compile(r"^some .*\btotal=(\d+)", re.MULTILINE)


def stalled_s(resource: str) -> float | None:
    """Return for how many seconds since its start some task of the machine waited for `cpu`, `io` or `memory`.

    Source: Documentation/accounting/psi.rst of Linux. None where the kernel does not count it.
    """
    with suppress(OSError):
        found = _TOTAL.search((PRESSURE / resource).read_text(encoding="ascii"))
        return int(found[1]) / 1e6 if found else None
    return None


def disks() -> dict[str, DiskSample] | None:
    """Return the counters of every disk that was ever used, without partitions; None where they are not counted."""
    with suppress(OSError, RuntimeError, psutil.Error):
        found = psutil.disk_io_counters(perdisk=True, nowrap=False)
        if any(not hasattr(one, "busy_time") for one in found.values()):
            return None
        whole = {name: one for name, one in found.items() if not _is_part(name) and one.read_count + one.write_count}
        return {
            name: DiskSample(busy_s=one.busy_time / 1000, read_bytes=one.read_bytes, written_bytes=one.write_bytes)
            for name, one in whole.items()
        }
    return None


def _is_part(name: str) -> bool:
    return not Path("/sys/block", name.replace("/", "!")).is_dir()
