"""Keeps a complete verification beside what was built, where a run of exactly this content finds it.

.build/<platform>/<specification>/<hash>/conformance/<name>[-<hash of the server's files>].json
That of the front end of one subject on the tiers behind of another lies beside what was built of the latter; its hash
is of the servers of both and of the front end's artifact.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from middlemark.conformance.reporting.keeping import FOLDER, file_name
from middlemark.conformance.reporting.own_executions import MeasuredConfiguration, own_executions
from middlemark.conformance.result import ExecutionOutcome, SubjectResult, configuration_label, pairing_name
from middlemark.records.point import Proof
from middlemark.saving import saving_under, write_whole
from middlemark.subject.server import Server
from middlemark.topology.request import Program


@dataclass(frozen=True)
class Verified:
    """What a verification is of: a subject, or with a `front_end` that of another on its tiers behind."""

    program: Program
    front_end: Program | None = None

    @property
    def name(self) -> str:
        """Return its name in verifications."""
        subject = self.program.subject.name
        return subject if self.front_end is None else pairing_name(subject, self.front_end.subject.name)

    @property
    def place(self) -> Path:
        """Return where its proof is kept. An artifact's folder is for platform, specification and toolchain alone."""
        digest = hashlib.sha256()
        programs = [self.program] if self.front_end is None else [self.program, self.front_end]
        for server in (program.subject.server for program in programs):
            for part in _parts(server):
                digest.update(part)
        if self.front_end is not None:
            digest.update(self.front_end.artifact.parent.name.encode())
        hosted = any(program.subject.server for program in programs)
        suffix = f"-{digest.hexdigest()[:16]}" if hosted or self.front_end else ""
        return self.program.artifact.parent / FOLDER / f"{file_name(self.name)}{suffix}.json"


def keep_proof(verified: Verified, result: SubjectResult) -> None:
    """Keep a complete verification beside the artifact it was made with; HostError when that is not possible.

    One that failed is kept too: it is what a run has to know.
    """
    file = verified.place
    with saving_under(file.parent):
        file.parent.mkdir(exist_ok=True)
    write_whole(file, result.model_dump_json(indent=1) + "\n")


def copy_proof(verified: Verified, root: Path) -> bool:
    """Copy the last complete verification into a result folder; say whether there is one."""
    file = verified.place
    if not file.is_file():
        return False
    (root / FOLDER).mkdir(exist_ok=True)
    write_whole(_copy(root, verified.name), file.read_bytes())
    return True


def proof_in(root: Path, name: str, measured: MeasuredConfiguration, *, pages_only: bool = False) -> Proof | None:
    """Return what the verification of that name in a result folder proved of a configuration.

    None when there is no verification to be read. `pages_only`: of executions that call no operation, as those of a
    tier that offers none.
    """
    try:
        result = SubjectResult.model_validate_json(_copy(root, name).read_bytes())
    except (OSError, ValidationError):
        return None
    own = own_executions((one for one in result.executions if not (pages_only and one.interface)), measured)
    labels = [one.label for one in own]
    others = tuple(f"{one.label}: " for one in result.executions if one.label not in labels)
    failed = [execution for execution in own if execution.outcome is ExecutionOutcome.FAILED]
    all_failed = sum(execution.outcome is ExecutionOutcome.FAILED for execution in result.executions)
    return Proof(
        started=result.started,
        commit=result.commit,
        changed=bool(result.changed),
        executions=len(own),
        failed=len(failed),
        known=sum(one.outcome is ExecutionOutcome.KNOWN for one in own),
        missed=sum(not text.startswith(others) for text in result.missed),
        not_checked=sum(one.outcome is ExecutionOutcome.NOT_CHECKED for one in own),
        first=failed[0].label if failed else "",
        environment=tuple(f"{name}={value}" for name, value in result.environment.items()),
        configuration=configuration_label(measured.modes),
        failed_elsewhere=all_failed - len(failed),
    )


def _copy(root: Path, name: str) -> Path:
    return root / FOLDER / f"{file_name(name)}.json"


def _parts(server: Server | None) -> Iterator[bytes]:
    """Yield everything on which the behaviour of a server depends; nothing without one."""
    if server is None:
        return
    for file in server.files:
        content = file.read_bytes()
        yield f"{file.relative_to(server.folder).as_posix()} {len(content)}\n".encode()
        yield content
