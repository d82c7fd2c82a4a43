"""Builds a platform's artifact, once for each content of its folder.

.build/<platform>/<spec>/<hash>/artifact   what was built from this content with this toolchain
.build/<platform>/<spec>/<hash>/<role>.artifact   the program of a role that has one of its own
.build/<platform>/<spec>/build.log         output of the last build
.build/<platform>/build.lock               held by the lab that builds
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from middlemark.errors import HostError, TargetError
from middlemark.processes.ending import Part
from middlemark.processes.process import ProcessSpec, last_lines, running
from middlemark.processes.watchdog import Watchdog
from middlemark.subject.installing import installed, is_installed
from middlemark.subject.only_one import only_one
from middlemark.subject.platform import check_toolchain, command_words
from middlemark.subject.subject import Subject

ARTIFACT = "artifact"
_LAST_LINES = 15


def unheard(_: str) -> None:
    """Report to nobody."""


def build(subject: Subject, home: Path, watchdog: Watchdog, report: Callable[[str], None] = unheard) -> Path:
    """Return the artifact of the subject, made now or before, with the server that hosts it installed.

    `report` hears which of them it is, for people who wait. A build under way ends with the lab. Raises
    MissingToolError without the toolchain, TargetError with the last lines of the output when the build fails, and
    what `installed` raises.
    """
    version = require_tools(subject)
    if subject.server is not None:
        if not is_installed(subject.server):
            install = subject.server.description.install
            report(f"fetching {subject.server.title} once ({install.size if install else ''})")
        installed(subject.server, watchdog)
    cache = home / ".build" / subject.platform.name / subject.spec
    folder = cache / content_hash(subject, version)
    artifact = folder / ARTIFACT
    if artifact.exists():
        report(f"{subject.name} was built before")
        return artifact
    report(f"building {subject.name}")
    # Two labs that want it at once build it once, and what two specifications of a platform share is compiled once.
    with only_one(cache.parent / "build.lock", f"another build of {subject.platform.name}"):
        if not artifact.exists():
            with _work_folder(cache) as work:
                for one in subject.programs:
                    made = artifact_of_role(work / ARTIFACT, one.role) if one.role else work / ARTIFACT
                    _make(one, made, cache / "build.log", watchdog)
                work.rename(folder)
    return artifact


def artifact_of_role(artifact: Path, role: str) -> Path:
    """Where the program of a role lies, beside the artifact of the others."""
    return artifact.parent / f"{role}.{ARTIFACT}"


def require_tools(subject: Subject) -> str:
    """Return the toolchain's version; MissingToolError unless all is here that builds the subject and serves it."""
    if subject.server is None:
        return check_toolchain(subject.platform)
    return check_toolchain(subject.platform, subject.server.title, subject.server.runs_on())


def content_hash(subject: Subject, toolchain: str) -> str:
    """Return 16 hexadecimal digits for all a build depends on.

    The files of the platform and of the specification as git sees them, the commands, and the toolchain's version with
    that of the language it runs on. Neither a build nor a case knows what virtual users send, so that another session
    leaves what was built, and proven of it, as it is.
    """
    commands = "\n".join(f"{one.role}{one.implementation.build}" for one in subject.programs)
    digest = hashlib.sha256(f"{toolchain}\n{commands}\n".encode())
    for folder in (subject.platform.folder, subject.specification.folder):
        for file in _sources(folder):
            if file.is_relative_to(subject.specification.sessions):
                continue
            content = file.readlink().as_posix().encode() if file.is_symlink() else file.read_bytes()
            name = file.relative_to(folder).as_posix()
            digest.update(f"{name} {len(content)} {os.access(file, os.X_OK)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def _sources(folder: Path) -> list[Path]:
    """Return tracked, changed and new files, but not what git ignores; without git, all files."""
    words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "."]
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)  # noqa: S607 (git is found on PATH like every tool of the user's)
        names = done.stdout.split("\0")
    except FileNotFoundError:
        names = []
    files = [folder / name for name in names if name] or list(folder.rglob("*"))
    return sorted({file for file in files if file.is_file() or file.is_symlink()})


@contextmanager
def _work_folder(cache: Path) -> Iterator[Path]:
    """Give an empty folder beside the finished ones, and remove it unless it was renamed."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="building-", dir=cache))
    except OSError as error:
        raise HostError(f"cannot write here ({error.strerror})", where=str(cache)) from error
    # mkdtemp's 0700 would keep a server that runs as another user from what is built.
    work.chmod(0o755)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _make(subject: Subject, artifact: Path, log: Path, watchdog: Watchdog) -> None:
    command = command_words(subject.implementation.build, artifact)
    status = _run(subject, command, log, watchdog)
    if status == 0 and artifact.exists():
        return
    what = f"ended with {status}" if status else f"made no {artifact}"
    last = [f"\n    {line}" for line in last_lines(log, _LAST_LINES)]
    raise TargetError(
        f"building {subject.name} {what}",
        where=shlex.join(command),
        todo=f"All output is in {log}; its last lines:{''.join(last)}" if last else "It has no output",
    )


def _run(subject: Subject, command: tuple[str, ...], log: Path, watchdog: Watchdog) -> int:
    """Run the build with the environment of the user, which names proxies and caches, but without MM_* settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MM_")}
    folder = subject.platform.folder
    log.unlink(missing_ok=True)
    spec = ProcessSpec(f"build of {subject.name}", Part.TOOL, command, folder, log, environment)
    with running(spec, watchdog) as process:
        return process.wait()
