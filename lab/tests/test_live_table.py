"""What a run shows while it goes on: a table on a terminal, else a line a minute; the log has every step."""

from __future__ import annotations

import io
import threading
import time
from pathlib import Path

import pytest
from rich.console import Console
from synthetic_result import Shape, write_synthetic

from middlemark.experiment import progress as shown
from middlemark.experiment.definition import RunOptions
from middlemark.experiment.preparation import Preparation, prepare
from middlemark.experiment.progress import LOG, Progress, State, live_table, short_line
from middlemark.experiment.time_left import StartTime, TimeLeft
from middlemark.judge.result import read_findings
from middlemark.show.terminal import figures_of


@pytest.fixture(scope="module")
def preparation() -> Preparation:
    return prepare("demo", RunOptions(rounds=2))


def lines_of(state: State, width: int = 160) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(live_table(state, width))
    output = console.file
    assert isinstance(output, io.StringIO)
    return output.getvalue().splitlines()


def test_the_table_fills_with_figures_intervals_words_and_what_is_done_now(tmp_path: Path) -> None:
    findings = read_findings(write_synthetic(tmp_path, Shape(loads=(10,), repeats=6, rounds=3)))
    paths = [one.path for one in findings.combinations]
    state = State(names={path: findings.name(path) for path in paths}, rounds=6, points=12)
    state.time_left.expect(StartTime(time.monotonic() + 605, windows=12, following_s=0))
    first, second = findings.run.combinations
    state.step("starting", first)
    empty = lines_of(state)
    heads = [part for line in empty[:2] for part in line.split()]
    assert {"CPU", "ms", "/transaction", "rounds", "now"} <= set(heads)
    assert empty[2].split() == ["local", "starting"]
    assert "window 1 of 12, about 10 min left" in empty[-1]
    state.findings, state.measured, state.following = findings, 5, [second.label]
    full = lines_of(state)
    pair = findings.compared_by(findings.metric)[0]
    assert pair.verdict in full[3]
    assert "6/6" in full[3]
    assert f"next {second.label}" in full[-1]


@pytest.mark.parametrize("width", [160, 100, 80, 60])
def test_on_a_narrow_terminal_columns_go_and_no_figure_or_heading_is_cut(tmp_path: Path, width: int) -> None:
    findings = read_findings(write_synthetic(tmp_path, Shape(loads=(10,), repeats=6, rounds=3)))
    names = {one.path: f"spring-boot@some-server mode={number}" for number, one in enumerate(findings.combinations)}
    state = State(names=names, rounds=6, points=12, findings=findings, unit="transaction")
    state.doing = dict.fromkeys(names, "measuring what happens next at great length")
    lines = lines_of(state, width)
    assert max(map(len, lines)) <= width
    above, below = lines[:2]
    assert "…" not in above + below
    shown = [f"{one} {other}".strip() for one, other in (("CPU ms", "/transaction"), ("transactions", "/s"))]
    assert all(part in above + below for text in shown for part in text.split())
    first = next(iter(findings.by_path))
    cpu, _, tps, mean, _ = figures_of(findings.by_path[first])
    row = lines[2].split()
    assert cpu in row
    assert tps in row
    assert (mean in row) == (width > 80)


def test_a_line_without_a_terminal_is_short() -> None:
    state = State(points=12, now="x" * 300)
    assert len(short_line(state)) <= 100


def test_windows_that_were_seen_count_for_more_than_the_plan() -> None:
    left = TimeLeft(window_s=8)
    left.expect(StartTime(ends_at=40, windows=3, following_s=50))
    assert left.seconds(3, now=5) == 35, "the plan, until a window was seen"
    left.measuring(0, now=10)
    left.measuring(0, now=30)
    assert left.seconds(3, now=35) == 3 * 8 - 5, "never less than the windows take, of the first of which 5 s are over"
    assert left.seconds(3, now=39) == 2 * 8
    left.measuring(1, now=60)
    assert left.seconds(2, now=70) == 40 + 50 + 50, "each takes what the first took with its second attempt"
    left.measuring(2, now=90)
    assert left.seconds(1, now=100) == 30 + 50
    left.measuring(2, now=140)
    assert left.seconds(1, now=142) == 6 + 50, "an attempt takes its phases at least"
    left.expect(StartTime(ends_at=300, windows=3, following_s=0))
    assert left.seconds(3, now=200) == 100


def test_of_a_window_of_a_day_the_hours_left_are_shown() -> None:
    state = State(points=1)
    state.time_left = TimeLeft(window_s=86_400)
    begun = time.monotonic() - 3_600
    state.time_left.expect(StartTime(ends_at=begun + 86_500, windows=1, following_s=0))
    state.time_left.measuring(0, begun + 60)

    assert short_line(state).startswith("window 1 of 1, about 23 h 0")


def test_windows_of_a_search_are_not_taken_for_as_long_as_those_of_rounds() -> None:
    left = TimeLeft(window_s=3600)
    left.expect(StartTime(ends_at=4000, windows=1, following_s=0))
    assert left.seconds(7, now=100) == 3900


def test_a_way_up_that_ended_early_leaves_fewer_windows_than_were_planned() -> None:
    left = TimeLeft(window_s=8)
    left.expect(StartTime(ends_at=400, windows=20, following_s=0))
    left.measuring(0, now=0)
    left.measuring(1, now=10)
    assert left.seconds(3, now=10) == 10 + 2 * 10


def test_a_run_without_a_plan_gives_no_time() -> None:
    assert TimeLeft(window_s=8).seconds(3, now=0) is None


def test_without_a_terminal_a_line_comes_each_period_and_the_log_has_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preparation: Preparation
) -> None:
    monkeypatch.setattr(shown, "PERIOD_S", 0.05)
    output = io.StringIO()
    with Progress(Console(file=output, width=200)) as progress:
        progress.started(preparation, tmp_path)
        progress.step("starting", preparation.combinations[0])
        deadline = time.monotonic() + 10
        while "window 1 of 4; " not in output.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)  # the thread that prints tells nobody
    shown_text = output.getvalue()
    assert "demo: 2 combinations × 1 load" in shown_text
    assert "window 1 of 4; " in shown_text
    log = (tmp_path / "logs" / LOG).read_text(encoding="utf-8")
    assert "start 1: " in log
    assert f"starting {preparation.combinations[0].label}" in log
    assert "run" not in {thread.name for thread in threading.enumerate()}, "the line a minute ends with the run"


def test_on_a_terminal_nothing_of_the_table_stays(tmp_path: Path, preparation: Preparation) -> None:
    output = io.StringIO()
    with Progress(Console(file=output, width=120, force_terminal=True)) as progress:
        progress.started(preparation, tmp_path)
        progress.step("starting", preparation.combinations[0])
        deadline = time.monotonic() + 10
        while "starting" not in output.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)  # the thread that draws tells nobody
    assert "starting" in output.getvalue()
    # The cursor is shown again, and the lines of the table are erased.
    assert "\x1b[?25h" in output.getvalue()
    assert "\x1b[2K" in output.getvalue()
