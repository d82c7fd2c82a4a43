"""`middlemark audit`: ask databases, or a result's stored audits, whether every rule holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from middlemark.audit.auditing import audit_at
from middlemark.audit.stored import stored_audits
from middlemark.audit.text import audit_sentence, audit_table
from middlemark.checkout import checkout
from middlemark.cli.printing import print_table
from middlemark.errors import InputError
from middlemark.load.stores import parse_urls
from middlemark.records.point import Audit
from middlemark.specification.specification import find_specification, only_specification


def audit(
    result: Annotated[Path | None, typer.Argument(metavar="RESULT", help="Result folder that `run` printed.")] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Database of an application. Of several NAME=URL for each."),
    ] = None,
    spec: Annotated[
        str | None, typer.Option(help="Specification whose rules are asked; if left out, the only one with a database.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Audit databases now, or judge the audits of a result again. Exit 1 when a rule is broken."""
    urls = tuple(database or ())
    if (result is None) == (not urls):
        raise InputError("nothing to audit, or too much", todo="Give either a RESULT or --database URL")
    if result is not None:
        return _print_stored(result, as_json=as_json)
    specification = find_specification(spec or only_specification(checkout(), with_databases=True))
    found = audit_at(parse_urls(specification, urls), specification)
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        _print(found)
        print(audit_sentence(found.findings))
    return 0 if found.passed else 1


def _print_stored(result: Path, *, as_json: bool) -> int:
    """Print the audit of each point of a result; return the exit status."""
    audits = stored_audits(result)
    if as_json:
        print(json.dumps({point: audit.model_dump(mode="json") for point, audit in audits}, indent=1))
    else:
        for point, audit in audits:
            print(point)
            _print(audit)
        print(result)
        print(audit_sentence([finding for _, audit in audits for finding in audit.findings]))
    return 0 if all(audit.passed for _, audit in audits) else 1


def _print(audit: Audit) -> None:
    """Print the rules, if there are any."""
    if audit.findings:
        print_table(audit_table(audit))
