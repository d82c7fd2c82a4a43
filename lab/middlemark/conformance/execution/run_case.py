"""Runs one case from the loaded state to its end state and records what came of it."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

import psycopg

from middlemark.conformance.cases.captures import token_name
from middlemark.conformance.cases.case import SetUp
from middlemark.conformance.cases.placed import Placed, all_steps
from middlemark.conformance.cases.step import AtOnce
from middlemark.conformance.execution.state.case_databases import CaseDatabases
from middlemark.conformance.execution.state.digest import digest
from middlemark.conformance.execution.state.failing import failing
from middlemark.conformance.execution.state.tables import LoadedIds
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.context import Context
from middlemark.conformance.execution.steps.notes import Notes
from middlemark.conformance.execution.steps.steps import run_steps
from middlemark.conformance.failure import StepFailed
from middlemark.conformance.result import Execution, ExecutionOutcome, Failure, Observed
from middlemark.documents import Location
from middlemark.errors import InputError, TargetError
from middlemark.wording import first_line

_PATIENCE_SECONDS = 10.0


def run_case(placed: Placed, configuration: Mapping[str, str], interface: str, context: Context) -> Observed:
    """Run a case. The databases must be as they were loaded; afterwards they are as the case left them.

    Raises InputError with file:line for a case that cannot be run, Stopped when that was asked for.
    """
    started = time.monotonic()
    began = datetime.datetime.now(datetime.UTC)
    loaded = context.databases.loaded_ids if context.databases else LoadedIds()
    carried = context.specification.description.carried_modes
    values: dict[str, object] = {mode: configuration[mode] for mode in carried if mode in configuration}
    values |= {token_name(name): text for name, text in context.addresses.tokens.items()}
    actor = Actor(context, placed, interface, began, Notes(began, loaded), values)
    failures = _failures(placed, actor)
    lines = _end_state(context.databases, failed=bool(failures))
    failures += tuple(_changes(placed, lines))
    # Without the databases nobody knows which ids were loaded, nor whether earlier cases were undone.
    equal_by_right = context.databases is not None and _is_decided(placed)
    notes = tuple(actor.notes.lines)
    execution = Execution(
        case=placed.case.name,
        topic=placed.topic,
        rule=placed.case.rule or "",
        where=placed.where,
        configuration=dict(configuration),
        interface=interface,
        outcome=ExecutionOutcome.FAILED if failures else ExecutionOutcome.PASSED,
        failures=failures,
        seconds=round(time.monotonic() - started, 4),
        replaced=actor.replaced,
        sizes=actor.sizes,
        responses=hashlib.sha256("\n".join(notes).encode()).hexdigest()[:16] if equal_by_right else "",
        end_state=digest(lines) if equal_by_right else "",
        choices=tuple(actor.notes.choices),
    )
    return Observed(execution, notes, lines) if equal_by_right else Observed(execution)


def not_checked(placed: Placed, configuration: Mapping[str, str], interface: str, reason: str) -> Observed:
    """Return the record of a case that cannot be run here."""
    return Observed(
        Execution(
            case=placed.case.name,
            topic=placed.topic,
            rule=placed.case.rule or "",
            where=placed.where,
            configuration=dict(configuration),
            interface=interface,
            outcome=ExecutionOutcome.NOT_CHECKED,
            reason=reason,
        )
    )


def step_name(location: Location) -> str:
    """Return the place of a step in words: `step 2`, `step 3, client 1, step 2`."""
    words: list[str] = []
    for index, part in enumerate(location):
        if isinstance(part, int):
            words.append(f"{'client' if location[index - 1] == 'at_once' else 'step'} {part + 1}")
    return ", ".join(words)


def _failures(placed: Placed, actor: Actor) -> tuple[Failure, ...]:
    """Run the steps; return everything that is not as expected, then or afterwards."""
    failures: list[Failure] = []
    left: list[str] = []
    try:
        with ExitStack() as stack:
            if actor.context.databases is not None:
                _set_up(placed, actor.context.databases)
                stack.enter_context(_failing(placed, actor.context.databases, left))
            run_steps(placed.case.steps, actor, ("steps",))
    except StepFailed as failed:
        failures.append(_failure(placed, failed.location, failed.what))
    finally:
        actor.close()
    failures += [_failure(placed, (), text) for text in left]
    failures += _broken_rules(placed, actor.context, failed=bool(failures))
    return tuple(failures)


def _is_decided(placed: Placed) -> bool:
    """Say whether the specification alone decides what is answered, and not chance."""
    return placed.case.compared and not any(isinstance(step, AtOnce) for step in all_steps(placed.case.steps))


def _set_up(placed: Placed, databases: CaseDatabases) -> None:
    for index, statement in enumerate(placed.case.set_up):
        name, sql = (statement.database, statement.sql) if isinstance(statement, SetUp) else (None, statement)
        try:
            databases.called(name).connection.execute(sql.encode())
        except psycopg.Error as error:
            raise InputError(
                f"this SQL cannot be run ({first_line(error)}): {sql}", where=placed.where_of(("set_up", index))
            ) from error


@contextmanager
def _failing(placed: Placed, databases: CaseDatabases, left: list[str]) -> Iterator[None]:
    """Let the case's statements fail; afterwards `left` has what cannot be taken back, see `failing`."""
    reasons: list[list[str]] = []
    try:
        with ExitStack() as stack:
            for name in dict.fromkeys(fail.database for fail in placed.case.fails):
                fails = tuple(fail for fail in placed.case.fails if fail.database == name)
                try:
                    reasons.append(stack.enter_context(failing(databases.called(name).connection, fails)))
                except InputError as error:
                    raise InputError(error.what, where=placed.where_of(("fails",)), todo=error.todo) from error
            yield
    finally:
        left += [reason for one in reasons for reason in one]


def _broken_rules(placed: Placed, context: Context, *, failed: bool) -> Iterator[Failure]:
    if context.databases is None or not placed.case.audited:
        return
    # After a failed step nobody waits for the rest: the case may have ended in the middle of its work.
    patience = _PATIENCE_SECONDS if context.may_be_unfinished and not failed else 0.0
    try:
        broken = context.databases.rules.broken(patience)
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
        yield _failure(placed, (), f"audit: it cannot be asked, because somebody holds a lock ({error})")
        return
    except TargetError as error:
        if failed:  # the case may have ended where it had taken a table away
            return
        raise InputError(f"the audit cannot be asked: {error}", where=placed.where) from error
    for text in broken:
        yield _failure(placed, (), f"audit: {text}")


def _changes(placed: Placed, lines: tuple[str, ...]) -> Iterator[Failure]:
    if placed.case.changes is not None and lines:
        text = f"changes: expected no row that differs from the loaded data, found {len(lines)}: {lines[0]}"
        yield _failure(placed, ("changes",), text)


def _end_state(databases: CaseDatabases | None, *, failed: bool) -> tuple[str, ...]:
    if databases is None:
        return ()
    try:
        return databases.end_state()
    except psycopg.Error:
        if failed:  # as above
            return ()
        raise


def _failure(placed: Placed, location: Location, what: str) -> Failure:
    return Failure(where=placed.where_of(location), step=step_name(location), text=what)
