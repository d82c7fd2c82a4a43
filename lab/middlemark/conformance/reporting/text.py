"""Puts a verification into words: a table of configurations, every failure so that it can be understood by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from middlemark.conformance.result import (
    ConfigurationResult,
    ConformanceResult,
    Difference,
    Execution,
    ExecutionOutcome,
    SubjectResult,
)
from middlemark.wording import counted

_NUMBERS = ("cases", "executions", "passed", "failed", "known", "not checked", "values replaced")


def result_lines(result: ConformanceResult) -> Iterator[str | Table]:
    """Yield everything a reader needs, but for the verdict."""
    for subject in result.subjects:
        yield from _subject_lines(subject)
    if result.compared:
        executions = sum(pair.executions for pair in result.compared)
        found = counted(len(result.differences), "difference")
        yield f"Compared with each other: {found} in {counted(executions, 'execution')} that two of them have"
        for pair in result.compared:
            yield f"  {pair.one} and {pair.other}: {counted(pair.executions, 'execution')}"
        for difference in result.differences:
            yield from _difference_lines(difference)


def verdict(result: ConformanceResult) -> str:
    """Say in one sentence how the verification ended."""
    executions = [execution for subject in result.subjects for execution in subject.executions]
    number, cases = len(executions), counted(len({execution.case for execution in executions}), "case")
    failed = sum(execution.outcome is ExecutionOutcome.FAILED for execution in executions)
    known = sum(execution.outcome is ExecutionOutcome.KNOWN for execution in executions)
    unchecked = sum(execution.outcome is ExecutionOutcome.NOT_CHECKED for execution in executions)
    rest = (f", {counted(known, 'known failure')}" if known else "") + (
        f", {unchecked:,} not checked" if unchecked else ""
    )
    names = _listed([subject.subject for subject in result.subjects])
    if result.stopped:
        return f"Not verified: stopped {result.stopped} when {counted(number, 'execution')} had ended{rest}."
    missed = sum(len(subject.missed) for subject in result.subjects)
    if failed:
        return f"{names}: {failed:,} of {counted(number, 'execution')} failed{rest}."
    if missed:
        they = "does not fail any more; take it" if missed == 1 else "do not fail any more; take them"
        return f"{names}: {counted(missed, 'known failure')} {they} out of the list{rest}."
    if result.differences:
        apart = " and ".join(sorted({name for one in result.differences for name in (one.one, one.other)}))
        found = counted(len(result.differences), "difference")
        return f"{apart} differ: {found} in {counted(number, 'execution')}{rest}."
    passed = number - known - unchecked
    verified = "A sample is verified" if result.sample else "Verified"
    of_all = f"{passed:,} of {counted(number, 'execution')} of {cases}"
    return f"{verified}: {names} passed {of_all}{rest}{_equality(result)}."


def _equality(result: ConformanceResult) -> str:
    """Say that subjects and their variants are equal, only where each pair of them was compared."""
    apart = [f"{pair.one} and {pair.other}" for pair in result.compared if not pair.executions]
    if apart:
        none = "have no execution in common that is compared"
        return f", but {', '.join(apart)} {none}: whether they are equal is not known"
    if not result.compared:
        return ""
    return ", and they are equal" if len(result.subjects) > 1 else ", and its variants are equal"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _subject_lines(subject: SubjectResult) -> Iterator[str | Table]:
    yield f"{subject.subject}: {subject.specification} {subject.specification_version}, {subject.seconds:.0f} s"
    yield _table(subject.configurations)
    if subject.not_offered:
        yield f"  not offered, so not verified: {', '.join(subject.not_offered)}"
    for note in subject.notes:
        yield f"  {note}"
    for execution in subject.executions:
        if execution.outcome is not ExecutionOutcome.PASSED:
            yield from _execution_lines(execution)
    for text in subject.missed:
        yield f"KNOWN FAILURE THAT PASSED  {text}"


def _execution_lines(execution: Execution) -> Iterator[str]:
    signs = {
        ExecutionOutcome.FAILED: "FAILED",
        ExecutionOutcome.KNOWN: "known",
        ExecutionOutcome.NOT_CHECKED: "not checked",
    }
    yield f"{signs[execution.outcome]:<12} {execution.label}"
    if execution.reason:
        yield f"{'':<13}{execution.reason}"
    for failure in execution.failures:
        step = f"{failure.step}: " if failure.step else ""
        yield f"{'':<13}{failure.where}"
        yield f"{'':<13}{step}{failure.text}"
        if failure.known:
            yield f"{'':<13}known: {failure.known}"


def _difference_lines(difference: Difference) -> Iterator[str]:
    yield f"DIFFERENT    {difference.execution}"
    yield f"{'':<13}{difference.what} of {difference.one} / {difference.other}: {difference.text}"


def _table(configurations: Sequence[ConfigurationResult]) -> Table:
    table = Table("configuration", box=None, padding=(0, 0, 0, 2), highlight=False)
    for name in _NUMBERS:
        table.add_column(name, justify="right")
    for one in configurations:
        numbers = (one.cases, one.executions, one.passed, one.failed, one.known, one.not_checked, one.replaced)
        table.add_row(one.label, *(f"{number:,}" for number in numbers))
    return table
