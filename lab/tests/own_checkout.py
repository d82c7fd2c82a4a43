"""A checkout with the lab's own specifications, and an environment in which its commands run alone."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from conftest import ROOT

CHECKOUT = Path(__file__).parent / "checkout"


def checkout_at(home: Path) -> Path:
    """Copy the checkout, with what it shares with the real one."""
    shutil.copytree(CHECKOUT, home)
    (home / "databases").symlink_to(ROOT / "databases")
    return home


def environment_in(folder: Path) -> dict[str, str]:
    """Return an environment of its own; the applications find psycopg where the lab does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "XDG_RUNTIME_DIR": str(folder), "HOME": str(folder)}
