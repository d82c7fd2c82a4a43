"""A case asks over the listener and in the version of HTTP that it names, and counts the bytes that come."""

from __future__ import annotations

import datetime
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from raw_server import Raw, raw_server
from small_shop import ENCRYPTED, ONE_TIER, specification

from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.comparison.match import is_now
from middlemark.conformance.execution.run_case import run_case
from middlemark.conformance.execution.state.case_databases import case_databases
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.context import Addresses, Context
from middlemark.conformance.execution.steps.http_1_0 import Http10Transport
from middlemark.errors import InputError
from middlemark.specification.specification import Specification
from middlemark.topology.certificate import Authority, Certificate

CASES = """
version: 1
cases:
  - name: in HTTP/1.0
    steps: [{send: {path: /page, headers: {x-mark: "7"}}, version: "1.0", expect: {length: 5, body: hello}}]
  - name: a HEAD in HTTP/1.0
    steps: [{send: {path: /page, method: HEAD}, version: "1.0", expect: {length: 0}}]
  - name: over TLS
    steps: [{send: {path: /page}, over: https, version: "1.0", expect: {body: hello}}]
  - name: over TLS as a browser
    steps: [{get: /page, over: https, expect: {file: hello.txt}}]
  - name: with a token
    steps: [{send: {path: /page, headers: {authorization: "Bearer ${token-anna}"}}, version: "1.0"}]
  - name: a header that is kept
    steps:
      - {send: {path: /page}, capture: {kind: {header: content-type}}}
      - {send: {path: "/page?as=${kind}"}, expect: {headers: {content-type: "${kind}"}}}
  - name: a header that is not there
    steps: [{send: {path: /page}, capture: {mark: {header: x-mark}}}]
  - name: another length
    steps: [{get: /page, version: "1.0", expect: {length: 6}}]
"""
HELLO = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
TOKENS = """
[token_key]
variable = "MM_TOKEN_KEY"
tier = "site"

[tokens.anna]
claims = { sub = "anna" }
lifetime_seconds = 60
"""
BEGAN = datetime.datetime(2026, 1, 31, 23, 59, 59, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Authority(tmp_path_factory.mktemp("certificate")).issue("server", "server")


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Specification:
    made = specification(tmp_path_factory.mktemp("home"), ENCRYPTED + TOKENS)
    (made.folder / "cases").mkdir()
    (made.folder / "cases" / "http.yaml").write_text(CASES, encoding="utf-8")
    (made.folder / "hello.txt").write_text("hello", encoding="utf-8")
    return made


@contextmanager
def running(spec: Specification, addresses: Addresses) -> Iterator[Context]:
    with case_databases(spec, {}) as databases, open_client(addresses.entry) as client:
        context = Context(spec, addresses, {}, databases, threading.Event(), client, list)
        yield context
        context.close()


@pytest.fixture
def plain() -> Iterator[Raw]:
    with raw_server() as raw:
        raw.response = HELLO
        yield raw


def failure(context: Context, name: str) -> str:
    """Run the case of that name and return how it failed, the empty text when it did not."""
    (one,) = [one for one in read_cases(context.specification) if one.case.name == name]
    failures = run_case(one, {}, "", context).execution.failures
    return failures[0].text if failures else ""


def test_a_request_in_http_1_0_asks_for_no_kept_connection(spec: Specification, plain: Raw) -> None:
    with running(spec, Addresses(f"http://127.0.0.1:{plain.port}")) as context:
        assert failure(context, "in HTTP/1.0") == ""
        first, *headers = plain.requests[0].decode().rstrip().split("\r\n")
        assert first == "GET /page HTTP/1.0"
        assert "x-mark: 7" in headers
        assert not [line for line in headers if line.lower().startswith("connection")]
        plain.response = HELLO.removesuffix(b"hello")
        assert failure(context, "a HEAD in HTTP/1.0") == ""


def test_a_step_shows_a_token_of_the_specification(spec: Specification, plain: Raw) -> None:
    with running(spec, Addresses(f"http://127.0.0.1:{plain.port}", tokens={"anna": "a.b.c"})) as context:
        assert failure(context, "with a token") == ""
    assert "authorization: Bearer a.b.c" in plain.requests[0].decode().split("\r\n")
    with running(spec, Addresses(f"http://127.0.0.1:{plain.port}")) as context:
        assert failure(context, "with a token") == "'token-anna' has no value (known: none)"


def test_a_step_keeps_a_header_for_later_ones(spec: Specification, plain: Raw) -> None:
    with running(spec, Addresses(f"http://127.0.0.1:{plain.port}")) as context:
        assert failure(context, "a header that is kept") == ""
        assert plain.requests[1].startswith(b"GET /page?as=text/plain HTTP/1.1")
        assert failure(context, "a header that is not there") == "capture mark: expected the header x-mark, found none"


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (HELLO.replace(b": 5", b": 7"), "expected 7 bytes of body, found 5"),
        (HELLO.replace(b"Content-Length: 5", b"Transfer-Encoding: chunked"), "HTTP/1.0 has no Transfer-Encoding"),
        (b"hello", "expected a response, found b'hello'"),
        (b"", "expected a response, found b''"),
    ],
)
def test_what_a_client_of_http_1_0_cannot_read_fails(
    spec: Specification, plain: Raw, response: bytes, message: str
) -> None:
    plain.response = response
    with running(spec, Addresses(f"http://127.0.0.1:{plain.port}")) as context:
        assert message in failure(context, "in HTTP/1.0")


def test_a_connection_that_the_server_leaves_open_fails(plain: Raw) -> None:
    plain.closes = False
    with (
        httpx.Client(transport=Http10Transport(0.2, None)) as client,
        pytest.raises(httpx.ReadTimeout, match=r"the server has not closed the connection after 0\.2 s"),
    ):
        client.get(f"http://127.0.0.1:{plain.port}/page")


def test_another_length_than_expected_fails(spec: Specification, plain: Raw) -> None:
    with running(spec, Addresses(f"http://127.0.0.1:{plain.port}")) as context:
        assert failure(context, "another length") == "body: expected 6 bytes, found 5"


def test_a_step_asks_the_listener_over_tls_and_trusts_its_certificate_alone(
    spec: Specification, certificate: Certificate, plain: Raw, tmp_path: Path
) -> None:
    keys = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    keys.load_cert_chain(certificate.certificate, certificate.key)
    with raw_server(keys) as encrypted:
        encrypted.response = HELLO
        entry = f"http://127.0.0.1:{plain.port}"
        addresses = Addresses(
            entry, encrypted={"site": f"https://127.0.0.1:{encrypted.port}"}, trusted=certificate.certificate
        )
        with running(spec, addresses) as context:
            assert failure(context, "over TLS") == ""
            assert failure(context, "over TLS as a browser") == ""
        assert len(encrypted.requests) == 2
        assert plain.requests == []
        other = Authority(tmp_path).certificate
        with running(spec, replace(addresses, trusted=other)) as context:
            assert "CERTIFICATE_VERIFY_FAILED" in failure(context, "over TLS")


def test_a_step_over_tls_fails_where_nothing_listens_so(spec: Specification, plain: Raw) -> None:
    with running(spec, Addresses(f"http://127.0.0.1:{plain.port}")) as context:
        assert failure(context, "over TLS") == "the application does not listen over https with these modes"


def test_a_case_over_tls_of_a_specification_without_is_refused(tmp_path: Path) -> None:
    spec = specification(tmp_path, ONE_TIER)
    (spec.folder / "cases").mkdir()
    (spec.folder / "cases" / "http.yaml").write_text(CASES, encoding="utf-8")
    with pytest.raises(InputError, match=r"http\.yaml:9: site does not listen on https"):
        read_cases(spec)


def test_a_date_counts_from_the_begin_of_its_day() -> None:
    assert is_now("2026-01-31", BEGAN)
    assert is_now("2026-02-01", BEGAN)
    assert not is_now("2026-01-30", BEGAN)
    assert not is_now("2026-01-31T23:59:58Z", BEGAN)
    assert not is_now("2999-01-01", BEGAN)
