"""Makes the code that Go generates from a .proto: `.venv/bin/python checks/grpc_code.py` writes it where it belongs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
GO = REPOSITORY / "platforms" / "go"
GENERATED = GO / "brokerage" / "grpc" / "wire"
PROTO = REPOSITORY / "specs" / "brokerage" / "brokerage.proto"
_PACKAGE = "middlemark/brokerage/grpc/wire"


def generate(folder: Path) -> None:
    """Write the generated files into `folder`; `CalledProcessError` when the compiler or Go refuses."""
    options = []
    for name in ("go", "go-grpc"):
        options += [
            f"--plugin=protoc-gen-{name}={_tool(f'protoc-gen-{name}')}",
            f"--{name}_out={folder}",
            f"--{name}_opt=paths=source_relative,M{PROTO.name}={_PACKAGE}",
        ]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO.parent}", *options, PROTO.name], check=True)


def _tool(name: str) -> str:
    """Return the program that `go.mod` names as a tool; Go builds it when it must."""
    go = shutil.which("go") or "go"
    found = subprocess.run([go, "tool", "-n", name], cwd=GO, check=True, capture_output=True, text=True)
    return found.stdout.strip()


if __name__ == "__main__":
    generate(GENERATED)
