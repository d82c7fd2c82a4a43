"""`make quick` says what it runs for a change, runs it by make, and ends as badly as the worst part."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.quick.__main__ import main
from checks.quick.test_quick_changes import commit, git

TREE = {
    ".gitignore": "asked\n",
    "lab/middlemark/errors.py": "",
    "lab/tests/test_errors.py": "import middlemark.errors",
    "checks/test_names.py": "from checks.listing import files",
    # A make that writes down what it is asked for; one target fails.
    "programs/make": '#!/bin/sh\necho "$*" >>asked\n[ "$2" != check-python ] || exit 7\n',
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


def asked(root: Path) -> list[str]:
    """Return what make was asked for."""
    return (root / "asked").read_text(encoding="utf-8").splitlines() if (root / "asked").exists() else []


def test_each_part_is_run_and_the_worst_status_is_kept(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "lab" / "middlemark" / "errors.py").write_text("WORSE = 1", encoding="utf-8")
    assert main([]) == 7
    assert asked(root) == [
        "--no-print-directory check-python",
        "--no-print-directory test-chosen TESTS=checks/test_names.py lab/tests/test_errors.py",
    ]
    said = capsys.readouterr().out
    for words in ("lab/middlemark/errors.py", "imports middlemark.errors", "FAILED", "make check-python"):
        assert words in said


def test_a_change_of_the_driver_alone_does_not_wait_for_its_package(root: Path) -> None:
    (root / "driver").mkdir()
    (root / "driver" / "main.rs").touch()
    assert main([]) == 0
    assert asked(root) == [
        "--no-print-directory check-rust",
        "--no-print-directory test-driver",
        "--no-print-directory test-chosen TESTS=checks/test_names.py DRIVER_SOURCES=",
    ]


def test_what_is_only_listed_is_not_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "lab" / "middlemark" / "alone.py").touch()
    assert main(["--list"]) == 0
    assert asked(root) == []
    assert "no test looks at these by name: 1\n  lab/middlemark/alone.py\n" in capsys.readouterr().out


def test_it_is_said_when_nothing_has_changed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert asked(root) == []
    assert "nothing has changed since HEAD" in capsys.readouterr().out


def test_a_revision_that_git_does_not_know_ends_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--since", "nowhere"]) == 2
    assert asked(root) == []
    assert "'nowhere'" in capsys.readouterr().err
