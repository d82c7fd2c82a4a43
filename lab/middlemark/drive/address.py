"""Addresses of targets: read, brought into one form, and tried before any request."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from middlemark.errors import HostError, InputError

CONNECT_SECONDS = 5.0
PORTS = {"http": 80, "https": 443}
# An address has its scheme, and so a colon, before any =.
_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Targets:
    """Where steps go: to the `unnamed` addresses, or to those of the target they name."""

    unnamed: tuple[str, ...] = ()
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return all of them."""
        return (*self.unnamed, *(address for some in self.named.values() for address in some))


def targets_of(texts: Sequence[str], used: Sequence[str]) -> Targets:
    """Return the targets of `[NAME=]URL`, of which a session's steps use these names; InputError for anything else."""
    unnamed: list[str] = []
    named: dict[str, tuple[str, ...]] = {}
    for text in texts:
        match = _NAMED.fullmatch(text)
        if match is None:
            unnamed.append(target_address(text))
            continue
        name, address = match.groups()
        if name not in used:
            todo = f"Steps go to: {', '.join(used)}" if used else "No step names a target: leave out the name"
            raise InputError(f"no step goes to the target '{name}'", where=f"--target {text}", todo=todo)
        named[name] = (*named.get(name, ()), target_address(address))
    return Targets(tuple(unnamed), named)


def target_address(text: str) -> str:
    """Return `http[s]://host:port[/prefix]` or `unix:/path[:/prefix]`; raise InputError for anything else."""
    if text.startswith("unix:/"):
        return text
    try:
        parts = urlsplit(text)
        port = PORTS.get(parts.scheme, 0) if parts.port is None else parts.port
    except ValueError as error:
        raise InputError(f"this is not an address ({error})", where=text) from error
    if parts.scheme not in PORTS:
        raise InputError(
            "a target is an http or https address, or a Unix socket",
            where=text,
            todo="Write it like http://127.0.0.1:8080 or unix:/run/shop.sock",
        )
    if not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        raise InputError("a target is host, port and perhaps a path, nothing else", where=text)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"


def is_this_host(address: str) -> bool:
    """Return whether a target is on this machine and so shares its CPUs with the driver."""
    if address.startswith("unix:"):
        return True
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host == socket.gethostname()


def check_reachable(addresses: Sequence[str]) -> None:
    """Connect once to each target; raise HostError for the first that refuses."""
    for address in addresses:
        try:
            _connect(address)
        except OSError as error:
            reason = error.strerror or str(error)
            raise HostError(f"nothing answers at {address} ({reason})", todo="Start it or check the address") from error


def _connect(address: str) -> None:
    if address.startswith("unix:"):
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(CONNECT_SECONDS)
            probe.connect(address.removeprefix("unix:").partition(":")[0])
        return
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 80), CONNECT_SECONDS):
        pass
