"""Charts show every value at its place, with ticks a person would choose."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from made_result import combination
from markupsafe import Markup
from rejudged_result import with_fields, with_run
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge_folder
from middlemark.records.findings import Findings
from middlemark.records.folder import point_folder
from middlemark.records.run import LoadLimits
from middlemark.show.chart import Axes, Scale, Size, element, log_ticks, nice_ticks, written
from middlemark.show.curves import load_curves, run_sequence, time_strips
from middlemark.show.tables import Fold, Heading, Picture, Row


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 9.7, [0, 2, 4, 6, 8, 10]),
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0, 293, [0, 100, 200, 300]),
        (0, 0.00031, [0, 0.0001, 0.0002, 0.0003, 0.0004]),
        (0, 0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
    ],
)
def test_ticks_are_round_and_enclose_the_values(low: float, high: float, ticks: list[float]) -> None:
    assert nice_ticks(low, high) == pytest.approx(ticks)


def test_many_ranges_keep_their_values_inside_few_ticks() -> None:
    for exponent in range(-4, 7):
        for factor in (1, 1.7, 2.3, 4.9, 7.2, 9.99):
            high = factor * 10.0**exponent
            ticks = nice_ticks(0, high)
            assert 2 <= len(ticks) <= 6
            assert ticks[0] == 0
            assert ticks[-1] >= high * (1 - 1e-9)


def test_logarithmic_ticks_enclose_the_values_and_thin_out_over_decades() -> None:
    assert log_ticks(3, 45) == pytest.approx([2, 5, 10, 20, 50])
    assert log_ticks(1, 1) == pytest.approx([1])
    assert log_ticks(0.02, 90_000) == pytest.approx([10.0**p for p in range(-2, 6)])


def test_tick_labels_have_the_decimals_that_tell_them_apart() -> None:
    ticks = [0, 0.5, 1.0]
    assert [written(t, ticks) for t in ticks] == ["0.0", "0.5", "1.0"]
    assert [written(t, [1.25, 1.5, 1.75]) for t in (1.25, 1.5)] == ["1.25", "1.50"]
    assert written(2000, [0, 1000, 2000]) == "2,000"
    assert [written(t, [0.2, 20], log=True) for t in (0.2, 20)] == ["0.2", "20"]


def test_a_scale_maps_ends_to_ends_and_a_logarithm_halfway() -> None:
    assert Scale(0, 10, 100, 0).at(2.5) == pytest.approx(75)
    assert Scale(1, 100, 0, 50, log=True).at(10) == pytest.approx(25)
    assert Scale(5, 5, 0, 10).at(5) == pytest.approx(5)


def axes() -> Axes:
    size = Size(200, 100, left=20, right=20, top=10, bottom=10)
    return Axes(size, Scale(0, 10, 20, 180), Scale(0, 5, 90, 10))


def test_a_dot_stands_at_its_value_and_says_it() -> None:
    chart = axes()
    chart.dot(5, 2.5, 0, "five & more")
    assert '<circle class="dot s0" cx="100" cy="50" r="4.2"><title>five &amp; more</title></circle>' in chart.markup(
        "x"
    )


def test_each_series_has_its_own_marker_and_colours_begin_again() -> None:
    chart = axes()
    for series in range(7):
        chart.dot(1, 1, series, "")
    shapes = [re.sub(r"(c?[xyrd]|width|height)=\"[^\"]*\"", "", part) for part in chart.parts]
    assert len(set(shapes[:6])) == 6
    assert "s0" in shapes[6]


def test_a_line_leaves_out_what_is_no_number() -> None:
    chart = axes()
    chart.line([(0, 0), (5, float("nan")), (10, 5)], "s1")
    assert 'd="M20.0 90.0L180.0 10.0"' in chart.parts[0]


FEW = "A dot is a round. No interval is drawn below 3 rounds."
ENOUGH = "A dot is a round; lines or bars are means, bands or whiskers their 95 % intervals."


def curves(findings: Findings) -> tuple[Picture, ...]:
    (row,) = load_curves(findings)
    assert isinstance(row, Row)
    return row.figures


@pytest.mark.parametrize(
    ("loads", "repeats", "means", "caption"),
    [
        ((10,), 1, (0, 0, 0, 0), FEW),
        ((10,), 2, (0, 2, 0, 0), FEW),
        ((10,), 4, (0, 2, 2, 0), ENOUGH),
        ((10, 60), 2, (2, 0, 0, 0), FEW),
        ((30, 60), 4, (2, 0, 0, 2), ENOUGH),
    ],
)
def test_a_caption_names_what_is_drawn(
    tmp_path: Path, loads: tuple[int, ...], repeats: int, means: tuple[int, int, int, int], caption: str
) -> None:
    """`means` counts lines, bars, whiskers and bands of the two combinations."""
    figure = curves(judge_folder(write_synthetic(tmp_path, Shape(loads=loads, repeats=repeats))))[1]
    drawn = (
        figure.wide.count('<path class="line s'),
        figure.wide.count('<line class="line s'),
        figure.wide.count('<path class="line thin s'),
        figure.wide.count('<path class="band'),
    )
    assert (drawn, figure.note) == (means, caption)


def test_percentiles_have_a_line_for_each_round_and_no_mean(tmp_path: Path) -> None:
    figure = curves(judge_folder(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=3))))[-1]
    assert figure.wide.count('<path class="line s') == 6
    assert '<path class="band' not in figure.wide
    assert figure.note.endswith("because percentiles are never averaged.")
    assert figure.table
    assert "#mean" not in figure.table.columns


def test_a_window_that_does_not_count_is_a_hollow_dot_and_in_no_mean(tmp_path: Path) -> None:
    shape = Shape(loads=(10, 60), repeats=1, error_points=frozenset({1}))
    findings = judge_folder(write_synthetic(tmp_path, shape))
    figure = curves(findings)[0]
    window = findings.of(COMBINATIONS[0], 60)[0]
    title = f"local, 60 users, round 1: {window.throughput_tps:,.0f} transactions per second, INVALID"
    assert re.search(rf'class="hollow s0"[^>]*><title>{title}</title>', figure.wide)
    assert figure.wide.count('class="hollow') == 1
    assert figure.note.startswith("A dot is a round, a hollow one does not count")
    assert figure.table
    assert [row[2].text.endswith(" INVALID") for row in figure.table.rows] == [False, True, False, False]
    assert figure.table.rows[1][3].text == "n/a"


EIGHT = tuple(
    combination(subject, binding="local", session=session) for subject in ("one", "two") for session in "abcd"
)  # fmt: skip


def test_many_combinations_are_drawn_in_panels_with_a_colour_for_each_subject(tmp_path: Path) -> None:
    found = list(load_curves(judge_folder(write_synthetic(tmp_path, Shape(EIGHT, loads=(10, 60), repeats=1)))))
    assert [block.text for block in found if isinstance(block, Heading)] == [
        "Throughput", "CPU time per transaction", "Mean response time", "95th percentile of response time",
    ]  # fmt: skip
    row = next(block for block in found if isinstance(block, Row))
    assert [figure.title for figure in row.figures] == [f"local, session {session}" for session in "abcd"]
    assert row.legend == ((0, "one"), (1, "two"))
    for figure in row.figures:
        assert figure.wide.count('<circle class="dot s0"') == figure.wide.count('<rect class="dot s1"') == 2
    numbers = next(block for block in found if isinstance(block, Fold)).blocks[0]
    assert len(getattr(numbers, "rows", ())) == 16


def test_bytes_are_drawn_where_the_specification_leads_with_them(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=1)))
    assert "Bytes received" not in [figure.title for figure in curves(findings)]
    led = findings.run.specification.model_copy(update={"leads_with": ("throughput", "bytes_per_second")})
    figure = curves(with_run(tmp_path, specification=led))[1]
    assert figure.title == "Bytes received"
    assert figure.table
    assert figure.table.rows[0][2].exact == findings.rounds[0].bytes_per_s / 1e6


def test_the_limit_is_drawn_through_the_response_times_that_reach_it(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=1))
    highest = max(window.total.mean_ms for window in judge_folder(tmp_path).rounds)

    def drawn(limit_ms: float) -> list[int]:
        limits = LoadLimits(mean_ms=limit_ms, p90_ms=None, errors=0.0001)
        return [figure.wide.count('<line class="limit"') for figure in curves(with_run(tmp_path, limits=limits))]

    assert drawn(highest) == [0, 0, 1, 0]
    assert drawn(1000 * highest) == [0, 0, 0, 0]


def test_loads_that_would_lie_on_each_other_get_a_logarithmic_axis(tmp_path: Path) -> None:
    ramp = curves(judge_folder(write_synthetic(tmp_path / "ramp", Shape(loads=(1, 2, 4, 8, 16, 60), repeats=1))))[0]
    for chart in (ramp.wide, ramp.narrow):
        assert "users (logarithmic)" in chart
        ticks = [float(x) for x in re.findall(r'<text class="tick middle" x="([0-9.]+)"[^>]*>[0-9]', chart)]
        assert len(ticks) == 6
        assert all(right - left >= 24 for left, right in itertools.pairwise(ticks))
    even = curves(judge_folder(write_synthetic(tmp_path / "even", Shape(loads=(10, 30, 60), repeats=1))))[0]
    assert "logarithmic" not in even.wide


def test_strips_have_the_colour_and_the_name_of_their_combination_and_the_drift(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(loads=(60,), repeats=2)))
    strips = [block for block in time_strips(findings) if isinstance(block, Picture)]
    assert len(strips) == 8
    colours = {"local": "s0", "json": "s1"}
    for strip in strips:
        drawn = set(re.findall(r'class="line (s\d) thin"', strip.wide))
        assert drawn == {colours[strip.title.split(",")[0]]}
    rates = [strip for strip in strips if strip.title.endswith(": transactions per second")]
    drift = r"throughput drift: [+-]\d+\.\d % over the window \(± \d+\.\d %\)"
    assert len(rates) == 4
    assert all(re.search(f"{drift} · {drift.replace('throughput', 'CPU-cost')}", strip.note) for strip in rates)


def test_of_many_windows_the_first_rounds_and_those_that_do_not_count_have_strips(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(loads=(60,), repeats=1)))
    many = tuple(
        window.model_copy(update={"repeat": number, "valid": number != 20})
        for number in range(40)
        for window in findings.rounds
    )
    shown = list(time_strips(with_fields(findings, windows=many)))
    inside = [one for block in shown for one in (block.blocks if isinstance(block, Fold) else [block])]
    strips = [one for one in inside if isinstance(one, Picture)]
    names = dict.fromkeys(strip.title.rpartition(":")[0].rpartition(", ")[2] for strip in strips)
    assert list(names) == ["round 1", "round 21"]


def test_where_a_tier_ended_while_it_was_watched_no_cpu_use_is_made_up(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    file = point_folder(tmp_path, COMBINATIONS[0], 10, 0) / "monitor.ndjson"
    sample = '{{"v":1,"t_ns":{},"tiers":{{"web":{{"cpu_s":{},"rss_mib":9}},"driver":{{"cpu_s":{},"rss_mib":9}}}}}}\n'
    clocks = [(0, 0.0, 0.0), (1, 0.25, 0.1), (2, 0.5, 0.2), (3, 0.75, 0.0)]
    lines = [sample.format(second * 10**9, web, driver) for second, web, driver in clocks]
    file.write_text("".join(lines), encoding="utf-8")
    course = judge_folder(tmp_path).of(COMBINATIONS[0], 10)[0].cpu_course
    assert [stretch.start_s for stretch in course] == [0.0, 1.0]
    assert [stretch.rate for stretch in course] == pytest.approx([35.0, 35.0])


def test_the_cost_of_each_window_is_drawn_at_its_place_in_the_run(tmp_path: Path) -> None:
    figure = run_sequence(judge_folder(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=2))))
    assert isinstance(figure, Picture)
    assert figure.wide.count("<title>local, ") == figure.wide.count("<title>json, ") == 4


def test_every_text_is_escaped() -> None:
    hostile = element("text", "<script>", class_='"x')
    assert hostile == Markup('<text class="&#34;x">&lt;script&gt;</text>')
    assert "<script" not in axes().markup('"><script>')
