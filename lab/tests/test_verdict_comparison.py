"""The arithmetic of a comparison, against tables and against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from middlemark.verdict.comparison import Block, compare
from middlemark.verdict.holm import holm
from middlemark.verdict.judgement import Better, Judgement, Terms, Word, judge
from middlemark.verdict.levels import mean_interval
from middlemark.verdict.student import t_quantile, two_sided_probability


# Source of the values: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2 (upper critical values of t).
@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228), (30, 2.042), (100, 1.984)],
)
def test_the_two_sided_95_percent_quantile_is_the_tables(degrees: int, quantile: float) -> None:
    assert t_quantile(0.95, degrees) == pytest.approx(quantile, abs=0.0005)


@pytest.mark.parametrize(("confidence", "degrees", "quantile"), [(0.90, 7, 1.895), (0.99, 6, 3.707), (0.999, 3, 12.92)])
def test_other_confidences_are_the_tables_too(confidence: float, degrees: int, quantile: float) -> None:
    assert t_quantile(confidence, degrees) == pytest.approx(quantile, abs=0.005)


def test_the_probability_of_one_and_two_degrees_has_its_closed_form() -> None:
    t = 1.7
    assert two_sided_probability(t, 1) == pytest.approx(2 / math.pi * math.atan(t), rel=1e-12)
    assert two_sided_probability(t, 2) == pytest.approx(t / math.sqrt(2 + t * t), rel=1e-12)


def test_the_interval_of_a_mean_ends_at_zero_where_it_would_reach_below() -> None:
    half = 3.1824 * 8 / 2  # t of 3 degrees of freedom, the standard deviation is 8 for the first and 1 for the second
    assert mean_interval([1.0, 1.0, 1.0, 17.0]) == pytest.approx((0, 5 + half), abs=0.001)
    assert mean_interval([19.5, 19.5, 19.5, 21.5]) == pytest.approx((20 - half / 8, 20 + half / 8), abs=0.001)


def blocks(*ratios: float) -> list[Block]:
    return [Block(repeat, a=10.0 * repeat, b=10.0 * repeat * ratio) for repeat, ratio in enumerate(ratios, 1)]


def judged(*ratios: float, floor: float | None = 1.0, better: Better = Better.HIGHER) -> Judgement:
    """Return the judgement of a single comparison."""
    return judge([(compare(blocks(*ratios)), Terms(better, floor))])[0]


def test_without_a_block_there_is_nothing_to_compare() -> None:
    comparison = compare([])
    assert (comparison.ratio, comparison.interval, comparison.p_value) == (None, None, None)
    assert judged().text == "nothing to compare"


def test_one_block_has_a_ratio_and_no_interval() -> None:
    comparison = compare(blocks(1.4))
    assert comparison.ratio == pytest.approx(1.4)
    assert comparison.interval is None
    assert judged(1.4).text == "cannot tell (1 block), a verdict needs 4"


def test_two_blocks_have_the_interval_of_one_degree_of_freedom() -> None:
    comparison = compare(blocks(1.0, 4.0))
    assert comparison.ratio == pytest.approx(2.0)
    # Logs 0 and ln 4: mean ln 2, standard deviation ln 4 / sqrt 2, so half the interval is 12.706 · ln 4 / 2.
    half = 12.7062 * math.log(4) / 2
    assert comparison.interval is not None
    assert math.log(comparison.interval.high) == pytest.approx(math.log(2) + half, rel=1e-4)
    assert math.log(comparison.interval.low) == pytest.approx(math.log(2) - half, rel=1e-4)
    assert [comparison.min_ratio, comparison.max_ratio] == pytest.approx([1.0, 4.0])


def test_three_blocks_never_decide_however_clear_they_look() -> None:
    comparison = compare(blocks(2.0, 2.001, 1.999))
    assert comparison.interval is not None
    assert comparison.interval.excludes_one()
    assert judged(2.0, 2.001, 1.999).verdict == "cannot tell (3 blocks)"


def test_four_blocks_that_agree_differ_but_have_no_direction_without_a_measured_floor() -> None:
    assert judged(1.40, 1.42, 1.41, 1.43, floor=None).verdict == "differs, noise floor not measured (4 blocks)"


def test_four_blocks_around_one_cannot_tell() -> None:
    assert judged(0.9, 1.1, 0.95, 1.08).text == "cannot tell (4 blocks)"


@pytest.mark.parametrize(
    ("ratio", "better", "word"),
    [
        (1.1, Better.HIGHER, Word.FASTER),
        (0.9, Better.HIGHER, Word.SLOWER),
        (1.1, Better.LOWER, Word.SLOWER),
        (0.9, Better.LOWER, Word.FASTER),
    ],
)
def test_more_is_faster_for_a_rate_and_slower_for_a_cost(ratio: float, better: Better, word: Word) -> None:
    found = judged(ratio, ratio * 1.01, ratio * 0.99, ratio, floor=1.02, better=better)
    assert found.verdict == f"{word} (4 blocks)"


@pytest.mark.parametrize("ratio", [1.029, 1 / 1.029])
def test_a_ratio_within_the_noise_floor_is_not_decided_however_narrow_its_interval(ratio: float) -> None:
    close = [ratio, ratio * 1.0001, ratio * 0.9999, ratio]
    assert judged(*close).word in {Word.FASTER, Word.SLOWER}
    assert judged(*close, floor=1.028).word in {Word.FASTER, Word.SLOWER}
    assert judged(*close, floor=1.03).text == "cannot tell (4 blocks), within the noise floor of 3.0 %"


def test_equal_figures_are_equal_whatever_their_size() -> None:
    comparison = compare([Block(repeat, size, size) for repeat, size in enumerate((1e-300, 0.1, 3.3, 1e300))])
    assert (comparison.ratio, comparison.p_value) == (1.0, 1.0)


@pytest.mark.parametrize("ratios", [(1.01, 1.02, 1.03, 1.05), (1.01, 1.02, 1.03, 0.99), (0.97, 0.99, 0.96, 0.98, 0.99)])
def test_the_probability_is_below_five_percent_exactly_when_the_interval_excludes_one(
    ratios: tuple[float, ...],
) -> None:
    comparison = compare(blocks(*ratios))
    assert comparison.interval is not None
    assert comparison.p_value is not None
    assert (comparison.p_value < 0.05) is comparison.interval.excludes_one()


def test_holm_multiplies_the_smallest_by_all_the_next_by_one_less_and_never_falls() -> None:
    # Worked out by hand: 0.01 · 4, then 0.02 · 3, then 0.022 · 2 = 0.044 raised to the one before, then 0.9.
    assert holm([0.02, 0.9, 0.01, 0.022]) == pytest.approx([0.06, 0.9, 0.04, 0.06])
    assert holm([0.7, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_comparison_among_others_needs_a_clearer_difference() -> None:
    # The probability of three comparisons like this lies between 5 % ÷ 3 and 5 %.
    barely = compare(blocks(1.010, 1.030, 1.045, 1.060))
    clear = compare(blocks(1.20, 1.21, 1.20, 1.22))
    few = compare(blocks(1.2, 1.2))
    terms = Terms(Better.HIGHER, 1.0)
    assert judge([(barely, terms)])[0].verdict == "faster (4 blocks)"
    assert judge([(barely, terms), (few, terms)])[0].verdict == "faster (4 blocks)"
    found = judge([(barely, terms), (clear, terms), (barely, terms)])
    assert [one.text for one in found] == [
        "cannot tell (4 blocks), as one of 3 comparisons (Holm)",
        "faster (4 blocks)",
        "cannot tell (4 blocks), as one of 3 comparisons (Holm)",
    ]


def test_the_interval_mirrors_when_the_sides_are_swapped() -> None:
    forth, back = compare(blocks(1.2, 1.3, 1.1, 1.25)), compare(blocks(1 / 1.2, 1 / 1.3, 1 / 1.1, 1 / 1.25))
    assert forth.interval is not None
    assert back.interval is not None
    assert forth.interval.low == pytest.approx(1 / back.interval.high)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_a_figure_that_is_not_above_zero_has_no_ratio(bad: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        compare([Block(1, a=bad, b=1.0)])
