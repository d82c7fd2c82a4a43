"""What of a run that ended early is finished: it stays, all else is measured when the run is resumed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.errors import InputError
from middlemark.experiment.load_chooser import LoadChooser
from middlemark.experiment.loads import Loads
from middlemark.experiment.schedule import Group, StartPlan
from middlemark.records.driver_lines import Interval, PhaseName
from middlemark.records.folder import POINTS, SEARCH, point_folder, read_records, saving_under, set_aside
from middlemark.records.lines_file import DriverLines
from middlemark.records.point import Verdict
from middlemark.records.run import Combination
from middlemark.search.seen import Seen


@dataclass(frozen=True)
class Finished:
    """The folders of finished points: those that `stay`, and those to be set `aside`.

    `chooser` knows what the former show of the loads. `seen` has the points of searches that have not ended, by the
    path of a combination. `rounds` has, for each group, how many rounds of each start are complete.
    """

    stay: tuple[Path, ...]
    aside: tuple[Path, ...]
    chooser: LoadChooser
    seen: Mapping[str, Sequence[Seen]] = field(default_factory=dict)
    rounds: Mapping[Group, tuple[int, ...]] = field(default_factory=dict)

    def remaining(self, plans: Sequence[StartPlan]) -> list[StartPlan]:
        """The starts still to be run of a run that was planned as `plans`.

        A start that was cut stays with its complete rounds, and another one of all groups takes its place: the rest of
        its rounds would be measured on other processes, and only rounds of the same start are compared. Groups that a
        start has not come to follow in it. Where every start is whole, one more is added.
        """
        planned, rounds = max(plan.number for plan in plans) + 1, plans[0].rounds
        groups = list(dict.fromkeys(plan.group for plan in plans))
        begun = max(len(self.rounds.get(group, ())) for group in groups)
        rest: list[StartPlan] = []
        whole = 0
        for number in range(begun):
            complete = {group: dict(enumerate(self.rounds.get(group, ()))).get(number, 0) for group in groups}
            if all(count in {0, rounds} for count in complete.values()):
                whole += 1
                rest += [StartPlan(number, group, rounds) for group, count in complete.items() if not count]
        lacking = planned - whole if rest or planned > whole else 1
        return rest + [StartPlan(begun + more, group, rounds) for more in range(lacking) for group in groups]


def finished(root: Path, plans: Sequence[StartPlan], loads: Loads) -> Finished:
    """Look through a result folder for the finished points of a run that was planned as `plans`; nothing is changed.

    Points of searches stay. Windows stay with their whole round, in which they are compared with one another.
    """
    chooser = LoadChooser(loads)
    every = [folder for part in (POINTS, SEARCH) for folder in _folders(root, part) if verdict_of(folder)]
    if any(plan.faults for plan in plans):
        return Finished(tuple(every), (), chooser)
    stay: list[Path] = []
    seen: dict[str, Sequence[Seen]] = {}
    rounds: dict[Group, tuple[int, ...]] = {}
    for group in dict.fromkeys(plan.group for plan in plans):
        for one in group:
            stay += _learn_search(root, one, chooser, loads, seen)
            _learn_climb(root, one, chooser, loads)
        complete, folders = _complete_rounds(root, group, plans[0].rounds, chooser)
        stay += folders
        rounds[group] = complete
    return Finished(tuple(stay), tuple(folder for folder in every if folder not in stay), chooser, seen, rounds)


def leave_finished(root: Path, found: Finished, segment: int) -> None:
    """Set aside what is to be set aside after so many segments, and remove the points that were not finished."""
    with saving_under(root):
        for folder in found.aside:
            set_aside(root, folder, str(segment))
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


def _learn_search(
    root: Path, combination: Combination, chooser: LoadChooser, loads: Loads, seen: dict[str, Sequence[Seen]]
) -> list[Path]:
    """Take in the search of a combination as far as it has come; return the folders of its points."""
    points: list[Seen] = []
    folders: list[Path] = []
    while chooser.is_searching(combination):
        place = chooser.next_searched(points)
        if place is None:
            chooser.learn_search(combination, points, ended=True)
            break
        folder = point_folder(root, combination, *place, SEARCH)
        verdict = verdict_of(folder)
        if verdict is None:
            if points:
                chooser.learn_search(combination, points, ended=False)
                seen[combination.path] = points
            break
        folders.append(folder)
        points.append(loads.limits.seen(place[0], verdict))
    return folders


def _learn_climb(root: Path, combination: Combination, chooser: LoadChooser, loads: Loads) -> None:
    """Take in how far a combination went up, if it came to its end."""
    points: list[Seen] = []
    while chooser.is_climbing(combination):
        load = chooser.next_climbed(points)
        if load is None:
            chooser.learn_climb(combination, points)
            return
        verdict = verdict_of(point_folder(root, combination, load, 0))
        if verdict is None:
            return
        points.append(loads.limits.seen(load, verdict))


def _complete_rounds(root: Path, group: Group, rounds: int, chooser: LoadChooser) -> tuple[tuple[int, ...], list[Path]]:
    """Return how many rounds of each start of a group are complete, and the folders of their windows."""
    if any(chooser.is_searching(one) or chooser.is_climbing(one) for one in group):
        return (), []
    complete: list[int] = []
    folders: list[Path] = []
    repeats = [int(folder.name) for one in group for folder in _windows(root, one)]
    for number in range(max(repeats, default=-1) // rounds + 1):
        plan = StartPlan(number, group, rounds)
        whole = 0
        while whole < rounds and all(verdict_of(one) for one in _of_round(root, plan, whole, chooser)):
            folders += _of_round(root, plan, whole, chooser)
            whole += 1
        complete.append(whole)
    # A start without any complete round has left nothing: its number is used again.
    while complete and not complete[-1]:
        complete.pop()
    return tuple(complete), folders


def _of_round(root: Path, plan: StartPlan, number: int, chooser: LoadChooser) -> list[Path]:
    repeat = plan.repeat(number)
    places = [(one, load) for one in plan.group for load in chooser.loads_of(one)]
    return [point_folder(root, one, load, repeat) for one, load in places]


def _windows(root: Path, combination: Combination) -> Iterator[Path]:
    """Yield the folders of the windows of a combination, finished or not."""
    return (folder for folder in (root / POINTS / combination.path).glob("*/*") if folder.name.isdigit())


def _folders(root: Path, part: str) -> list[Path]:
    """Return the folders of the points of a part, finished or not: <subject>/<modes>/<load>/<repeat>."""
    return [folder for folder in sorted((root / part).glob("*/*/*/*")) if folder.is_dir()]
