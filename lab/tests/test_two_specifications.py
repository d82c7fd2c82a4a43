"""Two specifications that the lab does not know: `sums` has no database, `supply` two and a TCP port between tiers."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from own_checkout import checkout_at, environment_in
from run_command import found_in

from middlemark.records.point import Outcome

SECONDS = 120

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a checkout with these two specifications and their platform, and nothing else."""
    home = tmp_path_factory.mktemp("home") / "checkout"
    checkout_at(home)
    return home


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Give an environment of its own; the applications find psycopg where the lab does."""
    return environment_in(tmp_path)


def middlemark(checkout: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "middlemark", *words]
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def result_folder(done: subprocess.CompletedProcess[str]) -> Path:
    """Return the result folder that a run has printed."""
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return next(Path(word.removeprefix("file:")).parent for word in done.stdout.split() if word.endswith("report.html"))


class Up:
    """`middlemark up` while it is up."""

    def __init__(self, checkout: Path, environment: dict[str, str], *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "middlemark", "up", *words],
            cwd=checkout,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []

    def wait_for(self, text: str) -> str:
        """Return the first line that begins so."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if line.startswith(text):
                return line.rstrip()
        raise AssertionError(f"no line begins with {text!r}: {self.lines}")

    def stop(self) -> None:
        """End it by SIGTERM and hear that nothing is left."""
        self.process.send_signal(signal.SIGTERM)
        output, _ = self.process.communicate(timeout=SECONDS)
        assert "Stopped; nothing of it is left." in output
        assert self.process.returncode == 0


@pytest.fixture
def up(checkout: Path, environment: dict[str, str]) -> Iterator[Callable[..., Up]]:
    """Give a function that starts `middlemark up` with words; what it has started is gone afterwards."""
    started: list[Up] = []

    def start(*words: str) -> Up:
        started.append(Up(checkout, environment, *words))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def test_one_without_a_database_is_up_with_the_settings_it_was_given(up: Callable[..., Up]) -> None:
    one = up("plain", "sums", "--set", "method=loop", "--set", "MM_ROUNDS=3")
    address = one.wait_for("Open ").split()[1].rstrip("/.")
    assert '<p id="sum">55</p>' in httpx.get(f"{address}/sum?to=10").text
    settings = httpx.get(f"{address}/about").json()["settings"]
    assert (settings["method"], settings["rounds"]) == ("loop", "3")
    assert not any("database" in line for line in one.lines)
    one.stop()


def test_it_is_driven_with_the_value_that_requests_carry(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    home = tmp_path / "checkout"
    shutil.copytree(checkout, home, symlinks=True)
    session = home / "specs" / "sums" / "sessions" / "sums.yaml"
    shutil.copy(session.with_name("written.yaml"), session)
    one = Up(home, environment, "plain", "sums", "--set", "notation=hex")
    try:
        words = shlex.split(one.wait_for("Drive it: ").partition(": middlemark ")[2])
        assert words[-2:] == ["--set", "notation=hex"]
        load = ["--users", "2", "--duration", "1s", "--out", str(tmp_path / "out")]
        for more, notation in ((words, "hex"), (words[:-2], "decimal")):
            done = middlemark(home, environment, *more, *load)
            assert done.returncode == 0, done.stdout + done.stderr
            plan = max((tmp_path / "out").rglob("plan.json"), key=lambda file: file.stat().st_mtime_ns)
            assert f"&in={notation}" in plan.read_text(encoding="utf-8")
        for value, message in (("notation=octal", "'octal' is not a value of notation"), ("x=1", "carry no mode 'x'")):
            done = middlemark(home, environment, *words[:-2], *load, "--set", value)
            assert (done.returncode, message in done.stderr) == (2, True), done.stderr
        one.stop()
    finally:
        one.process.kill()
        one.process.wait()


def test_one_with_two_databases_is_up_and_its_audit_asks_both(
    up: Callable[..., Up], checkout: Path, environment: dict[str, str]
) -> None:
    one = up("plain", "supply", "--scale", "tiny")
    address = one.wait_for("Open ").split()[1].rstrip("/.")
    words = one.wait_for("Audit it: ").split()[3:]
    for _ in range(3):
        assert httpx.post(f"{address}/sell", data={"buyer": "Anna", "item": "1", "amount": "2"}).status_code == 200
    audited = middlemark(checkout, environment, *words)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert "Every sale was shipped once, and nothing else was." in audited.stdout
    assert "An item has 1,000,000 pieces less those that were shipped." in audited.stdout
    one.stop()


@pytest.mark.parametrize("spec", ["sums", "supply"])
def test_every_case_passes(checkout: Path, environment: dict[str, str], spec: str, tmp_path: Path) -> None:
    done = middlemark(checkout, environment, "verify", "plain", "--spec", spec, "--json", str(tmp_path / "result.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    (subject,) = json.loads((tmp_path / "result.json").read_text())["subjects"]
    methods = {one["configuration"].get("method") for one in subject["executions"]}
    assert methods == ({"formula", "loop"} if spec == "sums" else {None})
    assert {one["outcome"] for one in subject["executions"]} == {"passed"}
    assert len(subject["executions"]) >= (8 if spec == "sums" else 3)


def test_a_wrong_application_is_found_in_both(checkout: Path, environment: dict[str, str], tmp_path: Path) -> None:
    home = tmp_path / "wrong"
    shutil.copytree(checkout, home, symlinks=True)
    sums = home / "platforms" / "plain" / "sums" / "sums.py"
    sums.write_text(sums.read_text().replace("last * (last + 1)", "last * (last + 2)"))
    supply = home / "platforms" / "plain" / "supply" / "supply.py"
    supply.write_text(supply.read_text().replace("pieces - %s", "pieces - 2 * %s"))
    for spec, found in (("sums", 'expected "55", found "60"'), ("supply", "pieces")):
        done = middlemark(home, environment, "verify", "plain", "--spec", spec)
        assert done.returncode == 1, done.stdout + done.stderr
        assert found in done.stdout


@pytest.mark.full
def test_a_run_without_a_database_compares_sessions_and_settings_with_a_reference(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    done = middlemark(checkout, environment, "run", "sums", "--out", str(tmp_path / "results"))
    root = result_folder(done)
    run = json.loads((root / "run.json").read_text())
    assert len(run["combinations"]) == 2 * 2 * 2
    assert {combination["modes"]["session"] for combination in run["combinations"]} == {"sums", "forms"}
    assert {combination["modes"]["MM_ROUNDS"] for combination in run["combinations"]} == {"1", "3"}
    by_path = {one["path"]: one["modes"] for one in run["combinations"]}
    for path, reference in run["references"].items():
        assert by_path[reference] == {**by_path[path], "method": "formula"}
    assert run["specification"]["databases"] == []
    # Two sessions need no other processes.
    processes = {path: {**modes, "session": ""} for path, modes in by_path.items()}
    assert [one["start"] for one in run["starts"]] == [0] * 4
    assert {one["runs_on"] for one in run["combinations"]} == {"", *(one["combination"] for one in run["starts"])}
    assert all(processes[one["path"]] == processes[one["runs_on"] or one["path"]] for one in run["combinations"])
    assert [one["combination"] for one in run["warm_ups"]] == [one["path"] for one in run["combinations"]]
    assert len({one["processes"][0]["ports"]["http"] for one in run["deployments"].values()}) == 4
    found = found_in(root)
    assert all(found.by_path[one.path].starts == found.by_path[one.deployment].starts for one in found.run.combinations)
    assert {start.number for one in found.combinations for start in one.starts} == {1}
    windows = found.rounds
    assert len(windows) == 8
    assert all(window.total.errors == 0 and window.total.count for window in windows)
    audits = {check.message for window in windows for check in window.checks if check.name == "audit"}
    assert audits == {"no database: nothing to audit"}
    assert middlemark(checkout, environment, "check", str(root)).returncode == 0
    # A further start begins with the last combination, and has as many deployments.
    result_folder(middlemark(checkout, environment, "run", "sums", "--resume", str(root)))
    more = json.loads((root / "run.json").read_text())
    places = [(one["combination"], one["start"]) for one in run["starts"]]
    assert [(one["combination"], one["start"]) for one in more["starts"]] == places + [
        (path, 1) for path, _ in reversed(places)
    ]
    assert len(found_in(root).rounds) == 16
    # A point that a busy machine has made INVALID makes it 1.
    assert middlemark(checkout, environment, "report", str(root)).returncode in {0, 1}
    assert "page" in (root / "report.html").read_text(encoding="utf-8")


def test_a_run_counts_the_calls_that_an_application_makes_by_itself(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    root = result_folder(middlemark(checkout, environment, "run", "additions", "--out", str(tmp_path / "results")))
    (window,) = found_in(root).rounds
    assert window.total.errors == 0
    assert window.throughput_tps > 1_000
    assert window.responses < window.total.count / 100
    checks = {check.name: check for check in window.checks}
    for name in ("driver lateness", "Little's law", "mix"):
        assert checks[name].outcome is Outcome.NOT_CHECKED
        assert checks[name].message.startswith("calls: ")
    assert checks["driver CPU"].outcome is not Outcome.NOT_CHECKED
    page = (root / "report.html").read_text(encoding="utf-8")
    assert "responses per transaction" not in page


def test_a_mode_that_requests_carry_needs_no_processes_of_its_own(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    root = result_folder(middlemark(checkout, environment, "run", "notations", "--out", str(tmp_path / "results")))

    found = found_in(root)
    by_path = {one.path: one.modes for one in found.run.combinations}
    modes = list(by_path.values())
    both = [
        {"notation": notation, "session": session} for notation in ("decimal", "hex") for session in ("written", "ten")
    ]
    assert [one for one in modes if "notation" in one] == both
    # To a session that does not hold it the mode makes no difference.
    assert [one for one in modes if "notation" not in one] == [{"session": "forms"}]
    assert [(one.combination, one.start) for one in found.run.starts] == [(found.run.combinations[0].path, 0)]
    ports = {process.ports["http"] for one in found.run.deployments.values() for process in one.processes}
    assert len(ports) == 1
    assert len(found.run.warm_ups) == len(found.rounds) == 5
    for window in found.rounds:
        # The marker has the notation.
        assert window.total.count > 0
        assert window.total.errors == 0
        notation = by_path[window.combination].get("notation", "")
        text = (root / "points" / window.path / "plan.json").read_text(encoding="utf-8")
        assert ("&in=" in text) == bool(notation)
        assert "${notation}" not in text
        assert f"&in={notation}" in text or not notation
        about = json.loads((root / "points" / window.path / "point.json").read_text(encoding="utf-8"))["about"]
        assert all("notation" not in one["settings"] for one in about.values())
        # One of the two cases holds the notation.
        replay = json.loads((root / "points" / window.path / "evidence.json").read_text(encoding="utf-8"))["replay"]
        assert (replay["executions"], replay["failed"]) == (2, 0)


def test_a_case_that_holds_a_carried_mode_is_executed_for_each_value(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    words = [
        "--only",
        "notation",
        "--only",
        "digits",
        "--json",
        str(tmp_path / "r.json"),
        "--junit",
        str(tmp_path / "r.xml"),
    ]
    done = middlemark(checkout, environment, "verify", "plain", "--spec", "sums", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    (subject,) = json.loads((tmp_path / "r.json").read_text())["subjects"]
    digits = {one["case"]: one["configuration"]["notation"] for one in subject["executions"] if "digits" in one["case"]}
    assert sorted(digits.values()) == ["decimal", "hex"]
    refused = [one["configuration"] for one in subject["executions"] if "every notation" in one["case"]]
    # Hexadecimal digits exist only with the formula.
    both = [("formula", "decimal"), ("formula", "hex"), ("loop", "decimal")]
    assert refused == [{"method": method, "notation": notation} for method, notation in both]
    assert "method=formula, notation=hex" in (tmp_path / "r.xml").read_text(encoding="utf-8")
    home = tmp_path / "wrong"
    shutil.copytree(checkout, home, symlinks=True)
    sums = home / "platforms" / "plain" / "sums" / "sums.py"
    sums.write_text(sums.read_text().replace('"hex": "x"', '"hex": "d"'))
    done = middlemark(home, environment, "verify", "plain", "--spec", "sums", "--only", "digits")
    assert done.returncode == 1
    assert "notation=hex" in done.stdout + done.stderr


def test_a_run_audits_both_databases_also_when_a_tier_is_killed(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    words = ["run", "supply", "--fault", "kill-depot@2s", "--out", str(tmp_path / "results")]
    root = result_folder(middlemark(checkout, environment, *words))
    (audit,) = [json.loads(file.read_text()) for file in root.glob("points/**/audit.json")]
    assert audit["passed"], audit
    rules = {finding["rule"] for finding in audit["findings"]}
    assert "Every sale was shipped once, and nothing else was." in rules
    assert "Every sale is of 1 to 9 pieces." in rules
    assert "An item has 1,000,000 pieces less those that were shipped." in rules
    assert audit["reconciled"]["sell"]["confirmed"] > 10
    assert audit["reconciled"]["sell"]["effect"] == "sale"
    (faults,) = [json.loads(file.read_text())["faults"] for file in root.glob("points/**/faults.json")]
    assert [fault["kind"] for fault in faults] == ["kill-depot"]
    assert faults[0]["ready_s"] > faults[0]["planned_s"]
    planned = json.loads((root / "run.json").read_text())["faults"]
    assert list(planned.values()) == [[[{"kind": "kill-depot", "at_s": 2.0}]]]
    assert "sales confirmed" in (root / "report.html").read_text(encoding="utf-8")


@pytest.mark.full
def test_an_audit_across_both_databases_finds_what_was_shipped_twice_or_never(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    home = tmp_path / "wrong"
    shutil.copytree(checkout, home, symlinks=True)
    supply = home / "platforms" / "plain" / "supply" / "supply.py"
    text = supply.read_text().replace(
        '[sale["sale"], sale["item"], sale["amount"]]).rowcount', '[sale["sale"], sale["item"], 2]).rowcount'
    )
    supply.write_text(text)
    root = result_folder(middlemark(home, environment, "run", "supply", "--out", str(tmp_path / "results")))
    _holds_what_is_counted(root)
    (audit,) = [json.loads(file.read_text()) for file in root.glob("points/**/audit.json")]
    broken = {finding["rule"] for finding in audit["findings"] if finding["outcome"] == "failed"}
    assert "Every sale was shipped once, and nothing else was." in broken


def _holds_what_is_counted(root: Path) -> None:
    """Sales are counted, not pages: throughput and CPU time are of them."""
    (window,) = found_in(root).rounds
    sold = window.transactions["sell"]
    assert 0 < sold.count < window.total.count
    assert window.throughput_tps == pytest.approx(sold.tps)
    for tier in window.tiers.values():
        assert tier.cpu_ms_per_transaction * sold.count == pytest.approx(tier.cpu_s * 1000)
    course = [one.rate for one in window.throughput_course if one.start_s >= window.start_s][: round(window.window_s)]
    assert sum(course) / len(course) == pytest.approx(sold.tps, rel=0.05)
    page = (root / "report.html").read_text(encoding="utf-8")
    assert "One sale is the transaction sell of a virtual user" in page
    assert "CPU time per sale" in page
