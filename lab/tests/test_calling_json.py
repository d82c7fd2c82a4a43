"""Operations are called over JSON, and an answer outside openapi.yaml is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from called_application import SPEC, WrongServer, wrong_server

from middlemark.conformance.execution.calling import (
    ContractBroken,
    NoResponse,
    Performed,
    Refused,
    Result,
    Unread,
    caller,
)
from middlemark.errors import InputError

QUOTE = {
    "symbol": "s:1", "company": "C", "price": "89.19", "open": "89.19", "low": "89.19", "high": "89.19",
    "change": "0.00", "volume": 1,
}  # fmt: skip
PROBLEM = {"status": 404, "detail": "There is no symbol s:9.", "code": "unknown_symbol"}


@pytest.fixture
def wrong() -> Iterator[WrongServer]:
    """Give a server whose answers the test makes."""
    with wrong_server() as server:
        yield server


def response_of(server: WrongServer, operation: str = "getQuote") -> Result:
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
    for content_type in ("application/json; charset=utf-8", 'application/json;charset="UTF-8"; profile=x'):
        wrong.content_type = content_type
        assert response_of(wrong) == Performed(QUOTE, len(wrong.body))


def test_a_refusal_may_have_more_members_than_the_contract_asks_for(wrong: WrongServer) -> None:
    wrong.status, wrong.content_type = 404, "application/problem+json"
    for problem in (PROBLEM, {**PROBLEM, "type": "about:blank", "title": "Not Found", "instance": "/x"}):
        wrong.body = json.dumps(problem).encode()
        assert response_of(wrong) == Refused("unknown_symbol", "There is no symbol s:9.")


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
        ({**PROBLEM, "code": "nothing_there"}, 404, "at code"),
        ({"code": "unknown_symbol"}, 404, "required"),
    ],
)
def test_a_refusal_of_another_form_counts_as_one_of_malformed_input(
    wrong: WrongServer, problem: dict[str, object], status: int, text: str
) -> None:
    wrong.status, wrong.content_type, wrong.body = status, "application/problem+json", json.dumps(problem).encode()
    result = response_of(wrong)
    assert isinstance(result, Unread)
    assert text in result.broken
    assert result.shown == wrong.body.decode()


def test_a_refusal_that_is_not_a_problem_document_counts_as_one_of_malformed_input(wrong: WrongServer) -> None:
    wrong.status, wrong.body = 404, json.dumps(PROBLEM).encode()
    result = response_of(wrong)
    assert isinstance(result, Unread)
    assert "instead of application/problem" in result.broken


@pytest.mark.parametrize("status", [302, 500, 503])
def test_what_blames_no_client_and_is_not_in_the_contract_is_reported(wrong: WrongServer, status: int) -> None:
    wrong.status, wrong.body = status, json.dumps({**PROBLEM, "status": status}).encode()
    with pytest.raises(ContractBroken, match="instead of application/problem"):
        response_of(wrong)
    wrong.content_type = "application/problem+json"
    with pytest.raises(ContractBroken, match=f"{status}"):
        response_of(wrong)


def test_a_code_that_the_operation_does_not_have_is_not_in_the_contract(wrong: WrongServer) -> None:
    wrong.status, wrong.content_type, wrong.body = 404, "application/problem+json", json.dumps(PROBLEM).encode()
    result = response_of(wrong, "ping")
    assert isinstance(result, Unread)
    assert "status 404, which it must not" in result.broken


def test_a_request_outside_the_contract_may_be_read(wrong: WrongServer) -> None:
    wrong.body = json.dumps(QUOTE).encode()
    calling = caller(SPEC, "json", wrong.address)
    assert calling.call("getQuote", {"symbol": "x" * 21}) == Performed(QUOTE, len(wrong.body))
    calling.close()


def test_no_response_is_reported() -> None:
    calling = caller(SPEC, "json", "http://127.0.0.1:1")
    with pytest.raises(NoResponse, match="was not answered"):
        calling.call("ping", {})
    calling.close()
