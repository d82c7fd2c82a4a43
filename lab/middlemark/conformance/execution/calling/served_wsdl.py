"""Holds the WSDL that an application serves against the specification's; how it is written is the application's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import requests
import zeep

from middlemark.conformance.cases.caller import ContractBroken, NoResponse
from middlemark.conformance.cases.contract import is_xml

ZEEP: Any = zeep  # annotated in places only


def check_served_wsdl(address: str, transport: Any, wanted: Any) -> None:
    """Raise ContractBroken unless `address`?wsdl describes the operations of `wanted`, a document of zeep, there."""
    where = f"{address}?wsdl"
    _check_response(where, transport)
    try:
        served = ZEEP.wsdl.Document(where, transport)
        ports = [port for service in served.services.values() for port in service.ports.values()]
        found = {name: shape for port in ports if _is_at(port, address) for name, shape in _shapes(port.binding)}
    except (requests.RequestException, *_UNREADABLE) as error:
        raise ContractBroken(f"{where} answered a WSDL that zeep cannot read: {error}") from error
    (binding,) = wanted.bindings.values()
    for name, shape in _shapes(binding):
        if name not in found:
            raise ContractBroken(f"{where} answered a WSDL without the operation {name} at {address}")
        if found[name] != shape:
            raise ContractBroken(f"{where} answered a WSDL that describes {name} as {found[name]}, not {shape}")


_UNREADABLE = (ZEEP.exceptions.Error, ValueError, LookupError, AttributeError, TypeError)
"""What zeep raises for a description that is wrong."""


def _check_response(where: str, transport: Any) -> None:
    try:
        response = transport.session.get(where, timeout=transport.operation_timeout)
    except requests.RequestException as error:
        raise NoResponse(f"{where} was not answered: {error}") from error
    kind = response.headers.get("content-type", "")
    if response.status_code != requests.codes.ok or not is_xml(kind):
        raise ContractBroken(
            f"{where} answered with HTTP status {response.status_code} and Content-Type '{kind}' instead of 200 and XML"
        )


def _is_at(port: Any, address: str) -> bool:
    over_soap = isinstance(port.binding, ZEEP.wsdl.bindings.soap.Soap11Binding)
    return over_soap and port.binding_options["address"] == address


def _shapes(binding: Any) -> Iterator[tuple[str, str]]:
    """Yield each operation of a binding with its two elements and what is in them, as text."""
    for name in binding.all():
        operation = binding.get(name)
        yield name, " → ".join(_shape(message.body) for message in (operation.input, operation.output))


def _shape(element: Any) -> str:
    return f"{element.qname.text}({', '.join(name for name, _ in element.type.elements)})"
