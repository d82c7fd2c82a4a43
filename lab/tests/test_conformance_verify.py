"""`middlemark verify` as people use it: exit status, outputs, two platforms compared, and nothing is left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from lxml import etree
from small_specification import ROOT, specification_with, with_fewer_modes

from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.verify import verify
from middlemark.specification.specification import find_specification
from middlemark.subject.subject import find_subject

pytestmark = pytest.mark.long

COMMAND = [sys.executable, "-m", "middlemark", "verify"]
SECONDS = 600
_GO_ACCESSES = ", ".join(['[]string{"one", "other"}'] * 2)
CASES = """
cases:
  - name: A bought share is held
    rule: buy
    steps:
      - call: buy
        with: {userId: "uid:1", symbol: "s:3", quantity: 10}
        response: {total: {any: true}}
        capture: {h: holdingId}
      - get: /portfolio
        user: uid:1
        expect: {look: [{at: "input[name=holding_id][value='${h}']", count: 1}]}
"""
READ = """
cases:
  - name: A quote that is looked at stays
    steps: [{call: getQuote, with: {symbol: "s:3"}, response: {symbol: "s:3"}}]
"""
ORDERED = """
cases:
  - &order
    name: An order on a page is confirmed
    tags: [interop]
    modes: {orders: [sync]}
    audited: false  # which asks for the fee as well
    steps:
      - post: /buy
        user: uid:1
        form: {symbol: "s:3", quantity: "10"}
        expect: {look: [{at: h1, text: Order confirmation}]}
  - <<: *order
    name: An order on a page has the fee
    steps:
      - post: /buy
        user: uid:1
        form: {symbol: "s:3", quantity: "10"}
        expect: {look: [{at: "dl > div:nth-child(6) dd", text: "24.95"}]}
"""
WRONG = """
cases:
  - name: The fee is less than it is
    steps: [{call: buy, with: {userId: "uid:1", symbol: "s:3", quantity: 10}, response: {fee: "9.95"}}]
    audited: false # on the platform with another fee, too
"""
SLOW = """
cases: [{name: A case that takes a minute, steps: [{get: /}, {wait: 60s}]}]
"""


def _case_of_the_recipe() -> str:
    text = (ROOT / "docs" / "how-to" / "write-your-first-case.md").read_text(encoding="utf-8")
    return text.partition("```yaml\nversion: 1\n")[2].partition("```")[0]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a checkout with few cases and two platforms: Go, and Go with another fee and page over two data accesses."""
    folder = tmp_path_factory.mktemp("checkout")
    cases = {"held": CASES, "read": READ, "ordered": ORDERED, "wrong": WRONG, "slow": SLOW}
    specification_with(folder, first=_case_of_the_recipe(), **cases)
    (folder / "databases").symlink_to(ROOT / "databases")
    (folder / "platforms").mkdir()
    (folder / "platforms" / "go").symlink_to(ROOT / "platforms" / "go")
    cheap = folder / "platforms" / "cheap"
    shutil.copytree(ROOT / "platforms" / "go", cheap, ignore=shutil.ignore_patterns("*_test.go"))
    _change(sorted((cheap / "brokerage").glob("*.go")), "24_95", "24_94")
    _change([cheap / "brokerage" / "web" / "templates" / "order.html"], "Order confirmation", "Cheap order")
    _change([cheap / "brokerage" / "settings" / "read.go"], "[]string{PGX}, []string{PGX}", _GO_ACCESSES)
    _change([cheap / "platform.toml"], 'data-access = ["pgx"]\norders', 'data-access = ["one", "other"]\norders')
    return folder


def _change(files: Sequence[Path], old: str, new: str) -> None:
    """Replace the only place in the files that holds the old text."""
    changed = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        changed += text.count(old)
        file.write_text(text.replace(old, new), encoding="utf-8")
    assert changed == 1


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `middlemark verify` in the checkout."""
    environment = {**os.environ, "GOFLAGS": "-buildvcs=false"}
    done = subprocess.run(
        [*COMMAND, *words], cwd=home, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_two_equal_subjects_pass_and_are_written_down(home: Path, tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "all.json"), "--junit", str(tmp_path / "all.xml"), "--out", str(tmp_path)]
    files += ["--report", str(tmp_path / "report.json")]
    done = run(home, "go", "go", "--only", "bought share", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    *_, folder, verdict = done.stdout.splitlines()
    assert verdict == "Verified: go and go-2 passed 6 of 6 executions of 1 case, and they are equal."
    assert "running 1 of 1 case, 6 executions\n" in done.stderr
    assert "Compared with each other: 0 differences" in done.stdout
    assert "  go and go-2: 3 executions" in done.stdout
    one = json.loads((Path(folder) / "conformance" / "go.json").read_text(encoding="utf-8"))
    assert [run["interface"] for run in one["executions"]] == ["grpc", "json", "soap"]
    assert [run["outcome"] for run in one["executions"]] == ["passed"] * 3
    assert len({run["end_state"] for run in one["executions"]}) == 1
    assert one["executions"][0]["configuration"] == {"data-access": "pgx", "binding": "local", "orders": "sync"}
    everything = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    assert [subject["subject"] for subject in everything["subjects"]] == ["go", "go-2"]
    suites = etree.parse(tmp_path / "all.xml").findall("testsuite")
    assert sum(int(suite.get("tests", "0")) for suite in suites) == 6
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (report["only"], [one["subject"] for one in report["subjects"]]) == (["bought share"], ["go", "go-2"])
    go = report["subjects"][0]
    assert (go["platform"], go["server"], len(go["artifact"])) == ("go", "net/http", 16)
    assert {"go", "pgx"} <= go["versions"].keys()
    assert [(one["executions"], one["end_states"], one["equal"]) for one in report["pairs"]] == [(3, 3, True)]
    lines = (Path(folder) / "conformance" / "executions.ndjson").read_text(encoding="utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 6


def test_the_case_of_the_recipe_is_read_and_passes(home: Path, tmp_path: Path) -> None:
    assert run(home, "--check-cases").returncode == 0
    done = run(home, "go", "--only", "my first", "--out", str(tmp_path))
    assert done.stdout.splitlines()[-1] == "Verified: go passed 3 of 3 executions of 1 case."


def test_a_platform_with_another_fee_differs_in_responses_and_end_state(home: Path, tmp_path: Path) -> None:
    done = run(home, "go", "cheap", "--only", "bought share", "--out", str(tmp_path), "--json", str(tmp_path / "all"))
    assert done.returncode == 1
    differences = json.loads((tmp_path / "all").read_text(encoding="utf-8"))["differences"]
    assert {"responses", "end state"} <= {one["what"] for one in differences}
    assert any('"fee": "24.95"' in one["text"] and '"fee": "24.94"' in one["text"] for one in differences)
    assert any(one["what"] == "end state" and one["text"].count('"balance": "') == 2 for one in differences)
    assert "DIFFERENT    A bought share is held [data-access=pgx, binding=local, orders=sync, over json]" in done.stdout
    # They differ from each other in nothing, and both from the other subject, whatever its data access is called.
    assert {(one["one"], one["other"]) for one in differences} == {("go", "cheap (one)"), ("go", "cheap (other)")}
    assert "  cheap (one) and cheap (other): 3 executions" in done.stdout


def test_the_variants_of_one_subject_are_compared_with_each_other(home: Path, tmp_path: Path) -> None:
    done = run(home, "cheap", "--only", "looked at", "--out", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Compared with each other: 0 differences in 3 executions that two of them have" in done.stdout
    verdict = "Verified: cheap passed 6 of 6 executions of 1 case, and its variants are equal."
    assert done.stdout.splitlines()[-1] == verdict


def test_the_front_end_of_each_subject_runs_on_the_services_of_the_other(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "-buildvcs=false")
    subjects = tuple(with_fewer_modes(find_subject(home, name, "brokerage")) for name in ("go", "cheap"))
    spec = find_specification("brokerage", home)
    request = VerifyRequest(home, spec, subjects, tmp_path / "logs", only=("order on a page",), jobs=2)
    outcomes = {
        (one.subject, run.configuration_label.partition(", ")[2], run.case.rpartition(" ")[2]): str(run.outcome)
        for one in verify(request).subjects
        for run in one.executions
    }
    # The page is the web tier's, the fee is that of the services.
    remote = "binding=json, orders=sync"
    assert {case: outcome for case, outcome in outcomes.items() if " on " in case[0]} == {
        ("go on cheap", remote, "confirmed"): "passed",
        ("go on cheap", remote, "fee"): "failed",
        ("cheap on go", remote, "confirmed"): "failed",
        ("cheap on go", remote, "fee"): "passed",
    }
    assert len(outcomes) == 12


def test_a_failed_case_is_reported_with_its_place_and_exit_status_1(home: Path, tmp_path: Path) -> None:
    done = run(home, "go", "--only", "fee is less", "--out", str(tmp_path), "--junit", str(tmp_path / "x.xml"))
    assert done.returncode == 1
    assert "FAILED       The fee is less than it is [data-access=pgx" in done.stdout
    assert f"{home}/specs/brokerage/cases/wrong.yaml:5" in done.stdout
    assert 'step 1: response.fee: expected "9.95", found "24.95"' in done.stdout
    assert done.stdout.splitlines()[-1] == "go: 3 of 3 executions failed."
    failures = etree.parse(tmp_path / "x.xml").findall("testsuite/testcase/failure")
    assert len(failures) == 3
    assert 'response.fee: expected "9.95", found "24.95"' in str(failures[0].get("message"))


@pytest.mark.full
def test_a_known_failure_does_not_fail_the_run_and_one_that_passes_does(home: Path, tmp_path: Path) -> None:
    file = home / "platforms" / "cheap" / "known-failures.toml"
    entry = 'spec = "brokerage"\ncase = "%s"\ntext = "response.fee"\nreason = "the fee is under repair"\n'
    known = f"version = 1\n[[known]]\n{entry}"
    try:
        file.write_text(known % "The fee is less than it is", encoding="utf-8")
        done = run(home, "cheap", "--only", "fee is less", "--out", str(tmp_path))
        assert done.returncode == 0, done.stdout
        assert "known        The fee is less than it is" in done.stdout
        assert "known: the fee is under repair" in done.stdout
        apart = "cheap (one) and cheap (other) have no execution in common that is compared"
        rest = f"6 known failures, but {apart}: whether they are equal is not known."
        verdict = f"Verified: cheap passed 0 of 6 executions of 1 case, {rest}"
        assert done.stdout.splitlines()[-1] == verdict
        assert run(home, "go", "--only", "fee is less", "--out", str(tmp_path)).returncode == 1
        file.write_text(known % "A quote that is looked at stays", encoding="utf-8")
        passed = run(home, "cheap", "--only", "looked at", "--out", str(tmp_path))
    finally:
        file.unlink()
    assert passed.returncode == 1
    assert "KNOWN FAILURE THAT PASSED" in passed.stdout
    assert "do not fail any more; take them out of the list" in passed.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "nothing to verify. Name a SUBJECT"),
        (("go", "--only", "nothing like it"), "no case holds nothing like it"),
        (("goo",), "Did you mean 'go'?"),
        (("go", "--spec", "brokrage"), "Did you mean 'brokerage'?"),
        (("go", "http://127.0.0.1:1", "--database", "postgresql://a@b/c"), "one database belongs to one address"),
    ],
)
def test_wrong_input_is_reported_with_exit_status_2_and_leaves_no_folder(
    home: Path, tmp_path: Path, words: tuple[str, ...], text: str
) -> None:
    done = run(home, *words, "--out", str(tmp_path / "results"))
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr
    assert list((tmp_path / "results").glob("*")) == []


def test_an_address_where_nobody_responses_is_reported(home: Path, tmp_path: Path) -> None:
    done = run(home, "http://127.0.0.1:9", "--out", str(tmp_path))
    assert done.returncode == 1
    assert "http://127.0.0.1:9/about: GET /about failed" in done.stderr
    assert "Is an application running there?" in done.stderr


@pytest.mark.parametrize(("kind", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
def test_nothing_is_left_after_an_interruption(home: Path, tmp_path: Path, kind: signal.Signals, status: int) -> None:
    words = ["go", "--only", "takes a minute", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [*COMMAND, *words], cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        _wait_for(lambda: _application_log(tmp_path) is not None)
        started = psutil.Process(process.pid).children(recursive=True)
        assert any("artifact" in _command(one) for one in started)
    finally:
        process.send_signal(kind)
    assert process.wait(SECONDS) == status
    _wait_for(lambda: not [one for one in started if one.is_running() and one.status() != psutil.STATUS_ZOMBIE])


def _command(process: psutil.Process) -> str:
    """Return the words it was started with; none when it has ended since it was listed."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def _application_log(out: Path) -> Path | None:
    """Return the log of an application that has said that it runs."""
    return next((log for log in out.glob("*/logs/*/all.log") if log.stat().st_size), None)


def _wait_for(condition: object) -> None:
    deadline = time.monotonic() + SECONDS
    assert callable(condition)
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
