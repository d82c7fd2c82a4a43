"""Runs steps in order, each kind by its own function."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import (
    CONNECTIONS,
    About,
    AtOnce,
    Call,
    Cut,
    Hold,
    Notified,
    Repeat,
    Send,
    SendGrpc,
    Settle,
    Sql,
    Step,
    Visit,
    Wait,
)
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.at_once import run_at_once
from middlemark.conformance.execution.steps.calls import call
from middlemark.conformance.execution.steps.database import run_sql, settle
from middlemark.conformance.execution.steps.notified import run_notified
from middlemark.conformance.execution.steps.queries import rows_of
from middlemark.conformance.execution.steps.raw_calls import send_grpc
from middlemark.conformance.execution.steps.visits import send, visit
from middlemark.conformance.failure import StepFailed, Stopped
from middlemark.documents import Location
from middlemark.errors import InputError, TargetError


def run_steps(steps: Sequence[Step], actor: Actor, below: Location) -> None:
    """Run the steps at `below`; StepFailed, with the place of the step, for the first that is not as expected.

    Raises InputError with file:line for a step that cannot be run, Stopped when that was asked for.
    """
    for index, step in enumerate(steps):
        if actor.context.stop.is_set():
            raise Stopped
        location = (*below, index)
        try:
            _run(step, actor, location)
        except StepFailed as failed:
            failed.location = failed.location or location
            raise
        except InputError as error:
            if error.where:
                raise
            raise InputError(error.what, where=actor.placed.where_of(location), todo=error.todo) from error


def _run(step: Step, actor: Actor, location: Location) -> None:  # noqa: C901 (one branch for each kind of step)
    where = "step " + ".".join(str(part + 1) for part in location if isinstance(part, int))
    match step:
        case Call():
            call(step, actor, where)
        case Visit():
            visit(step, actor, where)
        case Send():
            send(step, actor, where)
        case SendGrpc():
            send_grpc(step, actor, where)
        case Sql():
            run_sql(step, actor)
        case Settle():
            settle(step.settle, actor)
        case Cut():
            _cut(step, actor)
        case Wait():
            if actor.context.stop.wait(step.wait.seconds):
                raise Stopped
        case About():
            _about(actor)
        case AtOnce() | Repeat() | Hold() | Notified():
            _run_inner(step, actor, location)


def _run_inner(step: AtOnce | Repeat | Hold | Notified, actor: Actor, location: Location) -> None:
    """Run a step that has steps of its own."""
    match step:
        case AtOnce():
            run_at_once(step, actor, location, run_steps)
        case Repeat():
            _repeat(step, actor, location)
        case Hold():
            _hold(step, actor, location)
        case Notified():
            run_notified(step, actor, lambda: run_steps(step.during, actor, (*location, "during")))


def _cut(step: Cut, actor: Actor) -> None:
    databases = actor.context.require_databases()
    for one in databases.every if step.cut == CONNECTIONS else (databases.called(step.cut),):
        one.loaded.end_other_connections()


def _about(actor: Actor) -> None:
    try:
        wrong = actor.context.wrong_settings()
    except TargetError as error:
        raise StepFailed(str(error)) from error
    if wrong:
        raise StepFailed(f"about: {'; '.join(wrong)}")


def _repeat(step: Repeat, actor: Actor, location: Location) -> None:
    for number in range(1, step.repeat + 1):
        actor.captured["number"] = number
        try:
            run_steps(step.steps, actor, (*location, "steps"))
        except StepFailed as failed:
            raise StepFailed(f"round {number} of {step.repeat}: {failed.what}", failed.location) from failed


def _hold(step: Hold, actor: Actor, location: Location) -> None:
    with contextlib.ExitStack() as stack:
        connection = stack.enter_context(actor.context.connected(step.database))
        connection.execute("BEGIN")
        stack.callback(connection.execute, "ROLLBACK")
        rows_of(connection, filled(step.hold, actor.captured))
        run_steps(step.during, actor, (*location, "during"))
