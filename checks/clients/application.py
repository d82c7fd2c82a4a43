"""An application with its services, started by `middlemark up` and stopped again."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

STOPPING_SECONDS = 60


@dataclass(frozen=True)
class Addresses:
    """Where the services are: URLs, and `host:port` of gRPC or None."""

    json: str
    soap: str
    grpc: str | None


@contextmanager
def services(subject: str, binding: str) -> Iterator[Addresses]:
    """Run `subject` with its services in a process of their own; `binding` is offered besides JSON and SOAP."""
    command = ["middlemark", "up", subject, "brokerage", "--scale", "tiny", "--set", f"binding={binding}"]
    program = Path(sys.executable).parent / command[0]
    with subprocess.Popen([str(program), *command[1:]], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield _addresses(process)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def _addresses(process: subprocess.Popen[str]) -> Addresses:
    printed = ""
    for line in process.stdout or ():
        printed += line
        if line.startswith("Ctrl-C"):
            break
    found = dict(re.findall(r"^(json|soap|grpc): +(\S+)", printed, re.MULTILINE))
    if not {"json", "soap"} <= found.keys():
        sys.exit(f"checks.clients: the application offers no JSON and SOAP:\n{printed}")
    return Addresses(found["json"].removesuffix("/<operation>"), found["soap"], found.get("grpc"))
