"""Resumes a run: the same run in the same folder, with further starts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from middlemark.doctor.orphaned_runs import orphaned_runs
from middlemark.errors import InputError
from middlemark.experiment.finished import Finished, leave_finished
from middlemark.processes.runtime import looked_after, runtime_folder
from middlemark.records.clearing import read_clearing
from middlemark.records.folder import POINTS, REPORT, Result, saving_under
from middlemark.records.ledger import LEDGER
from middlemark.records.manifest import MANIFEST, RUN, Deviant, inspect
from middlemark.records.published import PUBLISHED
from middlemark.records.run import Resumption, Run, RunStatus

STOPPED = "stopped.json"
# What makes two runs the same: all that decides which points there are, and what is measured at them.
SAME = (
    "name", "spec", "spec_version", "specification", "scales", "sessions", "think", "rounds", "faults", "seed",
    "phases", "load_unit", "profile", "placement", "combinations", "references", "commit", "changed", "versions",
    "inputs", "requested",
)  # fmt: skip
SAME_MACHINE = ("system", "kernel", "cpu", "cpus", "limits", "kernel_settings")
NAMES = {
    "requested": "the experiment with its options",
    "changed": "the files that are in no commit",
    "spec": "the specification",
    "specification": "what its spec.toml has",
    "spec_version": "the version of the specification",
    "load_unit": "the unit of the loads",
    "think": "the think time",
    "placement": "the CPUs of the roles",
    "cpu": "the machine's CPU",
    "cpus": "the number of CPUs that may be used",
    "limits": "limits of processes",
    "kernel_settings": "settings of the kernel",
}
# The system keeps a little of the memory for itself, and not the same after each start.
MEMORY_TOLERANCE = 0.01


def check_resumable(result: Result, fresh: Run) -> None:
    """See that the run of a result folder may be resumed as `fresh`, the record with which it would begin today.

    Nothing is changed. Raises InputError for a run that is still under way or not cleared up, was another one, has
    injected all its faults, or whose files were changed since it ended.
    """
    _check_ended(result)
    different = list(_differences(result.run, fresh))
    if different:
        raise InputError(
            f"the run differs from what was begun here: {'; '.join(different)}",
            where=str(result.folder),
            todo=f"Give what it was begun with (middlemark {' '.join(result.run.command)}), or begin a new run",
        )
    _check_files(result)


def resumed(result: Result, found: Finished, now: str) -> Run:
    """Return the record with which a run is resumed `now`, with what it has finished; nothing is changed."""
    before = result.run
    cleared = read_clearing(result.folder)
    resumption = Resumption(
        at=now,
        # What the run says of its end goes first: the watchdog may have stopped what an interruption had left.
        ended=before.finished or (cleared.when if cleared else None),
        reason=before.message or (cleared.reason if cleared else "the lab was killed, at a time that is unknown"),
        points=len(found.stay),
        aside=[folder.relative_to(result.folder).as_posix() for folder in found.aside],
    )
    points = result.folder / POINTS
    changes = {
        "status": RunStatus.RUNNING,
        "message": "",
        "finished": None,
        "points": [one.relative_to(points).as_posix() for one in found.stay if one.is_relative_to(points)],
        "chosen": dict(found.chooser.chosen),
        "outside": dict(found.chooser.outside),
        "searched": {**before.searched, **found.chooser.searched},
        "resumed": [*before.resumed, resumption],
    }
    return before.model_copy(update=changes)


def clear(root: Path, found: Finished, segment: int) -> None:
    """Remove what is not finished from a result folder after so many segments, and what was written at their end."""
    with saving_under(root):
        for name in (STOPPED, MANIFEST, REPORT):
            (root / name).unlink(missing_ok=True)
        # Half of a file that a killed lab or watchdog was writing.
        for name in (RUN, LEDGER, PUBLISHED, STOPPED, MANIFEST, REPORT):
            for half in (*root.glob(f".{name}.*"), *root.glob(f"{name}.new")):
                half.unlink()
    leave_finished(root, found, segment)


def _check_ended(result: Result) -> None:
    where = str(result.folder)
    if result.run.status is RunStatus.FINISHED and result.run.faults:
        raise InputError("this run is finished", where=where, todo="Leave out --resume to run the experiment again")
    pid = looked_after(runtime_folder(), result.folder)
    if pid is not None:
        raise InputError(f"this run is still under way (pid {pid})", where=where, todo="Wait until it has ended")
    if any(left.running for left in orphaned_runs(runtime_folder())):
        raise InputError(
            "processes of an orphaned run still exist", where=where, todo="Stop them with `middlemark doctor --stop`"
        )


def _differences(before: Run, fresh: Run) -> Iterator[str]:
    pairs = [(name, getattr(before, name), getattr(fresh, name)) for name in SAME]
    pairs += [(name, getattr(before.host, name), getattr(fresh.host, name)) for name in SAME_MACHINE]
    pairs.append(("database", _own_databases(before), _own_databases(fresh)))
    for name, old, new in pairs:
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
            yield f"{NAMES.get(name, name)} ({', '.join(keys)})"
        elif isinstance(old, str | int) and name != "requested":
            yield f"{NAMES.get(name, name)} ({old}, now {new})"
        else:
            yield NAMES.get(name, name)
    memory = before.host.memory_mib, fresh.host.memory_mib
    if not math.isclose(*memory, rel_tol=MEMORY_TOLERANCE):
        yield f"the memory of the machine ({memory[0]} MiB, now {memory[1]})"


def _own_databases(run: Run) -> str:
    """Return the addresses of the user's own PostgreSQL servers, without passwords, as the run was to use them."""
    words = (word for word in run.command if "postgresql://" in word or "postgres://" in word)
    return ", ".join(sorted(word.removeprefix("--database=") for word in words)) or "none"


def _check_files(result: Result) -> None:
    """Raise InputError when files were changed of a run that could still write its manifest."""
    if not (result.folder / MANIFEST).is_file():
        return
    deviants = [one for one in inspect(result.folder).deviants if not _by_watchdog(one)]
    if deviants:
        raise InputError(
            "files of this run were changed since it ended",
            where=str(result.folder),
            todo=f"`middlemark check` lists them: {deviants[0]}",
        )


def _by_watchdog(deviant: Deviant) -> bool:
    """Whether it is what the watchdog writes when a lab is interrupted a second time, after its manifest."""
    return deviant.name == STOPPED
