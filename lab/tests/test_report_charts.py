"""Charts show every value at its place, with ticks a person would choose."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path

import pytest
from markupsafe import Markup
from synthetic_result import Shape, write_synthetic

from middlemark.records.folder import read_result
from middlemark.records.run import Combination
from middlemark.report.axes import Axes, Size
from middlemark.report.key_figures import key_figures
from middlemark.report.load_curves import load_curves, load_panels
from middlemark.report.page import report_page
from middlemark.report.scales import Scale, log_ticks, nice_ticks, written
from middlemark.report.svg import element


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


def test_a_line_is_broken_by_nothing_and_leaves_out_what_is_no_number() -> None:
    chart = axes()
    chart.line([(0, 0), (5, float("nan")), (10, 5)], "s1")
    assert 'd="M20.0 90.0L180.0 10.0"' in chart.parts[0]


def test_steps_hold_each_value_until_the_next() -> None:
    chart = axes()
    chart.steps([(0, 0), (5, 5)], 10, "strip")
    assert 'd="M20.0 90.0L100.0 90.0L100.0 10.0L180.0 10.0"' in chart.parts[0]


@pytest.mark.parametrize(
    ("loads", "repeats", "means", "caption"),
    [
        ((10,), 1, (0, 0, 0, 0), "A dot is a round."),
        ((10,), 2, (0, 2, 0, 0), "A dot is a round, the bar their mean. No interval is drawn below 3 rounds."),
        ((10,), 4, (0, 2, 2, 0), "A dot is a round, the bar their mean, the whisker its 95 % interval."),
        ((10, 60), 2, (2, 0, 0, 0), "A dot is a round, the line their mean. No interval is drawn below 3 rounds."),
        ((30, 60), 4, (2, 0, 0, 2), "A dot is a round, the line their mean, the band its 95 % interval."),
    ],
)
def test_a_caption_names_what_is_drawn(
    tmp_path: Path, loads: tuple[int, ...], repeats: int, means: tuple[int, int, int, int], caption: str
) -> None:
    """`means` counts lines, bars, whiskers and bands of the two combinations."""
    figure = load_curves(read_result(write_synthetic(tmp_path, Shape(loads=loads, repeats=repeats))))[1]
    drawn = (
        figure.wide.count('<path class="line s'),
        figure.wide.count('class="line bar'),
        figure.wide.count('<path class="line whisker'),
        figure.wide.count('<path class="band'),
    )
    assert (drawn, figure.note) == (means, caption)


EIGHT = tuple(
    Combination(subject=subject, modes={"binding": "local", "session": session}, label=f"{subject} {session}",
                path=f"{subject}/binding=local,session={session}")
    for subject in ("one", "two") for session in "abcd"
)  # fmt: skip


def test_many_combinations_are_drawn_in_panels_with_a_colour_for_each_subject(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(combinations=EIGHT, loads=(10, 60), repeats=1)))
    assert load_curves(result) == []
    throughput, *_ = load_panels(result)
    assert [figure.title for figure in throughput.figures] == [f"local, session {session}" for session in "abcd"]
    assert [(entry.number, entry.name) for entry in throughput.legend] == [(0, "one"), (1, "two")]
    for figure in throughput.figures:
        assert figure.wide.count('<circle class="dot s0"') == figure.wide.count('<rect class="dot s1"') == 2
    assert len(throughput.table.rows) == 16
    page = report_page(result)
    assert page.count(throughput.note) >= 1
    assert load_panels(read_result(write_synthetic(tmp_path / "few", Shape(loads=(10,), repeats=1)))) == []


def test_bytes_are_drawn_where_the_specification_leads_with_them(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=1)))
    assert "Bytes received" not in [figure.title for figure in load_curves(result)]
    led = result.run.specification.model_copy(update={"leads_with": ("throughput", "bytes_per_second")})
    result = dataclasses.replace(result, run=result.run.model_copy(update={"specification": led}))
    bytes_received = load_curves(result)[1]
    assert bytes_received.title == "Bytes received"
    verdict = result.points[0].verdict
    assert verdict
    assert bytes_received.table
    assert bytes_received.table.rows[0][2].exact == verdict.bytes_per_s / 1e6
    assert "MB per second received" in [figure.label for figure in key_figures(result)]


def test_loads_that_would_lie_on_each_other_get_a_logarithmic_axis(tmp_path: Path) -> None:
    ramp = load_curves(read_result(write_synthetic(tmp_path / "ramp", Shape(loads=(1, 2, 4, 8, 16, 60), repeats=1))))[0]
    for chart in (ramp.wide, ramp.narrow):
        assert "users (logarithmic)" in chart
        ticks = [float(x) for x in re.findall(r'<text class="tick middle" x="([0-9.]+)"[^>]*>[0-9]', chart)]
        assert len(ticks) == 6
        assert all(right - left >= 24 for left, right in itertools.pairwise(ticks))
    even = load_curves(read_result(write_synthetic(tmp_path / "even", Shape(loads=(10, 30, 60), repeats=1))))[0]
    assert "logarithmic" not in even.wide


def test_every_text_is_escaped() -> None:
    hostile = element("text", "<script>", class_='"x')
    assert hostile == Markup('<text class="&#34;x">&lt;script&gt;</text>')
    assert "<script" not in axes().markup('"><script>')
