"""`middlemark new` writes valid files to start from and never overwrites."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from middlemark.subject.platform import check_toolchain, load_platform


def new(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "middlemark", "new", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "README.md").write_text("", encoding="utf-8")
    (tmp_path / "platforms").mkdir()
    return tmp_path


def test_a_new_session_says_the_command_to_try_it(tmp_path: Path) -> None:
    done = new(tmp_path, "session", "shop")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Try it: middlemark drive shop.yaml --target http://127.0.0.1:8080\nshop.yaml\n"
    assert new(tmp_path, "session", "shop").returncode == 2


def test_a_new_platform_is_valid_for_the_lab(checkout: Path) -> None:
    done = new(checkout, "platform", "rust-axum")
    assert (done.returncode, done.stderr) == (0, "")
    platform = load_platform(checkout, "rust-axum")
    assert platform.description.specs["brokerage"].hosting == ("self",)
    assert platform.description.specs["brokerage"].build[-1] == "{artifact}"
    assert check_toolchain(platform)
    assert platform.description.language == "Python", "the toolchain that stands there as an example is Python's"
    assert "middlemark up rust-axum brokerage" in (checkout / "platforms" / "rust-axum" / "README.md").read_text()


def test_a_platform_that_is_there_is_not_touched(checkout: Path) -> None:
    mine = checkout / "platforms" / "go"
    mine.mkdir()
    done = new(checkout, "platform", "go")
    assert done.returncode == 2
    assert "is there already and is not overwritten" in done.stderr
    assert list(mine.iterdir()) == []


@pytest.mark.parametrize("name", ["../go", "Go", "a b", ""])
def test_a_wrong_name_of_a_platform_is_refused(checkout: Path, name: str) -> None:
    done = new(checkout, "platform", name)
    assert done.returncode == 2
    assert "is no name for a platform" in done.stderr
    assert list((checkout / "platforms").iterdir()) == []


def test_a_platform_needs_a_checkout(tmp_path: Path) -> None:
    done = new(tmp_path, "platform", "go")
    assert done.returncode == 2
    assert "no Middlemark checkout here" in done.stderr
