"""Calls an application's operations over JSON, SOAP and gRPC, and checks every answer against the contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from middlemark.conformance.cases.answer import Answered, Binding, Caller, ContractBroken, Refused
from middlemark.conformance.execution.calling.over_grpc import GrpcCaller
from middlemark.conformance.execution.calling.over_json import JsonCaller
from middlemark.conformance.execution.calling.over_soap import SoapCaller

__all__ = ["Answered", "Binding", "Caller", "ContractBroken", "Refused", "caller"]

KINDS: dict[Binding, Callable[[str, Path], Caller]] = {
    Binding.JSON: JsonCaller,
    Binding.SOAP: SoapCaller,
    Binding.GRPC: GrpcCaller,
}


def caller(binding: Binding, address: str, spec_folder: Path) -> Caller:
    """Return a caller for the services at `address`: http://host:port, for gRPC host:port with or without http://.

    Raises InputError when the specification has no description for the binding, ContractBroken when the application
    describes itself otherwise than the specification does.
    """
    return KINDS[binding](address, spec_folder)
