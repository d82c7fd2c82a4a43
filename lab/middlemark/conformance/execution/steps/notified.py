"""Listens to a channel of a database while steps run, and counts what is notified."""

from __future__ import annotations

from collections.abc import Callable

from middlemark.conformance.cases.step import Notified
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.failure import StepFailed

_SECONDS_AFTERWARDS = 0.5


def run_notified(step: Notified, actor: Actor, run_steps: Callable[[], None]) -> None:
    """Run the steps; StepFailed unless exactly so many notifications arrived until half a second after them."""
    with actor.context.connected(step.database) as connection:
        connection.execute(f"LISTEN {step.notified}".encode())
        run_steps()
        found = sum(1 for _ in connection.notifies(timeout=_SECONDS_AFTERWARDS))
    if found != step.times:
        raise StepFailed(f"expected {step.times} notifications of {step.notified}, found {found}")
