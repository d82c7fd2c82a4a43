"""Counts the executions of each configuration."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.conformance.result import ConfigurationResult, Execution, ExecutionOutcome


def configuration_results(executions: Sequence[Execution]) -> tuple[ConfigurationResult, ...]:
    """Return the counts of each configuration, in the order in which the executions name them."""
    by_label: dict[str, list[Execution]] = {}
    for execution in executions:
        by_label.setdefault(execution.configuration_label, []).append(execution)
    return tuple(_result(here) for here in by_label.values())


def _result(executions: Sequence[Execution]) -> ConfigurationResult:
    def count(outcome: ExecutionOutcome) -> int:
        return sum(execution.outcome is outcome for execution in executions)

    return ConfigurationResult(
        configuration=executions[0].configuration,
        cases=len({execution.case for execution in executions}),
        executions=len(executions),
        passed=count(ExecutionOutcome.PASSED),
        failed=count(ExecutionOutcome.FAILED),
        known=count(ExecutionOutcome.KNOWN),
        not_checked=count(ExecutionOutcome.NOT_CHECKED),
        replaced=sum(execution.replaced for execution in executions),
        seconds=round(sum(execution.seconds for execution in executions), 3),
    )
