"""The JSON Schemas in the documentation are those of the models."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from synthetic_result import Shape, write_synthetic

from middlemark.records.run import RunStatus
from middlemark.schemas import MODELS, schema_of

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_schema_in_the_documentation_is_current(name: str) -> None:
    todo = "run `python -m middlemark.schemas docs/reference`"
    assert (REFERENCE / f"{name}.schema.json").read_text(encoding="utf-8") == schema_of(name), todo


def test_every_schema_in_the_documentation_has_its_model() -> None:
    assert {path.name.removesuffix(".schema.json") for path in REFERENCE.glob("*.schema.json")} == set(MODELS)


def test_the_schemas_are_written_into_a_folder_that_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "middlemark.schemas"]
    assert subprocess.run([*command, str(tmp_path)], check=False).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.schema.json" for name in MODELS}

    missing = subprocess.run([*command, str(tmp_path / "no")], capture_output=True, text=True, check=False)
    assert missing.returncode == 2
    assert "no: cannot write the schemas here (No such file or directory). Name a folder" in missing.stderr
    assert missing.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("session", "specs/*/sessions/*.yaml"),
        ("experiment", "experiments/*.yaml"),
        ("specification", "specs/*/spec.toml"),
        ("dataset", "specs/*/dataset.toml"),
        ("platform", "platforms/*/platform.toml"),
        ("tuning", "platforms/*/tuning.toml"),
        ("server", "servers/*/server.toml"),
    ],
)
def test_the_files_of_the_project_obey_their_schema(name: str, files: str) -> None:
    found = list(ROOT.glob(files))
    assert found
    for file in found:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text) if file.suffix == ".toml" else yaml.safe_load(text)
        jsonschema.validate(content, json.loads(schema_of(name)), cls=jsonschema.Draft202012Validator)


def test_the_files_of_a_result_obey_their_schema(tmp_path: Path) -> None:
    result = write_synthetic(tmp_path / "result", Shape(loads=(10,), repeats=1, status=RunStatus.RUNNING))
    for name in ("run", "ledger", "point", "verdict", "audit"):
        files = sorted(result.rglob(f"{name}.json"))
        assert files, name
        for file in files:
            jsonschema.validate(
                json.loads(file.read_bytes()), json.loads(schema_of(name)), cls=jsonschema.Draft202012Validator
            )
