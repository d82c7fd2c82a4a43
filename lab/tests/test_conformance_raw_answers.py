"""Raw answers that mean the same have the same text; what an application is free to choose is not in it."""

from __future__ import annotations

import httpx
import pytest

from middlemark.conformance.execution.steps.raw_answer import said


def answer(status: int, kind: str, body: str, **headers: str) -> httpx.Response:
    """Return an answer as it comes over the wire."""
    request = httpx.Request("GET", "http://127.0.0.1:1234/services/soap")
    return httpx.Response(status, headers={"content-type": kind, **headers}, content=body.encode(), request=request)


FAULT = '<f xmlns="urn:a" xmlns:b="urn:b" b:x="1" y="2"><orderId>7</orderId></f>'
XML_OTHERWISE = (
    '<?xml version="1.0"?>\n<q:f xmlns:q="urn:a" y="2" p:x="1" xmlns:p="urn:b">\n <q:orderId>7</q:orderId>\n</q:f>'
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            answer(200, "application/json", '{"a": 1, "b": "ä"}'),
            answer(200, "Application/JSON", '{"b":"\\u00e4","a":1}'),
        ),
        (answer(500, "text/xml; charset=utf-8", FAULT), answer(500, "text/xml;charset=UTF-8", XML_OTHERWISE)),
        (answer(303, "text/html", "<a>See Other</a>", location="/"), answer(303, "", "", location="http://h:1/")),
        (answer(503, "text/plain", "no route to host"), answer(503, "text/plain", "the database is gone")),
    ],
)
def test_what_means_the_same_is_the_same_text(one: httpx.Response, other: httpx.Response) -> None:
    assert said(one) == said(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (answer(200, "application/json", '{"a": 1}'), answer(200, "application/json", '{"a": "1"}')),
        (answer(200, "application/json", '{"a": 1'), answer(200, "application/json", '{"a" : 1')),
        (answer(200, "text/xml", FAULT), answer(200, "text/xml", FAULT.replace("urn:a", "urn:c"))),
        (answer(200, "text/xml", FAULT), answer(200, "text/xml", FAULT.replace(">7<", ">8<"))),
        (answer(200, "text/xml", FAULT), answer(200, "text/xml", FAULT.replace('b:x="1"', 'x="1"'))),
        (answer(303, "", "", location="/"), answer(303, "", "", location="/home")),
        (answer(200, "text/plain", "ok"), answer(200, "text/plain", "OK")),
        (answer(400, "text/plain", ""), answer(404, "text/plain", "")),
    ],
)
def test_what_a_client_can_tell_apart_is_another_text(one: httpx.Response, other: httpx.Response) -> None:
    assert said(one) != said(other)
