"""Several clients that start at the same moment: a thread each, and a barrier before the first step."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from middlemark.conformance.cases.expectation import Outcomes
from middlemark.conformance.cases.placed import all_steps
from middlemark.conformance.cases.step import AtOnce, Call, Send, Step, Visit
from middlemark.conformance.execution.state.tables import LoadedIds
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.notes import Notes
from middlemark.conformance.failure import StepFailed
from middlemark.documents import Location

_SECONDS_TO_GATHER = 30.0

RunSteps = Callable[[Sequence[Step], Actor, Location], None]


def run_at_once(step: AtOnce, actor: Actor, location: Location, run_steps: RunSteps) -> None:
    """Run every client's steps at the same time; StepFailed for the first failure or for other outcomes.

    What the clients are answered is not noted: nothing determines which of them wins.
    """
    clients = [actor.double(Notes(actor.began, LoadedIds())) for _ in step.at_once]
    barrier = threading.Barrier(len(clients))

    def run(number: int) -> None:
        client = clients[number]
        try:
            _gather(step.at_once[number], client)
        except BaseException:
            barrier.abort()
            raise
        barrier.wait(_SECONDS_TO_GATHER)
        run_steps(step.at_once[number], client, (*location, "at_once", number))

    try:
        with ThreadPoolExecutor(len(clients)) as pool:
            futures = [pool.submit(run, number) for number in range(len(clients))]
        errors = [error for one in futures if (error := one.exception())]
    finally:
        for client in clients:
            client.close()
    for error in sorted(errors, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error
    counted = sum((client.outcomes or Counter() for client in clients), Counter[str]())
    actor.replaced += sum(client.replaced for client in clients)
    _judge(step, counted)


def _gather(steps: Sequence[Step], client: Actor) -> None:
    """Log in and connect, so that nothing but the first step's request lies behind the barrier."""
    for step in all_steps(tuple(steps)):
        if isinstance(step, Visit) or (isinstance(step, Send) and step.as_ is not None):
            client.browser(step.as_ or "", step.user)
        elif isinstance(step, Call):
            client.caller()


def _judge(step: AtOnce, counted: Counter[str]) -> None:
    if step.outcomes is None:
        return
    allowed = step.outcomes if isinstance(step.outcomes, tuple) else (step.outcomes,)
    if counted not in [_counter(one) for one in allowed]:
        wanted = " or ".join(_in_words(_counter(one)) for one in allowed)
        raise StepFailed(f"outcomes: expected {wanted}, found {_in_words(counted)}")


def _counter(outcomes: Outcomes) -> Counter[str]:
    counter = Counter({f"refused {code}": count for code, count in outcomes.refused.items()})
    counter += Counter({f"status {status}": count for status, count in outcomes.status.items()})
    return counter + Counter({"performed": outcomes.performed})


def _in_words(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items()) if count) or "nothing"
