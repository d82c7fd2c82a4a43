"""What a reverse proxy is given: where the application behind it is, and who and how many its workers may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import InputError
from middlemark.subject.server import PROXY, Server
from middlemark.topology.workers import account


@dataclass(frozen=True)
class Passed:
    """A port of a proxy besides that for http: what comes there over `protocol` goes on to one of the `upstreams`."""

    protocol: str
    port: int
    upstreams: tuple[str, ...]

    @property
    def upstream(self) -> str:
        """The first, `host:port`: the only one of a proxy that does not balance."""
        return self.upstreams[0]


@dataclass(frozen=True)
class Upstream:
    """Where a proxy stands, and before what: `addresses` are `host:port` of processes, `host` and `port` its own.

    They are for http; `others` has what is called over another protocol. `cpus` is how many it may use. `cookie` is
    that of the application's sessions, none where its pages set none.
    """

    addresses: tuple[str, ...]
    host: str
    port: int
    cpus: int
    others: tuple[Passed, ...] = ()
    cookie: str = ""


def configure_proxy(server: Server, folder: Path, upstream: Upstream, ports: Mapping[str, int]) -> None:
    """Write the server's files into `folder`; InputError when a template asks for what is not there.

    `account` is set for root only: who the server's workers are to run as.
    """
    if server.proxy is None:
        raise InputError(f"{server.name} cannot stand before an application")
    variables = {
        "folder": str(folder),
        "host": upstream.host,
        "port": upstream.port,
        "ports": dict(ports),
        "upstream": upstream.addresses[0],
        "upstreams": upstream.addresses,
        "others": upstream.others,
        "cpus": upstream.cpus,
        "cookie": upstream.cookie,
        **account(),
    }
    server.write(PROXY, folder, variables)
