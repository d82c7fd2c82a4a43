"""The report leads with the ranking and with what each combination reached and took, or why that is not known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_result import Made, contents
from made_result import combination as content
from rejudged_result import page_of, with_run
from report_html import section, words
from synthetic_result import APART, COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge, judge_folder
from middlemark.records.findings import Findings
from middlemark.records.folder import read_run
from middlemark.records.run import LoadLimits, Searched, SearchedPoint, Start
from middlemark.records.run_parts import CodeLines
from middlemark.show.lead import quantities, ranking, ratios
from middlemark.show.tables import Fold, Heading, Picture, Row, Table

LIMITS = LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001)
ONE = Shape(repeats=1, loads=(10,))


def searched(loads: tuple[int, ...], peak: int | None, *, known: bool = True) -> Searched:
    points = [SearchedPoint(load=one, throughput_tps=one * 4.5, mean_ms=5, inside=True, valid=True) for one in loads]
    return Searched(
        limits=LIMITS, peak=peak, throughput_tps=135.0, peak_known=known, inside=30, outside=60, limit_known=True,
        points=points,
    )  # fmt: skip


def after_search(folder: Path, shape: Shape, found: Searched) -> Findings:
    write_synthetic(folder, shape)
    every = dict.fromkeys((one.path for one in shape.combinations), found)
    chosen = {path: [] if found.peak is None else [found.peak] for path in every}
    return with_run(folder, searched=every, chosen=chosen)


def table_of(findings: Findings) -> Table:
    """Return the table of the quantities."""
    (folded,) = [block for block in quantities(findings) if isinstance(block, Fold)]
    (table,) = [block for block in folded.blocks if isinstance(block, Table)]
    return table


def title_of(findings: Findings) -> str:
    return next(block.text for block in quantities(findings) if isinstance(block, Heading))


def charts_of(findings: Findings) -> tuple[Picture, ...]:
    (row,) = [block for block in quantities(findings) if isinstance(block, Row)]
    return row.figures


def row_of(findings: Findings, place: int = 0) -> dict[str, str]:
    table = table_of(findings)
    names = (column.removeprefix("#") for column in table.columns)
    return dict(zip(names, (cell.text for cell in table.rows[place]), strict=True))


def ranked(findings: Findings) -> tuple[Picture, Table]:
    chart, table = ranking(findings)
    assert isinstance(chart, Picture)
    assert isinstance(table, Table)
    return chart, table


def test_the_ranking_has_a_bar_for_each_start_and_a_dot_for_each_window(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(loads=(60,), repeats=6, rounds=3, placement=APART)))
    chart, table = ranked(findings)
    assert chart.title == "CPU time per transaction, lowest first"
    assert "A bar is the mean of a start, a dot a window" in chart.note
    bars = re.findall(r'class="column (s\d)"[^>]* width="([\d.]+)"', chart.wide)
    assert [style for style, _ in bars] == ["s0", "s0", "s1", "s1"]
    assert chart.wide.count('<circle class="dot s') == 12 + 1  # and the marker of the first row; the other is a square
    means = [findings.by_path[one.path].at.figures["cpu_ms_per_transaction"].mean for one in COMBINATIONS]
    lengths = [sum(float(width) for style, width in bars if style == each) for each in ("s0", "s1")]
    assert lengths[1] / lengths[0] == pytest.approx(means[1] / means[0], rel=0.01)
    assert [row[0].text for row in table.rows] == ["1", "2"]
    assert [row[2].exact for row in table.rows] == pytest.approx(means)
    assert "slower by" in table.rows[1][table.columns.index("verdict")].text
    assert table.columns[-3:] == ("#web + services", "#database", "#driver")


def test_combinations_that_cannot_be_told_apart_have_the_same_rank(tmp_path: Path) -> None:
    sides = (("one", "local"), ("two", "local"), ("three", "json"))
    twice = tuple(content(name, binding=binding) for name, binding in sides)
    findings = judge_folder(write_synthetic(tmp_path, Shape(twice, loads=(60,), repeats=4)))
    chart, table = ranked(findings)
    assert [row[0].text for row in table.rows] == ["1", "1", "3"]
    assert "Combinations share a rank where the 95 % interval of their ratio includes 1." in chart.note
    places = [chart.wide.index(text) for text in ("1. one local", "1. two local", "3. three json")]
    assert max(places[:2]) < places[2]


def test_a_combination_without_a_window_that_counts_is_not_ranked(tmp_path: Path) -> None:
    shape = Shape(loads=(60,), repeats=1, error_points=frozenset({1}))
    chart, table = ranked(judge_folder(write_synthetic(tmp_path, shape)))
    assert [row[table.columns.index("combination")].text for row in table.rows] == ["local"]
    assert "json" not in chart.wide
    none = Shape(loads=(60,), repeats=1, error_points=frozenset({0, 1}))
    assert list(ranking(judge_folder(write_synthetic(tmp_path / "none", none)))) == []


def test_groups_that_may_not_be_ranked_together_have_rankings_of_their_own(tmp_path: Path) -> None:
    proxied = tuple(
        content("go", binding=binding, reverse_proxy=proxy) for proxy in ("none", "nginx")
        for binding in ("local", "json")
    )  # fmt: skip
    found = list(ranking(judge_folder(write_synthetic(tmp_path, Shape(proxied, loads=(60,), repeats=1)))))
    titles = [block.title for block in found if isinstance(block, Picture)]
    assert len(titles) == 2
    assert titles[0].startswith("CPU time per transaction, lowest first: ")
    assert titles[0] != titles[1]
    assert [[row[1].text for row in block.rows] for block in found if isinstance(block, Table)] == [
        ["local, direct", "json, direct"], ["local, behind nginx", "json, behind nginx"],
    ]  # fmt: skip


def test_where_throughput_leads_the_highest_comes_first() -> None:
    sides = [(content(name, session="files"), 8, [Made(tps, 1.0)] * 4) for name, tps in (("one", 100), ("two", 900))]
    chart, table = ranked(judge(contents(sides)))
    assert chart.title == "Throughput, highest first"
    assert [row[1].text for row in table.rows] == ["two", "one"]


def test_every_ratio_has_its_dots_its_mean_and_its_words(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path / "four", Shape(loads=(10,), repeats=4)))
    figure = ratios(findings)
    assert isinstance(figure, Picture)
    assert figure.title == "Ratios, json ÷ local"
    assert figure.wide.count('<circle class="ring') == 3
    assert figure.wide.count('<circle class="dot') == 3 * 4
    assert figure.table
    first = findings.compared_by(findings.metric)[0]
    row = dict(zip(figure.table.columns, figure.table.rows[0], strict=True))
    assert row["#geometric mean"].exact == first.ratio
    assert row["verdict"].text == first.text
    assert row["95 % interval"].text == f"{first.low:.3f} … {first.high:.3f}"
    few = ratios(judge_folder(write_synthetic(tmp_path / "two", Shape(loads=(10,), repeats=2))))
    assert isinstance(few, Picture)
    assert few.note.endswith("So few rounds have no interval, and nothing is decided.")
    assert few.table
    assert {cell.text for row in few.table.rows for cell in row} & {"too few rounds"}


def test_a_search_has_its_peak_with_the_loads_beside_it_and_the_interval_of_the_rounds(tmp_path: Path) -> None:
    findings = after_search(tmp_path, Shape(repeats=4, loads=(30,)), searched((10, 30, 60), 30))
    assert title_of(findings) == "At the peak of each combination"
    shown = row_of(findings)
    assert shown["users"] == "30 (10 … 60)"
    users = next(figure for figure in charts_of(findings) if figure.title == "Users")
    assert users.note.startswith("A line ends at the loads next to it")
    assert shown["remarks"] == "within the limits up to 30 users"
    tps = findings.combinations[0].at.figures["throughput"]
    assert tps.is_interval
    assert shown["transactions per second"] == f"{tps.mean:.0f} ({tps.low:.0f} … {tps.high:.0f})"


def test_a_search_without_a_peak_says_so_in_every_column(tmp_path: Path) -> None:
    shown = row_of(after_search(tmp_path, Shape(repeats=1, loads=(30,)), searched((30,), None)))
    for column in ("users", "transactions per second", "CPU-ms per transaction", "memory MiB", "mean response ms"):
        assert shown[column] == "no point of the search counts"


def test_rounds_that_do_not_count_leave_what_the_search_saw(tmp_path: Path) -> None:
    shape = Shape(repeats=1, loads=(30,), error_points=frozenset({0}))
    shown = row_of(after_search(tmp_path, shape, searched((10, 30), 30, known=False)))
    assert shown["users"].startswith("30")
    assert shown["transactions per second"] == "INVALID by errors; about 135 in the search"
    assert shown["CPU-ms per transaction"] == "INVALID by errors"
    assert "not narrowed down" in shown["remarks"]


def test_of_a_list_of_loads_the_best_one_is_shown_and_what_is_not_known(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(repeats=2)))
    assert title_of(findings) == "At the highest throughput of each combination"
    assert row_of(findings)["users"] == "60"
    assert row_of(findings)["remarks"] == "the highest load: the peak may lie beyond"


def test_a_peak_of_a_list_lies_between_the_loads_beside_it() -> None:
    one = content("some", session="files")
    rates = ((4, 90), (8, 99), (16, 95))
    shown = row_of(judge(contents([(one, load, [Made(tps + n, 1.0) for n in range(4)]) for load, tps in rates])))
    assert shown["users"] == "8 (4 … 16)"
    assert shown["CPU-ms per request"] == "no tier of the platform was watched"


def test_a_peak_beside_a_load_that_does_not_count_is_not_known() -> None:
    one = content("some", session="files")
    shown = row_of(judge(contents([(one, 4, [Made(90, 1.0)]), (one, 8, [Made(99, 1.0, failed="driver")])])))
    assert shown["remarks"].startswith("the peak is not known: at 8 users driver: ")
    # What the best load that counts has reached is not shown as if it were the peak.
    assert shown["users"] == shown["requests per second"] == "not known"


def test_a_single_load_is_no_peak(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, ONE))
    assert title_of(findings) == "At 10 users"
    assert row_of(findings)["remarks"] == "the only load"


def test_start_up_and_lines_of_code_are_those_of_the_combination(tmp_path: Path) -> None:
    write_synthetic(tmp_path, ONE)
    path = COMBINATIONS[0].path
    starts = [Start(combination=path, start=n, seconds={"web": 1.0 + n, "services": 2.0}) for n in range(3)]
    code = [CodeLines(platform="go", modes={}, combinations=[path], tiers={"web": 1200, "services": 300})]
    findings = with_run(tmp_path, starts=starts, code=code)
    assert row_of(findings)["start-up s"] == "4.00 (3.00 … 5.00)"
    assert row_of(findings)["lines of code"] == "1,500"
    assert row_of(findings, 1)["start-up s"] == "no start was recorded"
    assert row_of(findings, 1)["lines of code"] == "no code was counted"
    charts = {figure.title: figure for figure in charts_of(findings)}
    assert charts["Start-up time in s"].note == "Median of the starts, from the fastest to the slowest."
    assert "none: no code was counted" in charts["Lines of code"].wide


def test_lines_of_two_platforms_that_run_a_tier_each_are_not_added(tmp_path: Path) -> None:
    write_synthetic(tmp_path, ONE)
    path = COMBINATIONS[0].path
    code = [CodeLines(platform=one, modes={}, combinations=[path], tiers={"web": 9}) for one in ("go", "jakarta")]
    shown = row_of(with_run(tmp_path, code=code))
    assert shown["lines of code"] == "parts of go and jakarta, whose lines are below Platforms"


def test_nothing_measured_has_no_bars_and_its_reason(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(stop_after=0)))
    assert charts_of(findings) == ()
    assert row_of(findings)["users"] == "not measured"
    assert ratios(findings) is None


def test_many_combinations_have_the_table_folded_and_no_charts(tmp_path: Path) -> None:
    many = tuple(content(f"subject-{n}", binding="local") for n in range(13))
    findings = judge_folder(write_synthetic(tmp_path, Shape(many, loads=(10,), repeats=1)))
    assert len(table_of(findings).rows) == 13
    assert not [block for block in quantities(findings) if isinstance(block, Row)]


def test_times_that_are_not_ranked_say_why_where_they_lead(tmp_path: Path) -> None:
    write_synthetic(tmp_path, ONE)
    assert "(shown, not ranked: shared CPUs)" in words(section(page_of(judge_folder(tmp_path)), "answer"))
    assert read_run(tmp_path).shared_cpus
