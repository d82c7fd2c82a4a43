"""Compares the failures of executions with those that are known."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.conformance.cases.known import FILE, KnownFailure
from middlemark.conformance.result import Execution, ExecutionOutcome, Failure


def mark_known(execution: Execution, known: Sequence[KnownFailure]) -> Execution:
    """Return the execution with its known failures marked; it counts as one when all its failures are known.

    `known` are those of the subject it was run on.
    """
    if execution.outcome is not ExecutionOutcome.FAILED:
        return execution
    mine = [one for one in known if _covers(one, execution) and _shows(execution, one)]
    failures = tuple(_marked(failure, mine) for failure in execution.failures)
    outcome = ExecutionOutcome.KNOWN if all(failure.known for failure in failures) else ExecutionOutcome.FAILED
    return execution.model_copy(update={"failures": failures, "outcome": outcome})


def missed(executions: Sequence[Execution], known: Sequence[KnownFailure]) -> list[str]:
    """Return one text for each known failure that an execution does not show any more."""
    return [
        f"{execution.label}: does not fail any more as {FILE} says ({'; '.join(one.texts)})"
        for one in known
        if not one.intermittent
        for execution in executions
        if _covers(one, execution) and not _shows(execution, one)
    ]


def _covers(known: KnownFailure, execution: Execution) -> bool:
    """Say whether an entry applies to an execution: its case, modes and interface, unless it was not checked."""
    return (
        known.case == execution.case
        and known.modes.items() <= execution.configuration.items()
        and known.interface in {None, execution.interface}
        and execution.outcome is not ExecutionOutcome.NOT_CHECKED
    )


def _shows(execution: Execution, known: KnownFailure) -> bool:
    """Say whether an execution failed in this way: each of the texts is in one of its failures."""
    return all(any(text in failure.text for failure in execution.failures) for text in known.texts)


def _marked(failure: Failure, known: Sequence[KnownFailure]) -> Failure:
    reason = next((one.reason for one in known if any(text in failure.text for text in one.texts)), "")
    return failure.model_copy(update={"known": reason})
