"""SOAP 1.1 envelopes: written for requests, and answers and faults found in them, read strictly."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

from middlemark.conformance.cases.caller import ContractBroken

ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
CLIENT_ERRORS = range(400, 500)
SERVER_ERROR = 500
SCHEMA = "{http://www.w3.org/2001/XMLSchema}schema"
IMPORT = "{http://www.w3.org/2001/XMLSchema}import"
# libxml2 makes its table of built-in types with the first schema of a process, and two threads at once break it.
_FIRST_SCHEMA = threading.Lock()
FAULT_ELEMENTS = ["faultcode", "faultstring", "detail"]

Element: TypeAlias = etree._Element  # noqa: SLF001 (lxml has no other name for it)


@dataclass(frozen=True)
class Body:
    """The operation that was answered, and the root of the XML that it was answered with."""

    operation: str
    root: Element

    @property
    def content(self) -> Element:
        """Return the one element in the envelope's body."""
        parts = [part for part in self.root if isinstance(part.tag, str)]
        names = [part.tag for part in parts if part.tag != f"{{{ENVELOPE}}}Header"]
        if self.root.tag != f"{{{ENVELOPE}}}Envelope" or names != [f"{{{ENVELOPE}}}Body"]:
            raise ContractBroken(
                f"{self.operation} did not answer a SOAP 1.1 envelope with one body: {_shown(self.root)}"
            )
        inside = [part for part in parts[-1] if isinstance(part.tag, str)]
        if len(inside) != 1:
            raise ContractBroken(f"{self.operation} answered a body with {len(inside)} elements instead of one")
        return inside[0]


@dataclass(frozen=True)
class Fault:
    """A fault: the error code, the message, and whom the faultcode blames, as {name space}name."""

    code: str
    message: str
    blamed: str


def parsed(content: bytes, where: str) -> Element:
    """Return the root of well-formed XML without document type; ContractBroken names `where` it is not."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise ContractBroken(f"{where} a body that is not XML: {error}") from error
    if b"<!DOCTYPE" in content:
        raise ContractBroken(f"{where} XML with a document type")
    return root


def schema_of(wsdl: bytes) -> etree.XMLSchema:
    """The schema of a WSDL, which may import others in it; any thread may make it."""
    first, *others = parsed(wsdl, "the WSDL").iter(SCHEMA)
    known = {str(one.get("targetNamespace")): etree.tostring(one) for one in others}
    for imported in first.iter(IMPORT):
        imported.set("schemaLocation", imported.get("namespace", ""))
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_Inside(known))
    with _FIRST_SCHEMA:
        return etree.XMLSchema(etree.fromstring(etree.tostring(first), parser))


class _Inside(etree.Resolver):
    """Finds the schemas of a WSDL by their name spaces."""

    def __init__(self, known: Mapping[str, bytes]) -> None:
        self._known = known

    def resolve(self, system_url: str, public_id: str, context: Any = None) -> Any:  # noqa: ARG002 (lxml's names)
        """See lxml."""
        return self.resolve_string(self._known[system_url], context) if system_url in self._known else None  # type: ignore[call-arg]


def response_in(body: Body, namespace: str, schema: etree.XMLSchema) -> Element:
    """Return the response's element, which the WSDL's schema allows to the last element and digit."""
    element = body.content
    if element.tag != f"{{{namespace}}}{body.operation}Response":
        raise ContractBroken(f"{body.operation} answered with HTTP status 200 and the element {element.tag}")
    copy = etree.fromstring(etree.tostring(element, with_tail=False))
    try:
        schema.assertValid(copy)
    except etree.DocumentInvalid as error:
        raise ContractBroken(f"{body.operation} answered something else than the WSDL allows: {error}") from error
    return copy


def fault_in(body: Body) -> Fault:
    """Return the fault; ContractBroken when it is not one of the specification."""
    fault = body.content
    children = [child for child in fault if isinstance(child.tag, str) and child.tag != "faultactor"]
    if fault.tag != f"{{{ENVELOPE}}}Fault" or [child.tag for child in children] != FAULT_ELEMENTS:
        raise ContractBroken(f"{body.operation} did not answer a fault of {', '.join(FAULT_ELEMENTS)}: {_shown(fault)}")
    faultcode, faultstring, detail = children
    codes = detail.findall("code")
    if len(codes) != 1 or len(codes[0]):
        raise ContractBroken(f"{body.operation} answered a fault whose detail has not one code: {_shown(fault)}")
    prefix, colon, name = (faultcode.text or "").strip().rpartition(":")
    blamed = f"{{{faultcode.nsmap.get(prefix if colon else None)}}}{name}"
    return Fault(codes[0].text or "", faultstring.text or "", blamed)


def blames_client(status: int, content: bytes) -> bool:
    """Say whether an HTTP response refuses what the client has sent: a 4xx, or a 500 whose fault blames it."""
    if status != SERVER_ERROR:
        return status in CLIENT_ERRORS
    try:
        root = parsed(content, "a fault with")
    except ContractBroken:
        return False
    codes = root.findall(f"{{{ENVELOPE}}}Body/{{{ENVELOPE}}}Fault/faultcode")
    return len(codes) == 1 and (codes[0].text or "").strip().rpartition(":")[2].partition(".")[0] not in {"", "Server"}


def written(operation: str, namespace: str, request: Mapping[str, object]) -> bytes:
    """Return an envelope for any keys with texts, numbers and lists of them; what is None is left out.

    A key {name space}name has the text of a document with that root. Raises ValueError for what XML cannot hold.
    """
    root = etree.Element(f"{{{ENVELOPE}}}Envelope", nsmap={"soap": ENVELOPE, "m": namespace})
    wrapper = etree.SubElement(etree.SubElement(root, f"{{{ENVELOPE}}}Body"), f"{{{namespace}}}{operation}")
    for key, value in request.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, list | Mapping | float):
                raise ValueError(f"{one!r} in {key}")  # noqa: TRY004 (the one error a caller of this expects)
            if key.startswith("{"):
                wrapper.append(_root(key, one))
            elif one is not None:
                etree.SubElement(wrapper, f"{{{namespace}}}{key}").text = _text(one)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _root(name: str, document: object) -> Element:
    try:
        root = etree.fromstring(str(document).encode())
    except etree.XMLSyntaxError as error:
        raise ValueError(f"a text that is not XML: {error}") from error
    if root.tag != name:
        raise ValueError(f"a document with the root {root.tag}, which is not {name}")
    return root


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(element: Element) -> str:
    return etree.tostring(element, encoding="unicode", with_tail=False)[:300]
