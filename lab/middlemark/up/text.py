"""What can be done with an application that is up: addresses and commands that work as they are printed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from middlemark.up.up import Running, UpRequest, shown_url
from middlemark.workload.session import read_session


def up_lines(request: UpRequest, running: Running) -> Iterator[str]:
    """Yield a line for every way to look at the application: its pages, interfaces, load, databases and logs."""
    login = request.specification.description.login
    hint = f" and {login.hint}" if login and login.hint else ""
    yield f"Open {running.target.addresses[0]}/{hint}."
    yield from _encrypted(running)
    yield from _interfaces(request, running)
    yield from _drive(request, running)
    yield from _audit(request, running)
    yield f"Logs:     {running.logs}, removed at the end"
    yield "Ctrl-C or SIGTERM stops it."


def _encrypted(running: Running) -> Iterator[str]:
    """Yield where its pages are over TLS, and the authority that a client trusts there."""
    for address in running.target.encrypted_addresses:
        yield f"Over TLS: {address}/ trusting {running.target.authority}"


def _interfaces(request: UpRequest, running: Running) -> Iterator[str]:
    """Yield where operations can be called, of the interfaces that are offered at all."""
    for name, address in running.target.interfaces.items():
        interface = request.specification.description.interfaces[name]
        if interface.protocol == "http":
            yield f"{name + ':':<9} {address}{interface.shown or interface.path}"
        else:
            yield f"{name + ':':<9} {address.removeprefix('http://')}"


def _drive(request: UpRequest, running: Running) -> Iterator[str]:
    """Yield the command that drives it with the specification's session and the numbers of the scale."""
    folder = request.specification.sessions
    own = request.specification.name
    numbers = request.specification.numbers(request.scale)
    features = request.subject.features
    known = sorted(folder.glob("*.yaml"), key=lambda file: (file.stem != own, file))
    carried = request.specification.description.carried_modes
    sessions = {file: read_session(file, numbers, carried) for file in known}
    session = next((file for file, one in sessions.items() if {*one.needs} <= {*features}), None)
    if session is None:
        return
    modes = {
        mode: value for mode, value in running.target.modes.items() if mode in carried.keys() & sessions[session].names
    }
    chosen = [word for mode, value in modes.items() for word in ("--set", f"{mode}={value}")]
    targets = [word for address in running.target.addresses for word in ("--target", address)]
    scale = ["--scale", request.scale] if numbers else []
    yield f"Drive it: {shlex.join(['middlemark', 'drive', _seen_from_here(session), *targets, *scale, *chosen])}"
    if numbers:
        counts = ", ".join(f"{number:,} {of}" for of, number in numbers.items())
        yield f"          (scale {request.scale} has {counts})"


def _audit(request: UpRequest, running: Running) -> Iterator[str]:
    """Yield the command that audits its databases."""
    if not running.stores:
        return
    several = len(running.stores) > 1
    urls = [f"{name}={shown_url(one)}" if several else shown_url(one) for name, one in running.stores.items()]
    options = [word for url in urls for word in ("--database", url)]
    yield f"Audit it: {shlex.join(['middlemark', 'audit', *options, '--spec', request.specification.name])}"
    if request.databases:
        yield "          (with your password after the user's name, as in the URL you gave)"


def _seen_from_here(file: Path) -> str:
    here = Path.cwd()
    return os.fspath(file.relative_to(here) if file.is_relative_to(here) else file)
