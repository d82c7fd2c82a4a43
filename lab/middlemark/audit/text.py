"""An audit as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from middlemark.records.point import Audit, AuditFinding, Outcome

_SIGNS = {Outcome.PASSED: "passed", Outcome.FAILED: "FAILED", Outcome.NOT_CHECKED: "not checked"}
NO_DATABASE = "No database: nothing to audit."


def audit_lines(audit: Audit) -> Iterator[str]:
    """Yield a line for each rule; for a broken one also what was found, with the first rows."""
    for finding in audit.findings:
        database = f"{finding.database}: " if finding.database else ""
        yield f"{_SIGNS[finding.outcome]:<11}  {database}{finding.rule}"
        if finding.outcome != Outcome.PASSED:
            yield f"{'':<13}{finding.message}"
        if finding.outcome == Outcome.FAILED:
            for row in finding.rows:
                yield f"{'':<13}  {', '.join(f'{name} {value}' for name, value in row.items())}"


def audit_sentence(findings: Sequence[AuditFinding]) -> str:
    """Return in one sentence how the audit ended."""
    if not findings:
        return NO_DATABASE
    checked = [finding for finding in findings if finding.outcome != Outcome.NOT_CHECKED]
    failed = sum(finding.outcome == Outcome.FAILED for finding in findings)
    unchecked = len(findings) - len(checked)
    rest = f", {unchecked} not checked" if unchecked else ""
    if failed:
        return f"Audit failed: {failed} of {len(checked)} rules are broken{rest}."
    return f"Audit passed: {len(checked)} rules hold{rest}."
