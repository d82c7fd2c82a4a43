"""The commands of the recipe for `ab`, run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from middlemark.processes.ports import free_port

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "compare-two-versions.md"
# Only shorter, and on ports that are free here.
SHORTER = "middlemark ab --slice 200ms --budget 8s"
SCRIPTS = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
CONCLUSION = re.compile(r"B is (slower|faster) by |B and A are equal within |Cannot tell ")


@pytest.mark.full
@pytest.mark.parametrize("script", SCRIPTS, ids=["started", "pages", "addresses", "pipeline"])
def test_a_command_of_the_recipe_gives_an_answer(script: str, tmp_path: Path) -> None:
    for port in ("8001", "8002"):
        script = script.replace(port, str(free_port()))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/bash", "-m", "-c", "set -e\n" + script.replace("middlemark ab", SHORTER)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert CONCLUSION.match(done.stdout), done.stdout
