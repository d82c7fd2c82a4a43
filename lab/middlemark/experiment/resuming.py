"""Resumes a run: the same run in the same folder, with further starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from middlemark.doctor.orphaned_runs import orphaned_runs
from middlemark.errors import InputError
from middlemark.experiment.finished import Finished, leave_finished
from middlemark.judge.between import differences
from middlemark.processes.runtime import looked_after, runtime_folder
from middlemark.records.findings import Measured
from middlemark.records.folder import FINDINGS, MANIFEST, POINTS, REPORT, RUN, SEARCH, Deviant, inspect, saving_under
from middlemark.records.run import Resumption, Run, RunStatus
from middlemark.records.side_files import LEDGER, PUBLISHED, STOPPED
from middlemark.records.window import Part

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
    different = list(_differences(run, fresh))
    if different:
        raise InputError(
            f"the run differs from what was begun here: {'; '.join(different)}",
            where=str(root),
            todo=f"Give what it was begun with (middlemark {' '.join(run.command)}), or begin a new run",
        )
    _check_files(root)


def resumed(measured: Measured, found: Finished, now: str) -> Run:
    """Return the record with which a run is resumed `now`, with what it has finished; nothing is changed."""
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
    pid = looked_after(runtime_folder(), root)
    if pid is not None:
        raise InputError(f"this run is still under way (pid {pid})", where=where, todo="Wait until it has ended")
    if any(left.running for left in orphaned_runs(runtime_folder())):
        raise InputError(
            "processes of an orphaned run still exist", where=where, todo="Stop them with `middlemark doctor --stop`"
        )


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
    """Return the addresses of the user's own PostgreSQL servers, without passwords, as the run was to use them."""
    words = (word for word in run.command if "postgresql://" in word or "postgres://" in word)
    return ", ".join(sorted(word.removeprefix("--database=") for word in words)) or "none"


def _check_files(root: Path) -> None:
    """Raise InputError when files were changed of a run that could still write its manifest."""
    if not (root / MANIFEST).is_file():
        return
    deviants = [one for one in inspect(root).deviants if not _by_watchdog(one)]
    if deviants:
        raise InputError(
            "files of this run were changed since it ended",
            where=str(root),
            todo=f"`middlemark check` lists them: {deviants[0]}",
        )


def _by_watchdog(deviant: Deviant) -> bool:
    """Whether it is what the watchdog writes when a lab is interrupted a second time, after its manifest."""
    return deviant.name == STOPPED
