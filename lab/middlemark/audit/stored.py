"""Reads the audits a run has stored."""

from __future__ import annotations

from pathlib import Path

from middlemark.audit.auditing import passes
from middlemark.errors import InputError
from middlemark.records.folder import POINTS, point_folders, read_record, result_folder
from middlemark.records.point import Audit, AuditFinding, Outcome

_MISSING = AuditFinding(
    rule="Every point was audited.",
    outcome=Outcome.FAILED,
    message="expected an audit.json, found none that can be read",
    count=1,
)

_NONE = Audit(passed=False, findings=[_MISSING])

# Folders that other commands print: what lies in each, and why there is no audit in it.
_WITHOUT_AUDIT = {
    "drive.json": "a drive stores no audit, because it knows nothing of the database behind the address",
    "conformance": "a verification stores no audit: it asks the audit's rules after each case, and fails the case",
}
_WHAT_CAN_BE = (
    "Audit a folder that `middlemark run` printed, or with --database URL the application's database as it is now"
)


def stored_audits(folder: Path) -> list[tuple[str, Audit]]:
    """Return each point's path and audit, judged again; a point without one fails.

    Raises InputError for a folder without any audit: it is not a run's, or has no point.
    """
    for name, reason in _WITHOUT_AUDIT.items():
        if (folder / name).exists() and not (folder / "run.json").exists():
            raise InputError(reason, where=str(folder), todo=_WHAT_CAN_BE)
    root = result_folder(folder) / POINTS
    points = point_folders(root)
    if not points:
        raise InputError("this result holds no point, so no audit", where=str(folder))
    found = ((point.relative_to(root).as_posix(), read_record(point / "audit.json", Audit)) for point in points)
    return [(path, _judged(audit) if audit else _NONE) for path, audit in found]


def _judged(audit: Audit) -> Audit:
    """Return an audit judged by its findings, whatever it says of itself."""
    return audit.model_copy(update={"passed": passes(audit.findings)})
