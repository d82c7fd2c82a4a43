"""Resumes a run: the same run in the same folder, with further starts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.doctor.orphaned_runs import orphaned_runs
from middlemark.errors import InputError
from middlemark.experiment.loads import LoadChooser, Loads
from middlemark.experiment.schedule import Group, StartPlan
from middlemark.judge.between import differences
from middlemark.processes.runtime import looked_after, runtime_folder
from middlemark.records.findings import Measured
from middlemark.records.folder import FINDINGS, MANIFEST, POINTS, REPORT, RUN, SEARCH, inspect, point_folders, set_aside
from middlemark.records.run import Combination, Load, Run, RunStatus
from middlemark.records.run_parts import Resumption
from middlemark.records.side_files import LEDGER, PUBLISHED, STOPPED
from middlemark.records.window import Part, Window
from middlemark.saving import saving_under
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


def finished(
    windows: Sequence[Window], plans: Sequence[StartPlan], loads: Loads, reach: Mapping[str, Load] | None = None
) -> Finished:
    """Which windows stay: those of searches, and whole rounds, which are compared; nothing is changed."""
    chooser = LoadChooser(loads, reach)
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
            points = _learn_search(known, one, chooser, loads) if chooser.is_searching(one) else []
            stay += points
            if points and chooser.is_searching(one):
                seen[one.path] = [loads.limits.seen(window) for window in points]
            if chooser.is_climbing(one):
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
    seen: list[Seen] = []
    while (place := chooser.next_searched(combination, seen)) is not None:
        window = known.get((Part.SEARCH, combination.path, *place))
        if window is None:
            break
        found.append(window)
        seen.append(loads.limits.seen(window))
    if seen or place is None:
        chooser.learn_search(combination, seen, ended=place is None)
    return found


def _learn_climb(known: Mapping[Place, Window], combination: Combination, chooser: LoadChooser, loads: Loads) -> None:
    """Take in how far a combination went up, if it came to its end."""
    points: list[Seen] = []
    while (load := chooser.next_climbed(points)) is not None:
        window = known.get((Part.ROUND, combination.path, load, 0))
        if window is None:
            return
        points.append(loads.limits.seen(window))
    chooser.learn_climb(combination, points)


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
        while whole < rounds:
            places = [
                (Part.ROUND, one.path, load, plan.repeat(whole)) for one in group for load in chooser.loads_of(one)
            ]
            if not all(place in known for place in places):
                break
            windows += [known[place] for place in places]
            whole += 1
        complete.append(whole)
    # A start without any complete round has left nothing: its number is used again.
    while complete and not complete[-1]:
        complete.pop()
    return tuple(complete), windows


# What makes two runs the same: all that decides which points there are, and what is measured at them.
SAME = (
    "name", "spec", "spec_version", "specification", "scales", "sessions", "think", "rounds", "faults", "seed",
    "phases", "load_unit", "profile", "placement", "combinations", "references", "commit", "changed", "versions",
    "inputs", "requested",
)  # fmt: skip


def check_resumable(root: Path, run: Run, fresh: Run) -> None:
    """See that the run of a result folder may be resumed as `fresh`, the record with which it would begin today.

    Nothing is changed. Raises InputError for a run that is still under way or not cleared up, was another one, has
    injected all its faults, or whose files were changed since it ended.
    """
    _check_ended(root, run)
    if different := list(_differences(run, fresh)):
        what = f"the run differs from what was begun here: {'; '.join(different)}"
        todo = f"Give what it was begun with (middlemark {' '.join(run.command)}), or begin a new run"
        raise InputError(what, where=str(root), todo=todo)
    # A killed run has no manifest; the watchdog writes when a lab is interrupted a second time, after the manifest.
    deviants = inspect(root).deviants if (root / MANIFEST).is_file() else ()
    if deviant := next((one for one in deviants if one.name != STOPPED), None):
        todo = f"`middlemark check` lists them: {deviant}"
        raise InputError("files of this run were changed since it ended", where=str(root), todo=todo)


def resumed(measured: Measured, found: Finished, now: str) -> Run:
    """The record with which a run is resumed `now`, with what it has finished; nothing is changed."""
    before, cleared = measured.run, measured.cleared
    resumption = Resumption(
        at=now,
        # What the run says of its end goes first: the watchdog may have stopped what an interruption had left.
        ended=before.finished or (cleared.when if cleared else None),
        reason=before.message or (cleared.reason if cleared else "the lab was killed, at a time that is unknown"),
        points=len(found.stay),
        aside=[f"{SEARCH if window.part is Part.SEARCH else POINTS}/{window.path}" for window in found.aside],
    )
    changes = {
        "status": RunStatus.RUNNING,
        "message": "",
        "finished": None,
        "points": [window.path for window in found.stay if window.part is Part.ROUND],
        "chosen": dict(found.chooser.chosen),
        "outside": dict(found.chooser.outside),
        "searched": {**before.searched, **found.chooser.searched},
        "resumed": [*before.resumed, resumption],
    }
    return before.model_copy(update=changes)


def clear(root: Path, found: Finished, segment: int) -> None:
    """Remove what is not finished from a result folder after so many segments, and what was written at their end."""
    with saving_under(root):
        for name in (STOPPED, MANIFEST, FINDINGS, REPORT):
            (root / name).unlink(missing_ok=True)
        # Half of a file that a killed lab or watchdog was writing.
        for name in (RUN, LEDGER, PUBLISHED, STOPPED, MANIFEST, FINDINGS, REPORT):
            for half in (*root.glob(f".{name}.*"), *root.glob(f"{name}.new")):
                half.unlink()
    leave_finished(root, found, segment)


def _check_ended(root: Path, run: Run) -> None:
    where = str(root)
    if run.status is RunStatus.FINISHED and run.faults:
        raise InputError("this run is finished", where=where, todo="Leave out --resume to run the experiment again")
    if (pid := looked_after(runtime_folder(), root)) is not None:
        raise InputError(f"this run is still under way (pid {pid})", where=where, todo="Wait until it has ended")
    if any(left.running for left in orphaned_runs(runtime_folder())):
        todo = "Stop them with `middlemark doctor --stop`"
        raise InputError("processes of an orphaned run still exist", where=where, todo=todo)


def _differences(before: Run, fresh: Run) -> Iterator[str]:
    keys: dict[str, list[str]] = {}
    for one in differences(before, fresh, SAME):
        if one.key:
            keys.setdefault(one.what, []).append(one.key)
        else:
            yield f"{one.what} ({one.old}, now {one.new})" if one.old or one.new else one.what
    yield from (f"{what} ({', '.join(sorted(names))})" for what, names in keys.items())
    databases = _own_databases(before), _own_databases(fresh)
    if len(set(databases)) > 1:
        yield f"database ({databases[0]}, now {databases[1]})"


def _own_databases(run: Run) -> str:
    """The addresses of the user's own PostgreSQL servers, without passwords, as the run was to use them."""
    words = (word for word in run.command if "postgresql://" in word or "postgres://" in word)
    return ", ".join(sorted(word.removeprefix("--database=") for word in words)) or "none"
