"""Judges a synthetic result again with another run record or other windows, and reads the report of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

from report_html import parsed

from middlemark.judge.result import judge, judge_folder, read_measured
from middlemark.records.findings import Findings
from middlemark.records.folder import read_run, write_json
from middlemark.records.window import Window
from middlemark.show.page import report_page


def with_run(folder: Path, **changes: object) -> Findings:
    """Change fields of the run record of a folder, and judge it."""
    write_json(folder / "run.json", read_run(folder).model_copy(update=changes))
    return judge_folder(folder)


def with_windows(folder: Path, change: Callable[[Window], Window], **changes: object) -> Findings:
    """Judge a folder as if its windows had been judged otherwise; the folder and its files stay."""
    measured = read_measured(folder)
    windows = tuple(map(change, measured.windows))
    return judge(measured.model_copy(update={"windows": windows, **changes}))


def with_fields(findings: Findings, **changes: Any) -> Findings:
    """Return the findings with other fields, without judging again."""
    kept: dict[str, Any] = {name: getattr(findings, name) for name in Findings.model_fields}
    return Findings.model_construct(**{**kept, **changes})


def page_of(findings: Findings) -> ET.Element:
    """Return the report as a tree; it must be strict HTML."""
    return parsed(report_page(findings))
