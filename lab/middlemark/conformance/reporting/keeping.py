"""Writes a verification into files: `conformance/<subject>.json` in a result folder, JSON, JUnit XML, a report."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from middlemark.conformance.reporting.junit import junit
from middlemark.conformance.reporting.report import report_of
from middlemark.conformance.result import ConformanceResult
from middlemark.errors import HostError
from middlemark.saving import saving_under, write_whole

FOLDER = "conformance"
EXECUTIONS = "executions.ndjson"
"""Every execution as it ends: what there is when the verification is interrupted."""


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """Make a new folder for one verification in `out`; one into which nothing was written goes again.

    Raises HostError when it cannot be made.
    """
    folder = _made(out)
    try:
        yield folder
    finally:
        with suppress(OSError):
            (folder / FOLDER).rmdir()
            folder.rmdir()


def keep(result: ConformanceResult, folder: Path) -> None:
    """Write each subject's result into the folder."""
    for subject in result.subjects:
        write_whole(folder / FOLDER / f"{file_name(subject.subject)}.json", subject.model_dump_json(indent=1) + "\n")


def write_json(result: ConformanceResult, file: Path) -> None:
    """Write the whole result, with the differences, into one JSON file."""
    write_whole(file, result.model_dump_json(indent=1) + "\n")


def write_junit(result: ConformanceResult, file: Path) -> None:
    """Write the whole result as JUnit XML."""
    write_whole(file, junit(result) + b"\n")


def write_report(result: ConformanceResult, file: Path) -> None:
    """Write the report of the whole result, without its executions."""
    write_whole(file, report_of(result).model_dump_json(indent=1) + "\n")


def file_name(subject: str) -> str:
    """Return a subject as the name of a file; an address has characters that no file name may hold."""
    return "".join(c if c.isalnum() or c in "@._-" else "-" for c in subject)


def _made(out: Path) -> Path:
    moment = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    for number in range(1, 100):
        folder = out / (f"verify-{moment}" if number == 1 else f"verify-{moment}-{number}")
        with saving_under(out):
            try:
                folder.mkdir(parents=True)
                (folder / FOLDER).mkdir()
            except FileExistsError:
                continue
        return folder
    raise HostError("too many verifications at once", where=str(out))
