"""What a reader must know to judge or repeat a run: the machine, the versions, the inputs."""

from __future__ import annotations

import hashlib
import os
import platform
import resource
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import psutil

from middlemark import __version__
from middlemark.results.run import Host


def host() -> Host:
    """Describe this machine."""
    return Host(
        system=_pretty_system(),
        kernel=platform.release(),
        cpu=_cpu_name(),
        cpus=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_mib=psutil.virtual_memory().total // 2**20,
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    )


def versions(driver: str) -> dict[str, str]:
    """Return component: version of what takes part besides the applications, which tell their own by `/about`."""
    return {"middlemark": __version__, "middlemark-driver": driver, "python": platform.python_version()}


def hashes(files: Iterable[Path], root: Path) -> dict[str, str]:
    """Return the SHA-256 of each file by its path relative to `root`, or by its name when it lies elsewhere."""
    return {_name(path, root): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


def now() -> str:
    """Return the time as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _name(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name


def _pretty_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.mac_ver()[0]}".strip()


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
