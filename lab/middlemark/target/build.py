"""Builds a platform's artifact, once for each content of its folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from middlemark.errors import TargetError
from middlemark.target.subject import Subject

_LAST_LINES = 15
# Folders in which builders keep what they make; everything else in a platform's folder is source.
_NOT_SOURCE = {"target", "node_modules", "__pycache__", ".git", "bin", "obj"}


def build(subject: Subject, home: Path) -> Path:
    """Return the artifact of the subject, made now or before; TargetError with the last lines when it cannot be made."""
    folder = home / ".build" / subject.platform.name / subject.spec / content_hash(subject.platform.folder)
    artifact = folder / "artifact"
    if artifact.exists():
        return artifact
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="building-", dir=folder.parent))
    try:
        _make(subject, work)
        work.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return artifact


def content_hash(folder: Path) -> str:
    """Return 16 hexadecimal digits for names and content of every source file below `folder`."""
    digest = hashlib.sha256()
    for file in sorted(_sources(folder)):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _sources(folder: Path) -> list[Path]:
    return [
        file
        for file in folder.rglob("*")
        if file.is_file() and not _NOT_SOURCE.intersection(file.relative_to(folder).parts)
    ]


def _make(subject: Subject, work: Path) -> None:
    artifact = work / "artifact"
    command = [word.replace("{artifact}", str(artifact)) for word in subject.implementation.build]
    log = work / "build.log"
    with log.open("wb") as out:
        done = subprocess.run(
            command, cwd=subject.platform.folder, stdout=out, stderr=subprocess.STDOUT, check=False, env=dict(os.environ)
        )
    if done.returncode == 0 and artifact.exists():
        return
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:]
    what = f"ended with {done.returncode}" if done.returncode else "made no artifact"
    raise TargetError(
        f"building {subject.name} {what}:\n" + "\n".join(f"    {line}" for line in lines),
        where=" ".join(subject.implementation.build),
        todo=f"Run it in platforms/{subject.platform.name} to see all of it",
    )
