"""The result folder on disk: written as a run goes, readable at any moment, also after a crash."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from middlemark.errors import HostError, InputError
from middlemark.records.record import Record
from middlemark.records.run import Combination, Load, Run

REPORT = "report.html"
FINDINGS = "findings.json"
RUN = "run.json"
POINTS = "points"
SEARCH = "search"
ASIDE = "aside"
FAULTS = "faults.json"

# Errors of a file system that is full or whose user has used up the quota.
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
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
        reason = _first(error) if isinstance(error, ValidationError) else str(error.strerror)
        raise InputError(
            f"cannot read this run ({reason})",
            where=str(file),
            todo="Results of earlier versions cannot be judged again: repeat the run with its `command`",
        ) from error


def read_record(path: Path, model: type[R]) -> R | None:
    """The record in a file, or None when a killed run left none or half of one."""
    try:
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _first(error: ValidationError) -> str:
    """The first mistake in a file, and where it is."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


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


def write_whole(path: Path, text: str) -> None:
    """Write a text file by a temporary file beside it and a rename."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def saving_under(folder: Path) -> Iterator[None]:
    """Turn a file system's refusal while something is saved under `folder` into a HostError."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise HostError(f"no space left under {folder}: free some or choose --out") from error
        raise HostError(
            f"cannot write ({error.strerror})", where=str(error.filename or folder), todo="Choose another --out"
        ) from error


def check_writable(out: Path) -> None:
    """Write a few bytes under `out` and remove them; HostError when the file system refuses."""
    with saving_under(out):
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out) as file:
            file.write(b"\0" * 65536)
            file.flush()
