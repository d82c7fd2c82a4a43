"""What is missing and is a package of Debian's is installed where that is allowed; else the one line is printed."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

from checks.listing import REPOSITORY

_POSIX = ("sh", "awk", "cat", "dirname", "grep", "head", "mv", "sed", "sort", "tr")
_COMPILER = (
    "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends gcc libc6-dev"
)
_ROOT, _SOMEBODY = "0", "1000"
_SUDO, _SUDO_THAT_ASKS = '[ "$1" = -n ] || exec "$@"', '[ "$1" != -n ] && exec "$@"'


class Machine:
    """A machine with everything `make demo` needs but a C compiler, which its apt-get can install."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "programs"
        self._packaged = folder / "packaged"
        self._calls = folder / "asked"
        for place in (self.programs, self._packaged):
            place.mkdir()
        for tool in _POSIX:
            (self.programs / tool).symlink_to(str(shutil.which(tool)))
        for tool, version in {"python3": "3.11.2", "rustc": "1.90.0", "cargo": "1.90.0", "go": "go1.30.1"}.items():
            self.put(tool, f"echo {version}")
        self.put("id", f"echo {_ROOT}")
        installs = f'[ "$1" = update ] || mv {self._packaged}/* {self.programs}'
        self.put("apt-get", f'echo "$DEBIAN_FRONTEND apt-get $*" >>{self._calls}; {installs}')
        self.package("cc", "echo 12")

    def put(self, name: str, script: str, folder: Path | None = None) -> None:
        """Put a program where PATH finds it."""
        program = (folder or self.programs) / name
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)

    def package(self, name: str, script: str) -> None:
        """Let apt-get bring this program."""
        self.put(name, script, self._packaged)

    def without_packages(self) -> None:
        """Let apt-get find nothing to install."""
        self.put("apt-get", f'echo "apt-get $*" >>{self._calls}; echo "E: no such package" >&2; exit 100')

    def belong_to(self, user: str, sudo: str = "") -> None:
        """Be used by somebody; `sudo` is what the program of that name does, none without."""
        self.put("id", f"echo {user}")
        if sudo:
            self.put("sudo", f'echo "sudo $*" >>{self._calls}; {sudo}')

    def calls(self) -> list[str]:
        """Return the calls of sudo and apt-get."""
        return self._calls.read_text(encoding="utf-8").splitlines() if self._calls.exists() else []

    def look(self, terminal: int = subprocess.DEVNULL, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run `checks/toolchain.sh` with nothing but the programs of this machine."""
        return subprocess.run(
            [str(REPOSITORY / "checks" / "toolchain.sh")],
            env={"PATH": str(self.programs), **environment},
            stdin=terminal,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Give a machine whose user is root."""
    return Machine(tmp_path)


def test_root_installs_what_is_missing_and_sees_the_line(machine: Machine) -> None:
    done = machine.look()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Installing what is missing (NO_INSTALL=1 prevents it): {_COMPILER}\n"
    assert [line.strip() for line in machine.calls()] == [
        "apt-get update",
        "noninteractive apt-get install --yes --no-install-recommends gcc libc6-dev",
    ]


def test_nothing_is_printed_or_called_when_nothing_is_missing(machine: Machine) -> None:
    machine.put("cc", "echo 12")
    done = machine.look()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.calls() == []


def test_nothing_is_installed_where_that_is_prevented(machine: Machine) -> None:
    done = machine.look(NO_INSTALL="1")
    assert done.returncode == 2
    assert f"This line installs them:\n\n  {_COMPILER}\n" in done.stderr
    assert machine.calls() == []


def test_who_needs_no_password_for_sudo_installs_with_it(machine: Machine) -> None:
    machine.belong_to(_SOMEBODY, sudo=_SUDO)
    done = machine.look()
    assert (done.returncode, done.stderr) == (0, "")
    assert f"sudo sh -c '{_COMPILER}'" in done.stdout
    assert machine.calls()[:2] == ["sudo -n true", f"sudo sh -c {_COMPILER}"]


def test_in_a_terminal_sudo_may_ask_for_a_password(machine: Machine) -> None:
    machine.belong_to(_SOMEBODY, sudo=_SUDO_THAT_ASKS)
    ours, theirs = pty.openpty()
    try:
        assert machine.look(theirs).returncode == 0
    finally:
        os.close(ours)
        os.close(theirs)


def test_where_sudo_cannot_ask_the_line_is_printed(machine: Machine) -> None:
    machine.belong_to(_SOMEBODY, sudo=_SUDO_THAT_ASKS)
    done = machine.look()
    assert done.returncode == 2
    assert f"  sudo sh -c '{_COMPILER}'\n" in done.stderr
    assert machine.calls() == ["sudo -n true"]


def test_who_has_no_sudo_sees_the_line(machine: Machine) -> None:
    machine.belong_to(_SOMEBODY)
    done = machine.look()
    assert done.returncode == 2
    assert f"  su - -c '{_COMPILER}'\n" in done.stderr
    assert machine.calls() == []


def test_what_apt_get_cannot_bring_is_named_beside_the_line_and_all_at_once(machine: Machine) -> None:
    for tool in ("rustc", "cargo", "go"):
        (machine.programs / tool).unlink()
    done = machine.look(NO_INSTALL="1")
    for words in (_COMPILER, "rustc", "cargo", "rustup", "Go (go)", "go.dev/dl", "nothing has been built"):
        assert words in done.stderr


def test_what_is_installed_and_still_too_old_is_named(machine: Machine) -> None:
    (machine.programs / "python3").unlink()
    machine.package("python3", "echo Python 3.9.2")
    done = machine.look()
    assert done.returncode == 2
    assert "3.9.2" in done.stderr
    assert "python3 python3-venv" in done.stdout


def test_an_interpreter_without_venv_gets_its_package(machine: Machine) -> None:
    machine.put("python3", '[ "$1" = --version ] && echo Python 3.11.2')
    assert machine.look(NO_INSTALL="1").stderr.count("gcc libc6-dev python3 python3-venv\n") == 1


def test_what_apt_get_refuses_to_bring_ends_with_its_words_and_the_line(machine: Machine) -> None:
    machine.without_packages()
    done = machine.look()
    assert done.returncode == 2
    assert "E: no such package" in done.stderr
    assert f"  {_COMPILER}\n" in done.stderr
