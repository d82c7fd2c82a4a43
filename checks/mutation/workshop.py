"""A private copy of the platform's folder in which one mutant at a time is applied and built."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from checks.mutation.mutant import Mutant
from middlemark.errors import HostError, TargetError
from middlemark.subject.subject import Subject

COPIED = ("specs", "platforms", "databases", "servers")
BUILD_SECONDS = 900.0
_LAST = 800


class NotCompilingError(Exception):
    """The changed source does not compile."""


@dataclass(frozen=True)
class Workshop:
    """Builds the subject of a copied checkout; its sources are changed only while they are built."""

    subject: Subject
    artifacts: Path

    @property
    def module(self) -> Path:
        """Return the platform's folder, which is the Go module where it is Go."""
        return self.subject.platform.folder

    @property
    def program(self) -> Path:
        """Return where every program is built: environments start whatever is there."""
        return self.artifacts / "program"

    def build(self, mutant: Mutant | None = None, flags: str = "") -> Path:
        """Return the program, built with the mutant or as it is; the sources are as before afterwards.

        `flags` go to the compiler by its environment. Raises NotCompilingError, or TargetError without a mutant;
        HostError when it takes too long.
        """
        artifact = self.program
        if mutant is None:
            output = self._compile(artifact, flags)
            if output:
                raise TargetError(f"the copy of {self.subject.name} cannot be built: {output}", where=str(self.module))
            return artifact
        path = self.module / mutant.file
        before = path.read_bytes()
        try:
            mutant.apply(self.module)
            output = self._compile(artifact, flags)
        finally:
            path.write_bytes(before)
        if output:
            raise NotCompilingError(output)
        return artifact

    def _compile(self, artifact: Path, flags: str) -> str:
        """Return what the compiler complains about, nothing when it made the program."""
        command = [word.replace("{artifact}", str(artifact)) for word in self.subject.implementation.build]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MM_")}
        # Debug information is half of the linker's work, and nobody debugs a mutant.
        environment["GOFLAGS"] = f"-ldflags=-w -buildvcs=false {flags}".strip()
        _remove(artifact)
        try:
            done = subprocess.run(
                command,
                cwd=self.module,
                env=environment,
                capture_output=True,
                text=True,
                timeout=BUILD_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            # A machine without time for it says nothing about the mutant.
            text = f"building {self.subject.name} takes more than {BUILD_SECONDS:.0f} s"
            raise HostError(text, where=str(self.module), todo="Begin again when the machine has time") from error
        if done.returncode == 0 and artifact.exists():
            return ""
        return f"{done.stdout}\n{done.stderr}".strip()[-_LAST:] or f"the compiler ended with {done.returncode}"


def _remove(artifact: Path) -> None:
    if artifact.is_dir():
        shutil.rmtree(artifact)
    else:
        artifact.unlink(missing_ok=True)


def copied(checkout: Path, folder: Path) -> Path:
    """Return a copy of what a worker needs of the checkout, made at `folder`: without tests and what was built."""
    for name in COPIED:
        if (checkout / name).is_dir():
            ignored = shutil.ignore_patterns("*_test.go", "testdata", "test", "target", "__pycache__")
            shutil.copytree(checkout / name, folder / name, ignore=ignored)
    return folder
