"""What a result discloses: the machine as it is, what is not default and why, what was tuned, what was in no commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from rejudged_result import with_run
from small_platform import small_checkout
from synthetic_result import Shape, write_synthetic

from middlemark.checkout import changed_files, commit_of
from middlemark.databases.database import Database
from middlemark.databases.disclosure import not_default
from middlemark.errors import InputError
from middlemark.experiment.disclosure import file_system, host
from middlemark.records.folder import read_run
from middlemark.records.run_parts import Trial, Tuning
from middlemark.show.page import report_page
from middlemark.subject.platform import load_platform, platforms
from middlemark.subject.tuning import tuning_of

ROOT = Path(__file__).parents[2]
TRIED = """\
version = 1
runs = 12
hours = 1.5
[[tried]]
setting = "GOGC"
value = "400"
before = "100"
measured = "0.97 × the CPU time (0.96 … 0.99, 6 rounds)"
kept = false
why = "memory grows threefold"
"""


def test_the_machine_is_described_as_it_is() -> None:
    found = host()
    assert found.limits["nice"] == str(os.getpriority(os.PRIO_PROCESS, 0))
    assert found.hardware["architecture"] == os.uname().machine
    assert found.hardware["CPUs of the machine"].startswith(str(os.cpu_count()))
    huge = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if huge.is_file():
        assert f"[{found.kernel_settings['transparent huge pages']}]" in huge.read_text(encoding="utf-8")


def test_the_file_system_of_a_folder_is_that_of_the_nearest_mount() -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("this system has no /proc")
    assert file_system(Path("/proc/self")).startswith("proc on ")
    assert file_system(Path("/")) != file_system(Path("/proc"))


def test_files_that_are_in_no_commit_are_named(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)  # noqa: S607 (as users have it)

    git("init", "-q")
    for name in ("kept", "changed", "removed"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "three files")
    assert changed_files(tmp_path) == []
    (tmp_path / "changed").write_text("other", encoding="utf-8")
    (tmp_path / "removed").unlink()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a new one").touch()

    assert changed_files(tmp_path) == ["changed", "inner/a new one", "removed"]
    assert len(commit_of(tmp_path)) == 12


def test_settings_of_the_database_that_are_not_default_have_their_reasons(database_cluster: Database) -> None:
    rows = {row["what"]: row for row in not_default(database_cluster)}
    if database_cluster.server is None:
        pytest.skip("the tests' PostgreSQL is somebody's own")
    assert rows["PostgreSQL: shared_buffers"]["value"].startswith("1GB (default: ")
    assert "about 830 MB) fits" in rows["PostgreSQL: shared_buffers"]["why"]
    assert "PostgreSQL: port" not in rows
    assert "PostgreSQL: synchronous_commit" not in rows
    assert [what for what, row in rows.items() if "stands in no file" in row["why"]] == []


def test_every_platform_keeps_a_tuning_log_that_can_be_read() -> None:
    for platform in platforms(ROOT):
        log = tuning_of(platform)
        assert log.trials or log.note


def test_a_tuning_log_is_read_and_a_wrong_one_is_told_with_its_key(tmp_path: Path) -> None:
    home = small_checkout(tmp_path)
    folder = home / "platforms" / "small"
    assert tuning_of(load_platform(home, "small")).note == "the platform keeps no tuning log"
    description = folder / "platform.toml"
    description.write_text('tuning = "tuning.toml"\n' + description.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "tuning.toml").write_text(TRIED, encoding="utf-8")

    log = tuning_of(load_platform(home, "small"))

    assert (log.runs, log.hours) == (12, 1.5)
    assert [(t.setting, t.value, t.kept) for t in log.trials] == [("GOGC", "400", False)]
    (folder / "tuning.toml").write_text(TRIED.replace("kept = false", "kept = 7"), encoding="utf-8")
    with pytest.raises(InputError, match=r"tuning\.toml: tried\.0\.kept: "):
        tuning_of(load_platform(home, "small"))


def test_the_report_shows_what_was_disclosed(tmp_path: Path) -> None:
    run = read_run(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    trial = Trial(setting="GOGC", value="400", before="100", measured="0.97 of it", kept=False, why="memory grows")
    machine = {
        "fsync_after_ms": 2.7,
        "limits": {"scheduling": "idle"},
        "kernel_settings": {"vm.swappiness": "60"},
        "hardware": {"L3 cache": "32768K"},
    }
    tuning = Tuning(platform="go", runs=12, hours=1.5, note="in one evening", trials=[trial])
    host = run.host.model_copy(update=machine)

    page = report_page(with_run(tmp_path, changed=["platforms/go/<new>.go"], tuning=[tuning], host=host))

    for text in ("platforms/go/&lt;new&gt;.go", "in one evening", "memory grows", "2.70 ms", "idle", "vm.swappiness"):
        assert text in page
    assert "0123456789ab, with changes that are in no commit" in page
