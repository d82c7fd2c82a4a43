"""The generated code that is checked in is what the .proto and the locked tools make."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks import grpc_code


@pytest.mark.parametrize("contract", grpc_code.CONTRACTS, ids=lambda contract: contract.proto.stem)
def test_the_generated_code_is_fresh(contract: grpc_code.Contract, tmp_path: Path) -> None:
    grpc_code.generate(contract, tmp_path)
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text(encoding="utf-8") for path in contract.folder.iterdir()}
    assert made == kept, "run .venv/bin/python checks/grpc_code.py"
