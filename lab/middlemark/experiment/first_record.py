"""The record of a run that has just started: everything that is known before anything is measured."""

from __future__ import annotations

import hashlib

from middlemark.checkout import changed_files, commit_of
from middlemark.databases.database import without_password
from middlemark.experiment.disclosure import inputs, not_default, now, tuning, versions
from middlemark.experiment.load_chooser import not_yet_searched
from middlemark.experiment.machine import host
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.specification_record import specification_record
from middlemark.records.folder import result_folder
from middlemark.records.run import Run, RunStatus
from middlemark.specification.specification import NO_SCALE
from middlemark.verdict.words import levels_for
from middlemark.workload.driver import driver_version


def first_record(preparation: Preparation, command: list[str]) -> Run:
    """Return the record of a run that has just started."""
    experiment, specification = preparation.experiment, preparation.specification
    placement = {one.path: preparation.cpus.of(one) for one in preparation.combinations}
    changed = _changed(preparation)
    return Run(
        name=preparation.name,
        description=experiment.description,
        status=RunStatus.RUNNING,
        started=now(),
        command=[_without_password(word) for word in command],
        versions=versions(preparation, driver_version()),
        commit=commit_of(preparation.home),
        changed=changed,
        host=host(len(preparation.cpus.usable)),
        spec=experiment.spec,
        spec_version=specification.version,
        specification=specification_record(specification),
        scales={scale: dict(specification.numbers(scale)) for scale in preparation.datasets if scale != NO_SCALE},
        fingerprints={},
        databases={},
        sessions=list(preparation.sessions),
        think=_think(preparation),
        loads=list(experiment.loads.levels),
        load_unit=experiment.loads.unit,
        limits=experiment.loads.limits.record,
        repeats=max(
            (len(points) for points in preparation.faults.values()), default=experiment.starts * experiment.rounds
        ),
        rounds=experiment.rounds,
        start_s=sum(map(preparation.start_s, (p for p in preparation.plans if p.number == 0))),
        alphas=levels_for(experiment.starts),
        kept_together=[[one.path for one in group] for group in preparation.groups],
        searched=not_yet_searched(experiment.loads, preparation.combinations),
        faults=preparation.faults,
        phases=preparation.phases,
        shared_cpus=any(one.shared for one in placement.values()),
        placement=placement,
        profile=preparation.options.profile,
        combinations=preparation.combinations,
        references=dict(preparation.references),
        left_out=preparation.left_out,
        not_default=not_default(preparation),
        inputs=inputs(preparation, changed),
        requested=hashlib.sha256(experiment.model_dump_json().encode()).hexdigest(),
        tuning=tuning(preparation),
        seed=experiment.seed,
        budget_s=preparation.budget_s,
        points=[],
    )


def _think(preparation: Preparation) -> str:
    """Return the think time in effect, those of several sessions joined by commas."""
    sessions = preparation.sessions.values()
    return ", ".join(dict.fromkeys(str(preparation.experiment.think or session.think) for session in sessions))


def _changed(preparation: Preparation) -> list[str]:
    """Return the files of the checkout that differ from its commit; results are none of what is run."""
    home, resume = preparation.home, preparation.options.resume
    out = (preparation.options.out if resume is None else result_folder(resume).parent).resolve()
    names = changed_files(home)
    return names if home.is_relative_to(out) else [name for name in names if not (home / name).is_relative_to(out)]


def _without_password(word: str) -> str:
    """Return a word of the command line without the password of a database's URL."""
    scheme = next((one for one in ("postgresql://", "postgres://") if one in word), "")
    option, address, url = word.partition(scheme) if scheme else (word, "", "")
    return option + without_password(address + url) if address else word
