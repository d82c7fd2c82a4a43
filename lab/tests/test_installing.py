"""A server that this machine does not have is fetched once, checked, and kept for every later run."""

from __future__ import annotations

import hashlib
import os
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from middlemark.errors import HostError, InputError, MissingToolError, TargetError
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.installing import install_folder, installed, is_installed
from middlemark.subject.server import Server, load_server

DESCRIPTION = """
name = "Small"
version = "7.1"
start = ["{{install}}/bin/serve"]

[uses.war]
artifact = "application.war"

[toolchain]
command = ["python3", "--version"]
minimum = "3"
debian = "apt install python3"
macos = "brew install python3"

[install]
command = {command}
size = "1 kB"

[install.toolchain]
command = ["{fetcher}", "--version"]
minimum = "1"
debian = "apt install it"
macos = "brew install it"

[[install.files]]
name = "small.zip"
sha256 = "{sha256}"
unpack = true
"""

COUNTING = '["sh", "-c", "echo fetched >> {server}/fetches && cp {server}/small.zip {folder}"]'


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running:
        yield running


def small_server(home: Path, *, command: str = COUNTING, sha256: str = "", fetcher: str = "python3") -> Server:
    """Write a server whose archive holds a program, and return it."""
    folder = home / "servers" / "small"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "small.zip", "w") as archive:
        program = zipfile.ZipInfo("bin/serve")
        program.external_attr = 0o755 << 16
        archive.writestr(program, "#!/bin/sh\n")
        archive.writestr("lib/part.jar", "part")
    digest = hashlib.sha256((folder / "small.zip").read_bytes()).hexdigest()
    content = DESCRIPTION.format(command=command, sha256=sha256 or digest, fetcher=fetcher)
    (folder / "server.toml").write_text(content)
    return load_server(home, "small")


def fetches(server: Server) -> int:
    """Return how often it was fetched."""
    return len((server.folder / "fetches").read_text().splitlines())


def test_it_is_fetched_once_and_unpacked_with_its_programs(tmp_path: Path, watching: Watchdog) -> None:
    server = small_server(tmp_path)
    assert not is_installed(server)

    folder = installed(server, watching)

    assert folder
    assert folder == install_folder(server) == installed(server, watching)
    assert folder.parent == tmp_path / "cache" / "middlemark" / "servers"
    assert folder.name.startswith("small-7.1-")
    assert os.access(folder / "bin" / "serve", os.X_OK)
    assert (folder / "lib" / "part.jar").read_text() == "part"
    assert not (folder / "small.zip").exists()
    assert is_installed(server)
    assert fetches(server) == 1


def test_another_archive_is_another_install(tmp_path: Path, watching: Watchdog) -> None:
    server = small_server(tmp_path)
    first = installed(server, watching)
    other = small_server(tmp_path, sha256="0" * 64)
    assert install_folder(other) != first
    assert not is_installed(other)


def test_two_labs_that_want_it_at_once_fetch_it_once(tmp_path: Path) -> None:
    slow = '["sh", "-c", "echo fetched >> {server}/fetches && until [ -e {server}/go ]; do sleep 0.02; done; cp {server}/small.zip {folder}"]'  # fmt: skip # noqa: E501
    server = small_server(tmp_path, command=slow)
    folders: list[Path | None] = []

    def lab(number: int) -> None:
        with watchdog(tmp_path / f"runtime-{number}") as own:
            folders.append(installed(server, own))

    labs = [threading.Thread(target=lab, args=(number,)) for number in range(2)]
    for one in labs:
        one.start()
    (server.folder / "go").touch()
    for one in labs:
        one.join()

    assert folders == [install_folder(server)] * 2
    assert fetches(server) == 1


def test_something_else_than_was_requested_is_refused_and_not_kept(tmp_path: Path, watching: Watchdog) -> None:
    server = small_server(tmp_path, sha256="0" * 64)
    with pytest.raises(
        TargetError, match=r"server\.toml: small\.zip: what was fetched has the SHA-256 [0-9a-f]{64}, not 0{64}"
    ):
        installed(server, watching)
    assert not is_installed(server)
    assert list((tmp_path / "cache" / "middlemark" / "servers").glob("*.new")) == []


def test_a_fetch_that_fails_shows_what_it_said(tmp_path: Path, watching: Watchdog) -> None:
    server = small_server(tmp_path, command='["sh", "-c", "echo no such host >&2; exit 6"]')
    with pytest.raises(TargetError, match=r"fetching Small 7\.1 ended with 6\. .*\n    no such host$"):
        installed(server, watching)
    assert not is_installed(server)


def test_a_fetch_that_brings_nothing_is_refused(tmp_path: Path, watching: Watchdog) -> None:
    server = small_server(tmp_path, command='["true"]')
    with pytest.raises(InputError, match=r"server\.toml: small\.zip: the install command brought no such file"):
        installed(server, watching)


def test_a_missing_fetcher_is_named_with_the_command_that_installs_it(tmp_path: Path, watching: Watchdog) -> None:
    server = small_server(tmp_path, fetcher="not-a-program")
    with pytest.raises(MissingToolError, match=r"server small: not-a-program 1 or later is needed .*apt install it"):
        installed(server, watching)


def test_a_cache_that_cannot_be_written_says_what_to_set(
    tmp_path: Path, watching: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HostError, match="Set XDG_CACHE_HOME to a folder of your own"):
        installed(small_server(tmp_path), watching)
