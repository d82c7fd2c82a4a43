"""Real soaks of `supply`: one that is reported while it goes on, one that stands still; and what a soak refuses."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from own_checkout import checkout_at, environment_in
from run_command import found_in

from middlemark.duration import Duration
from middlemark.experiment.load_run import Standstill
from middlemark.experiment.phases import slice_of
from middlemark.judge.result import judge_folder
from middlemark.records.driver_lines import Interval, Line, PhaseName, TransactionCounts
from middlemark.records.soak import Quantity
from middlemark.verdict.shapes import MIN_SLICES

SECONDS = 240
SLICES = 40
# After so many sales every further one takes until so long after the first of these.
STALL = """
        COUNT.append(time.monotonic())
        if len(COUNT) > 60:
            time.sleep(max(0.0, COUNT[60] + 26 - time.monotonic()))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a checkout with the lab's own specifications."""
    home = tmp_path / "checkout"
    checkout_at(home)
    return home


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Give an environment of its own; the applications find psycopg where the lab does."""
    return environment_in(tmp_path)


def middlemark(home: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "middlemark", *words]
    return subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


@pytest.mark.long
@pytest.mark.full
def test_a_soak_is_reported_while_it_goes_on_and_judged_at_its_end(
    home: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    words = ["run", "supply-soak", "--duration", f"{SLICES}s", "--out", str(tmp_path / "results")]
    command = [sys.executable, "-m", "middlemark", *words]
    with subprocess.Popen(
        command, cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        root = _measuring(tmp_path / "results", run)
        so_far = judge_folder(root)
        reported = middlemark(home, environment, "report", str(root))
        output, _ = run.communicate(timeout=SECONDS)

    assert "sustained so far, for " in so_far.answer
    assert so_far.rounds == []
    # Starting a command takes seconds on a busy machine, after which there may be no more to come.
    assert "Not finished (still running or killed)" in reported.stdout
    assert "Plain, 4 users: " in reported.stdout
    assert reported.returncode == 1
    assert run.returncode in {0, 1}, output
    found = found_in(root)
    (window,) = found.rounds
    assert window.soak is not None
    assert window.soak.plan.rate == "sales per second"
    assert (window.soak.plan.length_s, window.soak.plan.slice_s, window.soak.ended) == (SLICES, 1, True)
    # A busy machine may have lost the peak; whether it did is known.
    assert window.soak.sustained is not None
    assert window.soak.text in found.answer
    held = {(one.quantity, one.of) for one in window.soak.series}
    assert held >= {
        (Quantity.THROUGHPUT, ""),
        (Quantity.RESPONSE_TIME, ""),
        *((Quantity.MEMORY, one) for one in ("counter", "depot", "desk", "database.sales", "driver", "the lab")),
        *((quantity, one) for quantity in (Quantity.CONNECTIONS, Quantity.DISK) for one in ("sales", "stock")),
    }
    # A window lasts whole iterations, and on a busy machine one takes longer than half a slice.
    assert SLICES - 0.5 <= window.soak.seen_s < SLICES + 5
    assert {len(one.values) for one in window.soak.series} == {round(window.soak.seen_s)}
    sold = window.transactions["sell"].count
    assert sum(value or 0 for value in window.soak.series[0].values) == pytest.approx(sold, rel=0.1)
    assert "slices of 1 s" in (root / "report.html").read_text(encoding="utf-8")
    assert middlemark(home, environment, "check", str(root)).returncode == 0


def _measuring(results: Path, run: subprocess.Popen[str]) -> Path:
    """Return the result folder as soon as there are slices enough for a verdict."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and run.poll() is None:
        for file in results.glob("*/points/**/intervals.ndjson"):
            if file.read_text(encoding="utf-8").count('"phase":"measure"') > MIN_SLICES + 2:
                return next(results.iterdir())
        time.sleep(0.05)  # nothing tells when the driver has written a line
    raise AssertionError(f"no soak is measured: {run.communicate()[0]}")


@pytest.mark.long
@pytest.mark.full
def test_a_soak_of_which_nothing_is_left_ends_early(home: Path, environment: dict[str, str], tmp_path: Path) -> None:
    application = home / "platforms" / "plain" / "supply" / "supply.py"
    text = application.read_text()
    place = '"""Answer with the sale, or with what is wrong."""\n'
    assert place in text
    text = text.replace(place, place + STALL).replace("def about()", "COUNT: list[float] = []\n\n\ndef about()")
    application.write_text(text)
    words = ["run", "supply-soak", "--duration", "4m", "--out", str(tmp_path / "results")]
    done = middlemark(home, environment, *words)

    assert done.returncode == 1, done.stdout + done.stderr
    found = found_in(next((tmp_path / "results").iterdir()))
    assert found.run.status == "finished"
    (window,) = found.rounds
    assert window.soak is not None
    assert window.soak.ended
    assert window.soak.seen_s < 120
    assert window.soak.all_lost_s is not None
    assert window.soak.seen_s - window.soak.all_lost_s >= 15
    assert "all throughput was lost after " in found.answer
    assert " s of 4 min, since " in found.answer


@pytest.mark.parametrize(
    ("words", "change", "message"),
    [
        ([], {"loads": "{users: [4, 8]}"}, "a soak holds one load"),
        ([], {"loads": "{users: {from: 2, to: 8}, search: limit}"}, "a soak holds one load"),
        ([], {"loads": "{users: {from: 2, to: 8}, until: {mean: 3s}}"}, "a soak holds one load"),
        ([], {"interval": "5s"}, "a soak has intervals of its own, its slices"),
        (["--rounds", "3"], {}, "a soak has one window in one start"),
        (["--starts", "2"], {}, "a soak has one window in one start"),
        (["--fault", "kill-depot@2s"], {}, "a run with faults holds no load"),
    ],
)
def test_what_contradicts_a_soak_is_refused(
    home: Path, environment: dict[str, str], words: list[str], change: dict[str, str], message: str
) -> None:
    _with(home, change)
    done = middlemark(home, environment, "run", "supply-soak", "--dry-run", *words)

    assert done.returncode == 2
    assert message in done.stderr


def test_the_plan_of_a_soak_names_its_slices_and_a_search_before_it_stays_short(
    home: Path, environment: dict[str, str]
) -> None:
    _with(home, {"loads": "{users: {from: 2, to: 64}, search: peak, points: 5}", "soak": "24h"})
    done = middlemark(home, environment, "run", "supply-soak", "--dry-run")

    assert done.returncode == 0, done.stderr
    assert "soak of 24h in 1,440 slices of 1m: is the load sustained?" in done.stdout
    assert "in a search 8 s at least" in done.stdout
    assert "at most 24.0 hours" in done.stdout
    shorter = middlemark(home, environment, "run", "supply-soak", "--dry-run", "--duration", "1h", "--users", "3")
    assert "soak of 1h in 240 slices of 15s" in shorter.stdout
    assert "1 round at 3 users" in shorter.stdout


def test_a_profile_may_hold_the_load_for_another_time(home: Path, environment: dict[str, str]) -> None:
    _with(home, {"profiles": "{quick: {soak: 2m}}"})
    done = middlemark(home, environment, "run", "supply-soak", "--dry-run", "--profile", "quick")

    assert "soak of 2m in 120 slices of 1s" in done.stdout, done.stdout + done.stderr
    assert "start 1: plain: 1 round" in done.stdout


def _with(home: Path, change: dict[str, str]) -> None:
    file = home / "experiments" / "supply-soak.yaml"
    kept = [line for line in file.read_text().splitlines() if line.partition(":")[0] not in change]
    file.write_text("\n".join([*kept, *(f"{key}: {value}" for key, value in change.items())]) + "\n")


@pytest.mark.parametrize(("soak_s", "slice_s"), [(20, 1), (600, 2), (3_600, 15), (14_400, 60), (86_400, 60)])
def test_slices_are_a_240th_of_a_soak_and_at_most_a_minute(soak_s: int, slice_s: int) -> None:
    assert slice_of(Duration.of_seconds(soak_s)).seconds == slice_s


def test_a_soak_is_over_after_many_slices_without_a_transaction_that_counts() -> None:
    heard: list[Line] = []
    standstill = Standstill(("sell",))
    hear = standstill.counting(heard.append)
    for number in range(30):
        hear(_interval(number, PhaseName.MEASURE, sold=10))
    for number in range(14):
        hear(_interval(30 + number, PhaseName.MEASURE, sold=0))
    assert not standstill.enough()
    hear(_interval(44, PhaseName.MEASURE, sold=0))

    assert standstill.enough()
    assert len(heard) == 45


def test_what_happens_rarely_and_what_comes_again_end_no_soak() -> None:
    rare, again = Standstill(("sell",)), Standstill(("sell",))
    for number in range(400):
        rare.counting(_ignore)(_interval(number, PhaseName.MEASURE, sold=1 if number % 20 == 0 else 0))
        again.counting(_ignore)(_interval(number, PhaseName.MEASURE, sold=0 if number % 15 else 30))
        assert not rare.enough()
        assert not again.enough()


def _ignore(_: object) -> None:
    """Hear nothing."""


def _interval(number: int, phase: PhaseName, sold: int) -> Interval:
    second = 10**9
    numbers = dict.fromkeys(("users", "iterations", "failed", "connections", "bytes_sent", "bytes_received"), 1)
    transactions = {
        "counter": TransactionCounts(count=5, errors={}, histogram=""),
        "sell": TransactionCounts(count=sold, errors={}, histogram=""),
    }
    return Interval(
        v=1, t_ns=number * second, type="interval", phase=phase, start_ns=number * second,
        end_ns=(number + 1) * second, transactions=transactions, **numbers,
    )  # fmt: skip
