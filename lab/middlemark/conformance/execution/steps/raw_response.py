"""A raw response as a text that equal applications have in common: what the specification decides, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
from lxml import etree

from middlemark.conformance.execution.steps.responses import location_of

_REDIRECTS = range(300, 400)
_FAILURES = range(500, 600)


def text_of_response(response: httpx.Response) -> str:
    """Return status, type, place and body; of a redirect only where it leads to.

    JSON and XML are written in one way, whatever blanks, prefixes and order of keys or attributes they came with. The
    reason of a failure in plain text is the application's own words.
    """
    if response.status_code in _REDIRECTS:
        return f"{response.status_code} {location_of(response) or ''}"
    kind = response.headers.get("content-type", "").lower().replace(" ", "")
    return f"{response.status_code} {kind} {_body(response, kind.partition(';')[0])}"


def _body(response: httpx.Response, kind: str) -> str:
    if kind == "text/plain" and response.status_code in _FAILURES:
        return ""
    text = response.text.replace(f"{response.request.url.host}:{response.request.url.port}", "HOST")
    if kind.endswith("json"):
        try:
            return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False)
        except ValueError:
            return text
    if kind.endswith("xml") and not kind.startswith("image"):
        try:
            root = etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))
        except etree.XMLSyntaxError:
            return text
        return "".join(_lines(root))
    return text


def _lines(element: etree._Element, around: str | None = None) -> Iterator[str]:
    """Yield an element; its name space only where it is not that of the element around it."""
    if not isinstance(element.tag, str):  # a comment or processing instruction, which nobody reads
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
