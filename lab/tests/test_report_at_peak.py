"""The report leads with what each combination reached at its peak; a place without a figure says why."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from content_result import Made, write_contents
from content_result import combination as content
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.platform import CodeLines
from middlemark.records.run import LoadLimits, Searched, SearchedPoint, Start
from middlemark.report.at_peak import AtPeak, at_peak
from middlemark.report.page import report_page
from middlemark.verdict.at_peak import peaks
from middlemark.verdict.metrics import throughput_tps

LIMITS = LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001)


def searched(loads: tuple[int, ...], peak: int | None, *, known: bool = True) -> Searched:
    points = [SearchedPoint(load=one, throughput_tps=one * 4.5, mean_ms=5, inside=True, valid=True) for one in loads]
    return Searched(
        limits=LIMITS, peak=peak, throughput_tps=135.0, peak_known=known, inside=30, outside=60, limit_known=True,
        points=points,
    )  # fmt: skip


def after_search(folder: Path, shape: Shape, found: Searched) -> Result:
    result = read_result(write_synthetic(folder, shape))
    every = dict.fromkeys((one.path for one in shape.combinations), found)
    chosen = {path: [] if found.peak is None else [found.peak] for path in every}
    write_json(folder / "run.json", result.run.model_copy(update={"searched": every, "chosen": chosen}))
    return read_result(folder)


def part(result: Result) -> AtPeak:
    found = at_peak(result, None)
    assert found
    return found


def row(found: AtPeak, place: int = 0) -> dict[str, str]:
    names = (column.removeprefix("#") for column in found.table.columns)
    return dict(zip(names, (entry.text for entry in found.table.rows[place]), strict=True))


def test_a_search_has_its_peak_with_the_loads_beside_it_and_the_interval_of_the_rounds(tmp_path: Path) -> None:
    result = after_search(tmp_path, Shape(repeats=4, loads=(30,)), searched((10, 30, 60), 30))
    found = part(result)
    assert found.title == "At the peak of each combination"
    shown = row(found)
    assert shown["users"] == "30 (10 … 60)"
    assert found.figures[0].note.startswith("A line ends at the loads next to it")
    assert shown["remarks"] == "within the limits up to 30 users"
    rates = [p.verdict.throughput_tps for p in result.of(COMBINATIONS[0], 30) if p.verdict]
    mean = found.table.rows[0][2].exact
    assert mean == pytest.approx(statistics.fmean(rates))
    level = peaks(result)[0].level
    assert level
    estimate = level.estimate(throughput_tps)
    assert estimate.is_interval
    assert shown["transactions per second"] == f"{estimate.mean:.0f} ({estimate.low:.0f} … {estimate.high:.0f})"


def test_the_bars_are_as_long_as_their_figures_and_have_them_beside(tmp_path: Path) -> None:
    found = part(after_search(tmp_path, Shape(repeats=4, loads=(30,)), searched((10, 30, 60), 30)))
    titles = [figure.title for figure in found.figures]
    assert titles[:4] == ["Users", "Transactions per second", "CPU-ms per transaction, platform's tiers",
                          "Memory in MiB, platform's tiers"]  # fmt: skip
    cost = found.figures[2].wide
    widths = [float(part.split('"')[0]) for part in cost.split(' y="17" width="')[1:]]
    widths += [float(part.split('"')[0]) for part in cost.split(' y="53" width="')[1:]]
    exact = [entries[3].exact for entries in found.table.rows]
    assert len(widths) == 2
    assert exact[0]
    assert exact[1]
    assert widths[1] / widths[0] == pytest.approx(exact[1] / exact[0], rel=0.01)
    assert f">{row(found)['CPU-ms per transaction'].split(' ')[0]}</text>" in cost


def test_a_search_without_a_peak_says_so_in_every_column(tmp_path: Path) -> None:
    shown = row(part(after_search(tmp_path, Shape(repeats=1, loads=(30,)), searched((30,), None))))
    for column in ("users", "transactions per second", "CPU-ms per transaction", "memory MiB"):
        assert shown[column] == "no point of the search counts"


def test_rounds_that_do_not_count_leave_what_the_search_saw(tmp_path: Path) -> None:
    shape = Shape(repeats=1, loads=(30,), error_points=frozenset({0}))
    shown = row(part(after_search(tmp_path, shape, searched((10, 30), 30, known=False))))
    assert shown["users"] == "30"
    assert shown["transactions per second"] == "INVALID by errors; about 135 in the search"
    assert shown["CPU-ms per transaction"] == "INVALID by errors"
    assert "not narrowed down" in shown["remarks"]


def test_of_a_list_of_loads_the_best_one_is_shown_and_what_is_not_known(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=2)))
    found = part(result)
    assert found.title == "At the highest throughput of each combination"
    assert row(found)["users"] == "60"
    assert row(found)["remarks"] == "the highest load: the peak may lie beyond"
    assert "below three rounds from the lowest to the highest round. The loads were given, not searched." in found.note


def test_a_peak_of_a_list_lies_between_the_loads_beside_it(tmp_path: Path) -> None:
    one = content("some", session="files")
    points = [
        (one, load, [Made(tps + number, 1.0) for number in range(4)]) for load, tps in ((4, 90), (8, 99), (16, 95))
    ]
    shown = row(part(write_contents(tmp_path, points)))
    assert shown["users"] == "8 (4 … 16)"
    assert shown["CPU-ms per request"] == "no tier of the platform was watched"


def test_a_peak_beside_a_load_that_does_not_count_is_not_known(tmp_path: Path) -> None:
    one = content("some", session="files")
    points = [(one, 4, [Made(90, 1.0)]), (one, 8, [Made(99, 1.0, failed="driver")])]
    shown = row(part(write_contents(tmp_path, points)))
    assert shown["remarks"].startswith("the peak is not known: at 8 users driver: ")
    # What the best load that counts has reached is not shown as if it were the peak.
    assert shown["users"] == "not known"


def test_a_single_load_is_no_peak(tmp_path: Path) -> None:
    found = part(read_result(write_synthetic(tmp_path, Shape(repeats=1, loads=(10,)))))
    assert found.title == "At 10 users"
    assert row(found)["remarks"] == "the only load"
    # No line is drawn, so none is explained.
    assert found.figures[0].note == ""


def test_start_up_and_lines_of_code_are_those_of_the_combination(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=1, loads=(10,))))
    path = COMBINATIONS[0].path
    starts = [Start(combination=path, start=n, seconds={"web": 1.0 + n, "services": 2.0}) for n in range(3)]
    code = [CodeLines(platform="go", modes={}, combinations=[path], tiers={"web": 1200, "services": 300})]
    write_json(tmp_path / "run.json", result.run.model_copy(update={"starts": starts, "code": code}))
    found = part(read_result(tmp_path))
    assert row(found)["start-up s"] == "4.00 (3.00 … 5.00)"
    assert row(found)["lines of code"] == "1,500 (web 1,200, services 300)"
    assert row(found, 1)["start-up s"] == "no start was recorded"
    assert row(found, 1)["lines of code"] == "no code was counted"
    (times,) = [figure for figure in found.figures if figure.title.startswith("Start-up time")]
    assert times.note == "Median of the starts; a line goes from the fastest start to the slowest."
    (lines,) = [figure for figure in found.figures if figure.title == "Lines of code"]
    assert "none: no code was counted" in lines.wide


def test_lines_of_two_platforms_that_run_a_tier_each_are_not_added(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=1, loads=(10,))))
    path = COMBINATIONS[0].path
    code = [CodeLines(platform=one, modes={}, combinations=[path], tiers={"web": 9}) for one in ("go", "jakarta")]
    write_json(tmp_path / "run.json", result.run.model_copy(update={"code": code}))
    shown = row(part(read_result(tmp_path)))
    assert shown["lines of code"] == "parts of go and jakarta, whose lines are below Platforms"


def test_the_part_stands_before_the_ratios_of_the_run(tmp_path: Path) -> None:
    page = report_page(read_result(write_synthetic(tmp_path, Shape(repeats=1, loads=(10,)))))
    assert page.index('class="keys"') < page.index('<h3 id="peak">At 10 users</h3>') < page.index("<strong>Ratios")


def test_nothing_measured_has_no_bars_and_its_reason(tmp_path: Path) -> None:
    found = part(read_result(write_synthetic(tmp_path, Shape(stop_after=0))))
    assert found.figures == ()
    assert row(found)["users"] == "not measured"
