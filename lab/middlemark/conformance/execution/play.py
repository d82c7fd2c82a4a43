"""Plays one case from the loaded state to its end state and records what came of it."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg

from middlemark.conformance.cases.step import AtOnce
from middlemark.conformance.cases.suite import Placed, all_steps
from middlemark.conformance.execution.state.digest import digest, end_state
from middlemark.conformance.execution.state.failing import failing
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.notes import Notes
from middlemark.conformance.execution.steps.stage import CaseDatabase, Stage
from middlemark.conformance.execution.steps.steps import play_steps
from middlemark.conformance.failure import StepFailed
from middlemark.conformance.result import Failure, Play, Played, PlayOutcome
from middlemark.databases.database import Connection
from middlemark.documents import Location
from middlemark.errors import InputError, TargetError
from middlemark.records.run import SYNC
from middlemark.wording import first_line

_PATIENCE_SECONDS = 10.0


def play_case(placed: Placed, cell: str, binding: str, stage: Stage) -> Played:
    """Play a case. The database must be as it was loaded; afterwards it is as the case left it.

    Raises InputError with file:line for a case that cannot be played, Stopped when that was asked for.
    """
    started = time.monotonic()
    began = datetime.datetime.now(datetime.UTC)
    loaded = stage.database.loaded.last_loaded_ids if stage.database else {}
    actor = Actor(stage, placed, binding, began, Notes(began, loaded))
    failures: list[Failure] = []
    left: list[str] = []
    try:
        with ExitStack() as stack:
            if stage.database is not None:
                _set_up(placed, stage.database)
                left = stack.enter_context(_failing(placed, stage.database.connection))
            play_steps(placed.case.steps, actor, ("steps",))
    except StepFailed as failed:
        failures.append(_failure(placed, failed.location, failed.what))
    finally:
        actor.close()
    failures += [_failure(placed, (), text) for text in left]
    failures += _broken_rules(placed, stage, failed=bool(failures))
    lines = _end_state(stage.database, failed=bool(failures))
    # Without the database nobody knows which ids were loaded, nor whether earlier cases were undone.
    equal_by_right = stage.database is not None and _decided(placed)
    notes = tuple(actor.notes.lines)
    play = Play(
        case=placed.case.name,
        topic=placed.topic,
        rule=placed.case.rule or "",
        where=placed.where,
        cell=cell,
        binding=binding,
        outcome=PlayOutcome.FAILED if failures else PlayOutcome.PASSED,
        failures=tuple(failures),
        seconds=round(time.monotonic() - started, 4),
        replaced=actor.replaced,
        sizes=actor.sizes,
        answers=hashlib.sha256("\n".join(notes).encode()).hexdigest()[:16] if equal_by_right else "",
        end_state=digest(lines) if equal_by_right else "",
    )
    return Played(play, notes if equal_by_right else (), lines if equal_by_right else ())


def not_checked(placed: Placed, cell: str, binding: str, reason: str) -> Played:
    """Return the record of a case that cannot be played here."""
    return Played(
        Play(
            case=placed.case.name,
            topic=placed.topic,
            rule=placed.case.rule or "",
            where=placed.where,
            cell=cell,
            binding=binding,
            outcome=PlayOutcome.NOT_CHECKED,
            reason=reason,
        )
    )


def _decided(placed: Placed) -> bool:
    """Say whether the specification alone decides what is answered, and not chance."""
    return placed.case.compared and not any(isinstance(step, AtOnce) for step in all_steps(placed.case.steps))


def step_name(location: Location) -> str:
    """Return the place of a step in words: `step 2`, `step 3, client 1, step 2`."""
    words: list[str] = []
    for index, part in enumerate(location):
        if isinstance(part, int):
            words.append(f"{'client' if location[index - 1] == 'at_once' else 'step'} {part + 1}")
    return ", ".join(words)


def _set_up(placed: Placed, database: CaseDatabase) -> None:
    for index, statement in enumerate(placed.case.set_up):
        try:
            database.connection.execute(statement.encode())
        except psycopg.Error as error:
            raise InputError(
                f"this SQL cannot be run ({first_line(error)}): {statement}", where=placed.where_of(("set_up", index))
            ) from error


@contextmanager
def _failing(placed: Placed, connection: Connection) -> Iterator[list[str]]:
    """Let the case's statements fail; see `failing`."""
    with ExitStack() as stack:
        try:
            left = stack.enter_context(failing(connection, placed.case.fails))
        except InputError as error:
            raise InputError(error.what, where=placed.where_of(("fails",))) from error
        yield left


def _broken_rules(placed: Placed, stage: Stage, *, failed: bool) -> Iterator[Failure]:
    if stage.database is None or not placed.case.audited:
        return
    # After a failed step nobody waits for the rest: the case may have ended in the middle of its orders.
    patience = 0.0 if failed or stage.orders == SYNC else _PATIENCE_SECONDS
    try:
        broken = stage.database.rules.broken(patience)
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
        yield _failure(placed, (), f"audit: it cannot be asked, because somebody holds a lock ({error})")
        return
    except TargetError as error:
        if failed:  # the case may have ended where it had taken a table away
            return
        raise InputError(f"the audit cannot be asked: {error}", where=placed.where) from error
    for text in broken:
        yield _failure(placed, (), f"audit: {text}")


def _end_state(database: CaseDatabase | None, *, failed: bool) -> tuple[str, ...]:
    if database is None:
        return ()
    loaded = database.loaded
    try:
        changes = loaded.changes()
    except psycopg.Error:
        if failed:  # as above
            return ()
        raise
    return end_state(changes, loaded.tables, loaded.last_loaded_ids)


def _failure(placed: Placed, location: Location, what: str) -> Failure:
    return Failure(where=placed.where_of(location), step=step_name(location), text=what)
