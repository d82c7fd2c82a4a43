"""A raw response as a text that equal applications have in common: what the specification decides, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
from lxml import etree

from middlemark.conformance.cases.selector import NAME_SPACES
from middlemark.conformance.execution.steps.responses import location_of

_REDIRECTS = range(300, 400)
_FIRST_ERROR = 400
_FAULT = f"{{{NAME_SPACES['soap']}}}Fault"
_HEADER = f"{{{NAME_SPACES['soap']}}}Header"
_WSDL = f"{{{NAME_SPACES['wsdl']}}}definitions"


def text_of_response(response: httpx.Response) -> str:
    """Return status, type, place and body; of a redirect only where it leads to, of a refusal whose fault it is.

    JSON and XML are written in one way, whatever blanks, prefixes and order of keys or attributes they came with. How a
    WSDL is written is open, and so are the words of a refusal: a case looks at those that the specification decides.
    """
    if response.status_code in _REDIRECTS:
        return f"{response.status_code} {location_of(response) or ''}"
    kind = media_type(response)
    if response.status_code >= _FIRST_ERROR:
        return f"{response.status_code} {_refusal(response, kind)}"
    return f"{response.status_code} {_body(response, kind)}"


def media_type(response: httpx.Response) -> str:
    """Return the media type of a response in lower case, without parameters."""
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def _refusal(response: httpx.Response, kind: str) -> str:
    """Return the fault code of a SOAP fault without its prefix, nothing of any other refusal."""
    root = _xml(response.text) if kind.endswith("xml") else None
    fault = None if root is None else next(root.iter(_FAULT), None)
    return "" if fault is None else fault.findtext("faultcode", "").rpartition(":")[2]


def _body(response: httpx.Response, kind: str) -> str:
    text = response.text.replace(f"{response.request.url.host}:{response.request.url.port}", "HOST")
    if kind.endswith("json"):
        value = _json(text)
        return f"{kind} {text if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False)}"
    root = _xml(text) if kind.endswith("xml") and not kind.startswith("image") else None
    if root is None:
        return f"{kind} {text}"
    return "a WSDL" if root.tag == _WSDL else f"{kind} {''.join(_lines(root))}"


def _json(text: str) -> object:
    """Return what a JSON text holds, None when it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _xml(text: str) -> etree._Element | None:
    """Return the root of an XML text, None when it is none."""
    try:
        return etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return None


def _lines(element: etree._Element, around: str | None = None) -> Iterator[str]:
    """Yield an element, nothing of a comment; its name space only where it is not that of the element around it."""
    if not isinstance(element.tag, str) or _is_empty_header(element):
        return
    name = etree.QName(element)
    attributes = sorted((str(key), str(value)) for key, value in element.attrib.items())
    if name.namespace != around:
        attributes.insert(0, ("xmlns", name.namespace or ""))
    yield f"<{name.localname}{''.join(f' {key}={value!r}' for key, value in attributes)}>"
    yield (element.text or "").strip()
    for child in element:
        yield from _lines(child, name.namespace)
        yield (child.tail or "").strip()
    yield f"</{name.localname}>"


def _is_empty_header(element: etree._Element) -> bool:
    """Say whether it is an empty SOAP header, which applications write or leave out."""
    return element.tag == _HEADER and not len(element)
