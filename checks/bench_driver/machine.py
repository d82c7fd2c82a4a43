"""The machine that figures were measured on, in words."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Return its CPUs and its system."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
    return f"{os.cpu_count()} CPUs ({model}), {platform.system()} {platform.release()}"
