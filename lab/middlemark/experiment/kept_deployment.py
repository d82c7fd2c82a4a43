"""The processes of combinations in one start: started once for all that run on them, kept from window to window."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from middlemark.errors import HostError
from middlemark.experiment.run_context import RunContext
from middlemark.load.stores import drop_databases, reset_all, urls_of
from middlemark.records.run import Combination
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest
from middlemark.topology.target import Target


class KeptDeployment:
    """The processes of every combination that runs on those of `combination`, and their databases, in one start.

    They start when the first of these needs them. They start anew only when messages may be left in a queue, or a fault
    has left work open: for all of these at once.
    """

    def __init__(self, context: RunContext, combination: Combination, start: int) -> None:
        self._context = context
        self._combination = combination
        self._start = start
        self._stack = ExitStack()
        self._target: Target | None = None

    def __enter__(self) -> Self:
        """Nothing starts before it is needed."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it, and drop its databases; a server that has died keeps its own reason."""
        try:
            self.stop()
        finally:
            with suppress(HostError) if error else nullcontext():
                drop_databases(self._context.stores_of(self._combination))

    @property
    def roots(self) -> tuple[int, ...]:
        """Root processes of all its tiers; none while it does not run."""
        tiers = self._target.tiers if self._target else {}
        return tuple(pid for pids in tiers.values() for pid in pids)

    def running(self, combination: Combination) -> Target:
        """The processes, which start where they do not run; progress shows it at the combination that needs them."""
        if self._target is None:
            context = self._context
            context.progress.step("starting", combination)
            reset_all(context.stores_of(combination))
            self._target = self._stack.enter_context(deployed(self._request(), context.watchdog))
            context.journal.started(combination, self._start, self._target.start_seconds)
        return self._target

    def stop(self) -> None:
        """Stop the processes; the next window on them starts them anew."""
        self._target = None
        self._stack.close()

    def _request(self) -> DeploymentRequest:
        context, combination = self._context, self._combination
        return replace(
            context.requested(combination),
            databases=urls_of(context.stores_of(combination)),
            logs=context.logs_of(combination.deployment, self._start),
            placement=context.preparation.cpus.of(combination),
        )
