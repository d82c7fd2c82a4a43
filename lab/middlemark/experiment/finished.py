"""What of a run that ended early is finished: it stays, all else is measured when the run is resumed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from middlemark.errors import InputError
from middlemark.experiment.limits import Limits
from middlemark.experiment.load_chooser import LoadChooser
from middlemark.experiment.loads import Loads
from middlemark.experiment.schedule import Deployment
from middlemark.records.driver_lines import Interval, PhaseName
from middlemark.records.folder import ASIDE, POINTS, SEARCH, point_folder, read_records, saving_under
from middlemark.records.lines_file import DriverLines
from middlemark.records.point import Verdict
from middlemark.records.run import Load
from middlemark.search.seen import Seen


@dataclass(frozen=True)
class Finished:
    """The folders of finished points: those that `stay`, in the order of the run, and those to be set `aside`.

    `chooser` knows what the former show of the loads.
    """

    stay: tuple[Path, ...]
    aside: tuple[Path, ...]
    chooser: LoadChooser


def finished(root: Path, deployments: Sequence[Deployment], loads: Loads) -> Finished:
    """Look through a result folder for the finished points of these deployments; nothing is changed.

    Points of one combination stay whatever came after them, and so do those of a search. Those of a block of several
    combinations, which are compared with one another, stay only with the whole block: it is measured in one segment.
    """
    chooser = LoadChooser(loads)
    stay: list[Path] = []
    for _, block in groupby(deployments, key=_block):
        measured = [(deployment, *_measured(root, deployment, chooser, loads.limits)) for deployment in block]
        whole = all(ended for _, _, _, ended in measured)
        for deployment, folders, seen, ended in measured:
            if whole or len(measured) == 1:
                stay += folders
                _learn(chooser, deployment, seen, ended=ended)
    every = [folder for part in (POINTS, SEARCH) for folder in _folders(root, part) if verdict_of(folder)]
    return Finished(tuple(stay), tuple(folder for folder in every if folder not in stay), chooser)


def remaining(root: Path, deployments: Sequence[Deployment], loads: Loads, found: Finished) -> list[Deployment]:
    """Return the deployments that the run in a result folder still has to measure, with the loads that they lack.

    Before its search has ended a block has no load yet.
    """
    rest: list[Deployment] = []
    for deployment in deployments:
        folders, _, ended = _measured(root, deployment, found.chooser, loads.limits)
        known = loads.search is None or deployment.searching or deployment.combination.path in found.chooser.chosen
        if not known or not ended or not set(folders) <= set(found.stay):
            rest.append(_lacking(root, deployment, found))
    return rest


def leave_finished(root: Path, found: Finished, segment: int) -> None:
    """Set aside what is to be set aside after so many segments, and remove the points that were not finished."""
    with saving_under(root):
        for folder in found.aside:
            place = root / ASIDE / str(segment) / folder.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            folder.rename(place)
        for part in (POINTS, SEARCH):
            for folder in _folders(root, part):
                if folder not in found.stay:
                    shutil.rmtree(folder)


def verdict_of(folder: Path) -> Verdict | None:
    """Return the verdict of a point that was finished: every record is there, and the driver's lines it came from.

    After a loss of power the verdict may be on the disk, and what was written before it not.
    """
    point, verdict, audit = read_records(folder)
    if point is None or verdict is None or audit is None:
        return None
    try:
        lines = DriverLines(folder / "intervals.ndjson")
        intervals = (line for line in lines if isinstance(line, Interval))
        count = sum(interval.count for interval in intervals if interval.phase is PhaseName.MEASURE)
    except InputError:
        return None
    return verdict if count == verdict.total.count else None


def _block(deployment: Deployment) -> tuple[str, int]:
    """Return what only the deployments of one block share; a search is alone, and so are points with faults."""
    alone = deployment.searching or bool(deployment.faults)
    return (deployment.combination.path if alone else "", deployment.repeat)


def _measured(
    root: Path, deployment: Deployment, chooser: LoadChooser, limits: Limits
) -> tuple[list[Path], list[Seen], bool]:
    """Return the finished points of a deployment up to the first that is not, and whether these are all."""
    folders: list[Path] = []
    seen: list[Seen] = []
    part = SEARCH if deployment.searching else POINTS
    while (point := chooser.next_point(deployment, seen)) is not None:
        load, repeat, _ = point
        folder = point_folder(root, deployment.combination, load, repeat, part)
        verdict = verdict_of(folder)
        if verdict is None:
            return folders, seen, False
        folders.append(folder)
        seen.append(limits.seen(load, verdict))
    return folders, seen, True


def _lacking(root: Path, deployment: Deployment, found: Finished) -> Deployment:
    """Return a deployment without its points that stay."""

    def lacks(number: int, load: Load) -> bool:
        return point_folder(root, deployment.combination, load, number) not in found.stay

    if deployment.faults:
        lacking = [faults for load, number, faults in deployment.points if lacks(number, load)]
        return replace(deployment, faults=tuple(lacking))
    written = found.chooser.chosen.get(deployment.combination.path, deployment.loads)
    return replace(deployment, loads=tuple(load for load in written if lacks(deployment.repeat, load)))


def _learn(chooser: LoadChooser, deployment: Deployment, seen: list[Seen], *, ended: bool) -> None:
    """Take in what the points of a deployment show of the loads, as far as it has come."""
    if ended and not deployment.faults:
        chooser.end(deployment, seen)
    elif deployment.searching and seen:
        chooser.learn(deployment, seen)


def _folders(root: Path, part: str) -> list[Path]:
    """Return the folders of the points of a part, finished or not: <subject>/<modes>/<load>/<repeat>."""
    return [folder for folder in sorted((root / part).glob("*/*/*/*")) if folder.is_dir()]
