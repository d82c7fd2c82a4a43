"""The generated code that is checked in is what the .proto and the locked tools make."""

from __future__ import annotations

from pathlib import Path

from checks import grpc_code


def test_the_generated_code_is_fresh(tmp_path: Path) -> None:
    grpc_code.generate(tmp_path)
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text(encoding="utf-8") for path in grpc_code.GENERATED.iterdir()}
    assert made == kept, "run .venv/bin/python checks/grpc_code.py"
