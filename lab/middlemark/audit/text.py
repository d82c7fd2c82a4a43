"""Says an audit in lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from middlemark.records.point import Audit, AuditFinding, Outcome

_SIGNS = {Outcome.PASSED: "passed", Outcome.FAILED: "FAILED", Outcome.NOT_CHECKED: "not checked"}


def audit_lines(audit: Audit) -> Iterator[str]:
    """Yield a line for each rule; for a broken one also what was found, with the first rows."""
    for finding in audit.findings:
        yield f"{_SIGNS[finding.outcome]:<11}  {finding.rule}"
        if finding.outcome != Outcome.PASSED:
            yield f"{'':<13}{finding.message}"
        if finding.outcome == Outcome.FAILED:
            for row in finding.rows:
                yield f"{'':<13}  {', '.join(f'{name} {value}' for name, value in row.items())}"


def audit_sentence(findings: list[AuditFinding]) -> str:
    """Say in one sentence how the audit ended."""
    checked = [finding for finding in findings if finding.outcome != Outcome.NOT_CHECKED]
    failed = sum(finding.outcome == Outcome.FAILED for finding in findings)
    left = len(findings) - len(checked)
    rest = f", {left} not checked" if left else ""
    if failed:
        return f"Audit failed: {failed} of {len(checked)} rules are broken{rest}."
    return f"Audit passed: {len(checked)} rules hold{rest}."
