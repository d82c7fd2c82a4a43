"""Sends bytes over gRPC as they are, to any method: what no caller of the proto's operations can express."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from middlemark.conformance.execution.calling.over_grpc import (
    SECONDS,
    blames_client,
    codes_of,
    open_channel,
    service_name,
)


@dataclass(frozen=True)
class Ending:
    """How a call of a `path` ended: the name of its status, its text, the values of the trailer `middlemark-code`."""

    path: str
    status: str
    message: str
    codes: tuple[str, ...]

    @property
    def blames_client(self) -> bool:
        """Say whether it was refused because of what was sent."""
        return blames_client(self.status, self.codes)


def sent(address: str, proto: Path, method: str, content: bytes) -> Ending:
    """Send `content` as the request of `method` of the proto to host:port; InputError when there is no proto."""
    path = f"/{service_name(proto)}/{method}"
    with open_channel(address) as channel:
        perform: Any = channel.unary_unary(path, request_serializer=bytes, response_deserializer=bytes)
        try:
            ending: Any = perform.with_call(content, timeout=SECONDS)[1]
        except grpc.RpcError as error:
            ending = error
        return Ending(path, ending.code().name, ending.details() or "", codes_of(ending))
