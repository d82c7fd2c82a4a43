"""A warm-up is heard and judged as it goes, and its record is a mark of the result and in the report."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.experiment.warm_up import WarmUpWatch
from middlemark.judge.result import judge_folder
from middlemark.judge.spread import ASSUMED_COMPILED, remaining_change
from middlemark.records.driver_lines import Interval, PhaseName
from middlemark.records.findings import Findings, Mark
from middlemark.records.folder import read_run, write_json
from middlemark.records.run_parts import WarmUp, WarmUpCourse
from middlemark.show.page import report_page

RAMP_S = 3
BLOCK = COMBINATIONS[0].path


class Load:
    """A made-up warm-up: each second the driver writes a line and the monitor a sample."""

    def __init__(self, folder: Path, first_look_s: float, *, at_once: bool = True, compiles: bool = False) -> None:
        self.watch = WarmUpWatch(folder, first_look_s, compiles=compiles)
        self._compiler_s: float | None = 0.0 if compiles else None
        self._monitor = folder / "monitor.ndjson"
        self._second = 0
        self._cpu_s = 0.0
        if at_once:
            self._sample()

    def second(self, cpu_s: float, *, watched: bool = True, compiler_s: float = 0.0) -> bool:
        """Let a second pass in which the platform used so much CPU time; return whether that was enough."""
        if self._compiler_s is not None:
            self._compiler_s += compiler_s
        phase = PhaseName.RAMP if self._second < RAMP_S else PhaseName.MEASURE
        begin, self._second = self._second, self._second + 1
        self._cpu_s += cpu_s
        if watched:
            self._sample()
        self.watch.hear(interval(phase, begin))
        return self.watch.enough()

    def _sample(self) -> None:
        # The driver's time is none of the platform's.
        tiers = {"web": self._cpu_s, "driver": self._second**2 / 100, "database": 7.0 * self._second}
        samples = {tier: {"cpu_s": cpu_s, "rss_mib": 1.0} for tier, cpu_s in tiers.items()}
        samples["web"] |= {} if self._compiler_s is None else {"compiler_s": self._compiler_s}
        # A sample is taken a moment after it is due.
        line = json.dumps({"v": 1, "t_ns": self._second * 10**9 + 1000, "tiers": samples})
        with self._monitor.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def interval(phase: PhaseName, second: int) -> Interval:
    counts = {"login": {"count": 100, "errors": {}, "histogram": ""}}
    return Interval.model_validate(
        {
            "v": 1, "t_ns": (second + 1) * 10**9, "type": "interval", "phase": phase, "start_ns": second * 10**9,
            "end_ns": (second + 1) * 10**9, "users": 2, "iterations": 5, "failed": 0, "connections": 5,
            "bytes_sent": 1, "bytes_received": 1, "transactions": counts,
        }
    )  # fmt: skip


def test_a_warm_up_is_over_when_cpu_time_per_transaction_is_flat_and_not_before_the_first_look(tmp_path: Path) -> None:
    load = Load(tmp_path, 15.0)

    assert [load.second(0.1001) for _ in range(15)] == [False] * 14 + [True]
    found = load.watch.record(BLOCK, 1, 60.0, judged=True)
    assert (found.combination, found.start, found.seconds, found.limit_s) == (BLOCK, 1, 15.0, 60.0)
    assert (found.flat, found.change_s) == (True, 10)
    assert found.change == pytest.approx(0, abs=1e-6)
    # The ramp is none of it.
    assert [one.end_s for one in found.course] == list(range(RAMP_S + 1, 16))
    assert [one.cpu_ms for one in found.course] == pytest.approx([1.001] * 12)


def test_a_warm_up_is_judged_from_the_first_second_that_was_watched_as_a_whole(tmp_path: Path) -> None:
    load = Load(tmp_path, 15.0, at_once=False)

    assert [load.second(0.1001, watched=second > RAMP_S) for second in range(15)] == [False] * 14 + [True]
    # The first sample is a moment after the fifth second.
    assert load.watch.record(BLOCK, 1, 60.0, judged=True).course[0].end_s == RAMP_S + 4


def test_a_warm_up_goes_on_while_transactions_become_cheaper(tmp_path: Path) -> None:
    load = Load(tmp_path, 10.0)

    assert not any(load.second(0.1 * 0.98**second) for second in range(60))
    found = load.watch.record(BLOCK, 1, 60.0, judged=True)
    assert (found.flat, len(found.course)) == (False, 19)
    assert found.change == pytest.approx(-0.25, abs=0.05)
    assert found.course[0].cpu_ms > 2 * found.course[-1].cpu_ms


def test_with_compiler_threads_a_warm_up_is_over_when_they_are_done_however_flat_the_cost(tmp_path: Path) -> None:
    load = Load(tmp_path, 15.0, compiles=True)

    assert not any(load.second(0.1001, compiler_s=0.02) for _ in range(60))
    assert load.watch.record(BLOCK, 0, 360.0, judged=True).compiled is False
    after = [load.second(0.1001, compiler_s=0.0005) for _ in range(25)]
    assert after.index(True) in range(19, 25)
    found = load.watch.record(BLOCK, 0, 360.0, judged=True)
    assert (found.flat, found.compiled, found.warm) == (None, True, True)
    assert found.compiler_share == pytest.approx(0.005, abs=0.003)
    assert found.rho == 3.0
    assert found.course[0].compiler_share == pytest.approx(0.2, abs=0.01)


def test_the_look_at_the_measured_load_belongs_to_the_course(tmp_path: Path) -> None:
    look = Load(tmp_path, float("inf"), compiles=True)
    for _ in range(11):
        look.second(0.1001, compiler_s=0.01)

    stretches = look.watch.look_after(100.0)

    assert [one.end_s for one in stretches] == [105.0, 107.0, 109.0, 111.0]
    assert all(one.at_load and one.compiler_share == pytest.approx(0.1, abs=0.01) for one in stretches)


def test_what_is_not_watched_never_becomes_flat(tmp_path: Path) -> None:
    load = Load(tmp_path, 10.0)

    assert not any(load.second(0.1, watched=False) for _ in range(30))
    found = load.watch.record(BLOCK, 1, 30.0, judged=True)
    assert (found.flat, found.change, found.course) == (False, None, [])


def test_a_warm_up_of_a_fixed_length_is_not_judged(tmp_path: Path) -> None:
    load = Load(tmp_path, float("inf"))

    assert not any(load.second(0.1001) for _ in range(20))
    found = load.watch.record(BLOCK, 0, 20.0, judged=False)
    assert (found.flat, found.start) == (None, 0)
    assert found.change == pytest.approx(0, abs=1e-6)


def warm_up(start: int, *, flat: bool | None, change: float | None = -0.12) -> WarmUp:
    course = [WarmUpCourse(end_s=float(second), cpu_ms=10.0 - 0.1 * second) for second in range(20)]
    return WarmUp(
        combination=COMBINATIONS[0].path, start=start, seconds=90.0 if flat is False else 30.0, limit_s=90.0,
        flat=flat, change_s=None if change is None else 22.0, change=change, uncertainty=0.021, course=course,
    )  # fmt: skip


def result(folder: Path, *warm_ups: WarmUp) -> Findings:
    run = read_run(write_synthetic(folder, Shape()))
    write_json(folder / "run.json", run.model_copy(update={"warm_ups": list(warm_ups)}))
    return judge_folder(folder)


def marked(found: Findings) -> list[Mark]:
    return [mark for mark in found.marks if mark.kind == "warm-ups not warm"]


def test_warm_ups_that_reached_their_limit_are_marked(tmp_path: Path) -> None:
    flat, fixed = warm_up(0, flat=True, change=0.001), warm_up(0, flat=None)
    ended = result(tmp_path, flat, warm_up(1, flat=False), warm_up(2, flat=False, change=None))

    (mark,) = marked(ended)
    assert mark.text == (
        "2 of 3 warm-ups reached the limit without being warm, the first: local, start 2, "
        "CPU time per transaction -12.0 % (± 2.1 %) in 22 s."
    )
    assert (mark.concerns, mark.of) == (2, 3)
    assert marked(result(tmp_path / "flat", flat, fixed)) == []


def test_the_report_discloses_every_warm_up(tmp_path: Path) -> None:
    judged = warm_up(0, flat=True), warm_up(1, flat=False), warm_up(2, flat=False, change=None)
    page = report_page(result(tmp_path, *judged, warm_up(1, flat=None)))

    assert "Warm-ups" in page
    for text in (
        "flat, CPU time per transaction -12.0 % (± 2.1 %) in 22 s",
        "not flat, limit of 90 s, CPU time per transaction -12.0 % (± 2.1 %) in 22 s",
        "fixed length",
        "not flat, limit of 90 s, CPU time per transaction unavailable",
        "10 9.8 9.7 9.5 9.3 9.1 9 8.8 8.6 8.4 8.3 8.1",
    ):
        assert text in page


@pytest.mark.parametrize("at_its_end", [{"compiled": False}, {"rho": 12.0}])
def test_where_no_compiler_thread_was_seen_nothing_is_known_of_what_is_left(
    tmp_path: Path, at_its_end: dict[str, object]
) -> None:
    """However the warm-up ended: at its limit, or after a fixed length."""
    unseen = warm_up(0, flat=None).model_copy(update=at_its_end)
    found = result(tmp_path, unseen)
    shown = marked(found)[0].text if unseen.warm is False else report_page(found)
    one = found.by_path[BLOCK]
    assert (one.spread.sigma, one.spread.degrees) == (ASSUMED_COMPILED.sigma, ASSUMED_COMPILED.degrees)
    assert one.remaining_change == remaining_change(found, COMBINATIONS[0], 60) == 1.0
    assert "no thread with the name of a compiler's was seen" in html.unescape(shown)


def test_a_warm_up_that_ended_falling_leaves_what_it_let_expect(tmp_path: Path) -> None:
    assert remaining_change(result(tmp_path / "a", warm_up(0, flat=False)), COMBINATIONS[0], 60) == pytest.approx(0.141)
    rising = warm_up(0, flat=False, change=0.05)
    assert remaining_change(result(tmp_path / "b", rising), COMBINATIONS[0], 60) == 0
    assert remaining_change(result(tmp_path / "c", warm_up(0, flat=True)), COMBINATIONS[0], 60) == 0
