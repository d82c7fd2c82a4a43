"""Refuses faults without a target before the run: a role that no process has, a database that is the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.errors import InputError
from middlemark.experiment.combinations import Subjects
from middlemark.experiment.faults_definition import FaultKind, PointFaults
from middlemark.experiment.requested_deployment import carried_tiers, planned_programs, requested_deployment
from middlemark.load.stores import server_names
from middlemark.records.placement import database_tier
from middlemark.records.run import Combination
from middlemark.specification.specification import Specification
from middlemark.topology.request import DeploymentRequest


def check_roles(
    points: Mapping[str, tuple[PointFaults, ...]],
    combinations: Sequence[Combination],
    subjects: Subjects,
    databases: Mapping[str, str],
) -> None:
    """Raise InputError for the first fault without a target; `points` are by the path of a combination.

    `databases` are URLs of the user's own servers, by database.
    """
    for combination in combinations:
        request = requested_deployment(subjects.home, planned_programs(subjects.all), combination)
        carried, foreign = carried_tiers(request), _foreign_roles(request.specification, databases)
        for kind in dict.fromkeys(fault.kind for point in points.get(combination.path, ()) for fault in point):
            if kind.role in foreign:
                raise InputError(f"{kind}: this PostgreSQL is not Middlemark's own", todo="Leave out its --database")
            if not kind.of_database and kind.role not in carried:
                raise _no_process(kind, combination, request)


def _foreign_roles(specification: Specification, databases: Mapping[str, str]) -> frozenset[str]:
    """Return the roles of the servers that are the user's own."""
    names = server_names(specification)
    several = len(set(names.values())) > 1
    return frozenset(database_tier(names[one] if several else None) for one in databases)


def _no_process(kind: FaultKind, combination: Combination, request: DeploymentRequest) -> InputError:
    when = request.specification.description.tiers[kind.role].when
    unmet = {mode: values for mode, values in when.items() if request.chosen.get(mode) not in values}
    options = " ".join(f"--set {mode}={values[0]}" for mode, values in unmet.items())
    todo = f"There is one with {options}" if options else "Leave the fault out"
    return InputError(f"{kind}: no process has the role {kind.role} in {combination.path}", todo=todo)
