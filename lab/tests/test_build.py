"""`middlemark build` builds a subject, once for each content, and starts nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from small_platform import WAR, small_checkout
from small_servers import HOSTS_WAR, small_server


def build(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(home)}
    command = [sys.executable, "-m", "middlemark", "build", *words]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)


def test_the_artifact_of_a_content_is_built_once_and_its_place_printed(tmp_path: Path) -> None:
    home = small_checkout(tmp_path)
    first, again = build(home, "small"), build(home, "small", "brokerage")
    assert (first.returncode, first.stderr) == (0, "building small\n")
    assert (again.returncode, again.stderr) == (0, "small was built before\n")
    artifact = Path(first.stdout.removesuffix("\n"))
    assert artifact.is_relative_to(home / ".build" / "small" / "brokerage")
    assert artifact.read_bytes() == (home / "platforms" / "small" / "application.py").read_bytes()
    assert again.stdout == first.stdout
    assert (home / "builds").read_text() == "built\n"
    assert list((home / "middlemark").iterdir()) == []


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who waits for a lock")
def test_two_labs_that_want_it_at_once_build_it_once(tmp_path: Path) -> None:
    slow = "echo built >> ../../builds; until [ -e ../../go ]; do sleep 0.02; done; cp application.py {artifact}"
    home = small_checkout(tmp_path, build=f'["sh", "-c", "{slow}"]')
    with ThreadPoolExecutor(2) as labs:
        both = [labs.submit(build, home, "small") for _ in range(2)]
        try:
            _wait_until_one_waits(home)
        finally:
            (home / "go").touch()
        first, second = (one.result() for one in both)
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout) == (0, first.stdout)
    assert (home / "builds").read_text() == "built\n"


SECONDS_TO_WAIT = 120


def _wait_until_one_waits(home: Path) -> None:
    """Return as soon as a lab waits for another one that builds, or both build; proc_locks(5) marks who waits."""
    lock, builds = home / ".build" / "small" / "build.lock", home / "builds"
    end = time.monotonic() + SECONDS_TO_WAIT
    while not builds.exists() or builds.read_text() == "built\n":
        assert time.monotonic() < end, "nobody waits for the other's build"
        inode = lock.stat().st_ino if lock.exists() else -1
        if re.search(rf"-> FLOCK .*:{inode} ", Path("/proc/locks").read_text(encoding="ascii")):
            return
        time.sleep(0.02)


def test_a_hosted_subject_is_built_too(tmp_path: Path) -> None:
    home = small_checkout(tmp_path, made=WAR)
    small_server(home, "other", HOSTS_WAR)
    done = build(home, "small@other")
    assert (done.returncode, done.stderr) == (0, "building small@other\n")
    assert Path(done.stdout.strip()).is_file()


def test_a_build_that_fails_ends_with_1_and_its_last_lines(tmp_path: Path) -> None:
    home = small_checkout(tmp_path, build='["sh", "-c", "echo line 7: syntax error; exit 9"]')
    done = build(home, "small")
    assert (done.returncode, done.stdout) == (1, "")
    assert "building small ended with 9" in done.stderr
    assert done.stderr.endswith("\n    line 7: syntax error\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["smal"], "no platform is called 'smal'. Did you mean 'small'?"),
        (["small", "brokrage"], "small does not implement 'brokrage'. Did you mean 'brokerage'?"),
        (["small@other"], "no server is called 'other'"),
    ],
)
def test_wrong_words_are_answered_with_what_there_is(tmp_path: Path, words: list[str], message: str) -> None:
    done = build(small_checkout(tmp_path), *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_first_specification_of_a_platform_is_meant_where_none_is_named(tmp_path: Path) -> None:
    home = small_checkout(tmp_path)
    with (home / "platforms" / "small" / "platform.toml").open("a") as description:
        description.write('[specs.other]\nbuild = ["true"]\nstart = ["true"]\n')
    done = build(home, "small")
    assert done.returncode == 0, done.stderr
    assert "/.build/small/brokerage/" in done.stdout
