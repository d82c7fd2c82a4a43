"""Which HTTP responses are refusals, and whether a step is content with one as malformed input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from middlemark.conformance.cases.step import HttpStep
from middlemark.conformance.execution.calling.envelope import SERVER_ERROR, blames_client
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.browser import Request
from middlemark.conformance.execution.steps.internals import internals_fault
from middlemark.conformance.execution.steps.responses import status_fault
from middlemark.conformance.failure import StepFailed

_FIRST_ERROR = 400
_FOR_OPERATORS = "/health"
"""Says why the process is not ready, to those who run it (specs/README.md, "Addresses")."""


def is_refused(step: HttpStep, request: Request, response: httpx.Response, actor: Actor, where: str) -> bool:
    """Say whether the step is done because the request was refused as malformed input; it notes that.

    StepFailed when it had to be refused so and was not, or when a refusal shows internals.
    """
    if actor.outcomes is not None:
        actor.outcomes[f"status {response.status_code}"] += 1
    if response.status_code >= _FIRST_ERROR and request.path.partition("?")[0] != _FOR_OPERATORS:
        sent = "\n".join([request.path, *request.headers.values(), (request.body or b"").decode(errors="replace")])
        fault = internals_fault(response.text, sent)
        if fault:
            raise StepFailed(fault)
    if not step.malformed and not step.may_refuse:
        return False
    refused = _blames_client(request.path, response, actor)
    if step.may_refuse:
        actor.notes.choice(where, refused=refused)
        return refused
    actor.notes.text(where, "refused as malformed" if refused else "accepted")
    if not refused:
        raise StepFailed(status_fault(response, "4xx, the refusal of a malformed request"))
    return True


@contextmanager
def passing_with(response: httpx.Response) -> Iterator[None]:
    """Mark a StepFailed as one that may pass where the response says that the application is not available."""
    try:
        yield
    except StepFailed as failed:
        failed.passing = failed.passing or response.status_code == httpx.codes.SERVICE_UNAVAILABLE
        raise


def _blames_client(path: str, response: httpx.Response, actor: Actor) -> bool:
    interfaces = actor.context.specification.description.interfaces.values()
    over_soap = path.partition("?")[0] in {one.path for one in interfaces if one.contract == "wsdl"}
    if response.status_code == SERVER_ERROR and not over_soap:
        return False
    return blames_client(response.status_code, response.content)
