"""JSON Schemas are made of the models, are valid, and accept the files of the project."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

from middlemark.schemas import MODELS, schema_of

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


class EditorsLoader(yaml.CSafeLoader):
    """Reads `on` and `off` as words, as YAML 1.2 and so editors do."""

    yaml_implicit_resolvers = {  # noqa: RUF012 (PyYAML has it like this)
        first: kinds for first, kinds in yaml.CSafeLoader.yaml_implicit_resolvers.items() if first not in {"o", "O"}
    }


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_schema_is_a_valid_json_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema_of(name)))


def test_the_reference_lists_every_schema() -> None:
    section = (REFERENCE / "experiments.md").read_text(encoding="utf-8").partition("## JSON Schemas")[2]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    listed = re.findall(r"`([a-z-]+)`", "\n".join(rows))
    assert sorted(listed) == sorted(MODELS)


def test_the_schemas_are_written_into_a_folder_that_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "middlemark.schemas"]
    assert subprocess.run([*command, str(tmp_path)], check=False).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.schema.json" for name in MODELS}
    assert (tmp_path / "session.schema.json").read_text(encoding="utf-8") == schema_of("session")

    missing = subprocess.run([*command, str(tmp_path / "no")], capture_output=True, text=True, check=False)
    assert missing.returncode == 2
    assert f"{tmp_path / 'no'}/" in missing.stderr
    assert "cannot write (No such file or directory). Choose another place" in missing.stderr
    assert missing.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("session", "specs/*/sessions/*.yaml"),
        ("experiment", "experiments/*.yaml"),
        ("specification", "specs/*/spec.toml"),
        ("dataset", "specs/*/dataset.toml"),
        ("made-files", "specs/spice/site.toml"),
        ("cases", "specs/*/cases/*.yaml"),
        ("pages", "specs/*/pages/pages.toml"),
        ("confirmed", "specs/*/audit/confirmed.toml"),
        ("platform", "platforms/*/platform.toml"),
        ("tuning", "platforms/*/tuning.toml"),
        ("known-failures", "platforms/*/known-failures.toml"),
        ("server", "servers/*/server.toml"),
        ("published", "published/*.toml"),
        ("price-sheet", "docs/reference/price-sheet-example.toml"),
        ("conformance-report", "docs/reference/conformance/*.json"),
    ],
)
def test_the_files_of_the_project_obey_their_schema(name: str, files: str) -> None:
    found = list(ROOT.glob(files))
    assert found
    for file in found:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text) if file.suffix == ".toml" else yaml.load(text, EditorsLoader)  # noqa: S506 (a safe one)
        jsonschema.validate(content, json.loads(schema_of(name)), cls=jsonschema.Draft202012Validator)


def test_a_schema_that_a_file_names_for_editors_is_written_there() -> None:
    first_line = re.compile(r"# yaml-language-server: \$schema=(\S+)")
    files = [file for folder in ("specs", "experiments") for file in (ROOT / folder).rglob("*.yaml")]
    named = {
        (file.parent / match[1]).resolve()
        for file in files
        if (match := first_line.match(file.read_text(encoding="utf-8")))
    }
    assert named
    assert named <= {REFERENCE / f"{name}.schema.json" for name in MODELS}
