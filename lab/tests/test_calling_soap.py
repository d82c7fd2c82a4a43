"""Operations are called over SOAP, and an answer outside the WSDL is reported."""

from __future__ import annotations

import re
import subprocess
import sys
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

ENVELOPE = (
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>{}</soap:Body></soap:Envelope>'
)
HEADER = '<soap:Header><x xmlns="urn:x"/></soap:Header><soap:Body>'
NAMESPACE = "urn:middlemark:brokerage:1"
QUOTE = {
    "symbol": "s:1", "company": "C", "price": "89.19", "open": "89.19", "low": "89.19", "high": "89.19",
    "change": "0.00", "volume": "1",
}  # fmt: skip
ORDER = (
    "<orders><orderId>7</orderId><type>buy</type><status>open</status><symbol>s:1</symbol><quantity>1</quantity>"
    "<price>1.00</price><fee>24.95</fee><total>25.95</total><openTime>2026-01-31T08:00:00.123456Z</openTime></orders>"
)


@pytest.fixture
def wrong() -> Iterator[WrongServer]:
    """Give a server with the right WSDL, whose answers the test makes."""
    with wrong_server() as server:
        server.described = (SPEC.folder / "brokerage.wsdl").read_bytes()
        server.described = server.described.replace(b"http://127.0.0.1:8080", server.address.encode())
        server.content_type = "text/xml; charset=utf-8"
        yield server


def quote(**other: str) -> str:
    """Return the answer of getQuote, with other elements where given."""
    elements = "".join(f"<{name}>{text}</{name}>" for name, text in {**QUOTE, **other}.items())
    return f'<getQuoteResponse xmlns="{NAMESPACE}">{elements}</getQuoteResponse>'


def fault(code: str, message: str = "There is no symbol s:1.", blamed: str = "soap:Client") -> str:
    """Return a fault as the specification has it."""
    return (
        f"<soap:Fault><faultcode>{blamed}</faultcode><faultstring>{message}</faultstring>"
        f"<detail><code>{code}</code></detail></soap:Fault>"
    )


def response_of(server: WrongServer, operation: str = "getQuote", request: dict[str, object] | None = None) -> Result:
    """Return what a call gives."""
    calling = caller(SPEC, "soap", server.address)
    try:
        return calling.call(operation, request or {"symbol": "s:1"})
    finally:
        calling.close()


def test_a_response_has_the_values_and_types_of_the_json_contract(wrong: WrongServer) -> None:
    wrong.body = ENVELOPE.format(quote()).encode()
    assert response_of(wrong) == Performed({**QUOTE, "volume": 1}, len(wrong.body))


def test_what_is_left_out_of_a_response_is_none_and_what_is_repeated_a_list(wrong: WrongServer) -> None:
    element = f'<getOrdersResponse xmlns="{NAMESPACE}">{ORDER}</getOrdersResponse>'
    wrong.body = ENVELOPE.format(element).encode()
    orders = response_of(wrong, "getOrders", {"userId": "uid:1", "limit": 1})
    assert isinstance(orders, Performed)
    assert orders.value == {
        "orders": [
            {
                "orderId": 7, "type": "buy", "status": "open", "symbol": "s:1", "quantity": 1, "price": "1.00",
                "fee": "24.95", "total": "25.95", "openTime": "2026-01-31T08:00:00.123456Z", "completionTime": None,
                "holdingId": None,
            }
        ]
    }  # fmt: skip
    wrong.body = ENVELOPE.format(f'<getOrdersResponse xmlns="{NAMESPACE}"/>').encode()
    none = response_of(wrong, "getOrders", {"userId": "uid:1", "limit": 1})
    assert isinstance(none, Performed)
    assert none.value == {"orders": []}


def test_a_fault_is_a_refusal_with_its_code(wrong: WrongServer) -> None:
    wrong.status, wrong.body = 500, ENVELOPE.format(fault("unknown_symbol")).encode()
    assert response_of(wrong) == Refused("unknown_symbol", "There is no symbol s:1.")


@pytest.mark.parametrize(
    ("element", "text"),
    [
        (quote(price="89.2"), "price"),
        (quote(price="+89.20"), "price"),
        (quote(volume="-1"), "volume"),
        (quote(volume=" 1"), "not how volume is written"),
        (quote(volume="01"), "not how volume is written"),
        (quote(volume="1.0"), "volume"),
        (quote(symbol="x" * 21), "symbol"),
        (quote(trades="1"), "trades"),
        (quote().replace("<low>89.19</low>", ""), "high"),
        (quote().replace("<low>89.19</low>", "<low/>"), "low"),
        (
            quote().replace("<symbol>s:1</symbol><company>C</company>", "<company>C</company><symbol>s:1</symbol>"),
            "comp",
        ),
        (quote().replace("getQuoteResponse", "getQuotesResponse"), "the element"),
        (quote().replace(NAMESPACE, "urn:other"), "the element"),
        (quote() * 2, "2 elements"),
        ("", "0 elements"),
        (fault("unknown_symbol"), "with HTTP status 200 and the element"),
    ],
)
def test_a_response_that_the_wsdl_does_not_allow_is_reported(wrong: WrongServer, element: str, text: str) -> None:
    wrong.body = ENVELOPE.format(element).encode()
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


def test_a_time_in_another_form_is_reported(wrong: WrongServer) -> None:
    for form in ("2026-01-31T08:00:00.123Z", "2026-01-31T08:00:00.123456", "2026-01-31T09:00:00.123456+01:00"):
        order = ORDER.replace("2026-01-31T08:00:00.123456Z", form)
        wrong.body = ENVELOPE.format(f'<getOrdersResponse xmlns="{NAMESPACE}">{order}</getOrdersResponse>').encode()
        with pytest.raises(ContractBroken, match="openTime"):
            response_of(wrong, "getOrders", {"userId": "uid:1", "limit": 1})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"<soap:Envelope>", "not XML"),
        (b"<!DOCTYPE x>" + ENVELOPE.format(quote()).encode(), "document type"),
        (ENVELOPE.format(quote()).replace("xmlsoap.org", "w3.org").encode(), "did not answer a SOAP 1.1 envelope"),
        (quote().encode(), "did not answer a SOAP 1.1 envelope"),
    ],
)
def test_a_response_that_is_not_an_envelope_is_reported(wrong: WrongServer, content: bytes, text: str) -> None:
    wrong.body = content
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


@pytest.mark.parametrize(
    ("element", "status", "text"),
    [
        (fault("unknown_symbol"), 404, "status 404 instead of 500"),
        (fault("unavailable"), 500, "not Server"),
        (fault("unknown_symbol", blamed="Client"), 500, "not Client"),
        (fault("unknown_symbol", blamed="soap:VersionMismatch"), 500, "not Client"),
        (fault("user_exists"), 500, "which it must not"),
        (fault("nothing_there"), 500, "which it must not"),
        (fault("unknown_symbol").replace("<code>", '<code xmlns="urn:x">'), 500, "detail has not one code"),
        (fault("unknown_symbol").replace("<detail>", "<detail><code/>"), 500, "detail has not one code"),
        ("<soap:Fault><faultcode>soap:Client</faultcode></soap:Fault>", 500, "did not answer a fault of"),
        (quote(), 400, "did not answer a fault of"),
    ],
)
def test_a_refusal_of_another_form_counts_as_one_of_malformed_input(
    wrong: WrongServer, element: str, status: int, text: str
) -> None:
    wrong.status, wrong.body = status, ENVELOPE.format(element).encode()
    result = response_of(wrong)
    assert isinstance(result, Unread)
    assert text in result.broken
    assert result.shown == wrong.body.decode()


@pytest.mark.parametrize(
    ("element", "status", "text"),
    [
        (fault("unknown_symbol", blamed="soap:Server"), 500, "not Client"),
        (fault("nothing_there", blamed="soap:Server.userException"), 500, "which it must not"),
        (fault("unavailable", blamed="soap:Server"), 503, "status 503 instead of 500"),
        (fault("unknown_user"), 200, "the element"),
        (quote(), 500, "did not answer a fault of"),
    ],
)
def test_a_fault_that_blames_no_client_is_held_against_the_contract(
    wrong: WrongServer, element: str, status: int, text: str
) -> None:
    wrong.status, wrong.body = status, ENVELOPE.format(element).encode()
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


def test_a_fault_may_say_more_and_an_envelope_have_a_header(wrong: WrongServer) -> None:
    more = fault("unknown_symbol").replace("<detail>", "<faultactor>x</faultactor><detail><more/>")
    wrong.status, wrong.body = 500, ENVELOPE.format(more).replace("<soap:Body>", HEADER).encode()
    assert response_of(wrong) == Refused("unknown_symbol", "There is no symbol s:1.")


@pytest.mark.parametrize("content_type", ["application/soap+xml", "text/xml; charset=iso-8859-1", "application/xml"])
def test_another_content_type_is_reported(wrong: WrongServer, content_type: str) -> None:
    wrong.body = ENVELOPE.format(quote()).encode()
    calling = caller(SPEC, "soap", wrong.address)
    wrong.content_type = content_type
    with pytest.raises(ContractBroken, match="Content-Type"):
        calling.call("getQuote", {"symbol": "s:1"})
    calling.close()


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b"/services/soap", b"/soap", "without the operation ping at http"),
        (b'name="company"', b'name="firm"', "describes getQuote as"),
        (b'operation name="sell"', b'operation name="sold"', "without the operation sell at http"),
        (b"urn:middlemark:brokerage:1", b"urn:other", "describes ping as"),
        (b"<wsdl:definitions", b"<wsdl:definitions <", "that zeep cannot read"),
    ],
)
def test_a_served_wsdl_of_other_operations_is_reported(wrong: WrongServer, old: bytes, new: bytes, text: str) -> None:
    assert old in wrong.described
    wrong.described = wrong.described.replace(old, new)
    with pytest.raises(ContractBroken, match=text):
        caller(SPEC, "soap", wrong.address)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"\n", b"\n "),
        (b'value="1000000"', b'value="1000001"'),
        (b'<soap:operation soapAction="sell"/>', b'<soap:operation soapAction=""/>'),
    ],
)
def test_how_a_wsdl_is_written_is_open(wrong: WrongServer, old: bytes, new: bytes) -> None:
    assert old in wrong.described
    wrong.described = re.sub(rb"<!--.*?-->", b"", wrong.described, flags=re.DOTALL).replace(old, new)
    caller(SPEC, "soap", wrong.address).close()


def test_a_request_outside_the_contract_is_sent_as_it_is_and_may_be_read(wrong: WrongServer) -> None:
    wrong.body = ENVELOPE.format(quote()).encode()
    assert isinstance(response_of(wrong, request={"symbol": "<" * 21}), Performed)
    assert b"<m:symbol>" + b"&lt;" * 21 + b"</m:symbol>" in wrong.received[0]
    assert isinstance(response_of(wrong, request={"symbol": "s:1", "other": [1, True]}), Performed)
    assert b"<m:other>1</m:other><m:other>true</m:other>" in wrong.received[1]


def test_what_xml_cannot_hold_is_the_case_s_fault(wrong: WrongServer) -> None:
    with pytest.raises(InputError, match="soap cannot express"):
        response_of(wrong, request={"symbol": "a\x00b"})


def test_no_response_is_reported() -> None:
    with pytest.raises(NoResponse, match="was not answered"):
        caller(SPEC, "soap", "http://127.0.0.1:1")


FIRST_SCHEMAS = """
import sys, threading
from pathlib import Path
from middlemark.conformance.execution.calling.envelope import schema_of
sys.setswitchinterval(1e-6)
wsdl = Path(sys.argv[1]).read_bytes()
together = threading.Barrier(3)
def make():
    together.wait()
    schema_of(wsdl)
threads = [threading.Thread(target=make) for _ in range(3)]
for one in threads: one.start()
for one in threads: one.join()
"""


def test_callers_of_several_threads_make_the_first_schemas_of_a_process() -> None:
    """Without the lock about every third process failed: libxml2 makes its built-in types with the first schema."""
    wsdl = SPEC.folder / "brokerage.wsdl"
    for _ in range(8):
        command = [sys.executable, "-c", FIRST_SCHEMAS, str(wsdl)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "XMLSchemaParseError" not in done.stderr
        assert done.returncode == 0, done.stderr
