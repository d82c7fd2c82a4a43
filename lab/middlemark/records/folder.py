"""The result folder on disk: written as a run goes, readable at any moment, also after a crash."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from middlemark.errors import HostError, InputError
from middlemark.records.driver_lines import Line
from middlemark.records.faults import Fault, Faults
from middlemark.records.ledger import Ledger, read_ledger
from middlemark.records.lines_file import DriverLines
from middlemark.records.point import Audit, Point, Verdict
from middlemark.records.record import Record
from middlemark.records.run import Combination, Load, Run
from middlemark.records.samples import Samples

REPORT = "report.html"
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


@dataclass(frozen=True)
class PointResult:
    """What the folder of one point holds. A part that is missing or broken is None: the point was not finished."""

    folder: Path
    path: str
    combination: Combination | None
    load: Load
    repeat: int
    point: Point | None
    verdict: Verdict | None
    audit: Audit | None
    faults: tuple[Fault, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether the point was judged."""
        return self.point is not None and self.verdict is not None

    @property
    def valid(self) -> bool:
        """Whether the point's figures count."""
        return self.verdict is not None and self.verdict.valid

    def lines(self) -> Iterator[Line]:
        """Read the driver's lines, one after the other; none when it was never started.

        Raises InputError for a broken file.
        """
        if self._intervals.is_file():
            yield from DriverLines(self._intervals)

    def few_lines(self) -> Iterator[Line]:
        """Read the driver's lines but the intervals and their audits; none when it was never started."""
        if self._intervals.is_file():
            yield from DriverLines(self._intervals).few()

    @property
    def _intervals(self) -> Path:
        return self.folder / "intervals.ndjson"

    def samples(self) -> Samples:
        """Read the monitor's samples, up to the one that was cut off; none when nothing was watched."""
        return Samples(self.folder / "monitor.ndjson")


@dataclass(frozen=True)
class Result:
    """A result folder: the run, its points in the order they ran, and what was known of starts."""

    folder: Path
    run: Run
    points: tuple[PointResult, ...]
    ledger: Ledger

    @property
    def expected_points(self) -> int:
        """How many points the run was to have: one for each combination, load and round, or as its faults say.

        A search that has not ended was to find one load.
        """
        run = self.run
        if run.faults:
            return sum(len(points) for points in run.faults.values())
        loads = {one.path: 1 if run.is_searching(one) else len(run.loads_of(one)) for one in run.combinations}
        return sum(count * (run.repeats - run.cut.get(path, 0)) for path, count in loads.items())

    def of(self, combination: Combination, load: Load) -> list[PointResult]:
        """Return the points of a combination at a load, by repeat."""
        return list(self._by_place.get((combination.path, load), []))

    @cached_property
    def _by_place(self) -> dict[tuple[str, Load], list[PointResult]]:
        """Return the points by combination and load: a report looks for each of hundreds a hundred times."""
        found: dict[tuple[str, Load], list[PointResult]] = {}
        for point in sorted(self.points, key=lambda p: p.repeat):
            if point.combination is not None:
                found.setdefault((point.combination.path, point.load), []).append(point)
        return found

    def compared(self, combination: Combination) -> list[PointResult]:
        """Return the points at which a combination is compared, by repeat."""
        return self.of(combination, self.run.top_load(combination))


def read_result(path: Path) -> Result:
    """Return the result folder at `path`; raise InputError when it is none.

    A folder of a run that was killed can be read: its unfinished points have no verdict.
    """
    folder = path.parent if path.name == "run.json" else path
    if not (folder / "run.json").is_file():
        raise InputError(
            "this folder is not a result: it has no run.json",
            where=str(path),
            todo="Give the folder that `middlemark run` printed",
        )
    try:
        run = Run.model_validate_json((folder / "run.json").read_bytes())
    except (OSError, ValidationError) as error:
        reason = _first(error) if isinstance(error, ValidationError) else str(error.strerror)
        raise InputError(
            f"cannot read this run ({reason})",
            where=str(folder / "run.json"),
            todo="Was it written by another version of Middlemark?",
        ) from error
    return Result(folder, run, tuple(_points(folder, run)), read_ledger(folder))


def _first(error: ValidationError) -> str:
    """Return the first mistake in a file, and where it is."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def point_folder(root: Path, combination: Combination, load: Load, repeat: int, part: str = POINTS) -> Path:
    """Return the folder of a point of the result folder `root`, or of another `part` of it; it may not exist yet."""
    return root / part / combination.path / f"{load:.15g}" / str(repeat)


def set_aside(root: Path, folder: Path, part: str) -> None:
    """Move the folder of a point out of the figures, to the same place under `aside/<part>`."""
    place = root / ASIDE / part / folder.relative_to(root)
    with saving_under(root):
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():  # of a part of the run that was cut
            shutil.rmtree(place)
        folder.rename(place)


def write_json(path: Path, record: Record) -> None:
    """Write `record` so that a reader sees the old file or the whole new one; make the folder when it is missing."""
    with saving_under(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, record.model_dump_json(indent=1) + "\n")


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


def _points(folder: Path, run: Run) -> Iterator[PointResult]:
    """Yield the points `run.json` lists, then those of a killed run that only lie on the disk."""
    found = {
        inner.relative_to(folder / POINTS).as_posix()
        for combination in run.combinations
        for inner in (folder / POINTS / combination.path).glob("*/*")
        if inner.is_dir() and _REPEAT.fullmatch(inner.name) and _LOAD.fullmatch(inner.parent.name)
    }
    unlisted = [_point(folder / POINTS, run, name) for name in sorted(found - set(run.points))]
    yield from (_point(folder / POINTS, run, name) for name in run.points)
    yield from sorted(unlisted, key=lambda p: p.point.index if p.point else run.repeats * 10**6)


def read_records(folder: Path) -> tuple[Point | None, Verdict | None, Audit | None]:
    """Return the point, verdict and audit in the folder of a point; None for what is missing or broken."""
    records = _record(folder / "point.json", Point), _record(folder / "verdict.json", Verdict)
    return (*records, _record(folder / "audit.json", Audit))


def points_aside(result: Result) -> list[tuple[PointResult, PointResult]]:
    """Points set aside, each with the one that was measured in its place; that has no verdict where none was.

    They are of rounds that were cut, and windows that the machine disturbed, of searches too.
    """
    found = [
        (_point(aside, result.run, path), _point(result.folder / part, result.run, path))
        for part in (POINTS, SEARCH)
        for aside in sorted((result.folder / ASIDE).glob(f"*/{part}"))
        for path in (file.parent.relative_to(aside).as_posix() for file in aside.glob("*/*/*/*/point.json"))
    ]
    return sorted(found, key=lambda pair: pair[0].point.started if pair[0].point else "")


def _point(part: Path, run: Run, path: str) -> PointResult:
    inner = part / path
    name, load, repeat = path.rsplit("/", 2)
    point, verdict, audit = read_records(inner)
    return PointResult(
        folder=inner,
        path=path,
        combination=next((c for c in run.combinations if c.path == name), None),
        load=int(load) if load.isdigit() else float(load),
        repeat=int(repeat),
        point=point,
        verdict=verdict,
        audit=audit,
        faults=injected.faults if (injected := _record(inner / FAULTS, Faults)) else (),
    )


def _record(path: Path, model: type[R]) -> R | None:
    """Return the record, or None when a killed run left none or half of one."""
    try:
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
