"""Keeps `run.json` true while a run goes on, and ends the result folder properly however the run ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from middlemark.databases.database import Database
from middlemark.databases.disclosure import disclosed, fsync_ms, not_default
from middlemark.errors import HostError, InputError, Interrupted, LabError
from middlemark.experiment.disclosure import file_system, first_record, now
from middlemark.experiment.ledger import known_spreads, ledger_file
from middlemark.experiment.loads import LoadChooser
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.resuming import Finished, check_resumable, clear, finished, resumed
from middlemark.experiment.schedule import PointSpec, StartPlan
from middlemark.judge.comparisons import is_decided
from middlemark.judge.result import judge, measured_of, read_measured, write_findings
from middlemark.judge.window import read_window, set_aside
from middlemark.load.stores import Stores, fingerprint_of, servers_of
from middlemark.records.findings import Findings
from middlemark.records.folder import (
    POINTS,
    REPORT,
    SEARCH,
    read_run,
    result_folder,
    write_json,
    write_manifest,
)
from middlemark.records.run import Combination, Host, Run, RunStatus, Start
from middlemark.records.run_parts import CodeLines, DeploymentRecord, WarmUp
from middlemark.records.side_files import LEDGER, PRICES, PUBLISHED
from middlemark.records.window import Part, Window
from middlemark.saving import write_whole
from middlemark.show.page import report_page
from middlemark.wording import counted


class Journal:
    """The record of one run, written again after every change; `earlier` is what was finished when it was resumed."""

    def __init__(self, root: Path, run: Run, earlier: Finished, points: int = 0) -> None:
        self.root = root
        self.run = run
        self.earlier = earlier
        self.next_index = len(earlier.stay) + len(earlier.aside)
        self.measured = len(earlier.stay)
        self.points = points
        aside = [set_aside(one, str(len(run.resumed) - 1)) for one in earlier.aside]
        self.windows: list[Window] = [*earlier.stay, *aside, *earlier.aside_before]
        self._measuring: Path | None = None

    def begin(self, stores: Mapping[str, Stores]) -> None:
        """Record what was loaded, by scale; InputError when a resumed run had other databases."""
        servers = servers_of(next(iter(stores.values())))
        content = {scale: fingerprint_of(these) for scale, these in stores.items() if these}
        settings = {tier: disclosed(server) for tier, server in servers.items()}
        if self.run.fingerprints:
            if (self.run.fingerprints, self.run.databases) != (content, settings):
                raise InputError(
                    "the database is not as it was when this run began: another version, settings or data",
                    where=str(self.root),
                    todo="Bring it back to what `databases` in its run.json has, or begin a new run",
                )
            return
        # The settings of several servers have the server's name.
        names = {tier: f"{tier}, " if len(servers) > 1 else "" for tier in servers}
        own = [{**row, "what": names[tier] + row["what"]} for tier in servers for row in not_default(servers[tier])]
        rows = [*self.run.not_default, *own]
        self._write(
            fingerprints=content, databases=settings, not_default=rows, host=_with_disks(self.run.host, servers)
        )

    def count_code(self, code: list[CodeLines]) -> None:
        """Record the lines of code of what is compared."""
        self._write(code=code)

    def started(self, combination: Combination, number: int, seconds: dict[str, float]) -> None:
        """Record how long processes took to be ready; a start that was interrupted is replaced."""
        path = combination.deployment
        others = [one for one in self.run.starts if (one.combination, one.start) != (path, number)]
        self._write(starts=[*others, Start(combination=path, start=number, seconds=seconds)])

    def warmed(self, warm_up: WarmUp) -> None:
        """Record a warm-up; that of a start that was interrupted is replaced."""
        place = (warm_up.combination, warm_up.start)
        others = [one for one in self.run.warm_ups if (one.combination, one.start) != place]
        self._write(warm_ups=[*others, warm_up])

    def deployed(self, combination: Combination, record: DeploymentRecord) -> None:
        """Record how a combination runs, once: only ports differ from start to start."""
        if combination.path not in self.run.deployments:
            self._write(deployments={**self.run.deployments, combination.path: record})

    def measured_all(self, servers: Mapping[str, Database]) -> None:
        """Record what is looked at once more after the last point."""
        after_ms = _with_disks(self.run.host, servers).fsync_ms
        self._write(host=self.run.host.model_copy(update={"fsync_after_ms": after_ms}))

    def begin_point(self, point: PointSpec) -> None:
        """Record that a point is being measured; one that does not end well stays in the list, unfinished."""
        if not point.searching:
            path = str(point.folder(self.root).relative_to(self.root / POINTS))
            # A window that was disturbed is measured again in its place.
            if path not in self.run.points:
                self._write(points=[*self.run.points, path])
        self.next_index += 1
        self._measuring = point.folder(self.root)

    def end_point(self, window: Window) -> None:
        """Take in a window that was measured to its end."""
        self.windows.append(window)
        self.measured += 1
        self._measuring = None

    def replaced(self, window: Window, part: str) -> None:
        """Take in a window that was disturbed, and set aside."""
        self.windows.append(set_aside(window, part))
        self._measuring = None

    def judge(self) -> Findings:
        """Judge the run as far as it has come, and write what was found."""
        windows, unfinished, begun = list(self.windows), dict[str, str](), self._measuring
        if begun is not None and begun.is_dir():
            # As whoever judges the folder again will find it.
            part, *_ = begun.relative_to(self.root).parts
            name = begun.relative_to(self.root / part).as_posix()
            window = read_window(begun, self.run, name, Part.SEARCH if part == SEARCH else Part.ROUND)
            if isinstance(window, str):
                unfinished[name] = window
            else:
                windows.append(window)
        found = judge(measured_of(self.root, self.run, windows, unfinished))
        write_findings(self.root, found)
        return found

    def is_decided(self, *, to_publish: bool) -> bool:
        """Whether every ranked pair has a word; see `judge.comparisons.is_decided`."""
        found = self.judge()
        return is_decided(found, found.comparisons, to_publish=to_publish)

    def choose(self, chooser: LoadChooser) -> None:
        """Record what a limit has decided, or a search as far as it has come."""
        loads = {load for chosen in chooser.chosen.values() for load in chosen}
        self._write(
            chosen=dict(chooser.chosen),
            outside=dict(chooser.outside),
            searched={**self.run.searched, **chooser.searched},
            loads=sorted({*self.run.loads, *loads}),
        )

    def planned(self, plans: Sequence[StartPlan]) -> None:
        """Record the rounds of a run that is resumed: it may have more starts, and some of them fewer rounds."""
        number = max(plan.number for plan in plans) + 1
        rounds = self.run.rounds
        complete = self.earlier.rounds
        cut: dict[str, int] = {}
        for group in dict.fromkeys(plan.group for plan in plans) | dict.fromkeys(complete):
            planned = sum(plan.group == group for plan in plans) * rounds + sum(complete.get(group, ()))
            cut |= {one.path: number * rounds - planned for one in group if number * rounds > planned}
        self._write(repeats=number * rounds, cut=cut)
        loads = {one.path: max(1, len(self.run.loads_of(one))) for plan in plans for one in plan.group}
        rest = sum(plan.rounds * sum(loads[one.path] for one in plan.group) for plan in plans)
        self.points = self.measured + rest

    def expect_start(self, seconds: float) -> None:
        """Record how long a further start would take."""
        self._write(start_s=seconds)

    def enough(self, last: StartPlan) -> None:
        """Record that no start follows after this one."""
        self._write(repeats=(last.number + 1) * self.run.rounds)

    def end(self, status: RunStatus, message: str = "") -> Findings:
        """Record how the run ended, make the report and the manifest."""
        self._write(status=status, message=message, finished=now())
        found = self.judge()
        write_manifest(self.root)
        write_whole(self.root / REPORT, report_page(found))
        return found

    def _write(self, **changes: object) -> None:
        self.run = self.run.model_copy(update=changes)
        write_json(self.root / "run.json", self.run)


@contextmanager
def journal(root: Path, preparation: Preparation, command: list[str]) -> Iterator[Journal]:
    """Keep the journal of a run; raises again what ended it early, after the folder has it."""
    if preparation.options.resume is None:
        chooser = LoadChooser(preparation.experiment.loads, preparation.reach)
        record, found = first_record(preparation, command), Finished((), (), chooser)
    else:
        record, found = resume(root, preparation, command)
        clear(root, found, len(record.resumed) - 1)
    kept = Journal(root, record, found, preparation.points)
    write_json(root / "run.json", kept.run)
    if not (root / LEDGER).is_file():
        write_json(root / LEDGER, known_spreads(kept.run, ledger_file()))
    if preparation.published is not None:
        write_json(root / PUBLISHED, preparation.published)
    if preparation.options.prices is not None:
        write_json(root / PRICES, preparation.options.prices)
    try:
        yield kept
    except KeyboardInterrupt as interruption:
        kept.end(RunStatus.INTERRUPTED, "interrupted by the user")
        raise Interrupted(
            f"interrupted after {kept.measured} of {counted(kept.points, 'point')}",
            todo=f"What was measured is kept and has a report: {(root / REPORT).resolve()}",
        ) from interruption
    except LabError as error:
        # Without space the folder stays as it is: "running", with every line that could be written.
        with suppress(HostError):
            kept.end(RunStatus.FAILED, str(error))
        raise
    kept.end(RunStatus.FINISHED)


def resume(root: Path, preparation: Preparation, command: list[str]) -> tuple[Run, Finished]:
    """The record with which a run is resumed, and what is finished; nothing is changed. Raises as `check_resumable`."""
    fresh = first_record(preparation, command)
    check_resumable(result_folder(root), read_run(root), fresh)
    measured = read_measured(root)
    found = finished(measured.windows, preparation.plans, preparation.experiment.loads, preparation.reach)
    return resumed(measured, found, fresh.started), found


def _with_disks(host: Host, servers: Mapping[str, Database]) -> Host:
    """The machine with the disks of the servers that the lab has started: how long the slowest takes now."""
    folders = [one.server.folder for one in servers.values() if one.server is not None]
    if not folders:
        return host
    hardware = {**host.hardware, "file system of the database": file_system(folders[0])}
    return host.model_copy(update={"fsync_ms": max(map(fsync_ms, folders)), "hardware": hardware})
