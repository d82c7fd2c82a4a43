"""The operations as an OpenAPI contract describes them: what may be asked, and what each answer must look like.

Answers of every interface are compared with it after they have been given the form of JSON.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from middlemark.conformance.cases.caller import ContractBroken
from middlemark.documents import read_yaml_mapping, suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import FILE, Specification

PERFORMED = "200"
JSON = "application/json"
PROBLEM = "application/problem+json"

Schema = Mapping[str, Any]
FORMATS = FormatChecker(formats=())


@FORMATS.checks("date-time", raises=ValueError)
def _is_a_time(text: object) -> bool:
    return not isinstance(text, str) or bool(datetime.datetime.fromisoformat(text))


@FORMATS.checks("int64")
def _fits_64_bits(number: object) -> bool:
    return not isinstance(number, int) or -(2**63) <= number < 2**63


class Contract:
    """A parsed OpenAPI contract. Immutable, so that any number of threads may share it."""

    def __init__(self, path: Path) -> None:
        document = read_yaml_mapping(path)
        self._file = path.name
        self._document = document
        self._root = Draft202012Validator(document, format_checker=FORMATS)
        try:
            self._operations = {
                method["operationId"]: method for methods in document["paths"].values() for method in methods.values()
            }
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError("expected `paths` of methods, each with an `operationId`", where=str(path)) from error

    @property
    def operations(self) -> tuple[str, ...]:
        """Return the names of all operations."""
        return tuple(self._operations)

    def fault_of(self, operation: str, request: Mapping[str, object]) -> str:
        """Return why the contract does not allow the request, the empty text when it does."""
        content = self._operation(operation)["requestBody"]["content"][JSON]
        return self._fault(dict(request), content["schema"])

    def require(self, operation: str) -> None:
        """Raise InputError when there is no such operation."""
        self._operation(operation)

    def check_response(self, operation: str, value: object) -> None:
        """Raise ContractBroken when the value, in JSON's form, is not an answer of the operation."""
        fault = self._fault(value, self.response_schema(operation))
        if fault:
            raise ContractBroken(f"{operation} answered {fault}")

    def check_problem(self, operation: str, status: int, problem: object) -> None:
        """Raise ContractBroken when the operation's contract does not allow this refusal with this HTTP status."""
        declared = self._operation(operation)["responses"].get(str(status))
        if declared is None or str(status) == PERFORMED:
            raise ContractBroken(f"{operation} answered with HTTP status {status}, which it must not")
        fault = self._fault(problem, self.resolved(declared)["content"][PROBLEM]["schema"])
        if fault:
            raise ContractBroken(f"{operation} refused with status {status} and {fault}")

    def status_of(self, operation: str, code: str, message: str) -> int:
        """Return the HTTP status with which the operation refuses with this code; ContractBroken when it must not."""
        for status in self._operation(operation)["responses"]:
            if status != PERFORMED:
                problem = {
                    "type": "about:blank", "title": code, "status": int(status), "detail": message, "code": code,
                }  # fmt: skip
                try:
                    self.check_problem(operation, int(status), problem)
                except ContractBroken:
                    continue
                return int(status)
        raise ContractBroken(f"{operation} refused with the code '{code}', which it must not")

    def response_schema(self, operation: str) -> Schema:
        """Return the schema of the operation's answer."""
        schema: Schema = self._operation(operation)["responses"][PERFORMED]["content"][JSON]["schema"]
        return self.resolved(schema)

    def resolved(self, schema: Schema) -> Schema:
        """Return what a reference stands for, any other schema as it is."""
        while "$ref" in schema:
            found: Any = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = found
        return schema

    def _operation(self, name: str) -> dict[str, Any]:
        if name not in self._operations:
            what = f"'{name}' is not an operation. {suggestion(name, self._operations)}"
            raise InputError(what, where=self._file)
        operation: dict[str, Any] = self._operations[name]
        return operation

    def _fault(self, value: object, schema: Schema) -> str:
        validator = self._root.evolve(schema=schema)
        faults = sorted(validator.iter_errors(value), key=lambda fault: [str(part) for part in fault.absolute_path])
        if not faults:
            return ""
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in faults[0].absolute_path)
        at = f" at {place[1:]}" if place else ""
        return f"something else than {self._file} allows{at}: {faults[0].message}"


def contract_for(specification: Specification, interface: str) -> Contract:
    """Return the contract by which the answers of an interface are judged: the OpenAPI contract of its tier.

    Raises InputError when its tier has none.
    """
    interfaces = specification.description.interfaces
    tier = interfaces[interface].tier
    for one in interfaces.values():
        if one.tier == tier and one.contract == "openapi":
            return _contract(specification.folder / one.file)
    raise InputError(
        f"the tier {tier} has no OpenAPI contract, by which the answers of every interface are judged",
        where=str(specification.folder / FILE),
    )


@functools.cache
def _contract(path: Path) -> Contract:
    if not path.is_file():
        raise InputError("the operations are not described", where=str(path))
    return Contract(path)


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
