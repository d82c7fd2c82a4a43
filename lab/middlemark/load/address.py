"""Addresses of targets: read, brought into one form, and tried before anything is sent."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from middlemark.errors import HostError, InputError

SECONDS_TO_CONNECT = 5.0


def target_address(text: str) -> str:
    """Return `http://host:port[/prefix]`; raise InputError for anything the driver cannot send to."""
    try:
        parts = urlsplit(text)
        port = 80 if parts.port is None else parts.port
    except ValueError as error:
        raise InputError(f"this is no address ({error})", where=text) from error
    if parts.scheme != "http":
        raise InputError("a target is an http address", where=text, todo="Write it like http://127.0.0.1:8080")
    if not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        raise InputError("a target is host, port and perhaps a path, nothing else", where=text)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"http://{host}:{port}{parts.path.rstrip('/')}"


def is_this_host(address: str) -> bool:
    """Return whether a target is on this machine and so shares its CPUs with the driver."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host == socket.gethostname()


def check_answering(addresses: Sequence[str]) -> None:
    """Connect once to each target; raise HostError for the first that refuses."""
    for address in addresses:
        parts = urlsplit(address)
        try:
            with socket.create_connection((parts.hostname or "", parts.port or 80), SECONDS_TO_CONNECT):
                pass
        except OSError as error:
            reason = error.strerror or str(error)
            raise HostError(f"nothing answers at {address} ({reason})", todo="Start it or check the address") from error
