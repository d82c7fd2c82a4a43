"""Keeps the complete verification of a subject beside what was built, where a run of exactly this content finds it.

.build/<platform>/<specification>/<hash>/conformance/<subject>[-<hash of the server's files>].json
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from pydantic import ValidationError

from middlemark.conformance.reporting.keeping import FOLDER, file_name, write
from middlemark.conformance.result import ExecutionOutcome, SubjectResult
from middlemark.errors import HostError
from middlemark.records.proof import Proof
from middlemark.subject.subject import Subject


def keep_proof(subject: Subject, artifact: Path, result: SubjectResult) -> None:
    """Keep a complete verification beside the artifact it was made with; HostError when that is not possible.

    One that failed is kept too: it is what a run has to know.
    """
    file = _place(subject, artifact)
    try:
        file.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise HostError(f"cannot write here ({error.strerror})", where=str(file.parent)) from error
    write(file, result.model_dump_json(indent=1).encode())


def copy_proof(subject: Subject, artifact: Path, root: Path) -> bool:
    """Copy the last complete verification of the subject into a result folder; say whether there is one."""
    file = _place(subject, artifact)
    if not file.is_file():
        return False
    (root / FOLDER).mkdir(exist_ok=True)
    shutil.copyfile(file, _copy(root, subject.name))
    return True


def proof_in(root: Path, subject: str) -> Proof | None:
    """Return what the verification in a result folder proved of a subject, None when there is none to be read."""
    try:
        result = SubjectResult.model_validate_json(_copy(root, subject).read_bytes())
    except (OSError, ValidationError):
        return None
    failed = [execution for execution in result.executions if execution.outcome is ExecutionOutcome.FAILED]
    return Proof(
        started=result.started,
        commit=result.commit,
        changed=bool(result.changed),
        executions=len(result.executions),
        failed=len(failed),
        known=sum(one.outcome is ExecutionOutcome.KNOWN for one in result.executions),
        missed=len(result.missed),
        not_checked=sum(one.outcome is ExecutionOutcome.NOT_CHECKED for one in result.executions),
        first=failed[0].label if failed else "",
        environment=tuple(f"{name}={value}" for name, value in result.environment.items()),
    )


def _copy(root: Path, subject: str) -> Path:
    return root / FOLDER / f"{file_name(subject)}.json"


def _place(subject: Subject, artifact: Path) -> Path:
    """Return the place of a proof. The artifact's folder stands for platform, specification and toolchain alone."""
    name = file_name(subject.name)
    if subject.server is not None:
        digest = hashlib.sha256()
        for file in subject.server.files:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(subject.server.folder).as_posix()} {len(content)}\n".encode())
            digest.update(content)
        name = f"{name}-{digest.hexdigest()[:16]}"
    return artifact.parent / FOLDER / f"{name}.json"
