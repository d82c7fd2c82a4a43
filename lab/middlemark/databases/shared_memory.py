"""Frees the shared memory of a PostgreSQL that was killed; one that was stopped has done so itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

_SEGMENTS = "/dev/shm/PostgreSQL."  # noqa: S108 (where PostgreSQL's dynamic_shared_memory_type posix puts them)


def shared_memory_of(pids: Iterable[int]) -> set[Path]:
    """Return the POSIX shared memory segments the processes have mapped."""
    found: set[Path] = set()
    for pid in pids:
        try:
            maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found |= {Path(line.split()[5]) for line in maps.splitlines() if _SEGMENTS in line}
    return found


def release_shared_memory(data: Path, segments: Iterable[Path]) -> None:
    """Remove the segments, and the System V one named in `postmaster.pid`, which only a killed server leaves."""
    for segment in segments:
        segment.unlink(missing_ok=True)
    left = data / "postmaster.pid"
    try:
        words = left.read_text(encoding="utf-8").splitlines()[6].split()
    except (OSError, IndexError):
        return
    ipcrm = shutil.which("ipcrm")
    if ipcrm and len(words) == 2:
        subprocess.run([ipcrm, "-m", words[1]], capture_output=True, check=False)
    left.unlink(missing_ok=True)
