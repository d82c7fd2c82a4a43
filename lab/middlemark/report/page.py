"""Writes the report of a result folder: one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path

from middlemark.results.folder import REPORT, read_result, saving_under, write_whole
from middlemark.verdict.headline import verdict_sentence


def write_report(result_path: Path) -> Path:
    """Write report.html into the result folder and return its path."""
    result = read_result(result_path)
    with saving_under(result.folder):
        write_whole(result.folder / REPORT, f"<!doctype html><title>Report</title><p>{verdict_sentence(result)}\n")
    return result.folder / REPORT
