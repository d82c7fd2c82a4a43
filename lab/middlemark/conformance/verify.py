"""Verifies subjects, their tiers mixed, and addresses: plays every case in every cell and compares what came of it."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg

from middlemark.checkout import commit_of
from middlemark.conformance.cases.known import missed, read_known
from middlemark.conformance.cases.suite import Placed, read_cases
from middlemark.conformance.comparison.comparing import differences
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.address import AddressOrder, play_address
from middlemark.conformance.execution.order import SCALE, LoadedServer, VerifyOrder, chosen_cases
from middlemark.conformance.execution.party import parties
from middlemark.conformance.execution.run import Run
from middlemark.conformance.execution.unit import units_of
from middlemark.conformance.reporting.progress import Listener
from middlemark.conformance.reporting.proof import keep_proof
from middlemark.conformance.reporting.summary import cell_results
from middlemark.conformance.result import ConformanceResult, Play, PlayOutcome, SubjectResult
from middlemark.databases.database import PREFIX, Database, drop_database
from middlemark.databases.guarded_database import guarded_database
from middlemark.errors import InputError
from middlemark.load.loading import load_dataset
from middlemark.processes.guard import Guard, guard
from middlemark.specification.dataset import read_dataset
from middlemark.subject.build import build, build_step

__all__ = ["LoadedServer", "VerifyOrder", "verify"]

_MORE = "Choose other cases with --only, or offer in platform.toml the binding, role or mode that these need"


@dataclass(frozen=True)
class _About:
    """What is said of a subject besides its plays."""

    not_offered: tuple[str, ...]
    notes: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def verify(order: VerifyOrder, listener: Listener | None = None) -> ConformanceResult:
    """Play everything and return what came of it; nothing that was started is left.

    Raises InputError for a wrong case file or a selection of which nothing can be checked, MissingToolError, HostError
    or TargetError when the subject cannot be built or started, Interrupted after Ctrl-C.
    """
    order = replace(order, subjects=tuple(subject.for_cases() for subject in order.subjects))
    listener = listener or Listener()
    all_cases = (*page_cases(order.spec_folder), *read_cases(order.spec_folder))
    cases = chosen_cases(order, all_cases)
    known = read_known(order.spec_folder, all_cases)
    verified = parties(order.subjects, cases)
    names = labels([*(party.name for party in verified), *order.addresses])
    began = (datetime.datetime.now(datetime.UTC), time.monotonic())
    run = Run(order, verified, listener, known, names)
    abouts = [_About(party.not_offered, environment=party.environment) for party in verified]
    artifacts = _play_parties(order, run, cases) if order.subjects else {}
    abouts += [_play_address(order, run, number, cases) for number in range(len(verified), len(names))]
    if not run.stopped:
        _require_checked(run)
    result = _result(order, run, began, abouts)
    if order.plays_all:
        _keep_proofs(order, artifacts, result)
    return result


def _keep_proofs(order: VerifyOrder, artifacts: Mapping[str, Path], result: ConformanceResult) -> None:
    """Keep what was proven of each subject; of one that was named twice the verification that failed.

    What ended with the first failure proves nothing of a subject without one.
    """
    # The subjects alone come first, then the web tier of one on the services of another.
    proven = list(zip(order.subjects, result.subjects[: len(order.subjects)], strict=True))
    for subject, one in sorted(proven, key=lambda proof: not proof[1].passed):
        if subject.name in artifacts and not (result.stopped and one.passed):
            keep_proof(subject, artifacts[subject.name], one)


def _require_checked(run: Run) -> None:
    """Refuse a verification in which nothing could be checked of a subject: it would pass without a look at it."""
    for name, done in zip(run.names, run.done, strict=True):
        if any(played.play.outcome is not PlayOutcome.NOT_CHECKED for played in done):
            continue
        reasons = sorted({played.play.reason for played in done})
        raise InputError(
            f"nothing of the chosen cases could be checked of {name}: "
            f"{'; '.join(reasons) or 'none of them is played in what it offers'}",
            todo=_MORE + (", or give --database URL" if reasons else ""),
        )


def _play_parties(order: VerifyOrder, run: Run, cases: Sequence[Placed]) -> dict[str, Path]:
    """Play the cases of all parties; return the artifact of each subject, none when there was nothing to play."""
    units = [unit for number, party in enumerate(run.parties) for unit in units_of(number, party, cases, order.jobs)]
    run.listener.begins(sum(len(unit.plays) for unit in units), len(cases))
    if not units:
        return {}
    with guard() as watch, ExitStack() as stack:
        artifacts = _artifacts(order, watch, run.listener)
        place = stack.enter_context(_loaded_server(order, watch, run.listener))
        run.play(units, artifacts, place)
    return artifacts


def _play_address(order: VerifyOrder, run: Run, number: int, cases: Sequence[Placed]) -> _About:
    address = order.addresses[number - len(run.parties)]
    dataset = read_dataset(order.spec_folder, SCALE)
    run.listener.step(f"verifying {address}")
    asked = AddressOrder(address, order.spec_folder, dataset, order.database)
    came = play_address(asked, cases, lambda played: run.add(number, played), run.stop)
    return _About(came.not_offered, came.notes)


def _artifacts(order: VerifyOrder, watch: Guard, listener: Listener) -> dict[str, Path]:
    """Return what was built of each subject, by its name."""
    if order.artifact is not None:
        return {subject.name: order.artifact for subject in order.subjects}
    built: dict[str, Path] = {}
    for subject in order.subjects:
        if subject.name not in built:
            listener.step(build_step(subject))
            built[subject.name] = build(subject, order.home, watch)
    return built


@contextmanager
def _loaded_server(order: VerifyOrder, watch: Guard, listener: Listener) -> Iterator[LoadedServer]:
    """Give the server that is given, or one with the data set just loaded."""
    if order.loaded is not None:
        yield order.loaded
        return
    listener.step("starting the database")
    with guarded_database(order.database, watch, order.logs / "database.log") as server:
        if server.server is not None:
            _forget_durability(server)
        name = f"{PREFIX}cases_{watch.name_part}"
        listener.step(f"loading {order.spec_folder.name} at scale {SCALE}")
        try:
            load_dataset(server, read_dataset(order.spec_folder, SCALE), name)
            yield LoadedServer(server, name)
        finally:
            drop_database(server, name)


def _forget_durability(server: Database) -> None:
    """Let a server of our own forget everything in a crash: nothing of it outlives the verification."""
    with server.admin() as admin:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            admin.execute(psycopg.sql.SQL("ALTER SYSTEM SET {} = off").format(psycopg.sql.Identifier(setting)))
        admin.execute("SELECT pg_reload_conf()")


def _result(
    order: VerifyOrder, run: Run, began: tuple[datetime.datetime, float], abouts: Sequence[_About]
) -> ConformanceResult:
    subjects = [
        _subject(order, run, number, began).model_copy(update=dataclasses.asdict(about))
        for number, about in enumerate(abouts)
    ]
    return ConformanceResult(
        subjects=tuple(subjects), differences=tuple(differences(run.names, run.done)), stopped=run.stopped
    )


def _subject(order: VerifyOrder, run: Run, number: int, began: tuple[datetime.datetime, float]) -> SubjectResult:
    plays = tuple(sorted((one.play for one in run.done[number]), key=_place))
    return SubjectResult(
        subject=run.names[number],
        spec=order.spec_folder.name,
        spec_version=str(read_dataset(order.spec_folder, SCALE).version),
        commit=commit_of(order.home),
        started=began[0].isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began[1], 3),
        cells=cell_results(plays),
        not_offered=(),
        missed=tuple(missed(run.names[number], plays, run.known)),
        notes=(),
        plays=plays,
    )


def _place(play: Play) -> tuple[str, str, int, str]:
    file, _, line = play.where.rpartition(":")
    return play.cell, file, int(line), play.binding


def labels(names: Sequence[str]) -> list[str]:
    """Return names that are all different: a subject named twice is `go` and `go-2`."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return found
