"""Messages sent over gRPC as they are."""

from __future__ import annotations

from middlemark.conformance.cases.interfaces import grpc_interface, proto_of
from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import SendGrpc
from middlemark.conformance.comparison.match import difference
from middlemark.conformance.execution.calling.raw_grpc import sent
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.failure import StepFailed
from middlemark.errors import InputError


def send_grpc(step: SendGrpc, actor: Actor, where: str) -> None:
    """Send the message and hold the call's ending against the case."""
    context = actor.context
    interface = grpc_interface(context.specification, step.interface)
    address = context.addresses.interfaces.get(interface)
    if address is None:
        todo = f"Give the case `interfaces: [{interface}]`"
        raise InputError(f"the application does not offer the interface {interface}", todo=todo)
    digits = filled(step.send_grpc.hex, actor.captured)
    try:
        content = bytes.fromhex(digits)
    except ValueError as error:
        raise InputError(f"these are not bytes of two hexadecimal digits each ({error})") from error
    ending = sent(address, proto_of(context.specification, interface), step.send_grpc.method, content)
    # The words of a refusal without a code are those of a library.
    actor.notes.text(where, f"{ending.status} {ending.codes} {ending.message if ending.codes else ''}")
    wanted = () if step.code is None else (step.code,)
    if (ending.status, ending.codes) != (step.status, wanted):
        found = f"{ending.status} with {', '.join(ending.codes) or 'no code'}: {ending.message}"
        raise StepFailed(f"expected the gRPC status {step.status} with {step.code or 'no code'}, found {found}")
    if step.message is not None:
        fault = difference(step.message, ending.message, "message", actor.surroundings())
        if fault:
            raise StepFailed(fault)
