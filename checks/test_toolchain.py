"""`checks/toolchain.sh` names everything that is missing at once, and nothing when all is there."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from checks.listing import REPOSITORY

ALL = {"python3": "Python 3.11.2", "rustc": "rustc 1.90.0", "cargo": "cargo 1.90.0", "go": "go1.30.1", "cc": "cc 12"}
FOR_TESTS = {
    "git": "git version 2.39.5",
    "chromium": "Chromium 140",
    "nginx": "1.22",
    "strace": "strace -- version 6.1",
    "apache2": "Apache/2.4.62",
    "openssl": "OpenSSL 3.0.19 27 Jan 2026",
    "node": "v20.1.0",
    "npm": "10.1.0",
    "java": 'openjdk version "17.0.1" 2021-10-19',
    "javac": "javac 17.0.1",
    "mvn": "Apache Maven 3.8.7",
}
_POSIX = ("sh", "awk", "cat", "dirname", "grep", "head", "sed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a folder that holds the POSIX tools and every needed one; a test changes it and uses it as PATH."""
    for tool in _POSIX:
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    for tool, version in ALL.items():
        install(tmp_path, tool, version)
    return tmp_path


def install(folder: Path, tool: str, version: str) -> None:
    """Put a program into `folder` that says `version` and does nothing else."""
    program = folder / tool
    program.write_text(f"#!/bin/sh\necho '{version}'\n", encoding="utf-8")
    program.chmod(0o755)


def look(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the script with `path` as the only place where programs are."""
    return subprocess.run(
        [str(REPOSITORY / "checks" / "toolchain.sh"), *options],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_silent_when_everything_is_there(path: Path) -> None:
    done = look(path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_names_everything_that_is_missing_at_once(path: Path) -> None:
    for tool in ALL:
        (path / tool).unlink()
    done = look(path)
    assert done.returncode == 2
    for word in ("Python (python3)", "rustc", "cargo", "cc", "Go (go)", "Debian", "macOS", "nothing has been built"):
        assert word in done.stderr


def test_how_to_install_a_platforms_tools_is_what_its_own_file_says(path: Path) -> None:
    (path / "go").unlink()
    printed = look(path).stderr
    description = tomllib.loads((REPOSITORY / "platforms" / "go" / "platform.toml").read_text(encoding="utf-8"))
    assert f"Debian   {description['toolchain']['debian']}\n" in printed
    assert f"macOS    {description['toolchain']['macos']}\n" in printed


@pytest.mark.parametrize(
    ("tool", "version"),
    [("python3", "Python 3.9.2"), ("rustc", "rustc 1.63.0"), ("cargo", "cargo 1.63.0"), ("go", "go1.19.8")],
)
def test_a_tool_that_is_too_old_is_named_with_both_versions(path: Path, tool: str, version: str) -> None:
    install(path, tool, version)
    done = look(path)
    assert done.returncode == 2
    assert re.findall(r"[\d.]+", version)[0] in done.stderr
    assert done.stderr.count("needed") == 1


def test_ten_is_more_than_nine(path: Path) -> None:
    install(path, "python3", "Python 3.100.0")
    assert look(path).returncode == 0


def test_tests_need_more_than_a_build(path: Path) -> None:
    done = look(path, "--test")
    assert done.returncode == 2
    for word in ("git", "Chromium", "Node.js (node)", "npm", "apt install nodejs npm", "Java (java)", "Maven (mvn)"):
        assert word in done.stderr
    for tool, version in FOR_TESTS.items():
        install(path, tool, version)
    assert look(path, "--test").returncode == 0


def test_a_node_that_is_too_old_is_named(path: Path) -> None:
    install(path, "node", "v16.20.0")
    assert "16.20.0" in look(path, "--test").stderr


@pytest.mark.parametrize("version", ["17.0.1", "21", "25.0.1"])
def test_a_newer_java_will_do(path: Path, version: str) -> None:
    for tool, output in {**FOR_TESTS, "java": f'openjdk version "{version}" 2025-09-16'}.items():
        install(path, tool, output)
    assert look(path, "--test").returncode == 0


def test_a_java_that_cannot_compile_is_named(path: Path) -> None:
    for tool, version in FOR_TESTS.items():
        install(path, tool, version)
    (path / "javac").unlink()
    assert "Java's compiler (javac)" in look(path, "--test").stderr
