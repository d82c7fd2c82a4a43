"""Says what can be done with an application that stands: addresses and commands that work as they are printed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from middlemark.databases.database import without_password
from middlemark.up.up import Standing, UpOrder

SOAP = "soap"


def up_lines(order: UpOrder, standing: Standing) -> Iterator[str]:
    """Yield a line for every way to look at the application: its pages, services, load, database and logs."""
    target = standing.target
    yield f"Open {target.addresses[0]}/ and log in as uid:0 with the password xxx."
    yield from _services(standing)
    yield from _drive(order, standing)
    yield from _audit(order, standing)
    yield f"Logs:     {standing.logs}, removed at the end"
    yield "Ctrl-C stops it."


def _services(standing: Standing) -> Iterator[str]:
    """Yield where the services are, when they are offered at all: with the binding `local` nobody calls them."""
    target = standing.target
    if target.services_address is not None:
        yield f"Services: {target.services_address}/services/json/<operation>"
        if SOAP in target.subject.implementation.bindings:
            yield f"WSDL:     {target.services_address}/services/soap?wsdl"
    if target.grpc_address is not None:
        yield f"gRPC:     {target.grpc_address.removeprefix('http://')}"


def _drive(order: UpOrder, standing: Standing) -> Iterator[str]:
    """Yield the command that plays the specification's session with the numbers of the data set that is loaded."""
    folder = order.home / "specs" / order.dataset.spec / "sessions"
    session = next(iter(sorted(folder.glob("*.yaml"), key=lambda file: (file.stem != order.dataset.spec, file))), None)
    if session is None:
        return
    targets = [word for address in standing.target.addresses for word in ("--target", address)]
    words = ["middlemark", "drive", _seen_from_here(session), *targets, "--scale", order.dataset.scale]
    numbers = ", ".join(f"{number:,} {of}" for of, number in order.dataset.numbers.items())
    yield f"Drive it: {shlex.join(words)}"
    yield f"          (scale {order.dataset.scale} has {numbers})"


def _audit(order: UpOrder, standing: Standing) -> Iterator[str]:
    """Yield the command that audits the database; the password of the user's own server stays the user's."""
    shown = standing.database_url if order.database is None else without_password(standing.database_url)
    yield f"Audit it: {shlex.join(['middlemark', 'audit', '--database', shown, '--spec', order.dataset.spec])}"
    if shown != standing.database_url:
        yield "          (with your password after the user's name, as in the URL you gave)"


def _seen_from_here(file: Path) -> str:
    here = Path.cwd()
    return os.fspath(file.relative_to(here) if file.is_relative_to(here) else file)
