"""Compares variants pair by pair: outcomes, responses, sizes of pages, end states of their executions.

A variant is a subject with one value of each mode that platforms name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from middlemark.conformance.result import NOT_COMPARED, Difference, Execution, Observed, variants

_MAX_DEVIATION = 0.05


def differences(
    names: Sequence[str], done: Sequence[Sequence[Observed]], platform_modes: Sequence[str]
) -> Iterator[Difference]:
    """Yield where two variants differ in executions that both have.

    A configuration only one of them offers is not a difference. `names` are those of the subjects, `done` what was run
    of each.
    """
    by_key = [
        (
            name,
            {
                one.execution.key(platform_modes): one
                for one in observed
                if one.execution.variant(platform_modes) == variant
            },
        )
        for subject, observed in zip(names, done, strict=True)
        for variant, name in variants(subject, [one.execution for one in observed], platform_modes).items()
    ]
    for (one, first), (other, second) in combinations(by_key, 2):
        for key in first.keys() & second.keys():
            for what, text in _between(first[key], second[key]):
                execution = first[key].execution.label
                yield Difference(one=one, other=other, execution=execution, what=what, text=text)


def _between(first: Observed, second: Observed) -> Iterator[tuple[str, str]]:
    one, other = first.execution, second.execution
    if NOT_COMPARED & {one.outcome, other.outcome}:
        return
    if one.outcome is not other.outcome or _texts(one) != _texts(other):
        yield "outcome", f"{one.outcome}{_texts(one)} / {other.outcome}{_texts(other)}"
    parted = one.responses_until_parted(other)
    # Empty where nothing was looked at: by chance, or without the databases of an address.
    if one.responses and other.responses and first.notes[:parted] != second.notes[:parted]:
        yield "responses", _first_difference(first.notes[:parted], second.notes[:parted])
    if parted is not None:
        return
    if one.end_state and other.end_state and one.end_state != other.end_state:
        yield "end state", _first_difference(first.end_state, second.end_state)
    for where in one.sizes.keys() & other.sizes.keys():
        if abs(one.sizes[where] / other.sizes[where] - 1) > _MAX_DEVIATION:
            yield "size", f"{where}: {one.sizes[where]} / {other.sizes[where]} bytes"


def _texts(execution: Execution) -> str:
    return "".join(f"; {failure.step or 'afterwards'}: {failure.text}" for failure in execution.failures)


def _first_difference(first: Sequence[str], second: Sequence[str]) -> str:
    """Return the first line in which two texts differ."""
    ours, theirs = "\n".join(first).splitlines(), "\n".join(second).splitlines()
    for index in range(max(len(ours), len(theirs))):
        one = ours[index] if index < len(ours) else "(nothing)"
        other = theirs[index] if index < len(theirs) else "(nothing)"
        if one != other:
            return f"{one} / {other}"
    return "(the same text)"
