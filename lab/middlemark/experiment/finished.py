"""What of a run that ended early is finished: it stays, all else is measured when the run goes on."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from middlemark.errors import InputError
from middlemark.experiment.choosing import Choosing
from middlemark.experiment.limits import Limits
from middlemark.experiment.loads import Loads
from middlemark.experiment.schedule import Serving
from middlemark.records.driver_lines import read_lines
from middlemark.records.folder import ASIDE, POINTS, SEARCH, point_folder, read_records, saving_under
from middlemark.records.point import Verdict
from middlemark.records.run import Load
from middlemark.search.seen import Seen
from middlemark.workload.window import window_figures


@dataclass(frozen=True)
class Finished:
    """The folders of finished points: those that `stay`, in the order of the run, and those to be set `aside`.

    `choosing` knows what the former say of the loads.
    """

    stay: tuple[Path, ...]
    aside: tuple[Path, ...]
    choosing: Choosing


def finished(root: Path, servings: Sequence[Serving], loads: Loads) -> Finished:
    """Look through a result folder for the finished points of these servings; nothing is changed.

    Points of one combination stay whatever came after them, and so do those of a search. Those of a block of several
    combinations, which are compared with one another, stay only with the whole block: it is measured in one sitting.
    """
    choosing = Choosing(loads)
    stay: list[Path] = []
    for _, block in groupby(servings, key=_block):
        played = [(serving, *_played(root, serving, choosing, loads.limits)) for serving in block]
        whole = all(ended for _, _, _, ended in played)
        for serving, folders, seen, ended in played:
            if whole or len(played) == 1:
                stay += folders
                _learn(choosing, serving, seen, ended=ended)
    every = [folder for part in (POINTS, SEARCH) for folder in _folders(root, part) if verdict_of(folder)]
    return Finished(tuple(stay), tuple(folder for folder in every if folder not in stay), choosing)


def remaining(root: Path, servings: Sequence[Serving], loads: Loads, found: Finished) -> list[Serving]:
    """Return the servings that the run in a result folder still has to measure, with the loads that they lack.

    Before its search has ended a block has no load yet.
    """
    rest: list[Serving] = []
    for serving in servings:
        folders, _, ended = _played(root, serving, found.choosing, loads.limits)
        known = loads.search is None or serving.searching or serving.combination.path in found.choosing.chosen
        if not known or not ended or not set(folders) <= set(found.stay):
            rest.append(_lacking(root, serving, found))
    return rest


def leave_finished(root: Path, found: Finished, sitting: int) -> None:
    """Set aside what is to be set aside after so many sittings, and remove the points that were not finished."""
    with saving_under(root):
        for folder in found.aside:
            place = root / ASIDE / str(sitting) / folder.relative_to(root)
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
        count = window_figures(read_lines(folder / "intervals.ndjson")).total.count
    except InputError:
        return None
    return verdict if count == verdict.total.count else None


def _block(serving: Serving) -> tuple[str, int]:
    """Return what only the servings of one block have in common; a search is alone, and so are points with faults."""
    alone = serving.searching or bool(serving.faults)
    return (serving.combination.path if alone else "", serving.repeat)


def _played(root: Path, serving: Serving, choosing: Choosing, limits: Limits) -> tuple[list[Path], list[Seen], bool]:
    """Return the finished points of a serving up to the first that is not, and whether these are all."""
    folders: list[Path] = []
    seen: list[Seen] = []
    part = SEARCH if serving.searching else POINTS
    while (point := choosing.next_point(serving, seen)) is not None:
        load, repeat, _ = point
        folder = point_folder(root, serving.combination, load, repeat, part)
        verdict = verdict_of(folder)
        if verdict is None:
            return folders, seen, False
        folders.append(folder)
        seen.append(limits.seen(load, verdict))
    return folders, seen, True


def _lacking(root: Path, serving: Serving, found: Finished) -> Serving:
    """Return a serving without its points that stay."""

    def lacks(number: int, load: Load) -> bool:
        return point_folder(root, serving.combination, load, number) not in found.stay

    if serving.faults:
        lacking = [faults for load, number, faults in serving.points if lacks(number, load)]
        return replace(serving, faults=tuple(lacking))
    written = found.choosing.chosen.get(serving.combination.path, serving.loads)
    return replace(serving, loads=tuple(load for load in written if lacks(serving.repeat, load)))


def _learn(choosing: Choosing, serving: Serving, seen: list[Seen], *, ended: bool) -> None:
    """Take in what the points of a serving say of the loads, as far as it has come."""
    if ended and not serving.faults:
        choosing.end(serving, seen)
    elif serving.searching and seen:
        choosing.learn(serving, seen)


def _folders(root: Path, part: str) -> list[Path]:
    """Return the folders of the points of a part, finished or not: <subject>/<modes>/<load>/<repeat>."""
    return [folder for folder in sorted((root / part).glob("*/*/*/*")) if folder.is_dir()]
