"""Puts the clients into a private folder, each from its registry, in the versions that are pinned beside this file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PLACE = Path(__file__).parent
GRPCURL = "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4"
INSTALLING_SECONDS = 900


def schemathesis(folder: Path) -> Path:
    """Return the program schemathesis, in a virtual environment of its own."""
    programs = folder / "python" / "bin"
    if not (programs / "schemathesis").exists():
        _run([sys.executable, "-m", "venv", str(folder / "python")])
        pip = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        _run([*pip, "--require-hashes", "-r", str(PLACE / "requirements.lock")])
    return programs / "schemathesis"


def node_soap(folder: Path) -> Path:
    """Return the script that calls with node-soap, in a folder that holds the library."""
    place = folder / "node"
    shutil.copytree(PLACE / "node", place, dirs_exist_ok=True)
    if not (place / "node_modules" / "soap").exists():
        _run(["npm", "ci", "--silent", "--prefix", str(place)])
    return place / "calls.mjs"


def grpcurl(folder: Path) -> Path:
    """Return the program grpcurl."""
    program = folder / "bin" / "grpcurl"
    if not program.exists():
        _run(["go", "install", GRPCURL], GOBIN=str(program.parent))
    return program


def cxf(folder: Path) -> str:
    """Return the class path of what Apache CXF generated from the WSDL, with the calls."""
    place = folder / "cxf"
    _run(["mvn", "-q", "-B", "-f", str(PLACE / "cxf" / "pom.xml"), "package", f"-Dbuild.folder={place}"])
    return f"{place}/classes:{place}/lib/*"


def _run(words: list[str], **settings: str) -> None:
    """Run an installer; what it says goes to stderr when it fails."""
    environment = {**os.environ, **settings}
    done = subprocess.run(
        words, env=environment, check=False, capture_output=True, text=True, timeout=INSTALLING_SECONDS
    )
    if done.returncode:
        sys.exit(f"checks.clients: `{' '.join(words)}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
