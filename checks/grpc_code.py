"""Makes the code that Go generates from each .proto: `.venv/bin/python checks/grpc_code.py` writes it to its place."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
GO = REPOSITORY / "platforms" / "go"


@dataclass(frozen=True)
class Contract:
    """A .proto of a specification and the Go package that is generated from it."""

    proto: Path
    package: str  # path below platforms/go

    @property
    def folder(self) -> Path:
        """Folder of the generated files."""
        return GO / self.package


CONTRACTS = (
    Contract(REPOSITORY / "specs" / "brokerage" / "brokerage.proto", "brokerage/grpc/wire"),
    Contract(REPOSITORY / "specs" / "remoting" / "remoting.proto", "remoting/wire"),
)


def generate(contract: Contract, folder: Path) -> None:
    """Write the generated files into `folder`; `CalledProcessError` when the compiler or Go refuses."""
    proto = contract.proto
    options = []
    for name in ("go", "go-grpc"):
        options += [
            f"--plugin=protoc-gen-{name}={_tool(f'protoc-gen-{name}')}",
            f"--{name}_out={folder}",
            f"--{name}_opt=paths=source_relative,M{proto.name}=middlemark/{contract.package}",
        ]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"-I{proto.parent}", *options, proto.name], check=True)


def _tool(name: str) -> str:
    """Return the program that `go.mod` names as a tool; Go builds it when it must."""
    go = shutil.which("go") or "go"
    found = subprocess.run([go, "tool", "-n", name], cwd=GO, check=True, capture_output=True, text=True)
    return found.stdout.strip()


if __name__ == "__main__":
    for contract in CONTRACTS:
        generate(contract, contract.folder)
