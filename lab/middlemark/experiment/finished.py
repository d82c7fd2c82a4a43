"""What of a run that ended early is finished: it stays, all else is measured when the run is resumed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.experiment.load_chooser import LoadChooser
from middlemark.experiment.loads import Loads
from middlemark.experiment.schedule import Group, StartPlan
from middlemark.records.folder import POINTS, SEARCH, point_folders, saving_under, set_aside
from middlemark.records.run import Combination, Load
from middlemark.records.window import Part, Window
from middlemark.search.seen import Seen

Place = tuple[Part, str, Load, int]
_FOLDERS = {Part.ROUND: POINTS, Part.SEARCH: SEARCH}


@dataclass(frozen=True)
class Finished:
    """The finished windows: those that `stay`, those to be set `aside`, and those that were `aside_before`.

    `chooser` knows what the former show of the loads. `seen` has the points of searches that have not ended, by the
    path of a combination. `rounds` has, for each group, how many rounds of each start are complete.
    """

    stay: tuple[Window, ...]
    aside: tuple[Window, ...]
    chooser: LoadChooser
    seen: Mapping[str, Sequence[Seen]] = field(default_factory=dict)
    rounds: Mapping[Group, tuple[int, ...]] = field(default_factory=dict)
    aside_before: tuple[Window, ...] = ()

    def has(self, combination: Combination, load: Load, repeat: int) -> bool:
        """Whether a window of a round is finished."""
        return any((w.combination, w.load, w.repeat) == (combination.path, load, repeat) for w in self.stay)

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


def finished(windows: Sequence[Window], plans: Sequence[StartPlan], loads: Loads) -> Finished:
    """Look through the windows of a run that was planned as `plans`; nothing is changed.

    Points of searches stay. Windows stay with their whole round, in which they are compared with one another.
    """
    chooser = LoadChooser(loads)
    own = [window for window in windows if window.part is not Part.ASIDE]
    before = tuple(window for window in windows if window.part is Part.ASIDE)
    if any(plan.faults for plan in plans):
        return Finished(tuple(own), (), chooser, aside_before=before)
    known: dict[Place, Window] = {(w.part, w.combination, w.load, w.repeat): w for w in own}
    stay: list[Window] = []
    seen: dict[str, Sequence[Seen]] = {}
    rounds: dict[Group, tuple[int, ...]] = {}
    for group in dict.fromkeys(plan.group for plan in plans):
        for one in group:
            points = _learn_search(known, one, chooser, loads)
            stay += points
            if points and chooser.is_searching(one):
                seen[one.path] = [loads.limits.seen(window) for window in points]
            _learn_climb(known, one, chooser, loads)
        rounds[group], complete = _complete_rounds(known, group, plans[0].rounds, chooser)
        stay += complete
    aside = tuple(window for window in own if window not in stay)
    return Finished(tuple(stay), aside, chooser, seen, rounds, before)


def leave_finished(root: Path, found: Finished, segment: int) -> None:
    """Set aside what is to be set aside after so many segments, and remove the points that were not finished."""
    stay = {_folder(root, window) for window in found.stay}
    with saving_under(root):
        for window in found.aside:
            set_aside(root, _folder(root, window), str(segment))
        for part in (POINTS, SEARCH):
            for folder in point_folders(root / part):
                if folder not in stay:
                    shutil.rmtree(folder)


def _folder(root: Path, window: Window) -> Path:
    return root / _FOLDERS[window.part] / window.path


def _learn_search(
    known: Mapping[Place, Window], combination: Combination, chooser: LoadChooser, loads: Loads
) -> list[Window]:
    """Take in the search of a combination as far as it has come; return its windows."""
    found: list[Window] = []
    while chooser.is_searching(combination):
        seen = [loads.limits.seen(window) for window in found]
        place = chooser.next_searched(seen)
        window = known.get((Part.SEARCH, combination.path, *place)) if place else None
        if place is None:
            chooser.learn_search(combination, seen, ended=True)
        elif window is not None:
            found.append(window)
        else:
            if seen:
                chooser.learn_search(combination, seen, ended=False)
            break
    return found


def _learn_climb(known: Mapping[Place, Window], combination: Combination, chooser: LoadChooser, loads: Loads) -> None:
    """Take in how far a combination went up, if it came to its end."""
    points: list[Seen] = []
    while chooser.is_climbing(combination):
        load = chooser.next_climbed(points)
        if load is None:
            chooser.learn_climb(combination, points)
            return
        window = known.get((Part.ROUND, combination.path, load, 0))
        if window is None:
            return
        points.append(loads.limits.seen(window))


def _complete_rounds(
    known: Mapping[Place, Window], group: Group, rounds: int, chooser: LoadChooser
) -> tuple[tuple[int, ...], list[Window]]:
    """How many rounds of each start of a group are complete, and their windows."""
    if any(chooser.is_searching(one) or chooser.is_climbing(one) for one in group):
        return (), []
    complete: list[int] = []
    windows: list[Window] = []
    paths = {one.path for one in group}
    repeats = [repeat for part, path, _, repeat in known if part is Part.ROUND and path in paths]
    for number in range(max(repeats, default=-1) // rounds + 1):
        plan = StartPlan(number, group, rounds)
        whole = 0
        while whole < rounds and all(window for window in _of_round(known, plan, whole, chooser)):
            windows += [window for window in _of_round(known, plan, whole, chooser) if window]
            whole += 1
        complete.append(whole)
    # A start without any complete round has left nothing: its number is used again.
    while complete and not complete[-1]:
        complete.pop()
    return tuple(complete), windows


def _of_round(
    known: Mapping[Place, Window], plan: StartPlan, number: int, chooser: LoadChooser
) -> Iterator[Window | None]:
    repeat = plan.repeat(number)
    for one in plan.group:
        for load in chooser.loads_of(one):
            yield known.get((Part.ROUND, one.path, load, repeat))
