"""The result folder on disk: written as a run goes, readable at any moment, with a manifest of its files at the end."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import ValidationError

from middlemark.errors import HostError, InputError
from middlemark.explaining import first_mistake
from middlemark.records.record import Record
from middlemark.records.run import Combination, Load, Run
from middlemark.saving import saving_under, write_whole

REPORT = "report.html"
FINDINGS = "findings.json"
RUN = "run.json"
POINTS = "points"
SEARCH = "search"
ASIDE = "aside"
FAULTS = "faults.json"

# A number of users or a rate, as the name of a folder.
_LOAD = re.compile(r"[0-9]+(\.[0-9]+)?")
_REPEAT = re.compile(r"[0-9]+")

R = TypeVar("R", bound=Record)


def result_folder(path: Path) -> Path:
    """The folder of a result, given by itself or by its run.json; raise InputError when it is none."""
    folder = path.parent if path.name == RUN else path
    if not (folder / RUN).is_file():
        raise InputError(
            "this folder is not a result: it has no run.json",
            where=str(path),
            todo="Give the folder that `middlemark run` printed",
        )
    return folder


def read_run(path: Path) -> Run:
    """The run of a result; raise InputError when it is none, or of an earlier version."""
    file = result_folder(path) / RUN
    try:
        return Run.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        reason, todo = (
            str(error.strerror) if isinstance(error, OSError) else first_mistake(error),
            "See that it can be read",
        )
        if isinstance(error, ValidationError):
            todo = "Results of earlier versions cannot be judged again: repeat the run with its `command`"
        raise InputError(f"cannot read this run ({reason})", where=str(file), todo=todo) from error


def read_record(path: Path, model: type[R]) -> R | None:
    """The record in a file, or None when a killed run left none or half of one."""
    try:
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def point_folder(root: Path, combination: Combination, load: Load, repeat: int, part: str = POINTS) -> Path:
    """The folder of a point of the result folder `root`, or of another `part` of it; it may not exist yet."""
    return root / part / combination.path / f"{load:.15g}" / str(repeat)


def point_folders(part: Path) -> list[Path]:
    """The folders of the points in a part of a result, finished or not: <subject>/<choices>/<load>/<repeat>."""
    found = sorted(part.glob("*/*/*/*"))
    return [one for one in found if one.is_dir() and _REPEAT.fullmatch(one.name) and _LOAD.fullmatch(one.parent.name)]


def set_aside(root: Path, folder: Path, part: str) -> None:
    """Move the folder of a point out of the figures, to the same place under `aside/<part>`."""
    place = root / ASIDE / part / folder.relative_to(root)
    with saving_under(root):
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():  # of a part of the run that was cut
            shutil.rmtree(place)
        folder.rename(place)


def write_json(path: Path, record: Record, *, indent: int | None = 1) -> None:
    """Write `record` so that a reader sees the old file or the whole new one; make the folder when it is missing."""
    with saving_under(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, record.model_dump_json(indent=indent) + "\n")


MANIFEST = "manifest.sha256"
# The report can be made again from the rest, also by a later version; the manifest cannot hold its own hash.
_LEFT_OUT = frozenset({MANIFEST, REPORT})
# A line of `sha256sum`. Names are the lab's own and hold no line end; a name that begins with `\` would be escaped.
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^\\].*)")


class Deviation(StrEnum):
    """How a file differs from the manifest."""

    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Deviant:
    """A file (its path inside the result folder) that is not as the run left it; `more` is what else is known."""

    name: str
    how: Deviation
    more: str = ""

    def __str__(self) -> str:
        """One line: `changed: run.json`."""
        return f"{self.how}: {self.name}" + (f" ({self.more})" if self.more else "")


@dataclass(frozen=True)
class Inspection:
    """What came of holding a result folder against its manifest. `manifest_sha256` is that of the manifest itself."""

    files: int
    deviants: tuple[Deviant, ...]
    manifest_sha256: str

    @property
    def sentence(self) -> str:
        """In one sentence whether the folder is as it was."""
        if not self.manifest_sha256:
            return f"Check failed: {MANIFEST} is missing: the run was killed before it was written, or it was removed."
        if not self.deviants:
            return f"Check passed: {self.files:,} files are as the run left them."
        first, more = self.deviants[0], len(self.deviants) - 1
        return f"Check failed: {first}" + (f", and {more:,} more." if more else ".")


def write_manifest(root: Path) -> Path:
    """Write the SHA-256 of every file but the report, in the format of `sha256sum -c`; return the manifest's path."""
    with saving_under(root):
        lines = [f"{_digest(root / name)}  {name}\n" for name in _files(root)]
        write_whole(root / MANIFEST, "".join(lines))
    return root / MANIFEST


def inspect(path: Path) -> Inspection:
    """Hold the result folder at `path` (or at its run.json) against its manifest.

    Every file is read whole. A folder without a manifest deviates by that. Raises InputError when it is not a result
    folder, HostError when it cannot be listed or the manifest cannot be read.
    """
    root = path.parent if path.name == RUN else path
    if not (root / RUN).is_file() and not (root / MANIFEST).is_file():
        raise InputError(
            f"this folder is not a result: it has neither {RUN} nor {MANIFEST}",
            where=str(path),
            todo="Give the folder that `middlemark run` printed",
        )
    try:
        written = (root / MANIFEST).read_bytes()
    except FileNotFoundError:
        return Inspection(0, (Deviant(MANIFEST, Deviation.MISSING),), "")
    except OSError as error:
        raise HostError(f"cannot read this manifest ({error.strerror})", where=str(root / MANIFEST)) from error
    listed, broken = _read(written)
    deviants = [*broken, *_deviants(root, listed)]
    return Inspection(len(listed), tuple(deviants), hashlib.sha256(written).hexdigest())


def _deviants(root: Path, listed: dict[str, str]) -> Iterator[Deviant]:
    found = set(_files(root))
    for name in sorted(found | listed.keys()):
        if name not in found:
            yield Deviant(name, Deviation.MISSING)
        elif name not in listed:
            yield Deviant(name, Deviation.ADDED)
        else:
            try:
                if _digest(root / name) != listed[name]:
                    yield Deviant(name, Deviation.CHANGED)
            except OSError as error:
                yield Deviant(name, Deviation.UNREADABLE, str(error.strerror))


def _read(written: bytes) -> tuple[dict[str, str], list[Deviant]]:
    """Name: digest, and a deviant for each line no run can have written."""
    listed: dict[str, str] = {}
    broken = []
    for number, line in enumerate(written.decode("utf-8", errors="replace").splitlines(), start=1):
        matched = _LINE.fullmatch(line)
        if matched is None or not _lies_inside(matched["name"]) or matched["name"] in listed:
            broken.append(Deviant(MANIFEST, Deviation.CHANGED, f"line {number} is none of a run's"))
        else:
            listed[matched["name"]] = matched["digest"]
    return listed, broken


def _lies_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and str(path) == name and name not in _LEFT_OUT


def _files(root: Path) -> list[str]:
    """Everything in the folder that is no folder, by its path inside; a link counts as itself."""

    def refuse(error: OSError) -> None:
        raise HostError(f"cannot list this folder ({error.strerror})", where=str(error.filename)) from error

    found = []
    for place, folders, files in os.walk(root, onerror=refuse):
        links = [name for name in folders if Path(place, name).is_symlink()]
        found += [Path(place, name).relative_to(root).as_posix() for name in (*files, *links)]
    return sorted(name for name in found if name not in _LEFT_OUT)


def _digest(path: Path) -> str:
    if path.is_symlink():
        # Never what lies elsewhere: a link is not followed, and is like no file a run has written.
        return f"link to {path.readlink()}"
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
