"""Messages sent over gRPC as they are."""

from __future__ import annotations

from middlemark.conformance.cases.interfaces import grpc_interface, proto_of
from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import SendGrpc
from middlemark.conformance.comparison.match import difference
from middlemark.conformance.execution.calling.raw_grpc import Ending, sent
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.internals import internals_fault
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
    fault = internals_fault(ending.message, f"{ending.path} {content.decode(errors='replace')}")
    if fault:
        raise StepFailed(fault)
    _hold(step, ending, actor, where)


def _hold(step: SendGrpc, ending: Ending, actor: Actor, where: str) -> None:
    found = f"{ending.status} with {', '.join(ending.codes) or 'no code'}: {ending.message}"
    if step.malformed:
        actor.notes.text(where, "refused as malformed")
        if not ending.blames_client:
            raise StepFailed(f"expected a refusal as malformed, found the gRPC status {found}")
        return
    # The words of a refusal without a code are those of a library.
    status = " or ".join(step.statuses)
    noted = status if len(step.statuses) > 1 else ending.status
    actor.notes.text(where, f"{noted} {ending.codes} {ending.message if ending.codes else ''}")
    wanted = () if step.code is None else (step.code,)
    if ending.status not in step.statuses or ending.codes != wanted:
        raise StepFailed(f"expected the gRPC status {status} with {step.code or 'no code'}, found {found}")
    if step.message is not None:
        fault = difference(step.message, ending.message, "message", actor.surroundings())
        if fault:
            raise StepFailed(fault)
