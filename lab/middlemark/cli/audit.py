"""`middlemark audit`: ask a database, or a result's stored audits, whether every rule holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.audit.auditing import audit_at, passes
from middlemark.audit.stored import stored_audits
from middlemark.audit.text import audit_lines, audit_sentence
from middlemark.errors import InputError
from middlemark.specification.dataset import specification


def audit(
    result: Annotated[Path | None, typer.Argument(metavar="RESULT", help="Result folder that `run` printed.")] = None,
    database: Annotated[str | None, typer.Option(metavar="URL", help="Database of an application.")] = None,
    spec: Annotated[str, typer.Option(help="Specification whose rules are asked.")] = "brokerage",
) -> int:
    """Audit a database now, or judge the audits of a result again. Exit 1 when a rule is broken."""
    if (result is None) == (database is None):
        raise InputError("nothing to audit, or too much", todo="Give either a RESULT or --database URL")
    if database is not None:
        found = audit_at(database, specification(spec))
        print(*audit_lines(found), sep="\n")
        print(audit_sentence(found.findings))
        return 0 if found.passed else 1
    findings = []
    for point, stored in stored_audits(result or Path()):
        print(point)
        print(*audit_lines(stored), sep="\n")
        findings += stored.findings
    print(result)
    print(audit_sentence(findings))
    return 0 if passes(findings) else 1
