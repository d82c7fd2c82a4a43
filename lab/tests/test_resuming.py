"""Which run may be resumed in a result folder, and with what."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.errors import InputError
from middlemark.experiment.loads import Loads
from middlemark.experiment.resuming import check_resumable, clear, finished, resumed
from middlemark.experiment.schedule import schedule
from middlemark.judge.result import judge_folder, read_measured
from middlemark.processes.process_table import entry_of
from middlemark.processes.runtime import runtime_folder
from middlemark.processes.watchdog_process import WatchList
from middlemark.records.folder import read_run, write_json, write_manifest
from middlemark.records.run import Run, RunStatus
from middlemark.records.run_parts import PlannedFault
from middlemark.show.page import report_page

ENDED, LATER = "2026-11-20T08:05:00Z", "2026-11-20T09:07:03Z"
LOADS = (10, 30)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a result that was interrupted: its tests work on copies."""
    shape = Shape(loads=LOADS, stop_after=6, status=RunStatus.INTERRUPTED, message="interrupted by the user")
    return write_synthetic(tmp_path_factory.mktemp("made"), shape)


@pytest.fixture
def ended(made: Path, tmp_path: Path) -> Path:
    """Give a result that was interrupted in its second block: one point of it was finished, the next was begun."""
    folder = Path(shutil.copytree(made, tmp_path / "result"))
    run = read_run(folder)
    (folder / "points" / run.points[5] / "evidence.json").unlink()
    write_json(folder / "run.json", run.model_copy(update={"finished": ENDED}))
    write_manifest(folder)
    return folder


def begun_later(folder: Path, **changes: object) -> Run:
    """Return the record with which the same run would begin today."""
    before = read_run(folder)
    begin: dict[str, object] = {
        "started": LATER,
        "status": RunStatus.RUNNING,
        "message": "",
        "points": [],
        "finished": None,
    }
    return before.model_copy(update=begin | changes)


def resume(folder: Path) -> Run:
    """Do with a result folder what is done before anything is measured; return its record."""
    measured = read_measured(folder)
    found = finished(measured.windows, schedule([COMBINATIONS], 1, 2), Loads(users=LOADS))
    record = resumed(measured, found, LATER)
    clear(folder, found, len(measured.run.resumed))
    write_json(folder / "run.json", record)
    return record


def test_a_run_is_resumed_as_the_one_that_was_begun_and_records_it(ended: Path) -> None:
    before = read_run(ended)
    check_resumable(ended, read_run(ended), begun_later(ended))

    record = resume(ended)

    assert (record.status, record.started, record.command) == (RunStatus.RUNNING, before.started, before.command)
    assert (record.message, record.finished) == ("", None)
    (resumption,) = record.resumed
    assert (resumption.at, resumption.ended, resumption.reason) == (LATER, ENDED, "interrupted by the user")


def test_whole_rounds_stay_and_of_the_one_that_was_cut_nothing_does(ended: Path) -> None:
    places = read_run(ended).points

    record = resume(ended)

    assert record.points == places[:4]
    assert [one.path for one in read_measured(ended).rounds] == places[:4]
    assert record.resumed[0].aside == [f"points/{places[4]}"]
    assert (ended / "aside" / "0" / "points" / places[4] / "evidence.json").is_file()
    assert not (ended / "points" / places[5]).exists()


def test_what_was_written_when_the_run_ended_is_removed(ended: Path) -> None:
    (ended / ".run.json.x7f3k2aa").write_text("{", encoding="utf-8")
    (ended / "stopped.json").write_text("{}", encoding="utf-8")
    (ended / "stopped.json.new").write_text("{", encoding="utf-8")
    (ended / ".of the user").write_text("mine", encoding="utf-8")

    resume(ended)

    assert sorted(file.name for file in ended.iterdir() if file.is_file()) == [
        ".of the user",
        "ledger.json",
        "run.json",
    ]


def test_a_killed_lab_left_no_time_but_its_watchdog_did(ended: Path) -> None:
    run = begun_later(ended, status=RunStatus.RUNNING, started="2026-11-20T08:00:00Z")
    write_json(ended / "run.json", run)
    (ended / "stopped.json").write_text(
        '{"when": "2026-11-20T08:05:01Z", "reason": "the lab was killed", "processes": []}', encoding="utf-8"
    )
    assert (resume(ended).resumed[0].ended, read_run(ended).resumed[0].reason) == (
        "2026-11-20T08:05:01Z",
        "the lab was killed",
    )
    record = resume(ended)
    assert record.resumed[1].ended is None
    assert "at a time that is unknown" in record.resumed[1].reason


def test_what_ended_a_run_is_what_the_run_says_also_when_the_watchdog_stopped_what_was_left(ended: Path) -> None:
    run = begun_later(ended, status=RunStatus.INTERRUPTED, message="interrupted by the user")
    write_json(ended / "run.json", run.model_copy(update={"finished": "2026-11-20T08:05:00Z"}))
    (ended / "stopped.json").write_text(
        '{"when": "2026-11-20T08:05:01Z", "reason": "the lab was interrupted", "processes": []}', encoding="utf-8"
    )
    (record,) = resume(ended).resumed
    assert (record.ended, record.reason) == ("2026-11-20T08:05:00Z", "interrupted by the user")


def test_the_report_shows_the_segments_and_what_was_set_aside(ended: Path) -> None:
    resume(ended)

    found = judge_folder(ended)
    page = report_page(found)

    assert "The run was resumed 1 time." in [mark.text for mark in found.marks]
    assert "1 h 2 min 3 s" in page
    assert "Set aside: windows that were disturbed" in page
    assert "json, 10 users, round 2" in page


def test_a_run_in_one_go_shows_no_segments(tmp_path: Path) -> None:
    page = report_page(judge_folder(write_synthetic(tmp_path / "result", Shape(loads=(10,), repeats=1))))

    assert "egment" not in page
    assert "Set aside" not in page


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"seed": 99}, r"seed \(1?\d, now 99\)"),
        ({"commit": "0" * 12}, r"commit \(0123456789ab, now 000000000000\)"),
        ({"changed": ["lab/middlemark/x.py"]}, "the files that are in no commit"),
        ({"versions": {"middlemark": "9"}}, r"versions \(middlemark\)"),
        ({"inputs": {"specs/README.md": "0" * 64}}, "inputs .*specs/README.md"),
        ({"requested": "0" * 64}, "the experiment with its options"),
        ({"rounds": 7}, "rounds"),
        ({"placement": {}}, r"the CPUs of the roles \(go/binding=json, go/binding=local\)"),
        ({"command": ["run", "demo", "--database", "postgresql://me@other/x"]}, r"database \(none, now postgresql:"),
    ],
)
def test_a_run_that_differs_is_refused_with_what_differs(ended: Path, changes: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=rf"differs from what was begun here: .*{text}"):
        check_resumable(ended, read_run(ended), begun_later(ended, **changes))


@pytest.mark.parametrize(
    "changes", [{"cpus": 64}, {"kernel": "7.7"}, {"kernel_settings": {"swappiness": "0"}}, {"memory_mib": 4096}]
)
def test_another_machine_is_refused(ended: Path, changes: dict[str, object]) -> None:
    fresh = begun_later(ended)

    with pytest.raises(InputError, match=r"differs from what was begun here: .*(CPUs|kernel|memory)"):
        check_resumable(ended, read_run(ended), begun_later(ended, host=fresh.host.model_copy(update=changes)))


def test_a_little_less_memory_after_a_start_is_no_difference(ended: Path) -> None:
    fresh = begun_later(ended)
    host = fresh.host.model_copy(update={"memory_mib": fresh.host.memory_mib - 9, "fsync_ms": None})

    check_resumable(ended, read_run(ended), begun_later(ended, host=host))


def test_a_finished_run_with_faults_is_refused_and_another_one_gets_one_more_start(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path / "result", Shape(loads=(10,), repeats=1))
    check_resumable(folder, read_run(folder), begun_later(folder))
    faults = {COMBINATIONS[0].path: [[PlannedFault(kind="kill-web")]]}
    write_json(folder / "run.json", read_run(folder).model_copy(update={"faults": faults}))

    with pytest.raises(InputError, match="this run is finished"):
        check_resumable(folder, read_run(folder), begun_later(folder))


def test_a_run_whose_files_were_changed_is_refused_and_the_file_named(ended: Path) -> None:
    evidence = ended / "points" / read_run(ended).points[0] / "evidence.json"
    evidence.write_text(evidence.read_text(encoding="utf-8") + " ", encoding="utf-8")

    with pytest.raises(InputError, match=r"files of this run were changed.*evidence\.json"):
        check_resumable(ended, read_run(ended), begun_later(ended))


def test_what_a_watchdog_added_after_a_second_interruption_is_no_change(ended: Path) -> None:
    (ended / "stopped.json").write_text("{}", encoding="utf-8")

    check_resumable(ended, read_run(ended), begun_later(ended))


def test_a_run_that_is_still_measured_is_refused(ended: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    private = tmp_path / "run"
    private.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private))
    me = entry_of(os.getpid())
    assert me is not None
    watch_list = WatchList("t", me.pid, me.started, 1, "never", result=str(ended))
    registry = runtime_folder() / "t.json"
    registry.write_text(watch_list.to_json(), encoding="utf-8")

    with pytest.raises(InputError, match=rf"still under way \(pid {me.pid}\)"):
        check_resumable(ended, read_run(ended), begun_later(ended))

    shutil.rmtree(runtime_folder())
    check_resumable(ended, read_run(ended), begun_later(ended))
