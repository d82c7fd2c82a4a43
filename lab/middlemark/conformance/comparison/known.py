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
    mine = [one for one in known if _covers(one, execution)]
    failures = tuple(_marked(failure, mine) for failure in execution.failures)
    outcome = ExecutionOutcome.KNOWN if all(failure.known for failure in failures) else ExecutionOutcome.FAILED
    return execution.model_copy(update={"failures": failures, "outcome": outcome})


def missed(executions: Sequence[Execution], known: Sequence[KnownFailure]) -> list[str]:
    """Return one text for each known failure that an execution does not show any more."""
    return [
        f"{execution.label}: does not fail any more as {FILE} says ({one.text})"
        for one in known
        for execution in executions
        if _covers(one, execution) and not any(one.text in failure.text for failure in execution.failures)
    ]


def _covers(known: KnownFailure, execution: Execution) -> bool:
    """Say whether an execution must show this failure."""
    return (
        known.case == execution.case
        and known.modes.items() <= execution.configuration.items()
        and known.interface in {None, execution.interface}
        and execution.outcome is not ExecutionOutcome.NOT_CHECKED
    )


def _marked(failure: Failure, known: Sequence[KnownFailure]) -> Failure:
    reason = next((one.reason for one in known if one.text in failure.text), "")
    return failure.model_copy(update={"known": reason})
