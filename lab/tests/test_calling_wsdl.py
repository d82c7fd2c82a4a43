"""A tier that speaks SOAP alone: its operations are called, and its responses judged, by the WSDL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from called_application import WrongServer, wrong_server

from middlemark.conformance.cases.interfaces import operations_of
from middlemark.conformance.execution.calling import ContractBroken, Performed, Refused, Result, Unread, caller
from middlemark.errors import InputError
from middlemark.specification.specification import Specification, read_specification

SPEC = """
title = "Parcels"
version = 1

[tiers.web]
listens = { http = "MM_PORT" }
entry = true
calls.tracking = { addresses = { http = "MM_TRACKING_URL" } }

[tiers.tracking]
listens = { http = "MM_PORT" }

[roles]
variable = "MM_ROLE"
carries = { web = ["web"], tracking = ["tracking"], all = ["web", "tracking"] }

[interfaces.soap]
tier = "tracking"
contract = "wsdl"
file = "parcels.wsdl"
path = "/soap"
"""
WSDL = """<wsdl:definitions name="Parcels" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
 xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="urn:parcels"
 targetNamespace="urn:parcels">
<wsdl:types><xs:schema targetNamespace="urn:parcels" elementFormDefault="qualified">
 <xs:complexType name="Stop"><xs:sequence>
  <xs:element name="place" type="xs:string"/><xs:element name="at" type="xs:dateTime" minOccurs="0"/>
 </xs:sequence></xs:complexType>
 <xs:complexType name="Box"><xs:sequence>
  <xs:element name="label" type="xs:string"/>
  <xs:element name="inside" type="tns:Box" minOccurs="0" maxOccurs="unbounded"/>
 </xs:sequence></xs:complexType>
 <xs:element name="track"><xs:complexType><xs:sequence>
  <xs:element name="parcelId" type="xs:long"/><xs:element name="language" type="xs:string" minOccurs="0"/>
 </xs:sequence></xs:complexType></xs:element>
 <xs:element name="trackResponse"><xs:complexType><xs:sequence>
  <xs:element name="parcelId" type="xs:long"/><xs:element name="weight" type="xs:decimal"/>
  <xs:element name="insured" type="xs:boolean"/><xs:element name="note" type="xs:string" nillable="true"/>
  <xs:element name="stops" type="tns:Stop" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="box" type="tns:Box" minOccurs="0"/>
 </xs:sequence></xs:complexType></xs:element>
</xs:schema></wsdl:types>
<wsdl:message name="track"><wsdl:part name="parameters" element="tns:track"/></wsdl:message>
<wsdl:message name="trackResponse"><wsdl:part name="parameters" element="tns:trackResponse"/></wsdl:message>
<wsdl:portType name="Parcels"><wsdl:operation name="track">
 <wsdl:input message="tns:track"/><wsdl:output message="tns:trackResponse"/>
</wsdl:operation></wsdl:portType>
<wsdl:binding name="ParcelsSoap" type="tns:Parcels">
 <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
 <wsdl:operation name="track"><soap:operation soapAction="track"/>
  <wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>
 </wsdl:operation>
</wsdl:binding>
<wsdl:service name="ParcelsService"><wsdl:port name="ParcelsSoap" binding="tns:ParcelsSoap">
 <soap:address location="http://127.0.0.1:8080/soap"/></wsdl:port></wsdl:service>
</wsdl:definitions>"""
ENVELOPE = (
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>{}</soap:Body></soap:Envelope>'
)
TRACKED = (
    '<trackResponse xmlns="urn:parcels" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><parcelId>7</parcelId>'
    '<weight>1.50</weight><insured>true</insured><note xsi:nil="true"/><stops><place>Oslo</place></stops>'
    "<stops><place>Bergen</place><at>2026-01-31T08:00:00Z</at></stops>"
    "<box><label>outer</label><inside><label>inner</label></inside></box></trackResponse>"
)


def specification(folder: Path, wsdl: str = WSDL) -> Specification:
    """A specification whose second tier has a WSDL and nothing else."""
    (folder / "spec.toml").write_text(SPEC, encoding="utf-8")
    (folder / "parcels.wsdl").write_text(wsdl, encoding="utf-8")
    return read_specification(folder)


@pytest.fixture
def wrong() -> Iterator[WrongServer]:
    """A server with the right WSDL, whose answers the test makes."""
    with wrong_server() as server:
        described = WSDL.replace("http://127.0.0.1:8080", server.address)
        server.described, server.content_type = described.encode(), "text/xml; charset=utf-8"
        yield server


def response_of(server: WrongServer, folder: Path, request: dict[str, object] | None = None) -> Result:
    """The result of a call."""
    calling = caller(specification(folder), "soap", server.address)
    try:
        return calling.call("track", {"parcelId": 7} if request is None else request)
    finally:
        calling.close()


def fault(code: str, blamed: str) -> bytes:
    """A fault as specs/README.md has it."""
    detail = f"<faultcode>soap:{blamed}</faultcode><faultstring>No.</faultstring><detail><code>{code}</code></detail>"
    return ENVELOPE.format(f"<soap:Fault>{detail}</soap:Fault>").encode()


def test_operations_are_those_of_the_wsdl(tmp_path: Path) -> None:
    assert operations_of(specification(tmp_path)) == {"soap": frozenset({"track"})}


def test_a_response_has_the_form_of_json_that_the_types_of_the_wsdl_give_it(wrong: WrongServer, tmp_path: Path) -> None:
    wrong.body = ENVELOPE.format(TRACKED).encode()
    result = response_of(wrong, tmp_path)
    assert isinstance(result, Performed)
    assert result.value == {
        "parcelId": 7,
        "weight": "1.50",
        "insured": True,
        "note": None,
        "stops": [{"place": "Oslo", "at": None}, {"place": "Bergen", "at": "2026-01-31T08:00:00Z"}],
        "box": {"label": "outer", "inside": [{"label": "inner", "inside": []}]},
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<weight>1.50</weight>", "", "weight"),
        ("<parcelId>7<", "<parcelId>07<", "'07' is not how parcelId is written"),
        ("<place>Oslo</place>", "<place>Oslo</place><extra/>", "extra"),
    ],
)
def test_a_response_that_the_wsdl_does_not_allow_is_outside_the_contract(
    wrong: WrongServer, tmp_path: Path, old: str, new: str, message: str
) -> None:
    wrong.body = ENVELOPE.format(TRACKED.replace(old, new)).encode()
    with pytest.raises(ContractBroken, match=message):
        response_of(wrong, tmp_path)


@pytest.mark.parametrize(("code", "blamed"), [("unknown_parcel", "Client"), ("unavailable", "Server")])
def test_any_code_may_refuse(wrong: WrongServer, tmp_path: Path, code: str, blamed: str) -> None:
    wrong.status, wrong.body = 500, fault(code, blamed)
    assert response_of(wrong, tmp_path) == Refused(code, "No.")


def test_a_fault_blames_the_server_for_failures_alone(wrong: WrongServer, tmp_path: Path) -> None:
    wrong.status, wrong.body = 500, fault("unknown_parcel", "Server")
    with pytest.raises(ContractBroken, match=r"refused unknown_parcel with the faultcode .*Server, not Client"):
        response_of(wrong, tmp_path)
    wrong.body = fault("unavailable", "Client")
    assert isinstance(response_of(wrong, tmp_path), Unread)


@pytest.mark.parametrize(
    ("request_sent", "expected"),
    [
        ({"parcelId": 7}, b"<ns0:parcelId>7</ns0:parcelId>"),
        ({"parcelId": "x"}, b"<m:parcelId>x</m:parcelId>"),
        ({"parcelId": 7, "colour": "red"}, b"<m:colour>red</m:colour>"),
        ({"parcelId": 7, "language": None}, b"<ns0:parcelId>7</ns0:parcelId>"),
    ],
)
def test_requests_outside_the_wsdl_are_sent_as_they_are(
    wrong: WrongServer, tmp_path: Path, request_sent: dict[str, object], expected: bytes
) -> None:
    wrong.body = ENVELOPE.format(TRACKED).encode()
    response_of(wrong, tmp_path, request_sent)
    assert expected in wrong.received[-1]


LABEL = '<xs:element name="label" type="xs:string"/>'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (LABEL, f"{LABEL}<xs:any/>", "Box has xsd:any, of which cases cannot name a part"),
        (
            'maxOccurs="unbounded"/>\n </xs:sequence></xs:complexType>\n <xs:element name="track">',
            'maxOccurs="unbounded"/>\n </xs:sequence><xs:attribute name="size" type="xs:int"/></xs:complexType>\n '
            '<xs:element name="track">',
            "Box has attributes, which cases cannot name",
        ),
    ],
)
def test_a_wsdl_whose_types_have_no_form_in_json_names_the_type(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert WSDL.count(old) == 1
    with pytest.raises(InputError, match=message):
        operations_of(specification(tmp_path, WSDL.replace(old, new)))


def test_a_tier_with_neither_an_openapi_contract_nor_a_wsdl_is_refused(tmp_path: Path) -> None:
    text = SPEC.replace('contract = "wsdl"', 'contract = "grpc"')
    (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="the tier tracking has no OpenAPI contract and no WSDL"):
        operations_of(read_specification(tmp_path))


def test_a_wsdl_with_two_bindings_is_refused(tmp_path: Path) -> None:
    start, end = WSDL.index("<wsdl:binding"), WSDL.index("<wsdl:service")
    second = WSDL[start:end].replace("ParcelsSoap", "ParcelsSoap12")
    with pytest.raises(InputError, match="2 bindings: cases call operations by one"):
        operations_of(specification(tmp_path, WSDL.replace(WSDL[start:end], WSDL[start:end] + second)))
