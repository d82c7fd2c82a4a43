"""Calls an application's operations over its interfaces, and checks every answer against the contracts."""

from __future__ import annotations

from collections.abc import Callable

from middlemark.conformance.cases.caller import Caller, ContractBroken, NoResponse, Performed, Refused, Result, Unread
from middlemark.conformance.cases.contract import contract_for
from middlemark.conformance.execution.calling.endpoint import Endpoint
from middlemark.conformance.execution.calling.over_grpc import GrpcCaller
from middlemark.conformance.execution.calling.over_json import JsonCaller
from middlemark.conformance.execution.calling.over_soap import SoapCaller
from middlemark.specification.specification import Specification

__all__ = ["Caller", "ContractBroken", "NoResponse", "Performed", "Refused", "Result", "Unread", "caller"]

CALLERS: dict[str, Callable[[Endpoint], Caller]] = {"openapi": JsonCaller, "wsdl": SoapCaller, "grpc": GrpcCaller}
"""By the kind of the interface's contract."""


def caller(specification: Specification, interface: str, address: str) -> Caller:
    """Return a caller over an interface of the application at `address`, http://host:port.

    Raises InputError when the specification does not describe the interface, ContractBroken when the application
    describes itself otherwise than the specification does.
    """
    definition = specification.description.interfaces[interface]
    endpoint = Endpoint(
        interface, definition, specification.folder, contract_for(specification, interface), address.rstrip("/")
    )
    return CALLERS[definition.contract](endpoint)
