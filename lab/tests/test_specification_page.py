"""The recipe for a specification of one's own, run as it stands: from an empty folder to a report."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from run_command import found_in

from conftest import ROOT
from middlemark.conformance.execution.request import study_specification
from middlemark.experiment.definition import read_experiment
from middlemark.subject.platform import command_words
from middlemark.subject.subject import find_subject

PAGE = (ROOT / "docs" / "how-to" / "add-a-specification.md").read_text(encoding="utf-8")
# A block is a file when its name stands above it, and a command in `sh`; anything else is an output.
BLOCK = re.compile(r"(?:^`([^`\n]+)`\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "END_OF_THE_FILE"
# Shorter; a window that a busy machine disturbs is not measured again, and one that it makes INVALID ends with 1.
SHORTER = {
    "rounds: 3\n": "rounds: 2\nreplacements: 0\n",
    "\nmiddlemark run shop\n": "\nmiddlemark run shop || test $? = 1\n",
}
SECONDS = 1200


def script() -> str:
    """Return the whole page as one script."""
    parts = ["set -e\n"]
    for name, kind, text in BLOCK.findall(PAGE):
        if name:
            parts.append(f"cat > {name} <<'{END}'\n{text}{END}\n")
        elif kind == "sh":
            parts.append(text)
    joined = "".join(parts)
    for before, after in SHORTER.items():
        assert joined.count(before) == 1, before
        joined = joined.replace(before, after)
    return joined


@pytest.mark.full
@pytest.mark.timeout(SECONDS)
def test_the_page_leads_from_an_empty_folder_to_a_report(tmp_path: Path) -> None:
    # The caller's python3 is not the lab's, and has no psycopg: platform.toml says which one starts the application.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to("/usr/bin/python3")
    environment = {**os.environ, "CLONE": str(ROOT), "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        ["/bin/bash", "-c", script().replace('bin/activate"\n', f'bin/activate"\nPATH="{tmp_path / "bin"}:$PATH"\n')],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    home = tmp_path / "shop-lab"
    for line in (
        "4 cases can be read.",
        "Verified: plain passed 5 of 5 executions of 5 cases.",
        "Verified: plain and kept passed 10 of 10 executions of 5 cases, and they are equal.",
        "noticed",
    ):
        assert line in done.stdout.splitlines()
    fault = 'rows[0][0]: expected "250", found "249" (expected: ${cents}; found: by the query)'
    assert f"step 1, step 2: round 77 of 200: {fault}" in done.stdout
    (report,) = (home / "results").glob("*/report.html")
    windows = found_in(report.parent).rounds
    assert len(windows) == 4
    assert all(window.total.errors == 0 and window.total.count for window in windows)
    known = {check.name: check for window in windows for check in window.checks}
    for name in ("settings", "audit", "conformance"):
        assert known[name].outcome == "passed", known[name].message


def test_the_files_of_the_page_are_without_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "README.md").write_bytes((ROOT / "specs" / "README.md").read_bytes())
    for name, _, text in BLOCK.findall(PAGE):
        if name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
    suite = study_specification("shop", tmp_path)
    assert suite.mistakes == ()
    assert len(suite.cases) == 4
    start = find_subject(tmp_path, "plain", "shop").implementation.start
    assert command_words(start, tmp_path / "built") == (sys.executable, f"{tmp_path}/built/application.py")
    assert read_experiment(tmp_path / "experiments" / "shop.yaml").subjects == ("plain", "kept")
    assert [number for number, line in enumerate(PAGE.splitlines(), start=1) if len(line) > 120] == []
