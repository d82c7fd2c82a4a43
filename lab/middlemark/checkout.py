"""Finds the checkout that holds specs/, platforms/ and experiments/."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from middlemark.errors import InputError


def checkout() -> Path:
    """Return the folder that holds specs/: the working directory, one of its parents, or MIDDLEMARK_HOME."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if _is_checkout(folder):
            return folder
    home = os.environ.get("MIDDLEMARK_HOME")
    if home and _is_checkout(Path(home)):
        return Path(home).resolve()
    raise InputError(
        "no Middlemark checkout here (a folder with specs/ and platforms/)",
        where=str(here),
        todo="Change into the checkout or set MIDDLEMARK_HOME to it",
    )


def commit_of(folder: Path) -> str:
    """Return the commit of the checkout, from which files may differ (`changed_files`); `unknown` without git."""
    return _git(folder, "rev-parse", "--short=12", "HEAD") or "unknown"


def changed_files(folder: Path) -> list[str]:
    """Return the files of the checkout that differ from the commit, new ones too; none without git."""
    entries = _git(folder, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames").split("\0")
    # Two characters of state and a blank stand before the name; the first entry may have lost a leading blank.
    return sorted(entry.split(maxsplit=1)[1] for entry in entries if entry)


def _is_checkout(folder: Path) -> bool:
    return (folder / "specs" / "README.md").is_file() and (folder / "platforms").is_dir()


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],  # noqa: S607 (git is found on PATH like every tool of the user's)
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
