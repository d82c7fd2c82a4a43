"""Which executions of a verification belong to a configuration that is measured.

Those run in exactly its modes, and those that call operations over an interface that it uses. An interface that it does
not use is beside it: a failure there is the interface's own, unless a case fails over every one of several such
interfaces, since what is wrong then lies behind all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from middlemark.conformance.result import Execution, ExecutionOutcome
from middlemark.specification.description import SpecificationDescription

_FAILURES = frozenset({ExecutionOutcome.FAILED, ExecutionOutcome.KNOWN})


@dataclass(frozen=True)
class MeasuredConfiguration:
    """The value of each mode with which something is measured."""

    description: SpecificationDescription
    modes: Mapping[str, str]

    @cached_property
    def _call_modes(self) -> frozenset[str]:
        calls = (call for tier in self.description.tiers.values() for call in tier.calls.values())
        return frozenset(call.mode for call in calls if call.mode)

    @cached_property
    def used(self) -> frozenset[str]:
        """Return the interfaces that its modes choose."""
        return frozenset(self.modes.get(mode, "") for mode in self._call_modes) & self.description.interfaces.keys()

    @cached_property
    def beside(self) -> frozenset[str]:
        """Return the interfaces that other values of its modes would choose."""
        values = (value for mode in self._call_modes for value in self.description.modes[mode].values)
        return (frozenset(values) & self.description.interfaces.keys()) - self.used

    def is_exact(self, execution: Execution) -> bool:
        """Say whether an execution had the value of every mode."""
        return execution.configuration.items() <= self.modes.items()

    def is_over_used(self, execution: Execution) -> bool:
        """Say whether an execution called over an interface in use, and had the value of every mode that is no call's.

        What answers there is the same, whoever calls it.
        """
        others = {mode: value for mode, value in execution.configuration.items() if mode not in self._call_modes}
        return execution.interface in self.used and others.items() <= self.modes.items()


def own_executions(executions: Iterable[Execution], measured: MeasuredConfiguration) -> list[Execution]:
    """Return the executions that belong to the configuration, none where no case was run in exactly its modes.

    Then what failed over an interface that it uses is returned all the same.
    """
    every = list(executions)
    exact = [one for one in every if measured.is_exact(one)]
    behind = _failing_behind(one for one in exact if one.interface in measured.beside)
    own = [one for one in exact if one.interface not in measured.beside or one.case in behind]
    over_used = [one for one in every if not measured.is_exact(one) and measured.is_over_used(one)]
    if not own:
        return [one for one in over_used if one.outcome is ExecutionOutcome.FAILED]
    return [*own, *over_used]


def _failing_behind(executions: Iterable[Execution]) -> frozenset[str]:
    """Return the cases that failed over every one of at least two interfaces."""
    outcomes: dict[str, list[ExecutionOutcome]] = {}
    for one in executions:
        if one.outcome is not ExecutionOutcome.NOT_CHECKED:
            outcomes.setdefault(one.case, []).append(one.outcome)
    return frozenset(case for case, found in outcomes.items() if len(found) > 1 and _FAILURES.issuperset(found))
