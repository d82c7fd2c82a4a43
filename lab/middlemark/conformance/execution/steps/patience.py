"""Repeats a request for what may come late: an application that is back, or a response that is as expected."""

from __future__ import annotations

import time
from collections.abc import Callable

from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.failure import StepFailed, Stopped
from middlemark.duration import Duration

_PAUSE_SECONDS = 0.1


def patiently(
    attempt: Callable[[], None], actor: Actor, within: Duration | None, until: Duration | None = None
) -> None:
    """Make the attempt until it does not fail: `within` an outage while it fails by that, `until` whatever fails it.

    What an attempt in vain has noted is forgotten. Raises StepFailed of the last one, Stopped when that was asked for.
    """
    limit = until or within
    if limit is None:
        attempt()
        return
    deadline = time.monotonic() + limit.seconds
    while True:
        forget = actor.checkpoint()
        try:
            attempt()
        except StepFailed as failed:
            if until is None and not failed.passing:
                raise
            if time.monotonic() >= deadline:
                raise StepFailed(f"{failed.what} (repeated for {limit})", failed.location) from failed
        else:
            return
        forget()
        if actor.context.stop.wait(_PAUSE_SECONDS):
            raise Stopped
