"""The reports from which the page is made: read, refused where they are not of a whole verification, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from middlemark.conformance.reporting.keeping import file_name
from middlemark.conformance.reporting.report import ConformanceReport
from middlemark.errors import InputError
from middlemark.explaining import first_mistake


def read_report(path: Path, home: Path) -> ConformanceReport:
    """Return a report; InputError for a file that is none, and for a report that is not to be shown."""
    try:
        report = ConformanceReport.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        what = first_mistake(error) if isinstance(error, ValidationError) else error.strerror
        raise InputError(
            f"this is not a report ({what})", where=str(path), todo="Make it with `middlemark verify … --report FILE`"
        ) from error
    for fault in faults(report, home):
        raise InputError(fault, where=str(path))
    return report


def faults(report: ConformanceReport, home: Path) -> Iterator[str]:
    """Yield why a report is not to be shown: it is not of all cases, or nobody can do the same again."""
    if report.only:
        yield f"only cases with {' or '.join(report.only)} were run; verify without --only"
    if report.sample:
        yield "only a sample of the cases was run; verify without --sample"
    if report.stopped:
        yield f"the verification was stopped {report.stopped}"
    if report.commit == "unknown":
        yield "nobody knows of which commit it is; verify in a checkout of git"
    for one in report.subjects:
        if "://" in one.subject:
            yield f"what ran at {one.subject} is known to nobody else; verify a subject"
        elif one.platform and not (home / "platforms" / one.platform / "platform.toml").is_file():
            yield f"expected a platform of this checkout, found '{one.platform}'"


def kept(folder: Path, home: Path) -> list[ConformanceReport]:
    """Return the reports that are kept in a folder; InputError for one that is not to be shown."""
    return [read_report(path, home) for path in sorted(folder.glob("*.json"))]


def keep(report: ConformanceReport, folder: Path) -> Path:
    """Keep a report under the name of its first subject, instead of the one there; return its file."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{file_name(report.subjects[0].subject)}.json"
    path.write_text(f"{report.model_dump_json(indent=1)}\n", encoding="utf-8")
    return path
