"""The small platform behind a reverse proxy, as it is deployed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from small_platform import small_checkout

from middlemark.processes.watchdog import Watchdog
from middlemark.subject.build import build
from middlemark.subject.server import Server
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

URL = "postgresql://user:secret@127.0.0.1:1/name"
Deploy = Callable[..., AbstractContextManager[Target]]


def deploying(folder: Path, watching: Watchdog, proxy: Server) -> Deploy:
    """Return a function that deploys it with these modes, and what else a request holds."""
    subject = find_subject(small_checkout(folder), "small", "brokerage")
    program = Program(subject, build(subject, folder, watching))

    def deploy(modes: dict[str, str], **more: object) -> AbstractContextManager[Target]:
        request = DeploymentRequest(
            program,
            modes,
            {"brokerage": URL},
            folder / "logs",
            reverse_proxy=proxy,
            **more,  # type: ignore[arg-type]
        )
        return deployed(request, watching)

    return deploy
