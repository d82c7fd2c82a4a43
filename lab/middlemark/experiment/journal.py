"""Keeps `run.json` true while a run goes on, and ends the result folder properly however the run ends."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from middlemark.checkout import changed_files, commit_of
from middlemark.databases.database import without_password
from middlemark.databases.disclosure import disclosed, fsync_ms, not_default
from middlemark.errors import HostError, InputError, Interrupted, LabError
from middlemark.experiment.bench import Bench, PointOrder
from middlemark.experiment.choosing import Choosing, not_yet_searched
from middlemark.experiment.disclosure import inputs, now, tuning, versions
from middlemark.experiment.finished import Finished, finished
from middlemark.experiment.known_noise import fitting_noise, noise_folder
from middlemark.experiment.machine import file_system, host
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.resuming import check_resumable, clear, resumed
from middlemark.experiment.schedule import Serving
from middlemark.load.fingerprint import fingerprint
from middlemark.records.folder import POINTS, REPORT, read_records, read_result, write_json
from middlemark.records.manifest import write_manifest
from middlemark.records.noise import NOISE
from middlemark.records.point import Verdict
from middlemark.records.published import PUBLISHED
from middlemark.records.run import CodeLines, Run, RunStatus, Start
from middlemark.report.page import write_report
from middlemark.workload.driver import driver_version


class Journal:
    """The record of one run, written again after every change."""

    def __init__(self, root: Path, run: Run) -> None:
        self.root = root
        self.run = run
        self.next_index = 0
        self.measured = 0

    def begin(self, bench: Bench) -> None:
        """Record what is known once the data set is loaded; InputError when a resumed run had another database."""
        with bench.database.connected(bench.template) as connection:
            content = fingerprint(connection)
        database = disclosed(bench.database)
        if self.run.fingerprint:
            if (self.run.fingerprint, self.run.database) != (content, database):
                raise InputError(
                    "the database is not as it was when this run began: another version, settings or data",
                    where=str(self.root),
                    todo="Bring it back to what `database` in its run.json says, or begin a new run",
                )
            return
        server = bench.database.server
        host = self.run.host
        if server is not None:
            where = {**host.hardware, "file system of the database": file_system(server.folder)}
            host = host.model_copy(update={"fsync_ms": fsync_ms(server.folder), "hardware": where})
        self._write(
            fingerprint=content,
            database=database,
            not_default=[*self.run.not_default, *not_default(bench.database)],
            host=host,
        )

    def count_code(self, code: list[CodeLines]) -> None:
        """Record the lines of code of what is compared."""
        self._write(code=code)

    def started(self, serving: Serving, seconds: dict[str, float]) -> None:
        """Record how long each process of a serving has taken until it was ready."""
        start = Start(combination=serving.combination.path, repeat=serving.repeat, seconds=seconds)
        # A serving that was interrupted starts anew.
        others = [one for one in self.run.starts if (one.combination, one.repeat) != (start.combination, start.repeat)]
        self._write(starts=[*others, start])

    def measured_all(self, bench: Bench) -> None:
        """Record what is looked at once more after the last point."""
        server = bench.database.server
        if server is not None:
            after = {"fsync_after_ms": fsync_ms(server.folder)}
            self._write(host=self.run.host.model_copy(update=after))

    def begin_point(self, order: PointOrder) -> None:
        """Record that a point is being measured; one that does not end well stays in the list, unfinished."""
        if not order.searching:
            folder = order.folder(self.root)
            self._write(points=[*self.run.points, str(folder.relative_to(self.root / POINTS))])
        self.next_index += 1

    def kept(self, order: PointOrder) -> Verdict | None:
        """Return the verdict of a point that was finished before this run went on, and count it; else None."""
        _, verdict, _ = read_records(order.folder(self.root))
        if verdict is not None:
            self.next_index += 1
            self.measured += 1
        return verdict

    def end_point(self) -> None:
        """Count a point that was measured to its end."""
        self.measured += 1

    def choose(self, choosing: Choosing) -> None:
        """Record what a limit has decided, or a search as far as it has come."""
        loads = {load for chosen in choosing.chosen.values() for load in chosen}
        self._write(
            chosen=dict(choosing.chosen),
            outside=dict(choosing.outside),
            searched={**self.run.searched, **choosing.searched},
            loads=sorted({*self.run.loads, *loads}),
        )

    def end(self, status: RunStatus, message: str = "") -> None:
        """Record how the run ended, make the report and the manifest."""
        self._write(status=status, message=message, finished=now())
        write_manifest(self.root)
        write_report(self.root)

    def _write(self, **changes: object) -> None:
        self.run = self.run.model_copy(update=changes)
        write_json(self.root / "run.json", self.run)


@contextmanager
def journal(root: Path, preparation: Preparation, command: list[str]) -> Iterator[Journal]:
    """Keep the journal of a run; raises again what ended it early, after the folder says so."""
    entries = Journal(root, _record(root, preparation, command))
    write_json(root / "run.json", entries.run)
    if not (root / NOISE).is_file():
        write_json(root / NOISE, fitting_noise(entries.run, noise_folder()))
    if preparation.published is not None:
        write_json(root / PUBLISHED, preparation.published)
    try:
        yield entries
    except KeyboardInterrupt as interruption:
        entries.end(RunStatus.INTERRUPTED, "interrupted by the user")
        raise Interrupted(
            f"interrupted after {entries.measured} of {preparation.points} points",
            todo=f"What was measured is kept and has a report: {(root / REPORT).resolve()}",
        ) from interruption
    except LabError as error:
        # Without space the folder stays as it is: "running", with every line that could be written.
        with suppress(HostError):
            entries.end(RunStatus.FAILED, str(error))
        raise
    entries.end(RunStatus.FINISHED)


def going_on(root: Path, preparation: Preparation, command: list[str]) -> tuple[Run, Finished]:
    """Return the record with which the run in a folder goes on, and what is finished; raises as `check_resumable`."""
    result, fresh = read_result(root), first_record(preparation, command)
    check_resumable(result, fresh)
    found = finished(result.folder, preparation.servings, preparation.experiment.loads)
    return resumed(result, found, fresh.started), found


def _record(root: Path, preparation: Preparation, command: list[str]) -> Run:
    if preparation.options.resume is None:
        return first_record(preparation, command)
    record, found = going_on(root, preparation, command)
    clear(root, found, len(record.resumed) - 1)
    return record


def first_record(preparation: Preparation, command: list[str]) -> Run:
    """Return the record of a run that has just started."""
    experiment = preparation.experiment
    placement = {one.path: preparation.places.of(one) for one in preparation.combinations}
    changed = _changed(preparation)
    return Run(
        name=preparation.name,
        description=experiment.description,
        status=RunStatus.RUNNING,
        started=now(),
        command=[_shown(word) for word in command],
        versions=versions(preparation, driver_version()),
        commit=commit_of(preparation.home),
        changed=changed,
        host=host(len(preparation.places.usable)),
        spec=experiment.spec,
        spec_version=preparation.spec_version,
        scale=experiment.scale,
        dataset=dict(preparation.dataset.numbers),
        fingerprint="",
        database={},
        session=preparation.session.name,
        think=str(preparation.think),
        loads=list(experiment.loads.levels),
        load_unit=experiment.loads.unit,
        repeats=max((len(points) for points in preparation.faults.values()), default=experiment.repeats),
        searched=not_yet_searched(experiment.loads, preparation.combinations),
        faults=preparation.faults,
        phases=preparation.phases,
        shared_cpus=any(one.shared for one in placement.values()),
        placement=placement,
        profile=preparation.options.profile,
        combinations=preparation.combinations,
        left_out=preparation.left_out,
        not_default=preparation.not_default,
        inputs=inputs(preparation, changed),
        asked=hashlib.sha256(experiment.model_dump_json().encode()).hexdigest(),
        tuning=tuning(preparation),
        seed=experiment.seed,
        budget_s=preparation.budget_s,
        points=[],
    )


def _changed(preparation: Preparation) -> list[str]:
    """Return the files of the checkout that differ from its commit; results are none of what is run."""
    home, resume = preparation.home, preparation.options.resume
    out = (preparation.options.out if resume is None else read_result(resume).folder.parent).resolve()
    names = changed_files(home)
    return names if home.is_relative_to(out) else [name for name in names if not (home / name).is_relative_to(out)]


def _shown(word: str) -> str:
    """Return a word of the command line without the password of a database's URL."""
    option, address, url = word.partition("postgresql://") if "postgresql://" in word else word.partition("postgres://")
    return option + without_password(address + url) if address else word
