"""Runs the commands by which a server is configured once its files are written."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping

from middlemark.errors import TargetError
from middlemark.processes.ending import Part
from middlemark.processes.process import ProcessSpec, last_lines, running
from middlemark.processes.watchdog import Watchdog
from middlemark.subject.server import Server, replaced


def configure(server: Server, spec: ProcessSpec, words: Mapping[str, str], watchdog: Watchdog) -> None:
    """Run the server's `configure` commands in its folder, with the environment it is started in.

    Raises TargetError with the last lines of the log for one that fails, MissingToolError without its program.
    """
    for template in server.description.configure:
        command = tuple(replaced(word, words) for word in template)
        step = dataclasses.replace(
            spec, name=f"{spec.name}, configure", part=Part.TOOL, command=command, ready_url=None, ports=(), failures=()
        )
        with running(step, watchdog) as process:
            status = process.wait()
        if status:
            last = "".join(f"\n    {line}" for line in last_lines(spec.log))
            raise TargetError(
                f"configuring {server.name} ended with {status}",
                where=shlex.join(command),
                todo=f"All output is in {spec.log}; its last lines:{last}" if last else "It has no output",
            )
