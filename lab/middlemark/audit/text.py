"""An audit as a table for people, and in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from middlemark.records.point import Audit, AuditFinding, Outcome
from middlemark.wording import counted

_SIGNS = {Outcome.PASSED: "passed", Outcome.FAILED: "FAILED", Outcome.NOT_CHECKED: "not checked"}
NO_DATABASE = "No database: nothing to audit."


def audit_table(audit: Audit) -> Table:
    """Return a row for each rule: how it ended; for one that did not pass what was found, with the first rows."""
    several = any(finding.database for finding in audit.findings)
    table = Table("outcome", *(["database"] if several else []), "rule", "found", box=None, pad_edge=False)
    for finding in audit.findings:
        texts = [_SIGNS[finding.outcome], *([finding.database] if several else []), finding.rule, _found(finding)]
        table.add_row(*map(Text, texts))
    return table


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
    return f"Audit passed: {counted(len(checked), 'rule')} hold{'s' if len(checked) == 1 else ''}{rest}."


def _found(finding: AuditFinding) -> str:
    if finding.outcome is Outcome.PASSED:
        return ""
    rows = finding.rows if finding.outcome is Outcome.FAILED else ()
    return "\n".join([finding.message, *(", ".join(f"{name} {value}" for name, value in row.items()) for row in rows)])
