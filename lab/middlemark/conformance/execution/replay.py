"""Runs a few cases on an application that has just been loaded: does it still do what it is specified to do?"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from middlemark.conformance.cases.case import REPLAY
from middlemark.conformance.cases.suite import Placed, read_tagged_cases
from middlemark.conformance.execution.lost_connections import cut_connections, wait_until_noticed
from middlemark.conformance.execution.offer import offer_of
from middlemark.conformance.execution.run_case import run_case
from middlemark.conformance.execution.state.case_databases import CaseDatabases, case_databases
from middlemark.conformance.execution.state.loaded import LeftBehindError
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.context import Context, addresses_of
from middlemark.conformance.result import Execution
from middlemark.databases.database import exists
from middlemark.errors import TargetError
from middlemark.load.loading import load_dataset, reset_database
from middlemark.load.stores import Stores
from middlemark.records.point import Replay
from middlemark.specification.specification import Specification, read_specification
from middlemark.topology.target import Target
from middlemark.wording import first_line


@dataclass(frozen=True)
class ReplayRequest:
    """What to run cases on: the application as it stands, and its databases.

    The cases' own data set is kept beside each template, and loaded when it is not there yet; the application's
    databases are copies of it afterwards.
    """

    target: Target
    specification: Specification
    stores: Stores


def replay(request: ReplayRequest) -> Replay | None:
    """Run the cases tagged `replay`; None when the specification has none for the modes of the application.

    An application that does not survive the change of its data has failed them all. Raises InputError for a wrong case
    file.
    """
    specification = request.specification
    cases = [
        placed
        for placed in _cases(specification.folder)
        if specification.holds(placed.case.modes, request.target.modes)
        and all(offer_of(subject).meets(placed.case.needs) for subject in request.target.subjects)
    ]
    if not cases:
        return None
    _reset(request)
    try:
        request.target.wait_until_ready()
    except TargetError as error:
        return Replay(executions=len(cases), failed=len(cases), first=f"before the first: {first_line(error)}")
    wrong = [f"{placed.case.name}, {text}" for placed, text in _run(request, cases) if text]
    return Replay(executions=len(cases), failed=len(wrong), first=wrong[0] if wrong else "")


@cache
def _cases(folder: Path) -> tuple[Placed, ...]:
    """Return the cases of the specification in a folder; reading all files takes longer than running these."""
    return read_tagged_cases(read_specification(folder), REPLAY)


def _reset(request: ReplayRequest) -> None:
    """Make every database of the application the cases' data set."""
    for name, store in request.stores.items():
        template = f"{store.template}_cases"
        if not exists(store.server, template):
            dataset = request.specification.datasets(request.specification.case_scale)[name]
            load_dataset(store.server, dataset, template)
        reset_database(store.server, template, store.database)


def _run(request: ReplayRequest, cases: Sequence[Placed]) -> Iterator[tuple[Placed, str]]:
    """Yield each case with what was wrong, empty when nothing was."""
    specification, target = request.specification, request.target
    with ExitStack() as stack:
        in_use = {store.name: (store.server, store.database) for store in request.stores.values()}
        databases = stack.enter_context(case_databases(specification, in_use))
        client = stack.enter_context(open_client(target.addresses[0]))
        stop, shown = threading.Event(), target.wrong_settings
        context = Context(specification, addresses_of(target), target.modes, databases, stop, client, shown)
        stack.callback(context.close)
        # The change of the data has cut the connections: no case is to meet one of them in a pool.
        wait_until_noticed(target, client, request.stores)
        for placed in cases:
            try:
                yield placed, _failure(request, placed, context, databases)
            except LeftBehindError as left:
                yield placed, f"afterwards: {left}"
                return


def _failure(request: ReplayRequest, placed: Placed, context: Context, databases: CaseDatabases) -> str:
    """Run a case; return what was wrong, empty when nothing was. Raises LeftBehindError.

    Each connection that was lost may cost a request (specs/README.md, "Life"), and these were cut by the lab: a case
    that fails while the application loses one is run again, so at most once for each.
    """
    held = cut_connections(request.target, request.stores)
    while True:
        failure = _first_failure(run_case(placed, request.target.modes, "", context).execution)
        databases.put_back()
        before, held = held, cut_connections(request.target, request.stores)
        if not failure or held >= before:
            return failure


def _first_failure(execution: Execution) -> str:
    return next((f"{failure.step or 'at the end'}: {failure.text}" for failure in execution.failures), "")
