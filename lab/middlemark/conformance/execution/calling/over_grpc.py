"""Calls operations over gRPC, as a proto describes them; the proto is compiled when it is first needed."""

from __future__ import annotations

import datetime
import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet
from grpc_tools import protoc

from middlemark.conformance.cases.caller import (
    FAILURES,
    NO_HEADERS,
    ContractBroken,
    NoResponse,
    Performed,
    Refused,
    Result,
    Unread,
)
from middlemark.conformance.execution.calling.endpoint import Endpoint
from middlemark.errors import InputError
from middlemark.saving import temporary_folder
from middlemark.wording import first_line

SECONDS = 30.0
NOT_REFUSED = ("OK", "UNAVAILABLE", "DEADLINE_EXCEEDED")
CODE = "middlemark-code"
TIME = "google.protobuf.Timestamp"
NANOSECONDS = 1_000_000_000
STATUS_OF_HTTP = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.NOT_FOUND,
    409: grpc.StatusCode.FAILED_PRECONDITION,
    500: grpc.StatusCode.INTERNAL,
    503: grpc.StatusCode.UNAVAILABLE,
}
"""specs/README.md, "Errors". A specification's own codes may have others: `statuses` of the interface in spec.toml."""


class GrpcCaller:
    """A caller with one channel."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._name = endpoint.name
        self._contract = endpoint.contract
        self._methods = _methods(endpoint.file)
        self._statuses = _statuses(endpoint)
        self._has_trailer = endpoint.interface.trailer
        self._channel = open_channel(endpoint.address)

    def call(self, operation: str, request: Mapping[str, object], headers: Mapping[str, str] = NO_HEADERS) -> Result:
        """See Caller."""
        self._contract.require(operation)
        method = self._method(operation)
        perform: Any = self._channel.unary_unary(
            f"/{method.containing_service.full_name}/{method.name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=lambda content: content,
        )
        metadata = tuple((name.lower(), value) for name, value in headers.items())
        try:
            content, ending = perform.with_call(self._message(method, request), timeout=SECONDS, metadata=metadata)
        except grpc.RpcError as error:
            return self._refused(operation, error)
        if any(key == CODE for key, _ in ending.trailing_metadata() or ()):
            raise ContractBroken(f"{operation} answered with the trailer {CODE}")
        value = _value(operation, method, content)
        self._contract.check_response(operation, value)
        return Performed(self._contract.compared(operation, value), len(content))

    def close(self) -> None:
        """See Caller."""
        self._channel.close()

    def _method(self, operation: str) -> MethodDescriptor:
        name = _method_name(operation)
        if name not in self._methods:
            raise InputError(f"the proto has no method {name}", where=operation)
        return self._methods[name]

    def _message(self, method: MethodDescriptor, request: Mapping[str, object]) -> Message:
        """Return the request as the proto's message; InputError for what it cannot express."""
        try:
            return json_format.ParseDict(dict(request), GetMessageClass(method.input_type)())
        except json_format.ParseError as error:
            raise InputError(
                f"{self._name} cannot express the request of {method.name} ({first_line(error)})",
                todo="Name the case's interfaces",
            ) from error

    def _refused(self, operation: str, error: Any) -> Refused | Unread:
        codes = codes_of(error) if self._has_trailer else self._codes_of_status(error.code())
        try:
            return self._with_code(operation, error, codes)
        except ContractBroken as broken:
            if blames_client(error.code().name, codes):
                return Unread(str(broken), error.details() or "")
            if error.code() is grpc.StatusCode.UNAVAILABLE and not codes:
                raise NoResponse(str(broken)) from broken
            raise

    def _codes_of_status(self, status: grpc.StatusCode) -> tuple[str, ...]:
        return tuple(code for code, one in self._statuses.items() if one is status)

    def _with_code(self, operation: str, error: Any, codes: tuple[str, ...]) -> Refused:
        ending = f"{operation} ended with gRPC status {error.code().name} ({error.details()})"
        if len(codes) != 1:
            what = f"{len(codes)} trailers {CODE}" if self._has_trailer else "that is the status of no code"
            raise ContractBroken(f"{ending} and {what}")
        (code,) = codes
        status = self._contract.status_of(operation, code, error.details())
        wanted = self._statuses.get(code, STATUS_OF_HTTP.get(status, grpc.StatusCode.UNKNOWN))
        if error.code() is not wanted:
            raise ContractBroken(f"{ending} for the code '{code}', whose status is {wanted.name}")
        return Refused(code, error.details(), error.details())


def codes_of(ending: Any) -> tuple[str, ...]:
    """Return the values of the trailer `middlemark-code` with which a call has ended."""
    return tuple(str(value) for key, value in ending.trailing_metadata() or () if key == CODE)


def blames_client(status: str, codes: tuple[str, ...]) -> bool:
    """Say whether a call that ended with the status of that name was refused because of what the client has sent."""
    return status not in NOT_REFUSED and not set(codes) & set(FAILURES)


def open_channel(address: str) -> grpc.Channel:
    """Return a channel to host:port, with or without http://, which the caller closes."""
    # A connection of its own: grpcio would otherwise share it among all channels to one address.
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0), ("grpc.enable_retries", 0)]
    return grpc.insecure_channel(address.removeprefix("http://").rstrip("/"), options)


def service_name(proto: Path) -> str:
    """Return the full name of the proto's one service; InputError when there is no proto."""
    return str(next(iter(_methods(proto).values())).containing_service.full_name)


def response_type(proto: Path, operation: str) -> type[Message]:
    """Return the class of the operation's answers."""
    return GetMessageClass(_methods(proto)[_method_name(operation)].output_type)


def _statuses(endpoint: Endpoint) -> dict[str, grpc.StatusCode]:
    try:
        return {code: grpc.StatusCode[name] for code, name in endpoint.interface.statuses.items()}
    except KeyError as error:
        where = str(endpoint.folder / "spec.toml")
        raise InputError(f"{error} is not a gRPC status, at interfaces.{endpoint.name}", where=where) from error


def _method_name(operation: str) -> str:
    return operation[:1].upper() + operation[1:]


def _value(operation: str, method: MethodDescriptor, content: bytes) -> dict[str, object]:
    """Return the answer in the form of JSON."""
    try:
        message = GetMessageClass(method.output_type).FromString(content)
    except DecodeError as error:
        raise ContractBroken(f"{operation} answered with bytes that are not a {method.output_type.name}") from error
    return _neutral(operation, message)


def _neutral(operation: str, message: Message) -> dict[str, object]:
    """Return a message with numbers as numbers and None for what is not there, which json_format does not give."""
    unknown = [str(field.field_number) for field in UnknownFieldSet(message)]  # type: ignore[attr-defined]
    kind = message.DESCRIPTOR
    if unknown:
        raise ContractBroken(f"{operation} answered a {kind.name} with fields unknown to the proto: {unknown}")
    value: dict[str, object] = {}
    for field in kind.fields:
        content = getattr(message, field.name)
        if field.is_repeated:
            value[field.json_name] = [_element(operation, field, one) for one in content]
        elif field.has_presence and not message.HasField(field.name):
            value[field.json_name] = None
        else:
            value[field.json_name] = _element(operation, field, content)
    return value


def _element(operation: str, field: Any, content: Any) -> object:
    if field.message_type is None:
        return content
    if field.message_type.full_name == TIME:
        return _time(operation, field, content)
    return _neutral(operation, content)


def _time(operation: str, field: Any, content: Any) -> str:
    if not 0 <= content.nanos < NANOSECONDS or content.nanos % 1000:
        raise ContractBroken(f"{operation} answered {field.name} with {content.nanos} ns, not whole microseconds")
    begin = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    try:
        time = begin + datetime.timedelta(seconds=content.seconds, microseconds=content.nanos // 1000)
    except OverflowError as error:
        raise ContractBroken(
            f"{operation} answered {field.name} with {content.seconds} s since 1970: outside the years 1 to 9999"
        ) from error
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@functools.cache
def _methods(proto: Path) -> dict[str, MethodDescriptor]:
    """Compile a proto; return the methods of its one service."""
    if not proto.is_file():
        raise InputError("the proto is missing", where=str(proto))
    with tempfile.TemporaryDirectory(prefix="middlemark-proto-", dir=temporary_folder()) as folder:
        described = Path(folder) / "descriptors"
        known = str(Path(protoc.__file__).parent / "_proto")
        status = protoc.main(
            [
                "protoc",
                f"-I{proto.parent}",
                f"-I{known}",
                "--include_imports",
                f"--descriptor_set_out={described}",
                str(proto),
            ]
        )
        if status:
            raise InputError("protoc cannot read the proto; its reasons are above", where=str(proto))
        files = FileDescriptorSet.FromString(described.read_bytes())
    pool = DescriptorPool()
    for file in files.file:
        pool.Add(file)
    services = [service for file in files.file for service in pool.FindFileByName(file.name).services_by_name.values()]
    return {method.name: method for service in services for method in service.methods}
