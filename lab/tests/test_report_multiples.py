"""Times faster: each subject as a multiple of each other one at the same load, with intervals and without words."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from report_html import HTML, parsed, words
from synthetic_result import APART, Shape, write_synthetic

from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.run import Combination
from middlemark.report.multiples import multiple_tables
from middlemark.report.page import report_page
from middlemark.verdict.multiples import multiples
from middlemark.verdict.naming import label


def combination(subject: str, binding: str) -> Combination:
    modes = {"binding": binding}
    return Combination(subject=subject, modes=modes, label=label(subject, modes), path=f"{subject}/binding={binding}")


FOUR = tuple(combination(subject, binding) for subject in ("one", "two") for binding in ("local", "json"))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Give a run of two subjects in two modes over four rounds; of "one local" nothing counts with 60 users."""
    places = frozenset(8 * number + (1 if number % 2 == 0 else 7) for number in range(4))
    shape = Shape(combinations=FOUR, loads=(10, 60), repeats=4, error_points=places, placement=APART)
    return read_result(write_synthetic(tmp_path_factory.mktemp("result"), shape))


def test_pairs_differ_in_nothing_but_their_subject(result: Result) -> None:
    groups = multiples(result)
    assert [{pair.a.modes["binding"] for pair in group.pairs} for group in groups] == [{"local"}, {"json"}]
    for group in groups:
        assert [{pair.a.subject, pair.b.subject} for pair in group.pairs] == [{"one", "two"}]


def test_a_multiple_is_the_geometric_mean_over_the_rounds_at_one_load(result: Result) -> None:
    (pair,) = multiples(result)[1].pairs
    for one in pair.multiples:
        sides = [[p.verdict for p in result.of(side, one.load) if p.verdict] for side in (pair.b, pair.a)]
        rates = [b.throughput_tps / a.throughput_tps for b, a in zip(*sides, strict=True)]
        times = [b.total.mean_ms / a.total.mean_ms for b, a in zip(*sides, strict=True)]
        assert one.throughput.ratio == pytest.approx(statistics.geometric_mean(rates))
        assert one.response_time.ratio == pytest.approx(statistics.geometric_mean(times))
        assert one.throughput.interval


def test_the_side_with_more_throughput_comes_first(result: Result) -> None:
    for group in multiples(result):
        for pair in group.pairs:
            rates = [one.throughput.ratio for one in pair.multiples if one.throughput.ratio]
            assert sum(rate >= 1 for rate in rates) * 2 >= len(rates)


def test_a_point_that_does_not_count_leaves_its_reason_in_the_table(result: Result) -> None:
    tables = multiple_tables(result)
    assert tables
    local, json = (part.table for part in tables.tables)
    assert [part.name for part in tables.tables] == ["local", "json"]
    assert local.columns == ("pair", "of", "#10 users", "#60 users")
    assert [row[-1].text for row in local.rows] == ["one INVALID by errors"] * 2
    assert all("\n(" in one.text for row in json.rows for one in row[2:])
    # One load of two pairs and another one of one pair, two figures each.
    assert "Of 6 intervals, each by itself, about 1 can be expected to miss by chance." in tables.note


def test_the_report_shows_them_without_words_of_conclusion(result: Result) -> None:
    tree = parsed(report_page(result))
    (part,) = (e for e in tree.iter(f"{HTML}div") if e.get("class") == "times")
    text = words(part)
    assert text.startswith("Times faster at the same load")
    assert "No word follows" in text
    assert not any(word in text for word in ("differs", "slower", "cannot tell"))


def test_few_rounds_have_a_range_and_no_interval(tmp_path: Path) -> None:
    shape = Shape(combinations=FOUR[::2], loads=(10, 60), repeats=2)
    tables = multiple_tables(read_result(write_synthetic(tmp_path, shape)))
    assert tables
    (part,) = tables.tables
    assert part.name == ""
    assert all("\n[" in one.text for row in part.table.rows for one in row[2:])
    assert tables.note.startswith("Where too few rounds count, their range")
    assert tables.note.endswith("Response times are shown, not ranked: shared CPUs.")


def test_what_may_not_be_ranked_is_named_and_not_compared(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(combinations=FOUR[::2], loads=(10, 60), repeats=1)))
    for point in result.of(FOUR[0], 60):
        assert point.verdict
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update={"bytes_per_s": 1.0}))
    tables = multiple_tables(read_result(tmp_path))
    assert tables
    (part,) = tables.tables
    assert part.table.rows == ()
    assert part.not_compared[0].startswith("two ÷ one: different response sizes")


@pytest.mark.parametrize(("combinations", "loads"), [(FOUR[::2], (10,)), (FOUR[:2], (10, 60))])
def test_one_load_or_one_subject_has_nothing_new_to_show(
    tmp_path: Path, combinations: tuple[Combination, ...], loads: tuple[int, ...]
) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(combinations=combinations, loads=loads, repeats=1)))
    assert multiple_tables(result) is None
    assert 'id="times-faster"' not in report_page(result)
