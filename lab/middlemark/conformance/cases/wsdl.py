"""A WSDL as an OpenAPI contract, for a tier that has no other contract.

The WSDL's XML Schema judges what is sent over the wire, to the last digit. The contract has the structure and the types
of values: by these a response gets the form of JSON in which cases compare it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zeep
from lxml import etree

from middlemark.conformance.cases.caller import FAILURES
from middlemark.conformance.cases.contract import JSON, PROBLEM, Contract, Schema
from middlemark.errors import InputError

ZEEP: Any = zeep  # annotated in places only
CLIENT, SERVER = "400", "500"
ALSO_OPENAPI = "Describe the tier by an OpenAPI contract, too"


@dataclass(frozen=True)
class Description:
    """A WSDL: its bytes, zeep's view of it (shared by all callers), and its name space."""

    content: bytes
    document: Any
    namespace: str


@functools.cache
def description(path: Path) -> Description:
    """A WSDL, read once."""
    if not path.is_file():
        raise InputError("the WSDL is missing", where=str(path))
    document = ZEEP.wsdl.Document(str(path), ZEEP.Transport(), settings=ZEEP.Settings(raw_response=True))
    return Description(path.read_bytes(), document, etree.parse(path).getroot().get("targetNamespace") or "")


def wsdl_contract(path: Path) -> Contract:
    """The contract of a WSDL; InputError for several bindings, and for types that have no form in JSON in cases."""
    binding, *others = description(path).document.bindings.values()
    if others:
        raise InputError(
            f"{len(others) + 1} bindings: cases call operations by one",
            where=str(path),
            todo="Keep the one of SOAP 1.1, document/literal",
        )
    types = _Types(path)
    paths = {f"/{name}": {"post": _operation(name, one, types)} for name, one in binding.all().items()}
    return Contract(path, {"paths": paths, "components": {"schemas": types.schemas}})


def _operation(name: str, described: Any, types: _Types) -> Schema:
    """An operation with every code of a fault: the WSDL has none, specs/README.md those that blame the server."""
    failures = list(FAILURES)
    refusals = {CLIENT: {"not": {"enum": failures}}, SERVER: {"enum": failures}}
    problems = {
        status: {"content": {PROBLEM: {"schema": {"type": "object", "properties": {"code": code}}}}}
        for status, code in refusals.items()
    }
    performed = {"200": {"content": {JSON: {"schema": types.of(described.output.body.type)}}}}
    body = {"content": {JSON: {"schema": types.of(described.input.body.type)}}}
    return {"operationId": name, "requestBody": body, "responses": performed | problems}


class _Types:
    """The types of a WSDL as JSON Schemas; `schemas` has the complex ones by name, because they may be recursive."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.schemas: dict[str, dict[str, object]] = {}
        self._names: dict[int, str] = {}

    def of(self, kind: Any) -> Schema:
        """The schema of a type."""
        xsd = ZEEP.xsd
        if isinstance(kind, xsd.ComplexType):
            return {"$ref": f"#/components/schemas/{self._name(kind)}"}
        # The types of whole numbers are subclasses, as xs:int.
        if isinstance(kind, xsd.Integer):
            return {"type": "integer"}
        if isinstance(kind, xsd.Boolean):
            return {"type": "boolean"}
        if isinstance(kind, xsd.DateTime):
            return {"type": "string", "format": "date-time"}
        return {"type": "string"}

    def _name(self, kind: Any) -> str:
        if id(kind) not in self._names:
            self._names[id(kind)] = name = f"{kind.name or 'type'}-{len(self._names) + 1}"
            self.schemas[name] = {}
            elements = dict(self._elements(kind))
            needed = [key for key, one in elements.items() if not one.is_optional and not one.accepts_multiple]
            self.schemas[name] |= {
                "type": "object",
                "properties": {key: self._element(one) for key, one in elements.items()},
                "required": needed,
                "additionalProperties": False,
            }
        return self._names[id(kind)]

    def _elements(self, kind: Any) -> Iterator[tuple[str, Any]]:
        if kind.attributes:
            what = f"{kind.name} has attributes, which cases cannot name"
            raise InputError(what, where=str(self._path), todo=ALSO_OPENAPI)
        for name, element in kind.elements:
            if not isinstance(element, ZEEP.xsd.Element):
                what = f"{kind.name} has xsd:{type(element).__name__.lower()}, of which cases cannot name a part"
                raise InputError(what, where=str(self._path), todo=ALSO_OPENAPI)
            yield name, element

    def _element(self, element: Any) -> Schema:
        schema = self.of(element.type)
        if element.accepts_multiple:
            return {"type": "array", "items": schema}
        return {"oneOf": [schema, {"type": "null"}]} if element.is_optional or element.nillable else schema
