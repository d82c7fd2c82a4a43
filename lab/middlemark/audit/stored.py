"""Reads the audits a run has stored."""

from __future__ import annotations

from pathlib import Path

from middlemark.errors import InputError
from middlemark.results.folder import read_result
from middlemark.results.point import Audit, AuditFinding, Outcome

_MISSING = AuditFinding(
    rule="Every point was audited.",
    outcome=Outcome.FAILED,
    message="expected an audit.json, found none that can be read",
    count=1,
)


def stored_audits(folder: Path) -> list[tuple[str, Audit]]:
    """Return each point's path and audit; a point without one fails. InputError when the result has no point."""
    points = read_result(folder).points
    if not points:
        raise InputError("this result holds no point, so no audit", where=str(folder))
    return [(point.path, point.audit or Audit(passed=False, findings=[_MISSING])) for point in points]
