"""Lists what belongs to the repository: everything but what was built, measured or brought by the user's own tools."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

_BUILT = {"__pycache__", "node_modules"}
_BUILDS_INTO_TARGET = ("Cargo.toml", "pom.xml")
_BESIDE_THE_PROJECT = {"results"}
_HIDDEN_AND_OURS = {".ci"}


def files(root: Path, *suffixes: str) -> list[Path]:
    """Return the files below `root`, sorted; with `suffixes` (".py") only those that end so."""
    # In a worktree of Git .git is a file that points to the checkout.
    found = (Path(folder) / name for folder, _, names in _walk(root) for name in names if name != ".git")
    return sorted(path for path in found if not suffixes or path.suffix in suffixes)


def folders(root: Path) -> list[str]:
    """Return every folder that holds a file, at whatever depth, as `a/b` relative to `root`."""
    parents = {parent for path in files(root) for parent in path.relative_to(root).parents}
    return sorted(parent.as_posix() for parent in parents if parent != Path())


def read(path: Path) -> str:
    """Return the text of a file; nothing for one that is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def _walk(root: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    for folder, below, names in os.walk(root):
        here = Path(folder)
        below[:] = [name for name in below if _belongs(here / name)]
        yield folder, below, names


def _belongs(folder: Path) -> bool:
    if folder.name.startswith("."):
        return folder.name in _HIDDEN_AND_OURS
    # What is measured lies there; a package of that name, wherever a listing begins, is ours.
    if folder.name in _BESIDE_THE_PROJECT and (folder.parent / "pyproject.toml").is_file():
        return False
    if folder.name == "target" and any((folder.parent / build).exists() for build in _BUILDS_INTO_TARGET):
        return False
    return folder.name not in _BUILT and folder.suffix != ".egg-info" and not (folder / "pyvenv.cfg").exists()
