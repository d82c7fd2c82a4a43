"""Messages sent over gRPC as they are."""

from __future__ import annotations

from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import SendGrpc
from middlemark.conformance.comparison.match import difference
from middlemark.conformance.execution.calling.raw_grpc import sent
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.database import ask
from middlemark.conformance.failure import StepFailed
from middlemark.errors import InputError


def send_grpc(step: SendGrpc, actor: Actor, where: str) -> None:
    """Send the message and hold the call's ending against the case."""
    stage = actor.stage
    if stage.addresses.grpc is None:
        raise InputError("the application does not offer grpc", todo="Give the case `bindings: [grpc]`")
    digits = filled(step.send_grpc.hex, actor.captured)
    try:
        content = bytes.fromhex(digits)
    except ValueError as error:
        raise InputError(f"these are no bytes of two hexadecimal digits each ({error})") from error
    came = sent(stage.addresses.grpc, stage.spec_folder, step.send_grpc.method, content)
    # The words of a refusal without a code are those of a library.
    actor.notes.said(where, f"{came.status} {came.codes} {came.message if came.codes else ''}")
    said = f"{came.status} with {', '.join(came.codes) or 'no code'}: {came.message}"
    wanted = () if step.code is None else (step.code,)
    if (came.status, came.codes) != (step.status, wanted):
        raise StepFailed(f"expected the gRPC status {step.status} with {step.code or 'no code'}, came {said}")
    if step.message is not None:
        fault = difference(step.message, came.message, "message", actor.surroundings(lambda query: ask(actor, query)))
        if fault:
            raise StepFailed(fault)
