"""Runs `middlemark run` for tests, as a person would, to its end or until it is ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import ROOT
from middlemark.judge.result import findings_differ, judge_folder
from middlemark.records.findings import Findings

MIDDLEMARK = [sys.executable, "-m", "middlemark"]


def run_words(experiment: Path, out: Path, *more: str) -> list[str]:
    """Return the words of a run of an experiment's file, whose result folder is made in `out`."""
    return [*MIDDLEMARK, "run", str(experiment), "--out", str(out), *more]


def finish(experiment: Path, out: Path, *more: str, home: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run an experiment in a checkout to its end."""
    return subprocess.run(run_words(experiment, out, *more), cwd=home, capture_output=True, text=True, check=False)


def found_in(folder: Path) -> Findings:
    """What a run that came to an end of its own has found: the file that it left is what its raw files show."""
    found = judge_folder(folder)
    differing = findings_differ(folder, found)
    assert not differing, differing
    return found


@contextmanager
def running(experiment: Path, out: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Give a run that is going on; it ends with the context at the latest."""
    words = run_words(experiment, out, *more)
    run = subprocess.Popen(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield run
    finally:
        if run.poll() is None:
            run.terminate()
        run.communicate()


def end_in(run: subprocess.Popen[str], points: Path, pattern: str, how: signal.Signals, number: int = 1) -> None:
    """Send a run a signal while it measures its so many-th point that the pattern fits, and wait for its end."""
    while len(list(points.glob(f"{pattern}/intervals.ndjson"))) < number:
        assert run.poll() is None, run.communicate()[1]
        time.sleep(0.05)
    run.send_signal(how)
    run.communicate()


def resume(experiment: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Resume the run in a result folder, as soon as the watchdog of the one before has ended."""
    while True:
        done = finish(experiment, folder.parent, "--resume", str(folder), *more)
        if "still under way" not in done.stderr:
            return done
