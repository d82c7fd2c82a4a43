"""The operations as a contract describes them: what may be asked, and what each answer must look like.

Answers of every interface are compared with it after they have been given the form of JSON.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator, FormatChecker

from middlemark.conformance.cases.caller import ContractBroken
from middlemark.conformance.cases.xml_documents import canonical
from middlemark.documents import read_yaml_mapping, suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import FILE, Specification

JSON = "application/json"
PROBLEM = "application/problem+json"
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_IN = ("path", "query", "header")

Schema = Mapping[str, Any]
FORMATS = FormatChecker(formats=())


@FORMATS.checks("date-time", raises=ValueError)
def _is_a_time(text: object) -> bool:
    return not isinstance(text, str) or bool(datetime.datetime.fromisoformat(text))


@FORMATS.checks("int64")
def _fits_64_bits(number: object) -> bool:
    return not isinstance(number, int) or -(2**63) <= number < 2**63


@dataclass(frozen=True)
class HttpCall:
    """An operation's request over HTTP: `path` below the interface's, `body` as an object, None where it has none."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    body: Mapping[str, object] | None


@dataclass(frozen=True)
class RefusalForm:
    """How a refusal is written in JSON: a problem document, or an object with `code` and `message`."""

    media_type: str = PROBLEM
    message: str = "detail"

    def written(self, code: str, message: str, status: int) -> dict[str, object]:
        """Return the object of a refusal."""
        of_problem = {"type": "about:blank", "title": code, "status": status} if self.media_type == PROBLEM else {}
        return {**of_problem, self.message: message, "code": code}


@dataclass(frozen=True)
class _Operation:
    method: str
    path: str
    parameters: tuple[Schema, ...]
    body: Schema | None
    responses: Mapping[str, Schema]

    @property
    def performed(self) -> str:
        """Return the first status with which it may be performed."""
        return next((status for status in self.responses if status.startswith("2")), "200")

    def declared(self, status: int) -> Schema | None:
        """Return what is declared of a status: by itself, by its class or as `default`."""
        keys = (str(status), f"{status // 100}XX", "default")
        return next((self.responses[key] for key in keys if key in self.responses), None)


class Contract:
    """A parsed OpenAPI contract. Immutable, so that any number of threads may share it; `path` is its file."""

    def __init__(self, path: Path, document: Mapping[str, Any]) -> None:
        self._path = path
        self._document = document
        self._root = Draft202012Validator(document, format_checker=FORMATS)
        try:
            self._operations = dict(self._described(document["paths"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError("expected `paths` of methods, each with an `operationId`", where=str(path)) from error

    @property
    def operations(self) -> tuple[str, ...]:
        """Return the names of all operations."""
        return tuple(self._operations)

    def fault_of(self, operation: str, request: Mapping[str, object]) -> str:
        """Return why the contract does not allow the request, the empty text when it does."""
        described = self._operation(operation)
        of_parameters = {one["name"]: one for one in described.parameters if one["name"] in request}
        for name, parameter in of_parameters.items():
            fault = self._fault(request[name], parameter.get("schema", {}))
            if fault:
                return f"{name}: {fault}"
        rest = {key: value for key, value in request.items() if key not in of_parameters}
        return self._fault(rest, described.body or {})

    def require(self, operation: str) -> None:
        """Raise InputError when there is no such operation."""
        self._operation(operation)

    def fault_of_keys(self, operation: str, keys: Collection[str]) -> str:
        """Return why no request over HTTP has these keys, the empty text when one has."""
        described = self._operation(operation)
        names = [one["name"] for one in described.parameters]
        sent = f"{described.method} {described.path}"
        missing = [one["name"] for one in described.parameters if one["in"] == "path" and one["name"] not in keys]
        if missing:
            return f"{operation} is {sent}: the request has no '{missing[0]}'"
        unknown = [] if described.body is not None else [key for key in keys if key not in names]
        if unknown:
            return f"{operation} is {sent}, and has no body: '{unknown[0]}' is not a parameter. " + (
                suggestion(unknown[0], names)
            )
        return ""

    def http_call(self, operation: str, request: Mapping[str, object]) -> HttpCall:
        """Return the request over HTTP; InputError for one that the contract's method and path cannot express."""
        described, rest = self._operation(operation), dict(request)
        fault = self.fault_of_keys(operation, request.keys())
        if fault:
            raise InputError(fault, where=str(self._path))
        path, query, headers = described.path, [], {}
        for parameter in described.parameters:
            name, value = parameter["name"], rest.pop(parameter["name"], None)
            if parameter["in"] == "path":
                path = path.replace("{" + name + "}", quote(",".join(_texts(value)), safe=""))
            elif value is not None and parameter["in"] == "query":
                texts = _texts(value)
                query += [(name, one) for one in (texts if parameter.get("explode", True) else [",".join(texts)])]
            elif value is not None:
                headers[name] = ",".join(_texts(value))
        return HttpCall(described.method, path, tuple(query), headers, None if described.body is None else rest)

    def is_performed(self, operation: str, status: int) -> bool:
        """Say whether a status is one with which the operation is performed."""
        return status // 100 == HTTPStatus.OK // 100 and self._operation(operation).declared(status) is not None

    def check_response(self, operation: str, value: object, status: int | None = None) -> None:
        """Raise ContractBroken when the value, in JSON's form, is not an answer of the operation."""
        fault = self._fault(value, self.response_schema(operation, status))
        if fault:
            raise ContractBroken(f"{operation} answered {fault}")

    def compared(self, operation: str, value: Mapping[str, object], status: int | None = None) -> dict[str, object]:
        """Return an answer as cases see it: None for what is left out, XML (`contentMediaType`) in canonical form."""
        properties = self.response_schema(operation, status).get("properties", {})
        of_xml = {key for key, one in properties.items() if one.get("contentMediaType") == "application/xml"}
        return dict.fromkeys(properties) | {
            key: canonical(content, f"{operation} answered {key} with") if key in of_xml else content
            for key, content in value.items()
        }

    def check_problem(self, operation: str, status: int, problem: Mapping[str, object]) -> None:
        """Raise ContractBroken when the operation's contract does not allow this refusal with this HTTP status."""
        declared = self._operation(operation).declared(status)
        if declared is None or status < HTTPStatus.BAD_REQUEST:
            raise ContractBroken(f"{operation} answered with HTTP status {status}, which it must not")
        form = self.refusal_form(operation, status)
        fault = self._fault(problem, _content(self.resolved(declared), form.media_type))
        if fault:
            raise ContractBroken(f"{operation} refused with status {status} and {fault}")
        for key in ("code", form.message):
            if not isinstance(problem.get(key), str):
                raise ContractBroken(f"{operation} refused with status {status} and a problem without '{key}'")

    def refusal_form(self, operation: str, status: int) -> RefusalForm:
        """Return how the operation writes a refusal with this status: plain JSON where no problem is declared."""
        content = self.resolved(self._operation(operation).declared(status) or {}).get("content", {})
        return RefusalForm(JSON, "message") if JSON in content and PROBLEM not in content else RefusalForm()

    def status_of(self, operation: str, code: str, message: str) -> int:
        """Return the HTTP status with which the operation refuses with this code; ContractBroken when it must not."""
        for status in self._operation(operation).responses:
            if status.isdigit() and not status.startswith("2"):
                problem = self.refusal_form(operation, int(status)).written(code, message, int(status))
                try:
                    self.check_problem(operation, int(status), problem)
                except ContractBroken:
                    continue
                return int(status)
        raise ContractBroken(f"{operation} refused with the code '{code}', which it must not")

    def response_schema(self, operation: str, status: int | None = None) -> Schema:
        """Return the schema of the operation's answer with this status, the first that performs it if None."""
        described = self._operation(operation)
        declared = described.declared(int(described.performed) if status is None else status)
        return self.resolved(_content(self.resolved(declared or {}), JSON))

    def resolved(self, schema: Schema) -> Schema:
        """Return what a reference stands for, any other schema as it is; InputError for one that leads nowhere."""
        while "$ref" in schema:
            found: Any = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                key = part.replace("~1", "/").replace("~0", "~")
                if not isinstance(found, dict) or key not in found:
                    raise InputError(f"'{schema['$ref']}' does not exist in this file", where=str(self._path))
                found = found[key]
            schema = found
        return schema

    def _described(self, paths: Mapping[str, Any]) -> Iterator[tuple[str, _Operation]]:
        """Yield every operation by its name; KeyError, TypeError or AttributeError where something else stands."""
        for path, item in paths.items():
            of_path = self.resolved(item or {})
            for method in _METHODS:
                described = of_path.get(method)
                if described is not None:
                    name = described["operationId"]
                    parameters = self._parameters(
                        name, (*of_path.get("parameters", ()), *described.get("parameters", ()))
                    )
                    body = described.get("requestBody")
                    schema = None if body is None else _content(self.resolved(body), JSON)
                    responses = {str(status): one for status, one in (described.get("responses") or {}).items()}
                    yield name, _Operation(method.upper(), path, parameters, schema, responses)

    def _parameters(self, operation: str, parameters: Iterable[Schema]) -> tuple[Schema, ...]:
        """Return the parameters; one of the operation takes the place of one of its path with the same name."""
        found = {(one["name"], one["in"]): one for one in map(self.resolved, parameters)}
        for name, place in found:
            if place not in _IN:
                what = f"{operation}: the parameter '{name}' is in {place}, and cases send none there"
                raise InputError(what, where=str(self._path), todo=f"It can be in {', '.join(_IN)}")
        return tuple(found.values())

    def _operation(self, name: str) -> _Operation:
        if name not in self._operations:
            what = f"'{name}' is not an operation. {suggestion(name, self._operations)}"
            raise InputError(what, where=str(self._path))
        return self._operations[name]

    def _fault(self, value: object, schema: Schema) -> str:
        validator = self._root.evolve(schema=schema)
        faults = sorted(validator.iter_errors(value), key=lambda fault: [str(part) for part in fault.absolute_path])
        if not faults:
            return ""
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in faults[0].absolute_path)
        at = f" at {place[1:]}" if place else ""
        return f"something else than {self._path.name} allows{at}: {faults[0].message}"


def _content(described: Schema, media_type: str) -> Schema:
    """Return the schema of a content, which allows anything where none is described."""
    schema: Schema = described.get("content", {}).get(media_type, {}).get("schema", {})
    return schema


def _texts(value: object) -> list[str]:
    """Return how a parameter writes a value: a list has one text for each element."""
    if isinstance(value, list | tuple):
        return [text for one in value for text in _texts(one)]
    if isinstance(value, bool):
        return [str(value).lower()]
    return ["" if value is None else str(value)]


def contract_for(specification: Specification, interface: str) -> Contract:
    """The contract that judges the responses of an interface: the OpenAPI contract of its tier, else the WSDL.

    Raises InputError when its tier has neither.
    """
    interfaces = specification.description.interfaces
    tier = interfaces[interface].tier
    files = {one.contract: one.file for one in reversed(interfaces.values()) if one.tier == tier}
    for kind, read in (("openapi", _openapi), ("wsdl", _wsdl)):
        if kind in files:
            return read(specification.folder / files[kind])
    raise InputError(
        f"the tier {tier} has no OpenAPI contract and no WSDL, by which the answers of every interface are judged",
        where=str(specification.folder / FILE),
    )


@functools.cache
def _openapi(path: Path) -> Contract:
    if not path.is_file():
        raise InputError("the operations are not described", where=str(path))
    return Contract(path, read_yaml_mapping(path))


@functools.cache
def _wsdl(path: Path) -> Contract:
    # Imported here: other commands need not wait for the library that reads a WSDL.
    from middlemark.conformance.cases.wsdl import wsdl_contract  # noqa: PLC0415

    return wsdl_contract(path)


def is_of_type(content_type: str, wanted: str) -> bool:
    """Return whether a Content-Type is the wanted media type, in UTF-8 when it names a character set."""
    return _media_type(content_type) == (wanted, "utf-8")


def is_xml(content_type: str) -> bool:
    """Return whether a Content-Type is one of XML's."""
    kind = _media_type(content_type)[0]
    return kind in {"text/xml", "application/xml"} or kind.endswith("+xml")


def _media_type(content_type: str) -> tuple[str, str]:
    """Return the media type and the character set in lower case, utf-8 where none is named."""
    header = EmailMessage()
    header["Content-Type"] = content_type
    return header.get_content_type(), header.get_content_charset("utf-8")
