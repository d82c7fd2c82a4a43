"""`middlemark check`: is a result as its run left it?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.judge.result import findings_differ, judge_folder
from middlemark.records.folder import FINDINGS, Inspection, inspect, result_folder


def check(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT…", help="Result folders that `run` printed.")],
) -> int:
    """Compare results with their manifests and raw files. Exit 1 when a file or what is judged from it differs."""
    status = 0
    for folder in results:
        found = inspect(folder)
        for deviant in found.deviants:
            print(deviant)
        if found.manifest_sha256:
            print(f"SHA-256 of the manifest: {found.manifest_sha256}")
        differing = _differing(folder, found)
        print(folder)
        print(differing or found.sentence)
        status = 1 if found.deviants or differing else status
    return status


def _differing(folder: Path, found: Inspection) -> str:
    """In what a result's findings are not what its raw files show; these are read only where they are as they were."""
    if found.deviants:
        return ""
    differing = findings_differ(result_folder(folder), judge_folder(folder))
    return f"Check failed: {FINDINGS} is not what the raw files show ({differing})." if differing else ""
