"""JSON Schemas of the files that people or other programs write or read; editors complete and check with them.

python -m middlemark.schemas docs/reference

Files that only the lab reads again have none: docs/reference/results.md describes result folders.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from middlemark.ab.result import AbResult
from middlemark.audit.confirmed import ConfirmedDefinition
from middlemark.audit.rules_across import RuleAcrossDefinition
from middlemark.conformance.cases.case import CaseFile
from middlemark.conformance.cases.known import KnownFailures
from middlemark.conformance.comparison.pages.canonical import PagesDefinition
from middlemark.conformance.reporting.report import ConformanceReport
from middlemark.drive.result import DriveResult
from middlemark.errors import InputError, LabError
from middlemark.experiment.definition import Experiment
from middlemark.experiment.published import PublishedDefinition
from middlemark.prices.price_sheet import PriceSheetDefinition
from middlemark.records.record import Record
from middlemark.saving import write_whole
from middlemark.specification.dataset import DatasetDefinition
from middlemark.specification.description import SpecificationDescription
from middlemark.specification.file_set import MadeFiles
from middlemark.subject.platform import PlatformDescription
from middlemark.subject.server import ServerDescription
from middlemark.subject.tuning import TuningLog
from middlemark.verdict.pair_verdicts import PairVerdicts
from middlemark.workload.plan import Plan
from middlemark.workload.session import Session

MODELS: dict[str, type[BaseModel]] = {
    "ab": AbResult,
    "audit-across": RuleAcrossDefinition,
    "cases": CaseFile,
    "conformance-report": ConformanceReport,
    "confirmed": ConfirmedDefinition,
    "dataset": DatasetDefinition,
    "drive": DriveResult,
    "experiment": Experiment,
    "known-failures": KnownFailures,
    "made-files": MadeFiles,
    "pages": PagesDefinition,
    "pair-verdicts": PairVerdicts,
    "plan": Plan,
    "platform": PlatformDescription,
    "price-sheet": PriceSheetDefinition,
    "published": PublishedDefinition,
    "server": ServerDescription,
    "session": Session,
    "specification": SpecificationDescription,
    "tuning": TuningLog,
}


def schema_of(name: str) -> str:
    """Text of `<name>.schema.json`; KeyError for a format that has no schema."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "made by `python -m middlemark.schemas`",
        **MODELS[name].model_json_schema(by_alias=True),
    }
    # What the lab writes holds null where a person would leave the key out.
    nulls = issubclass(MODELS[name], Record)
    return json.dumps(_plain(schema, nulls=nulls), indent=1, ensure_ascii=False) + "\n"


def write_schemas(folder: Path) -> None:
    """Write every schema into `folder`; HostError when it is not there, or nothing can be written into it."""
    for name in MODELS:
        write_whole(folder / f"{name}.schema.json", schema_of(name))


def _plain(part: Any, *, nulls: bool) -> Any:
    """Remove what editors need not know: titles, and without `nulls` that a key left out is null in Python."""
    if isinstance(part, list):
        return [_plain(item, nulls=nulls) for item in part]
    if not isinstance(part, dict):
        return part
    kept = {
        key: _plain(value, nulls=nulls) for key, value in part.items() if key != "title" or not isinstance(value, str)
    }
    if nulls:
        return kept
    if kept.get("default", "") is None:
        del kept["default"]
    choices = [choice for choice in kept.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    return kept


def main(words: list[str]) -> int:
    """Write the schemas into the one folder that is named; return the exit status."""
    if len(words) != 1:
        print("usage: python -m middlemark.schemas DIR", file=sys.stderr)
        return InputError.exit_status
    try:
        write_schemas(Path(words[0]))
    except LabError as error:
        print(f"middlemark.schemas: {error}", file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
