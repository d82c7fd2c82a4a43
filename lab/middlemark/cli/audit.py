"""`middlemark audit`: ask databases, or a result's stored audits, whether every rule holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.audit.auditing import audit_at, passes
from middlemark.audit.stored import stored_audits
from middlemark.audit.text import audit_lines, audit_sentence
from middlemark.checkout import checkout
from middlemark.errors import InputError
from middlemark.load.stores import parse_urls
from middlemark.specification.specification import (
    Specification,
    find_specification,
    read_specification,
    specification_folders,
)


def audit(
    result: Annotated[Path | None, typer.Argument(metavar="RESULT", help="Result folder that `run` printed.")] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Database of an application. Of several NAME=URL for each."),
    ] = None,
    spec: Annotated[
        str | None, typer.Option(help="Specification whose rules are asked: the only one if left out.")
    ] = None,
) -> int:
    """Audit databases now, or judge the audits of a result again. Exit 1 when a rule is broken."""
    urls = tuple(database or ())
    if (result is None) == (not urls):
        raise InputError("nothing to audit, or too much", todo="Give either a RESULT or --database URL")
    if result is None:
        specification = _specification(spec)
        found = audit_at(parse_urls(specification, urls), specification)
        print(*audit_lines(found), sep="\n")
        print(audit_sentence(found.findings))
        return 0 if found.passed else 1
    findings = []
    for point, stored in stored_audits(result):
        print(point)
        for line in audit_lines(stored):
            print(line)
        findings += stored.findings
    print(result)
    print(audit_sentence(findings))
    return 0 if passes(findings) else 1


def _specification(name: str | None) -> Specification:
    """Return the specification that is named, or the only one of the checkout; InputError when there are several."""
    if name is not None:
        return find_specification(name)
    folders = specification_folders(checkout())
    if len(folders) == 1:
        return read_specification(folders[0])
    names = ", ".join(folder.name for folder in folders)
    raise InputError(
        f"the checkout has {len(folders)} specifications", where="--spec", todo=f"Name one of {names}" if names else ""
    )
