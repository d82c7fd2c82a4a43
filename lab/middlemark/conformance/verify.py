"""Verifies subjects, their pairings, and addresses: runs every case in every configuration and compares the results."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from middlemark.checkout import changed_files, commit_of
from middlemark.conformance.cases.known import KnownFailure, read_known
from middlemark.conformance.cases.suite import ABOUT_CASE, Placed
from middlemark.conformance.comparison.comparing import differences
from middlemark.conformance.comparison.known import missed
from middlemark.conformance.execution.address import AddressRequest, request_for_address, run_on_address
from middlemark.conformance.execution.loaded_stores import loaded_stores
from middlemark.conformance.execution.pairing import Pairing, pairings
from middlemark.conformance.execution.request import VerifyRequest, chosen_cases, every_case
from middlemark.conformance.execution.unit import Unit, units_of
from middlemark.conformance.execution.workers import RanOn, Workers
from middlemark.conformance.reporting.progress import Listener
from middlemark.conformance.reporting.proof import Verified, keep_proof
from middlemark.conformance.reporting.summary import configuration_results
from middlemark.conformance.result import (
    ConformanceResult,
    Execution,
    ExecutionOutcome,
    SubjectResult,
    configuration_label,
)
from middlemark.errors import InputError
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.specification.specification import Specification
from middlemark.subject.build import build
from middlemark.subject.subject import Subject
from middlemark.topology.request import Program
from middlemark.wording import counted

__all__ = ["VerifyRequest", "verify"]

_MORE = "Choose other cases with --only, or offer in platform.toml the modes or roles that these need"


@dataclass(frozen=True)
class _Began:
    """When a verification began, in the world and on the clock, and of which commit its files were."""

    moment: datetime.datetime
    clock: float
    commit: str
    changed: tuple[str, ...]


@dataclass(frozen=True)
class _About:
    """What a result has of a subject besides its executions."""

    not_offered: tuple[str, ...]
    notes: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    ran_on: RanOn = field(default_factory=RanOn)


def verify(request: VerifyRequest, listener: Listener | None = None) -> ConformanceResult:
    """Run everything and return what came of it; nothing that was started is left.

    Raises InputError for a wrong case file or a selection of which nothing can be checked, MissingToolError, HostError
    or TargetError when the subject cannot be built or started, Interrupted after Ctrl-C.
    """
    request = replace(request, subjects=tuple(subject.for_cases() for subject in request.subjects))
    specification = request.specification
    listener = listener or Listener()
    all_cases = every_case(specification)
    cases = chosen_cases(request, all_cases)
    verified = pairings(request.subjects, cases, sample=request.sample, also=request.configurations)
    addresses = [request_for_address(one, request) for one in request.addresses]
    names = labels([*(pairing.name for pairing in verified), *request.addresses])
    known = [_known((one.subject, one.front_end), all_cases) for one in verified]
    known += [_known((one.platform,), all_cases) for one in addresses]
    files = (commit_of(request.home), tuple(changed_files(request.home)))
    began = _Began(datetime.datetime.now(datetime.UTC), time.monotonic(), *files)
    workers = Workers(request, verified, listener, known, names)
    artifacts = _run_pairings(request, workers, cases) if request.subjects else {}
    abouts = [
        _About(one.not_offered, one.notes(cases), one.environment, _ran_on(workers, number, artifacts))
        for number, one in enumerate(verified)
    ]
    abouts += [_run_address(one, workers, number, cases) for number, one in enumerate(addresses, start=len(verified))]
    if not workers.stopped:
        _require_checked(workers)
    result = _result(request, workers, began, abouts)
    if request.runs_all:
        _keep_proofs(verified, artifacts, result)
    return result


def _known(subjects: Iterable[Subject | None], cases: Sequence[Placed]) -> tuple[KnownFailure, ...]:
    """Return the known failures of each of the subjects that there are."""
    return tuple(known for subject in subjects if subject is not None for known in read_known(subject, cases))


def _keep_proofs(pairings: Sequence[Pairing], artifacts: Mapping[str, Path], result: ConformanceResult) -> None:
    """Keep what was proven of each subject and pairing; of one that was named twice the verification that failed.

    What ended with the first failure proves nothing of one without.
    """
    proven = list(zip(pairings, result.subjects, strict=False))  # addresses come last, and have no artifact
    for pairing, one in sorted(proven, key=lambda proof: not proof[1].passed):
        subjects = [subject for subject in (pairing.subject, pairing.front_end) if subject is not None]
        if all(subject.name in artifacts for subject in subjects) and not (result.stopped and one.passed):
            keep_proof(Verified(*(Program(subject, artifacts[subject.name]) for subject in subjects)), one)


def _require_checked(workers: Workers) -> None:
    """Refuse a verification in which nothing could be checked of a subject: it would pass without a look at it."""
    for name, done in zip(workers.names, workers.done, strict=True):
        own = [one.execution for one in done if one.execution.case != ABOUT_CASE]
        executions = own or [one.execution for one in done]
        if any(one.outcome is not ExecutionOutcome.NOT_CHECKED for one in executions):
            continue
        reasons = sorted({one.reason for one in executions})
        raise InputError(
            f"nothing of the chosen cases could be checked of {name}: "
            f"{'; '.join(reasons) or 'none of them runs in what it offers'}",
            todo=_MORE + (", or give --database URL" if reasons else ""),
        )


def _run_pairings(request: VerifyRequest, workers: Workers, cases: Sequence[Placed]) -> dict[str, Path]:
    """Run the cases of all pairings; return the artifact of each subject, none when there was nothing to run."""
    units = units_of(workers.pairings, cases, request.jobs)
    for unit in units:
        for label, number in Counter(configuration_label(one.modes) for one in unit.executions).items():
            workers.listener.plans(workers.names[unit.pairing], label, number)
    if not units:
        return {}
    with watchdog() as watch, ExitStack() as stack:
        artifacts = _artifacts(request, watch, workers.listener)
        loaded = request.loaded
        if loaded is None:
            report = workers.listener.step
            own = loaded_stores(request.specification, request.databases, watch, request.logs, report)
            loaded = stack.enter_context(own)
        workers.listener.step(_extent(units, cases))
        workers.run(units, artifacts, loaded)
    return artifacts


def _extent(units: Sequence[Unit], cases: Sequence[Placed]) -> str:
    """Return how much is run; cases of what no subject offers are executed by none."""
    executions = [execution for unit in units for execution in unit.executions]
    run, all_cases = len({one.placed.case.name for one in executions}), counted(len(cases), "case")
    rest = "" if run == len(cases) else "; the rest needs what is not offered"
    return f"running {run:,} of {all_cases}, {counted(len(executions), 'execution')}{rest}"


def _run_address(request: AddressRequest, workers: Workers, number: int, cases: Sequence[Placed]) -> _About:
    workers.listener.step(f"verifying {request.address}")
    workers.hear_of(number, request.about)
    found = run_on_address(
        request,
        cases,
        lambda configuration, executions: workers.listener.plans(workers.names[number], configuration.name, executions),
        lambda observed: workers.add(number, observed),
        workers.stop,
    )
    return _About(found.not_offered, found.notes, ran_on=_ran_on(workers, number, {}))


def _ran_on(workers: Workers, number: int, artifacts: Mapping[str, Path]) -> RanOn:
    """Return on what a pairing or address ran, nothing of a front end on others' tiers: they are two."""
    if workers.is_mixed(number):
        return RanOn()
    found = workers.ran_on.get(number, RanOn())
    if number >= len(workers.pairings) or workers.request.artifact is not None:
        return found
    artifact = artifacts.get(workers.pairings[number].subject.name)
    return replace(found, artifact=artifact.parent.name if artifact else "")


def _artifacts(request: VerifyRequest, watch: Watchdog, listener: Listener) -> dict[str, Path]:
    """Return what was built of each subject, by its name."""
    if request.artifact is not None:
        return {subject.name: request.artifact for subject in request.subjects}
    built: dict[str, Path] = {}
    for subject in request.subjects:
        if subject.name not in built:
            built[subject.name] = build(subject, request.home, watch, listener.step)
    return built


def _result(request: VerifyRequest, workers: Workers, began: _Began, abouts: Sequence[_About]) -> ConformanceResult:
    subjects = [_subject(request, workers, number, began, about) for number, about in enumerate(abouts)]
    found = differences(workers.names, workers.done, _platform_modes(request.specification))
    return ConformanceResult(
        only=request.only or request.names,
        sample=request.sample,
        subjects=tuple(subjects),
        differences=tuple(found),
        stopped=workers.stopped,
    )


def _subject(request: VerifyRequest, workers: Workers, number: int, began: _Began, about: _About) -> SubjectResult:
    executions = tuple(sorted((one.execution for one in workers.done[number]), key=_place))
    return SubjectResult(
        subject=workers.names[number],
        **dataclasses.asdict(about.ran_on),
        specification=request.specification.name,
        specification_version=request.specification.version,
        commit=began.commit,
        changed=began.changed,
        started=began.moment.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began.clock, 3),
        configurations=configuration_results(executions),
        platform_modes=_platform_modes(request.specification),
        not_offered=about.not_offered,
        missed=() if workers.is_mixed(number) else tuple(missed(executions, workers.known[number])),
        notes=about.notes,
        environment=dict(about.environment),
        executions=executions,
    )


def _platform_modes(specification: Specification) -> tuple[str, ...]:
    """Return the modes whose values platforms name."""
    return tuple(name for name, mode in specification.description.modes.items() if mode.named_by_platforms)


def _place(execution: Execution) -> tuple[str, str, int, str]:
    file, _, line = execution.where.rpartition(":")
    return execution.configuration_label, file, int(line), execution.interface


def labels(names: Sequence[str]) -> list[str]:
    """Return names that are all different: a subject named twice is `go` and `go-2`."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return found
