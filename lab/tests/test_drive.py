"""`middlemark drive` runs a session against servers that are not ours, with the real driver."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from driven import SESSION, hello_of, is_running, wait_until_ended
from other_server import Manners, misbehaving, not_ours

from middlemark.drive.drive import DriveOptions, prepare
from middlemark.drive.options import NamedValues
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.errors import HostError
from middlemark.records.driver_lines import DriverLines, End, EndReason
from middlemark.workload.error_kinds import MEANINGS
from middlemark.workload.think import Think
from middlemark.workload.window import driven

ROOT = Path(__file__).parents[2]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "page.yaml"
    path.write_text(SESSION, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with not_ours(tmp_path_factory.mktemp("server")) as address:
        yield address


def drive_words(session: Path, target: str, *more: str) -> list[str]:
    short = ["--ramp", "100ms", "--duration", "600ms", "--users", "4"]
    return [sys.executable, "-m", "middlemark", "drive", str(session), "--target", target, *short, *more]


def drive(session: Path, target: str, *more: str) -> subprocess.CompletedProcess[str]:
    words = drive_words(session, target, *more)
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=session.parent)


def test_a_server_that_is_not_ours_is_driven(session: Path, server: str, tmp_path: Path) -> None:
    done = drive(session, server, "--out", str(tmp_path / "results"))
    assert done.returncode == 0
    assert done.stderr.startswith("page, 4 users: takes about 1 s (ramp-up 0 s, measured window 1 s)")
    assert done.stderr.count("\n") == 1
    *table, path, verdict = done.stdout.splitlines()
    assert verdict.startswith("PASS: ")
    assert "4 users" in verdict
    assert any("page" in line for line in table)
    assert sorted(file.name for file in Path(path).iterdir()) == [
        "drive.json",
        "driver.log",
        "intervals.ndjson",
        "latency.hlog",
        "plan.json",
        "session.yaml",
    ]


def test_json_is_exactly_one_object_that_agrees_with_the_lines(session: Path, server: str, tmp_path: Path) -> None:
    done = drive(session, server, "--json", "--out", str(tmp_path / "results"))
    result = json.loads(done.stdout)
    figures = driven(DriverLines(Path(result["out"]) / "intervals.ndjson")).whole
    assert done.returncode == 0
    assert result["passed"] is True
    assert result["total"]["count"] == figures.total.count > 0
    assert result["transactions"]["page"]["p99_ms"] == figures.total.p99_ms
    assert result["window_s"] == pytest.approx(0.6, abs=0.2)
    assert json.loads((Path(result["out"]) / "drive.json").read_bytes()) == result


def test_nothing_is_left_without_out(session: Path, server: str, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    done = subprocess.run(
        drive_words(session, server), check=False, capture_output=True, env={**os.environ, "TMPDIR": str(private)}
    )
    assert done.returncode == 0
    assert list(private.iterdir()) == []


def test_too_many_errors_are_exit_1_with_by_how_much(session: Path) -> None:
    with misbehaving(Manners(status=500)) as address:
        done = drive(session, address, "--max-error-rate", "0.25")
    assert done.returncode == 1
    verdict = done.stdout.splitlines()[-1]
    assert verdict.startswith("FAIL: no valid transaction in the window (at least one); error rate 100 % (")
    assert "is 75 percentage points above the limit (at most 25 %)" in verdict
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("errors of page: status ")]
    meaning = lines.index("   status: another HTTP status than the session expects")
    assert re.match(r"   the first: GET / \(step page\): expected status 200, found status 500", lines[meaning + 1])
    # Without a valid transaction there is no time to show.
    (row,) = [line for line in lines if line.startswith(" page")]
    assert row.count("–") == 6  # noqa: RUF001 (a dash)
    assert "ok: the limit is kept; !!: it is not; --: shown, but not judged" in lines


def test_wrong_responses_to_a_session_with_numbers_show_what_was_drawn_from(session: Path) -> None:
    session.write_text(SESSION.replace("get: /", "get: /item/${item}") + "feeds: {item: {range: [0, items]}}\n")
    with misbehaving(Manners(status=404)) as address:
        done = drive(session, address, "--number", "items=5000")
    line = "   This session has drawn from 5,000 items. If there are others, name them: --scale S or --number NAME=N"
    assert line in done.stdout.splitlines()
    assert done.returncode == 1


def test_the_error_limit_is_kept_when_it_is_high_enough(tmp_path: Path, server: str) -> None:
    path = tmp_path / "half.yaml"
    path.write_text(SESSION + "  - {id: gone, get: /gone}\n", encoding="utf-8")
    assert drive(path, server, "--max-error-rate", "0.9").returncode == 0
    assert drive(path, server).returncode == 1


def test_a_p99_that_is_too_long_is_exit_1_and_names_the_transaction(session: Path) -> None:
    with misbehaving(Manners(seconds=0.05)) as address:
        slow = drive(session, address, "--p99", "10ms")
        good = drive(session, address, "--p99", "30s")
    assert slow.returncode == 1
    assert "FAIL: p99 of page " in slow.stdout
    assert "ms above the limit (at most 10ms)" in slow.stdout.splitlines()[-1]
    assert good.returncode == 0


def test_a_full_disk_is_one_message(session: Path, server: str, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=16k none "$1" && shift && exec "$@"'
    private = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    words = drive_words(session, server, "--duration", "50s", "--out", str(small))
    done = subprocess.run(
        [*private, "sh", "-c", script, "sh", str(small), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2, done.stderr
    assert f"no space left under {small}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_target_where_nothing_answers_is_refused_before_anything_starts(session: Path) -> None:
    done = drive(session, "http://127.0.0.1:9")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "nothing answers at http://127.0.0.1:9" in done.stderr
    assert "Start it or check the address" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--duration", "5"], "--duration: '5' is not a duration"),
        (["--think", "fast"], "--think: 'fast' is not a duration"),
        (["--number", "accounts"], "--number: 'accounts' is not NAME=N"),
        (["--target", "ftp://127.0.0.1"], "ftp://127.0.0.1: a target is an http or https address, or a Unix socket"),
        (["--duration", "0s"], "--duration: a window of 0s measures nothing"),
    ],
)
def test_a_wrong_option_is_exit_2(session: Path, server: str, words: list[str], message: str) -> None:
    done = drive(session, server, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("ramp", ["0s", "50s"])
def test_ctrl_c_ends_the_driver_and_prints_the_figures_so_far(session: Path, tmp_path: Path, ramp: str) -> None:
    manners = Manners(expect=30)
    with misbehaving(manners) as address:
        out = tmp_path / "results"
        words = drive_words(session, address, "--duration", "50s", "--ramp", ramp, "--out", str(out))
        lab = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert manners.enough.wait(20)
        lab.send_signal(signal.SIGINT)
        printed, _ = lab.communicate(timeout=20)
    lines = list(DriverLines(next(out.iterdir()) / "intervals.ndjson"))
    assert lab.returncode == 130
    assert isinstance(lines[-1], End)
    assert lines[-1].reason is EndReason.SIGNAL
    assert not is_running(hello_of(lines).pid)
    verdict = printed.splitlines()[-1]
    if ramp == "0s":
        assert verdict.startswith("INTERRUPTED: ")
        assert "transactions/s by 4 users" in verdict
        assert driven(lines).whole.total.count > 0
    else:
        assert verdict == "INTERRUPTED before the measured window began: nothing was measured."


def test_a_killed_lab_takes_its_driver_with_it_and_the_lines_are_readable(session: Path, tmp_path: Path) -> None:
    manners = Manners(expect=30)
    with misbehaving(manners) as address:
        out = tmp_path / "results"
        words = drive_words(session, address, "--duration", "50s", "--ramp", "0s", "--out", str(out))
        lab = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
        assert manners.enough.wait(20)
        lab.kill()
        lab.wait()
        path = next(out.iterdir()) / "intervals.ndjson"
        wait_until_ended(hello_of(list(DriverLines(path))).pid)
    lines = list(DriverLines(path))
    assert isinstance(lines[-1], End)
    assert lines[-1].reason is EndReason.LEASE
    assert driven(lines).whole.total.count > 0


@pytest.mark.parametrize(("scale", "accounts"), [("demo", 5000), ("tiny", 50)])
def test_a_session_of_a_specification_has_the_numbers_of_its_scale(server: str, scale: str, accounts: int) -> None:
    session = ROOT / "specs" / "brokerage" / "sessions" / "brokerage.yaml"
    plan = prepare(DriveOptions(session, (server,), Thresholds(0, None), named=NamedValues(scale=scale))).plan
    assert json.loads(plan.model_dump_json(by_alias=True))["feeds"][0]["range"]["to"] == accounts
    # 19 steps of 1 s think time and 10 ms: one iteration is the ramp, two are the window.
    assert plan.phases.ramp_ms == pytest.approx(19_190)
    assert plan.phases.measure_ms == pytest.approx(2 * 19_190)


def test_a_think_time_of_zero_still_has_a_ramp_and_a_window(session: Path, server: str) -> None:
    plan = prepare(DriveOptions(session, (server,), Thresholds(0, None), think=Think.of(Duration(0)))).plan
    assert plan.phases.ramp_ms == 1000
    ((begin, end),) = plan.windows
    assert end - begin >= 10


def test_a_missing_session_is_refused_with_the_command_that_writes_one(tmp_path: Path) -> None:
    done = drive(tmp_path / "my.yaml", "http://127.0.0.1:9")
    assert done.returncode == 2
    assert "my.yaml: this session file does not exist. `middlemark new session NAME` writes one" in done.stderr


def test_a_recording_is_refused_with_the_command_that_makes_a_session_of_it(tmp_path: Path) -> None:
    recording = tmp_path / "my.har"
    recording.write_text('{"log": {}}')
    done = drive(recording, "http://127.0.0.1:9")
    assert done.returncode == 2
    assert f"`middlemark session import {recording}` makes a session of it" in done.stderr


def test_every_kind_of_error_of_the_driver_is_explained() -> None:
    page = (ROOT / "docs" / "reference" / "driver.md").read_text(encoding="utf-8")
    (kinds,) = re.findall(r"^Kinds of errors: (.*?)\.$", page, re.MULTILINE | re.DOTALL)
    assert list(MEANINGS) == re.findall(r"`(\w+)`", kinds)


def test_an_unknown_host_is_refused(session: Path) -> None:
    with pytest.raises(HostError, match=r"nothing answers at http://no-such-host\.invalid:80"):
        prepare(DriveOptions(session, ("http://no-such-host.invalid",), Thresholds(0, None)))
