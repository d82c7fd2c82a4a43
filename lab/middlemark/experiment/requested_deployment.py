"""What is started for a combination, before anything is: its deployment, and the tiers that have processes in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from middlemark.records.choices import tier_run
from middlemark.records.run import Combination
from middlemark.subject.subject import Subject
from middlemark.topology.choices import deployment_choices
from middlemark.topology.plan import plan
from middlemark.topology.request import DeploymentRequest, Program

NOT_YET = Path()
"""The artifact of a subject, and the folder of logs, of a deployment that is only planned."""


def planned_programs(subjects: Mapping[str, Subject]) -> dict[str, Program]:
    """Return subjects of which nothing is built, for a deployment that is only planned."""
    return {name: Program(subject, NOT_YET) for name, subject in subjects.items()}


def requested_deployment(home: Path, programs: Mapping[str, Program], combination: Combination) -> DeploymentRequest:
    """Return the deployment of a combination, without databases, logs and CPUs; `programs` are by subject.

    Raises InputError for a choice that is wrong.
    """
    program = programs[combination.subject]
    choices = deployment_choices(home, program.subject.specification, combination.modes)
    runs = {tier: value for choice, value in combination.modes.items() if (tier := tier_run(choice))}
    return DeploymentRequest(
        program,
        choices.modes,
        {},
        NOT_YET,
        settings=choices.settings,
        instances=choices.instances,
        reverse_proxy=choices.reverse_proxy,
        tiers={tier: programs[subject] for tier, subject in runs.items() if subject != combination.subject},
    )


def tier_subjects(request: DeploymentRequest) -> dict[str, str]:
    """Return the subject that runs each tier, of those that run at all, in the order of the specification."""
    carried = {
        tier: request.program_of(process.tiers).subject.name
        for process in plan(request)
        if not process.is_proxy
        for tier in process.tiers
    }
    return {tier: carried[tier] for tier in request.specification.description.tiers if tier in carried}


def carried_tiers(request: DeploymentRequest) -> frozenset[str]:
    """Return every tier that a process carries, whatever others it carries; InputError as `plan` raises."""
    return frozenset(tier for process in plan(request) if not process.is_proxy for tier in process.tiers)


def tiers_with_processes(request: DeploymentRequest) -> frozenset[str]:
    """Return the tiers whose number of processes can be chosen: others run inside one of these, or not at all."""
    entry = request.specification.description.entry
    applications = (process for process in plan(request) if not process.is_proxy)
    return frozenset(entry if entry in process.offers else process.offers[0] for process in applications)
