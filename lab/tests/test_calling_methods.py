"""Operations are called by the method and path of their OpenAPI contract, and a message names the request sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from small_shop import ONE_TIER, specification

from middlemark.conformance.cases.suite import study_cases
from middlemark.conformance.execution.calling import ContractBroken, NoResponse, Performed, Refused, Unread, caller
from middlemark.errors import InputError
from middlemark.specification.specification import Specification

INTERFACE = """
[interfaces.json]
tier = "site"
contract = "openapi"
file = "prices.yaml"
path = "/api"
"""

CONTRACT = """
openapi: 3.1.0
info: {title: Prices, version: "1"}
paths:
  /price/{n}:
    parameters:
      - {name: n, in: path, required: true, schema: {type: integer}}
    get:
      operationId: price
      parameters:
        - {name: currency, in: query, schema: {type: string}}
        - {name: tag, in: query, schema: {type: array}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Price"}}}}
        "404": {$ref: "#/components/responses/Refused"}
    put:
      operationId: setPrice
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Price"}}}}
      responses:
        "201": {description: Made., content: {application/json: {schema: {type: object}}}}
        4XX: {$ref: "#/components/responses/Refused"}
    delete:
      operationId: dropPrice
      responses: {"204": {description: Gone.}}
components:
  schemas:
    Price: {type: object, required: [cents], properties: {cents: {type: integer}}}
  responses:
    Refused: {description: No., content: {application/problem+json: {schema: {type: object}}}}
"""

Sent = tuple[str, str, str, str]


class Prices:
    """A server that knows one response; `sent` are the requests: method, path, body and header X-Trace."""

    def __init__(self) -> None:
        self.status, self.kind, self.body = 200, "application/json", b'{"cents": 5}'
        self.sent: list[Sent] = []
        self.address = ""


@pytest.fixture
def prices() -> Iterator[Prices]:
    """Give the running server."""
    known = Prices()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            known.sent.append((self.command, self.path, sent, self.headers.get("X-Trace", "")))
            body = known.body  # the test may set the next one as soon as the headers have arrived
            self.send_response(known.status)
            self.send_header("Content-Type", known.kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_PUT = do_DELETE = do_GET  # noqa: N815 (the names http.server calls)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        known.address = f"http://127.0.0.1:{server.server_port}"
        yield known
        server.shutdown()


@pytest.fixture
def spec(tmp_path: Path) -> Specification:
    """Give a specification whose operations have methods and parameters."""
    found = specification(tmp_path, ONE_TIER + INTERFACE)
    (found.folder / "prices.yaml").write_text(CONTRACT, encoding="utf-8")
    return found


def test_a_parameter_goes_where_the_contract_has_it_and_nothing_else_is_sent(
    prices: Prices, spec: Specification
) -> None:
    calling = caller(spec, "json", prices.address)
    request = {"n": 7, "currency": "€ & $", "tag": ["a", "b"], "X-Trace": "t1"}
    assert calling.call("price", request) == Performed({"cents": 5}, 12)
    assert calling.call("price", {"n": "a/b"}) == Performed({"cents": 5}, 12)
    calling.close()
    assert prices.sent == [
        ("GET", "/api/price/7?currency=%E2%82%AC+%26+%24&tag=a&tag=b", "", "t1"),
        ("GET", "/api/price/a%2Fb", "", ""),
    ]


def test_what_is_no_parameter_is_the_body_and_every_status_of_the_contract_that_performs_counts(
    prices: Prices, spec: Specification
) -> None:
    calling = caller(spec, "json", prices.address)
    prices.status = 201
    assert calling.call("setPrice", {"n": 7, "cents": 9}) == Performed({"cents": 5}, 12)
    prices.status, prices.body = 204, b""
    assert calling.call("dropPrice", {"n": 7}) == Performed({}, 0)
    prices.status, prices.kind = 409, "application/problem+json"
    prices.body = json.dumps({"code": "stale", "detail": "It is stale."}).encode()
    assert calling.call("setPrice", {"n": 7, "cents": 9}) == Refused("stale", "It is stale.")
    calling.close()
    assert [(method, path, body) for method, path, body, _ in prices.sent] == [
        ("PUT", "/api/price/7", '{"cents": 9}'),
        ("DELETE", "/api/price/7", ""),
        ("PUT", "/api/price/7", '{"cents": 9}'),
    ]


def test_a_response_outside_the_contract_names_the_request_that_was_sent(prices: Prices, spec: Specification) -> None:
    calling = caller(spec, "json", prices.address)
    prices.body = b'{"cents": "5"}'
    with pytest.raises(ContractBroken, match=r"^GET /api/price/7\?currency=x: price answered something else"):
        calling.call("price", {"n": 7, "currency": "x"})
    prices.status, prices.kind = 404, "text/plain"
    result = calling.call("price", {"n": 7})
    assert isinstance(result, Unread)
    assert result.broken.startswith("GET /api/price/7: price answered with HTTP status 404")
    prices.kind, prices.body = "application/problem+json", b'{"detail": "It is not there."}'
    result = calling.call("price", {"n": 7})
    assert isinstance(result, Unread)
    assert result.broken.endswith("a problem without 'code'")
    calling.close()
    nobody = caller(spec, "json", "http://127.0.0.1:1")
    with pytest.raises(NoResponse, match=r"^DELETE /api/price/7: dropPrice was not answered"):
        nobody.call("dropPrice", {"n": 7})
    nobody.close()


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("{currency: x}", "price is GET /price/{n}: the request has no 'n'"),
        ("{n: 7, curency: x}", "'curency' is not a parameter. Did you mean 'currency'?"),
    ],
)
def test_a_case_whose_request_the_method_and_path_cannot_express_is_wrong_itself(
    spec: Specification, request_: str, text: str
) -> None:
    folder = spec.folder / "cases"
    folder.mkdir()
    (folder / "prices.yaml").write_text(
        f"version: 1\ncases:\n  - name: A price is known.\n    steps:\n      - call: price\n        with: {request_}\n"
    )
    (mistake,) = study_cases(spec).mistakes
    assert text in str(mistake)
    assert mistake.where.endswith("prices.yaml:5")


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("in: query", "in: cookie", "the parameter 'currency' is in cookie"),
        ("components:", "others:", "'#/components/schemas/Price' does not exist in this file"),
        ("paths:", "ways:", "expected `paths` of methods"),
        ("openapi: 3.1.0", "openapi: {", "prices.yaml:"),
    ],
)
def test_a_wrong_contract_is_named_with_its_mistake(
    prices: Prices, spec: Specification, before: str, after: str, text: str
) -> None:
    (spec.folder / "prices.yaml").write_text(CONTRACT.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        caller(spec, "json", prices.address).call("price", {"n": 7})
    assert text in str(error.value)
    assert "prices.yaml" in error.value.where
