"""Raw responses that mean the same have the same text; what an application is free to choose is not in it."""

from __future__ import annotations

import httpx
import pytest

from middlemark.conformance.execution.steps.raw_response import text_of_response


def response(status: int, kind: str, body: str, **headers: str) -> httpx.Response:
    """Return a response as it comes over the wire."""
    request = httpx.Request("GET", "http://127.0.0.1:1234/services/soap")
    return httpx.Response(status, headers={"content-type": kind, **headers}, content=body.encode(), request=request)


BODY = '<f xmlns="urn:a" xmlns:b="urn:b" b:x="1" y="2"><orderId>7</orderId></f>'
XML_OTHERWISE = (
    '<?xml version="1.0"?>\n<q:f xmlns:q="urn:a" y="2" p:x="1" xmlns:p="urn:b">\n <q:orderId>7</q:orderId>\n</q:f>'
)


FAULT = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>s:Client</faultcode>'
    "<faultstring>There is no symbol x.</faultstring><detail><code>unknown_symbol</code></detail></e:Fault>"
    "</e:Body></e:Envelope>"
)
WSDL = '<d:definitions xmlns:d="http://schemas.xmlsoap.org/wsdl/"></d:definitions>'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            response(200, "application/json", '{"a": 1, "b": "ä"}'),
            response(200, "Application/JSON", '{"b":"\\u00e4","a":1}'),
        ),
        (response(200, "text/xml; charset=utf-8", BODY), response(200, "text/xml;charset=UTF-8", XML_OTHERWISE)),
        (response(500, "text/xml", FAULT), response(500, "application/xml", FAULT.replace("s:Client", "x:Client"))),
        (response(500, "text/xml", FAULT), response(500, "text/xml", FAULT.replace("no symbol", "any symbol"))),
        (
            response(404, "application/problem+json", '{"status": 404, "detail": "d", "code": "c"}'),
            response(404, "application/problem+json", '{"status": 404, "detail": "e", "code": "c"}'),
        ),
        (
            response(200, "text/xml", FAULT),
            response(200, "text/xml", FAULT.replace("<e:Body>", "<e:Header/><e:Body>")),
        ),
        (response(404, "text/html", "<h1>Not Found</h1>"), response(404, "", "")),
        (response(200, "text/xml", WSDL), response(200, "application/xml", WSDL.replace("></", "><d:types/></"))),
        (response(303, "text/html", "<a>See Other</a>", location="/"), response(303, "", "", location="http://h:1/")),
        (response(503, "text/plain", "no route to host"), response(503, "text/plain", "the database is gone")),
    ],
)
def test_what_means_the_same_is_the_same_text(one: httpx.Response, other: httpx.Response) -> None:
    assert text_of_response(one) == text_of_response(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (response(200, "application/json", '{"a": 1}'), response(200, "application/json", '{"a": "1"}')),
        (response(200, "application/json", '{"a": 1'), response(200, "application/json", '{"a" : 1')),
        (response(200, "text/xml", BODY), response(200, "text/xml", BODY.replace("urn:a", "urn:c"))),
        (response(200, "text/xml", BODY), response(200, "text/xml", BODY.replace(">7<", ">8<"))),
        (response(200, "text/xml", BODY), response(200, "text/xml", BODY.replace('b:x="1"', 'x="1"'))),
        (
            response(200, "text/xml", FAULT),
            response(200, "text/xml", FAULT.replace("<e:Body>", "<e:Header><a/></e:Header><e:Body>")),
        ),
        (response(303, "", "", location="/"), response(303, "", "", location="/home")),
        (response(200, "text/plain", "ok"), response(200, "text/plain", "OK")),
        (response(400, "text/plain", ""), response(404, "text/plain", "")),
        (response(500, "text/xml", FAULT), response(500, "text/xml", FAULT.replace("Client", "Server"))),
    ],
)
def test_what_a_client_can_distinguish_is_another_text(one: httpx.Response, other: httpx.Response) -> None:
    assert text_of_response(one) != text_of_response(other)
