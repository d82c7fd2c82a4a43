"""Operations whose values are XML documents, and refusals without a problem document or a trailer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
from called_application import ROOT, WrongServer, wrong_server

from middlemark.conformance.cases.xml_documents import canonical
from middlemark.conformance.execution.calling import ContractBroken, Performed, Refused, Result, Unread, caller
from middlemark.conformance.execution.calling.over_grpc import response_type
from middlemark.errors import InputError
from middlemark.specification.specification import find_specification

SPEC = find_specification("remoting", ROOT)
TABLES = (
    '<tableSet xmlns="urn:middlemark:tables"><table name="customers"><column name="id" type="string"></column>'
    "<row><value>a &lt; b</value><null></null></row></table></tableSet>"
)
PREFIXED = (
    '<t:tableSet xmlns:t="urn:middlemark:tables"><t:table name="customers"><t:column type="string" name="id"/>'
    "<t:row><t:value><![CDATA[a < b]]></t:value><t:null/></t:row></t:table></t:tableSet>"
)
ENVELOPE = (
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>{}</soap:Body></soap:Envelope>'
)
LOADED = '<m:loadCustomerTablesResponse xmlns:m="urn:middlemark:remoting:1">{}</m:loadCustomerTablesResponse>'
UNKNOWN = "Who calls is not known."


@pytest.fixture
def wrong() -> Iterator[WrongServer]:
    """Give a server whose answers the test makes."""
    with wrong_server() as server:
        described = (SPEC.folder / "remoting.wsdl").read_bytes()
        server.described = described.replace(b"http://127.0.0.1:8080", server.address.encode())
        yield server


def response_of(
    server: WrongServer,
    over: str,
    operation: str,
    request: Mapping[str, object],
    headers: Mapping[str, str] | None = None,
) -> Result:
    """Return what a call gives."""
    calling = caller(SPEC, over, server.address)
    try:
        return calling.call(operation, request, headers or {})
    finally:
        calling.close()


def over_soap(server: WrongServer, content: str, operation: str, request: Mapping[str, object]) -> Result:
    """Return what a call over SOAP gives that is answered with this element."""
    server.content_type, server.body = "text/xml; charset=utf-8", ENVELOPE.format(content).encode()
    return response_of(server, "soap", operation, request)


@contextmanager
def services(
    content: bytes = b"", refused: tuple[grpc.StatusCode, str] | None = None
) -> Iterator[tuple[str, list[Any]]]:
    """Give the address of services over gRPC with one answer, and the metadata of the calls they got."""
    received: list[Any] = []

    class AnyMethod(grpc.GenericRpcHandler):
        def service(self, _: grpc.HandlerCallDetails) -> Any:
            def perform(_: bytes, context: grpc.ServicerContext) -> bytes:
                received.append(dict(context.invocation_metadata()))
                if refused:
                    context.abort(*refused)
                return content

            return grpc.unary_unary_rpc_method_handler(perform)

    server = grpc.server(ThreadPoolExecutor(2), handlers=[AnyMethod()])
    address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield address, received
    server.stop(None).wait()


def test_a_document_is_the_same_value_over_every_interface(wrong: WrongServer) -> None:
    wrong.body = json.dumps({"xml": PREFIXED}).encode()
    found = [response_of(wrong, "json", "loadCustomerTables", {"customerId": "C1"})]
    found.append(over_soap(wrong, LOADED.format(PREFIXED), "loadCustomerTables", {"customerId": "C1"}))
    message = response_type(SPEC.folder / "remoting.proto", "loadCustomerTables")(xml=PREFIXED)
    with services(message.SerializeToString()) as (address, _):
        calling = caller(SPEC, "grpc", address)
        found.append(calling.call("loadCustomerTables", {"customerId": "C1"}))
        calling.close()
    assert [one.value for one in found if isinstance(one, Performed)] == [{"xml": TABLES}] * 3


def test_documents_that_differ_are_different_and_what_is_none_is_reported() -> None:
    assert canonical(TABLES, "") == TABLES == canonical(PREFIXED, "")
    others = (TABLES.replace("a &lt;", "b &lt;"), TABLES.replace("<null></null>", "<value></value>"))
    assert TABLES not in {canonical(one, "") for one in others}
    for text in ("<tableSet>", "", "<tableSet>\ud83d</tableSet>"):
        with pytest.raises(ContractBroken, match="loadX answered xml with a text that is not XML"):
            canonical(text, "loadX answered xml with")
    # Without the check the first one would be equal to TABLES.
    outside = TABLES.replace("<null></null>", '<null xmlns=""></null>')
    of_entity = f'<!DOCTYPE tableSet [<!ENTITY e "a">]>{TABLES.replace("a &lt;", "&e; &lt;")}'
    for text in (outside, of_entity):
        with pytest.raises(ContractBroken, match="loadX answered xml with a document with more than elements of"):
            canonical(text, "loadX answered xml with")
    with pytest.raises(ContractBroken, match="without a canonical form: its name space is 'relative'"):
        canonical('<tableSet xmlns="relative"/>', "")
    assert canonical(TABLES.replace("<row>", "<?p i?><row>"), "") == TABLES


def test_the_schemas_that_the_first_one_of_a_wsdl_imports_judge_an_answer_too(wrong: WrongServer) -> None:
    of_no_type = PREFIXED.replace('type="string"', 'type="text"')
    with pytest.raises(ContractBroken, match=r"attribute .type.: "):
        over_soap(wrong, LOADED.format(of_no_type), "loadCustomerTables", {"customerId": "C1"})


def test_elements_have_the_names_of_the_wsdl(wrong: WrongServer) -> None:
    product = {
        "productId": 1, "name": "n", "supplierId": 2, "categoryId": 3, "quantityPerUnit": "q", "unitPrice": "1.50",
        "unitsInStock": 4, "unitsOnOrder": 5, "reorderLevel": 6, "discontinued": False,
    }  # fmt: skip
    elements = "".join(f"<{key}>{str(value).lower()}</{key}>" for key, value in product.items())
    loaded = (
        f'<loadProductsResponse xmlns="urn:middlemark:remoting:1"><product>{elements}</product></loadProductsResponse>'
    )
    found = over_soap(wrong, loaded, "loadProducts", {})
    assert isinstance(found, Performed)
    assert found.value == {"products": [product]}


def test_a_document_is_sent_as_an_element(wrong: WrongServer) -> None:
    stored = (
        '<storeOrderTablesResponse xmlns="urn:middlemark:remoting:1"><orderId>7</orderId></storeOrderTablesResponse>'
    )
    found = over_soap(wrong, stored, "storeOrderTables", {"xml": TABLES})
    assert isinstance(found, Performed)
    assert found.value == {"orderId": 7}
    assert b'<m:storeOrderTables><tableSet xmlns="urn:middlemark:tables"><table name="customers">' in wrong.received[-1]


def test_a_document_that_is_not_xml_cannot_be_expressed_over_soap(wrong: WrongServer) -> None:
    with pytest.raises(
        InputError, match=r"soap cannot express the request of storeOrderTables \(a text that is not XML"
    ):
        over_soap(wrong, "", "storeOrderTables", {"xml": "<tableSet"})


def test_what_json_leaves_out_is_none(wrong: WrongServer) -> None:
    found = response_of(wrong, "json", "loadCustomer", {"customerId": "C1"})
    assert isinstance(found, Performed)
    assert found.value == {"customer": None}


def test_a_refusal_in_plain_json_is_one_where_the_contract_has_no_problem(wrong: WrongServer) -> None:
    wrong.status, wrong.body = 401, json.dumps({"code": "unauthenticated", "message": UNKNOWN}).encode()
    assert response_of(wrong, "json", "ping", {}) == Refused("unauthenticated", UNKNOWN)
    wrong.content_type = "application/problem+json"
    assert isinstance(response_of(wrong, "json", "ping", {}), Unread)
    wrong.content_type, wrong.body = "application/json", json.dumps({"code": "forbidden", "message": UNKNOWN}).encode()
    assert isinstance(response_of(wrong, "json", "ping", {}), Unread)
    wrong.body = json.dumps({"code": "unauthenticated", "detail": UNKNOWN}).encode()
    assert isinstance(response_of(wrong, "json", "ping", {}), Unread)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, Refused("unauthenticated", UNKNOWN)),
        (grpc.StatusCode.UNAVAILABLE, Refused("unavailable", UNKNOWN)),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, Unread("", UNKNOWN)),
    ],
)
def test_without_a_trailer_a_status_is_the_code(status: grpc.StatusCode, expected: Result) -> None:
    with services(refused=(status, UNKNOWN)) as (address, _):
        calling = caller(SPEC, "grpc", address)
        found = calling.call("ping", {})
        calling.close()
    assert type(found) is type(expected)
    if isinstance(expected, Refused):
        assert found == expected


def test_headers_are_sent_with_one_call_over_every_interface(wrong: WrongServer) -> None:
    ponged = '<pingResponse xmlns="urn:middlemark:remoting:1"/>'
    for over, content_type, body in (
        ("json", "application/json", "{}"), ("soap", "text/xml", ENVELOPE.format(ponged)),
    ):  # fmt: skip
        wrong.content_type, wrong.body = content_type, body.encode()
        calling = caller(SPEC, over, wrong.address)
        calling.call("ping", {}, {"Authorization": "Bearer t", "User-Agent": "u"})
        calling.call("ping", {})
        calling.close()
        assert [one.get("authorization") for one in wrong.headers[-2:]] == ["Bearer t", None]
        with_it, without = (one["user-agent"] for one in wrong.headers[-2:])
        assert with_it == "u" != without
    with services() as (address, received):
        calling = caller(SPEC, "grpc", address)
        calling.call("ping", {}, {"Authorization": "Bearer t"})
        calling.call("ping", {})
        calling.close()
    assert [one.get("authorization") for one in received] == ["Bearer t", None]
