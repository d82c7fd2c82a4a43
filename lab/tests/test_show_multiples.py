"""Times faster: each subject as a multiple of each other one at the same load, with intervals and without words."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from rejudged_result import page_of, with_windows
from report_html import HTML, words
from synthetic_result import APART, Shape, write_synthetic

from middlemark.judge.result import judge_folder
from middlemark.records.findings import Comparison, Findings, Use
from middlemark.records.naming import label
from middlemark.records.run import Combination
from middlemark.records.window import Window
from middlemark.show.pivot import Pivot
from middlemark.show.ratios import multiples
from middlemark.show.tables import Text


def combination(subject: str, binding: str) -> Combination:
    modes = {"binding": binding}
    return Combination(subject=subject, modes=modes, label=label(subject, modes), path=f"{subject}/binding={binding}")


FOUR = tuple(combination(subject, binding) for subject in ("one", "two") for binding in ("local", "json"))


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Judge a run of two subjects in two modes over four rounds; of "one local" nothing counts with 60 users."""
    places = frozenset(8 * number + (1 if number % 2 == 0 else 7) for number in range(4))
    shape = Shape(combinations=FOUR, loads=(10, 60), repeats=4, error_points=places, placement=APART)
    return judge_folder(write_synthetic(tmp_path_factory.mktemp("result"), shape))


def by_load(findings: Findings) -> list[Comparison]:
    return [one for one in findings.comparisons if one.use is Use.LOAD]


def tables_of(findings: Findings) -> list[Pivot]:
    return [block for block in multiples(findings) if isinstance(block, Pivot)]


def last_text(findings: Findings) -> str:
    return [block.text for block in multiples(findings) if isinstance(block, Text)][-1]


def figure_of(one: Comparison, window: Window) -> float:
    return window.throughput_tps if one.metric == "throughput" else window.total.mean_ms


def test_pairs_differ_in_nothing_but_their_subject(findings: Findings) -> None:
    paths = {(one.a, one.b) for one in by_load(findings)}
    assert {frozenset(pair) for pair in paths} == {
        frozenset({"one/binding=local", "two/binding=local"}), frozenset({"one/binding=json", "two/binding=json"}),
    }  # fmt: skip
    assert len(paths) == 2


def test_a_multiple_is_the_geometric_mean_over_the_rounds_at_one_load(findings: Findings) -> None:
    sides = {one.path: one for one in findings.run.combinations}
    json = [one for one in by_load(findings) if "json" in one.a]
    assert [(one.metric, one.load_b) for one in json] == [
        (metric, load) for load in (10, 60) for metric in ("throughput", "mean_ms")
    ]
    for one in json:
        windows = [findings.of(sides[path], one.load_b or 0) for path in (one.b, one.a)]
        ratios = [figure_of(one, b) / figure_of(one, a) for b, a in zip(*windows, strict=True)]
        assert one.ratio == pytest.approx(statistics.geometric_mean(ratios))
        assert one.low is not None
        assert one.word == ""


def test_the_side_with_more_throughput_comes_first(findings: Findings) -> None:
    rates = [one.ratio for one in by_load(findings) if one.metric == "throughput" and "json" in one.a and one.ratio]
    assert sum(rate >= 1 for rate in rates) * 2 >= len(rates) == 2


def test_a_window_that_does_not_count_leaves_its_reason_in_the_table(findings: Findings) -> None:
    local, json = tables_of(findings)
    assert [local.caption, json.caption] == ["binding local", "binding json"]
    assert local.columns == json.columns == ("10 users", "60 users")
    ((_, _, fields),) = local.rows
    assert fields[1].reason == "one INVALID by errors"
    ((pair, _, fields),) = json.rows
    assert pair in {"two ÷ one", "one ÷ two"}
    for field in fields:
        assert [part.before for part in field.parts] == ["throughput ", "response time "]
        assert all(part.after.startswith(" (") for part in field.parts)
    # One load of two pairs and another one of one pair, two figures each.
    assert "Of 6 intervals, each by itself, about 1 can be expected to miss by chance." in last_text(findings)


def test_the_report_shows_them_without_words_of_conclusion(findings: Findings) -> None:
    tree = page_of(findings)
    section = next(each for each in tree.iter(f"{HTML}section") if each.get("id") == "ratios")
    text = words(section).partition("Times faster at the same load")[2]
    assert "No word follows" in text
    assert not any(word in text for word in ("differs", "slower", "cannot tell"))


def test_few_rounds_have_a_range_and_no_interval(tmp_path: Path) -> None:
    found = judge_folder(write_synthetic(tmp_path, Shape(combinations=FOUR[::2], loads=(10, 60), repeats=2)))
    (table,) = tables_of(found)
    assert table.caption == "Times faster"
    assert all(part.after.startswith(" [") for _, _, fields in table.rows for field in fields for part in field.parts)
    assert last_text(found).startswith("Where too few rounds count, their range")
    assert last_text(found).endswith("Response times are shown, not ranked: shared CPUs.")


def test_what_may_not_be_ranked_is_named_and_not_compared(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path, Shape(combinations=FOUR[::2], loads=(10, 60), repeats=1))

    def little(window: Window) -> Window:
        other = window.combination == FOUR[0].path and window.load == 60
        return window.model_copy(update={"bytes_per_s": 1.0}) if other else window

    found = with_windows(folder, little)
    assert tables_of(found) == []
    texts = [block.text for block in multiples(found) if isinstance(block, Text)]
    assert any(text.startswith("Not compared: two ÷ one: different response sizes") for text in texts)


@pytest.mark.parametrize(("combinations", "loads"), [(FOUR[::2], (10,)), (FOUR[:2], (10, 60))])
def test_one_load_or_one_subject_has_nothing_new_to_show(
    tmp_path: Path, combinations: tuple[Combination, ...], loads: tuple[int, ...]
) -> None:
    found = judge_folder(write_synthetic(tmp_path, Shape(combinations=combinations, loads=loads, repeats=1)))
    assert list(multiples(found)) == []
