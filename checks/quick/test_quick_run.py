"""`make quick` prints what it runs for a change, runs it by make, and ends as badly as the worst part."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.quick.__main__ import main
from checks.quick.test_quick_changes import commit, git

TREE = {
    ".gitignore": "called\n",
    "lab/middlemark/errors.py": "",
    "lab/tests/test_errors.py": "import middlemark.errors",
    "checks/test_names.py": "from checks.listing import files",
    # A make that writes down its calls; one target fails.
    "programs/make": '#!/bin/sh\necho "$*" >>called\n[ "$2" != check-python ] || exit 7\n',
}


@pytest.fixture
def root(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a checkout whose make fails for the types; nothing in it has changed."""
    folder = plant(TREE)
    (folder / "programs" / "make").chmod(0o755)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "one")
    monkeypatch.setattr("checks.quick.__main__.REPOSITORY", folder)
    monkeypatch.setenv("PATH", f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    return folder


def calls(root: Path) -> list[str]:
    """Return the words of each call of make."""
    return (root / "called").read_text(encoding="utf-8").splitlines() if (root / "called").exists() else []


def test_each_part_is_run_and_the_worst_status_is_kept(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "lab" / "middlemark" / "errors.py").write_text("WORSE = 1", encoding="utf-8")
    assert main([]) == 7
    assert calls(root) == [
        "--no-print-directory check-python",
        "--no-print-directory test-chosen TESTS=checks/test_names.py lab/tests/test_errors.py",
    ]
    printed = capsys.readouterr().out
    for words in ("lab/middlemark/errors.py", "imports middlemark.errors", "FAILED", "make check-python"):
        assert words in printed


def test_a_change_of_the_driver_alone_does_not_wait_for_its_package(root: Path) -> None:
    (root / "driver").mkdir()
    (root / "driver" / "main.rs").touch()
    assert main([]) == 0
    assert calls(root) == [
        "--no-print-directory check-rust",
        "--no-print-directory test-driver",
        "--no-print-directory test-chosen TESTS=checks/test_names.py DRIVER_SOURCES=",
    ]


def test_what_is_only_listed_is_not_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "lab" / "middlemark" / "alone.py").touch()
    assert main(["--list"]) == 0
    assert calls(root) == []
    assert "no test looks at these by name: 1\n  lab/middlemark/alone.py\n" in capsys.readouterr().out


def test_nothing_is_run_when_nothing_has_changed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert calls(root) == []
    assert "nothing has changed since HEAD" in capsys.readouterr().out


def test_a_revision_that_git_does_not_know_ends_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--since", "nowhere"]) == 2
    assert calls(root) == []
    assert "'nowhere'" in capsys.readouterr().err
