"""Calls operations over SOAP 1.1, as a WSDL describes them, with zeep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import requests
from lxml import etree

from middlemark.conformance.cases.caller import (
    NO_HEADERS,
    ContractBroken,
    NoResponse,
    Performed,
    Refused,
    Result,
    Unread,
)
from middlemark.conformance.cases.contract import is_of_type
from middlemark.conformance.cases.wsdl import ZEEP, description
from middlemark.conformance.execution.calling.endpoint import Endpoint
from middlemark.conformance.execution.calling.envelope import (
    ENVELOPE,
    Body,
    Element,
    blames_client,
    fault_in,
    parsed,
    response_in,
    schema_of,
    written,
)
from middlemark.conformance.execution.calling.served_wsdl import check_served_wsdl
from middlemark.errors import InputError

SECONDS = 30.0
XML = "text/xml"
NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


class SoapCaller:
    """A caller with one connection that is kept alive. Making it holds the served WSDL against the specification's."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._name = endpoint.name
        self._contract = endpoint.contract
        self._elements = endpoint.interface.elements
        self._description = description(endpoint.file)
        self._address = endpoint.url
        self._session = requests.Session()
        self._session.trust_env = False
        self._transport = ZEEP.Transport(session=self._session, timeout=SECONDS, operation_timeout=SECONDS)
        self._client = ZEEP.Client(
            self._description.document, transport=self._transport, settings=ZEEP.Settings(raw_response=True)
        )
        (self._binding,) = self._description.document.bindings.values()
        self._service = self._client.create_service(self._binding.name.text, self._address)
        self._schema = schema_of(self._description.content)
        check_served_wsdl(self._address, self._transport, self._description.document)

    def call(self, operation: str, request: Mapping[str, object], headers: Mapping[str, str] = NO_HEADERS) -> Result:
        """See Caller."""
        fault = self._contract.fault_of(operation, request)
        has_documents = any(self._elements.get(key, "").startswith("{") for key in request)
        named = {self._elements.get(key, key): value for key, value in request.items()}
        of_every_call = self._session.headers.copy()
        self._session.headers.update(headers)
        try:
            response = self._send(operation, named, clean=not fault and not has_documents)
        finally:
            self._session.headers = of_every_call
        if response.status_code != requests.codes.ok:
            return self._refused(operation, response)
        element = response_in(_body(operation, response), self._description.namespace, self._schema)
        properties = self._contract.response_schema(operation).get("properties", {})
        value = self._contract.compared(operation, self._object(element, properties))
        self._contract.check_response(operation, value)
        self._check_zeep_reads(operation, response)
        return Performed(value, len(response.content))

    def close(self) -> None:
        """See Caller."""
        self._session.close()

    def _send(self, operation: str, request: Mapping[str, object], *, clean: bool) -> requests.Response:
        """Send with zeep what the WSDL allows; zeep refuses to write the rest, so that is written here."""
        send = self._send_by_zeep if clean else self._send_envelope
        try:
            return send(operation, request)
        except requests.RequestException as error:
            raise NoResponse(f"{operation} was not answered: {type(error).__name__} {error}") from error
        except ValueError as error:
            raise InputError(
                f"{self._name} cannot express the request of {operation} ({error})", todo="Name the case's interfaces"
            ) from error

    def _send_by_zeep(self, operation: str, request: Mapping[str, object]) -> requests.Response:
        response: requests.Response = getattr(self._service, operation)(**request)
        return response

    def _send_envelope(self, operation: str, request: Mapping[str, object]) -> requests.Response:
        envelope = written(operation, self._description.namespace, request)
        headers = {"Content-Type": f"{XML}; charset=utf-8", "SOAPAction": f'"{operation}"'}
        response: requests.Response = self._transport.post(self._address, envelope, headers)
        return response

    def _refused(self, operation: str, response: requests.Response) -> Refused | Unread:
        try:
            return self._fault(operation, response.status_code, response)
        except ContractBroken as broken:
            if blames_client(response.status_code, response.content):
                return Unread(str(broken), response.text)
            raise

    def _fault(self, operation: str, status: int, response: requests.Response) -> Refused:
        fault = fault_in(_body(operation, response))
        if status != requests.codes.server_error:
            raise ContractBroken(f"{operation} answered a fault with HTTP status {status} instead of 500")
        wanted = self._contract.status_of(operation, fault.code, fault.message)
        blamed = "Server" if wanted >= requests.codes.server_error else "Client"
        if fault.blamed != f"{{{ENVELOPE}}}{blamed}":
            raise ContractBroken(f"{operation} refused {fault.code} with the faultcode {fault.blamed}, not {blamed}")
        return Refused(fault.code, fault.message, response.text)

    def _neutral(self, element: Element, schema: Mapping[str, Any]) -> object:
        """Return the element's content in the form of JSON, whose types the contract knows; None where it is nil."""
        if element.get(NIL) in {"true", "1"}:
            return None
        schema = self._contract.resolved(schema)
        for choice in schema.get("oneOf", ()):
            resolved = self._contract.resolved(choice)
            if resolved.get("type") != "null":
                return self._neutral(element, resolved)
        if schema.get("type") == "object":
            return self._object(element, schema.get("properties", {}))
        text = element.text or ""
        if schema.get("type") not in {"integer", "boolean"}:
            return text
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if json.dumps(value) != text:  # XML Schema also takes "+1", "01", " 1" and, for true, "1"
            raise ContractBroken(f"'{text}' is not how {_local(element)} is written")
        return value

    def _object(self, element: Element, properties: Mapping[str, Any]) -> dict[str, object]:
        value: dict[str, object] = {}
        for key, schema in properties.items():
            name = self._elements.get(key, key)
            is_document = name.startswith("{")
            found = element.findall(name if is_document else f"{{{self._description.namespace}}}{name}")
            if is_document:
                value[key] = etree.tostring(found[0], encoding="unicode", with_tail=False) if found else None
                continue
            resolved = self._contract.resolved(schema)
            if resolved.get("type") == "array":
                value[key] = [self._neutral(one, resolved["items"]) for one in found]
            else:
                value[key] = self._neutral(found[0], resolved) if found else None
        return value

    def _check_zeep_reads(self, operation: str, response: requests.Response) -> None:
        """Raise ContractBroken when zeep, as strict as it comes, cannot make an object of the answer."""
        try:
            self._binding.process_reply(self._client, self._binding.get(operation), response)
        except Exception as error:
            raise ContractBroken(f"{operation} answered what zeep cannot read: {error}") from error


def _body(operation: str, response: requests.Response) -> Body:
    kind = response.headers.get("content-type", "")
    where = f"{operation} answered with HTTP status {response.status_code} and"
    if not is_of_type(kind, XML):
        raise ContractBroken(f"{where} Content-Type '{kind}' instead of {XML}: {response.text[:200]}")
    return Body(operation, parsed(response.content, where))


def _local(element: Element) -> str:
    return etree.QName(element).localname
