"""Which files changed: since which commit, by what Git says of the checkout."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

REMOTE, MAIN, BEFORE, NOW = "origin/main", "main", "HEAD~1", "HEAD"


class NoRevisionError(Exception):
    """Git knows no such revision, or there is no Git here."""


@dataclass(frozen=True)
class Changes:
    """The changed files as `a/b.py`, sorted: committed since the revision, not committed, new, or deleted."""

    since: str
    files: tuple[str, ...]


def changes(root: Path, since: str = "") -> Changes:
    """Return what differs from the commit in which the checkout left `since`.

    Without `since` that is the remote's main; without a remote the main branch, and on this the commit before.
    """
    name, commit = _given(root, since) if since else _usual(root)
    differing = _git(root, "diff", "--name-only", "--no-renames", "-z", commit) or ""
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z") or ""
    return Changes(name, tuple(sorted({*differing.split("\0"), *new.split("\0")} - {""})))


def _given(root: Path, since: str) -> tuple[str, str]:
    commit = _git(root, "merge-base", NOW, since)
    if commit is None:
        raise NoRevisionError(f"git knows no common commit of {NOW} and {since!r}; SINCE=REVISION names another one")
    return since, commit


def _usual(root: Path) -> tuple[str, str]:
    now = _git(root, "rev-parse", "--verify", "--quiet", NOW)
    if now is None:
        raise NoRevisionError("this folder has no commit, or git is not installed; make test needs none")
    for name in (REMOTE, MAIN):
        commit = _git(root, "merge-base", NOW, name)
        if commit and (name == REMOTE or commit != now):
            return name, commit
    before = _git(root, "rev-parse", "--verify", "--quiet", BEFORE)
    return (BEFORE, before) if before else (NOW, now)


def _git(root: Path, *words: str) -> str | None:
    """Return what git says, without white space around it; None when it fails or is not here."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)  # noqa: S607 (git is found on PATH like every tool of the user's)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
