"""`middlemark check`: one byte, one file more or one file less, and the result is no longer what its run left."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic_result import Shape, write_synthetic

from middlemark.judge.result import judge_folder, write_findings
from middlemark.records.folder import write_manifest
from middlemark.records.run import RunStatus

SMALL = Shape(loads=(10,), repeats=1)
POINT = "points/go/binding=local/10/0"


def files_of_a_run(result: Path) -> int:
    """Count what the manifest of a whole result lists."""
    return len((result / "manifest.sha256").read_text(encoding="utf-8").splitlines())


def check(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command outside every checkout."""
    command = [sys.executable, "-m", "middlemark", "check", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def one_byte(result: Path) -> None:
    file = result / POINT / "evidence.json"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def missing(result: Path) -> None:
    (result / POINT / "intervals.ndjson").unlink()


def added(result: Path) -> None:
    (result / "points" / "more.txt").write_text("", encoding="utf-8")


def a_link_to_the_same_bytes(result: Path) -> None:
    file = result / POINT / "audit.json"
    (result.parent / "elsewhere.json").write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(result.parent / "elsewhere.json")


def a_linked_folder(result: Path) -> None:
    (result / "linked").symlink_to(result / "points")


def without_run(result: Path) -> None:
    (result / "run.json").unlink()


def without_manifest(result: Path) -> None:
    (result / "manifest.sha256").unlink()


def a_line_that_leads_outside(result: Path) -> None:
    (result.parent / "outside").write_text("x", encoding="utf-8")
    with (result / "manifest.sha256").open("a", encoding="utf-8") as manifest:
        manifest.write(f"{hashlib.sha256(b'x').hexdigest()}  ../outside\n")


def a_name_twice(result: Path) -> None:
    manifest = result / "manifest.sha256"
    lines = manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    manifest.write_text("".join([*lines, lines[0]]), encoding="utf-8")


DEVIATIONS: dict[Callable[[Path], None], str] = {
    one_byte: f"changed: {POINT}/evidence.json",
    missing: f"missing: {POINT}/intervals.ndjson",
    added: "added: points/more.txt",
    a_link_to_the_same_bytes: f"changed: {POINT}/audit.json",
    a_linked_folder: "added: linked",
    without_run: "missing: run.json",
    without_manifest: "missing: manifest.sha256",
    a_line_that_leads_outside: "changed: manifest.sha256 (line {next_line} is none of a run's)",
    a_name_twice: "changed: manifest.sha256 (line {next_line} is none of a run's)",
}


def test_a_whole_result_passes_with_the_hash_of_its_manifest_and_with_a_report_made_again(tmp_path: Path) -> None:
    write_synthetic(tmp_path / "result", SMALL)
    (tmp_path / "result" / "report.html").write_text("made again", encoding="utf-8")

    done = check("result", cwd=tmp_path)

    manifest = (tmp_path / "result" / "manifest.sha256").read_bytes()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"SHA-256 of the manifest: {hashlib.sha256(manifest).hexdigest()}",
        "result",
        f"Check passed: {files_of_a_run(tmp_path / 'result')} files are as the run left them.",
    ]


@pytest.mark.parametrize("change", DEVIATIONS, ids=lambda change: change.__name__)
def test_what_is_not_as_it_was_fails_and_is_named(tmp_path: Path, change: Callable[[Path], None]) -> None:
    result = write_synthetic(tmp_path / "result", SMALL)
    next_line = files_of_a_run(result) + 1
    change(result)

    done = check(str(result), cwd=tmp_path)

    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0] == DEVIATIONS[change].format(next_line=next_line)
    assert lines[-2] == str(result)
    assert lines[-1].startswith("Check failed: ")


def test_findings_that_raw_files_do_not_show_fail_though_no_file_was_changed(tmp_path: Path) -> None:
    result = write_synthetic(tmp_path / "result", SMALL)
    findings = judge_folder(result).model_copy(update={"answer": "Local costs nothing."})
    write_findings(result, findings)
    write_manifest(result)

    done = check(str(result), cwd=tmp_path)

    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "Check failed: findings.json is not what the raw files show (in answer)."


def test_every_deviation_is_a_line_and_the_last_says_how_many(tmp_path: Path) -> None:
    result = write_synthetic(tmp_path / "result", SMALL)
    one_byte(result)
    missing(result)
    added(result)

    lines = check(str(result), cwd=tmp_path).stdout.splitlines()

    assert [line.partition(":")[0] for line in lines[:3]] == ["changed", "missing", "added"]
    assert lines[-1] == f"Check failed: changed: {POINT}/evidence.json, and 2 more."


def test_a_result_of_a_killed_run_has_nothing_to_be_checked_by(tmp_path: Path) -> None:
    result = write_synthetic(tmp_path / "killed", Shape(loads=(10,), repeats=1, status=RunStatus.RUNNING))

    done = check(str(result), cwd=tmp_path)

    assert done.returncode == 1
    assert "manifest.sha256 is missing: the run was killed before it was written" in done.stdout.splitlines()[-1]


def test_one_damaged_result_among_several_ends_with_1(tmp_path: Path) -> None:
    one_byte(write_synthetic(tmp_path / "damaged", SMALL))
    write_synthetic(tmp_path / "whole", SMALL)

    done = check("damaged", "whole/run.json", cwd=tmp_path)

    assert done.returncode == 1
    files = files_of_a_run(tmp_path / "whole")
    assert done.stdout.splitlines()[-1] == f"Check passed: {files} files are as the run left them."


def test_a_folder_that_is_not_a_result_is_wrong_input(tmp_path: Path) -> None:
    done = check(".", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "this folder is not a result: it has neither run.json nor manifest.sha256" in done.stderr


def test_the_manifest_is_one_of_sha256sum_and_leaves_the_report_out(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    (tmp_path / "report.html").write_text("can be made again", encoding="utf-8")
    manifest = write_manifest(tmp_path)
    listed = [line.split("  ", 1)[1] for line in manifest.read_text(encoding="utf-8").splitlines()]
    on_disk = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert set(listed) == on_disk - {"manifest.sha256", "report.html"}
    assert "run.json" in listed
    command = ["sha256sum", "--check", "--strict", "--quiet", manifest.name]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "run.json").write_text("changed", encoding="utf-8")
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 1
