"""Calls operations over JSON, as an OpenAPI contract describes them, with httpx."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx

from middlemark.conformance.cases.caller import (
    NO_HEADERS,
    ContractBroken,
    NoResponse,
    Performed,
    Refused,
    Result,
    Unread,
)
from middlemark.conformance.cases.contract import JSON, PROBLEM, is_of_type
from middlemark.conformance.execution.calling.endpoint import Endpoint

SECONDS = 30.0
"""More than any operation may take: the applications give up after 10 s."""


class JsonCaller:
    """A caller with one connection that is kept alive."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._contract = endpoint.contract
        self._http = httpx.Client(base_url=f"{endpoint.url}/", timeout=SECONDS, trust_env=False)

    def call(self, operation: str, request: Mapping[str, object], headers: Mapping[str, str] = NO_HEADERS) -> Result:
        """See Caller."""
        called = self._contract.http_call(operation, request)
        sent_headers = {"Accept": f"{JSON}, {PROBLEM}", **called.headers, **headers}
        if called.body is not None:
            sent_headers["Content-Type"] = JSON
        content = None if called.body is None else json.dumps(called.body, ensure_ascii=False).encode()
        sent = self._http.build_request(
            called.method, called.path.lstrip("/"), params=called.query or None, content=content, headers=sent_headers
        )
        try:
            return self._result(operation, sent)
        except ContractBroken as broken:
            raise type(broken)(f"{_named(sent)}: {broken}") from broken

    def close(self) -> None:
        """See Caller."""
        self._http.close()

    def _result(self, operation: str, sent: httpx.Request) -> Result:
        try:
            response = self._http.send(sent)
        except httpx.HTTPError as error:
            raise NoResponse(f"{operation} was not answered: {type(error).__name__} {error}") from error
        if not self._contract.is_performed(operation, response.status_code):
            return self._refused(operation, response)
        empty = response.status_code == httpx.codes.NO_CONTENT
        value = {} if empty else _content(operation, response, JSON)
        self._contract.check_response(operation, value, response.status_code)
        return Performed(self._contract.compared(operation, value, response.status_code), len(response.content))

    def _refused(self, operation: str, response: httpx.Response) -> Refused | Unread:
        try:
            form = self._contract.refusal_form(operation, response.status_code)
            problem = _content(operation, response, form.media_type)
            self._contract.check_problem(operation, response.status_code, problem)
        except ContractBroken as broken:
            if response.is_client_error:
                return Unread(f"{_named(response.request)}: {broken}", response.text)
            raise
        return Refused(problem["code"], problem[form.message], response.text)


def _named(sent: httpx.Request) -> str:
    return f"{sent.method} {sent.url.raw_path.decode()}"


def _content(operation: str, response: httpx.Response, wanted: str) -> dict[str, Any]:
    """Return the body as one object, read more strictly than JSON's parsers do."""
    kind = response.headers.get("content-type", "")
    where = f"{operation} answered with HTTP status {response.status_code} and"
    if not is_of_type(kind, wanted):
        raise ContractBroken(f"{where} Content-Type '{kind}' instead of {wanted}: {response.text[:200]}")
    try:
        value = json.loads(
            response.content.decode("utf-8"), object_pairs_hook=_once, parse_float=_no_float, parse_constant=_no_float
        )
    except (ValueError, ContractBroken) as error:
        raise ContractBroken(f"{where} a body that is wrong: {error}") from error
    if not isinstance(value, dict):
        raise ContractBroken(f"{where} a body that is not an object: {response.text[:200]}")
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ContractBroken("a key stands there twice")
    return content


def _no_float(text: str) -> object:
    raise ContractBroken(f"{text} is not a whole number, and nothing else is sent as a number")
