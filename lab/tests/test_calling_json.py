"""Operations are called over JSON, and an answer outside openapi.yaml is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from called_application import SPEC, WrongServer, wrong_server

from middlemark.conformance.execution.calling import ContractBroken, Performed, Refused, caller
from middlemark.errors import InputError

QUOTE = {
    "symbol": "s:1", "company": "C", "price": "89.19", "open": "89.19", "low": "89.19", "high": "89.19",
    "change": "0.00", "volume": 1,
}  # fmt: skip
PROBLEM = {
    "type": "about:blank", "title": "unknown_symbol", "status": 404, "detail": "There is no symbol s:9.",
    "code": "unknown_symbol",
}  # fmt: skip


@pytest.fixture
def wrong() -> Iterator[WrongServer]:
    """Give a server whose answers the test makes."""
    with wrong_server() as server:
        yield server


def response_of(server: WrongServer, operation: str = "getQuote") -> Performed | Refused:
    """Return what a call gives."""
    calling = caller(SPEC, "json", server.address)
    try:
        return calling.call(operation, {"symbol": "s:1"} if operation == "getQuote" else {})
    finally:
        calling.close()


def test_an_operation_the_specification_does_not_have_is_the_case_s_fault(wrong: WrongServer) -> None:
    with pytest.raises(InputError, match="Did you mean 'getQuote'"):
        response_of(wrong, "getQuot")


def test_a_response_as_described_is_taken_also_from_another_server(wrong: WrongServer) -> None:
    wrong.body = json.dumps(QUOTE).encode()
    wrong.content_type = "application/json; charset=utf-8"
    assert response_of(wrong) == Performed(QUOTE, len(wrong.body))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({**QUOTE, "price": 89.19}, "89.19 is not a whole number"),
        ({**QUOTE, "price": "89.2"}, "at price"),
        ({**QUOTE, "price": "089.20"}, "at price"),
        ({**QUOTE, "volume": "1"}, "at volume"),
        ({**QUOTE, "volume": 2**63}, "int64"),
        ({**QUOTE, "trades": 1}, "'trades' was unexpected"),
        ({key: value for key, value in QUOTE.items() if key != "low"}, "'low' is a required property"),
        ({**QUOTE, "company": None}, "at company"),
        ([QUOTE], "a body that is not an object"),
    ],
)
def test_a_response_that_openapi_does_not_allow_is_reported(wrong: WrongServer, body: object, text: str) -> None:
    wrong.body = json.dumps(body).encode()
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b'{"a": 1, "a": 1}', "application/json", "a key stands there twice"),
        (b"{", "application/json", "a body that is wrong"),
        (b'{"symbol": "\xff"}', "application/json", "a body that is wrong"),
        (json.dumps(QUOTE).encode(), "text/json", "Content-Type 'text/json'"),
        (json.dumps(QUOTE).encode(), "application/json; charset=iso-8859-1", "Content-Type"),
    ],
)
def test_a_response_that_is_not_json_is_reported(wrong: WrongServer, body: bytes, content_type: str, text: str) -> None:
    wrong.body, wrong.content_type = body, content_type
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


@pytest.mark.parametrize(
    ("problem", "status", "text"),
    [
        (PROBLEM, 400, "status 400"),
        (PROBLEM, 418, "status 418, which it must not"),
        ({**PROBLEM, "status": 400}, 404, "at status"),
        ({**PROBLEM, "title": "unknown_user"}, 404, "differ"),
        ({**PROBLEM, "code": "nothing_there", "title": "nothing_there"}, 404, "at code"),
        ({**PROBLEM, "instance": "/x"}, 404, "'instance' was unexpected"),
        ({"code": "unknown_symbol"}, 404, "required"),
    ],
)
def test_a_refusal_outside_the_contract_is_reported(
    wrong: WrongServer, problem: dict[str, object], status: int, text: str
) -> None:
    wrong.status, wrong.content_type, wrong.body = status, "application/problem+json", json.dumps(problem).encode()
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


def test_a_refusal_that_is_not_a_problem_document_is_reported(wrong: WrongServer) -> None:
    wrong.status, wrong.body = 404, json.dumps(PROBLEM).encode()
    with pytest.raises(ContractBroken, match="instead of application/problem"):
        response_of(wrong)


def test_a_code_that_the_operation_does_not_have_is_reported(wrong: WrongServer) -> None:
    wrong.status, wrong.content_type, wrong.body = 404, "application/problem+json", json.dumps(PROBLEM).encode()
    with pytest.raises(ContractBroken, match="status 404, which it must not"):
        response_of(wrong, "ping")


def test_a_response_to_a_request_that_must_be_refused_is_reported(wrong: WrongServer) -> None:
    wrong.body = json.dumps(QUOTE).encode()
    calling = caller(SPEC, "json", wrong.address)
    with pytest.raises(ContractBroken, match=r"answered a request that has .* at symbol"):
        calling.call("getQuote", {"symbol": "x" * 21})
    calling.close()


def test_no_response_is_reported() -> None:
    calling = caller(SPEC, "json", "http://127.0.0.1:1")
    with pytest.raises(ContractBroken, match="was not answered"):
        calling.call("ping", {})
    calling.close()
