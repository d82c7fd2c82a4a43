"""The arithmetic of a comparison, against tables and against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from middlemark.verdict.comparison import Block, Word, compare
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


def blocks(*ratios: float) -> list[Block]:
    return [Block(repeat, a=10.0 * repeat, b=10.0 * repeat * ratio) for repeat, ratio in enumerate(ratios, 1)]


def test_without_a_block_there_is_nothing_to_compare() -> None:
    comparison = compare([])
    assert (comparison.ratio, comparison.interval, comparison.verdict) == (None, None, "nothing to compare")


def test_one_block_has_a_ratio_and_no_interval() -> None:
    comparison = compare(blocks(1.4))
    assert comparison.ratio == pytest.approx(1.4)
    assert comparison.interval is None
    assert comparison.verdict == "cannot tell yet (1 block)"


def test_two_blocks_have_the_interval_of_one_degree_of_freedom() -> None:
    comparison = compare(blocks(1.0, 4.0))
    assert comparison.ratio == pytest.approx(2.0)
    # Logs 0 and ln 4: mean ln 2, standard deviation ln 4 / sqrt 2, so half the interval is 12.706 · ln 4 / 2.
    half = 12.7062 * math.log(4) / 2
    assert comparison.interval is not None
    assert math.log(comparison.interval.high) == pytest.approx(math.log(2) + half, rel=1e-4)
    assert math.log(comparison.interval.low) == pytest.approx(math.log(2) - half, rel=1e-4)
    assert [comparison.least, comparison.greatest] == pytest.approx([1.0, 4.0])


def test_three_blocks_never_decide_however_clear_they_look() -> None:
    comparison = compare(blocks(2.0, 2.001, 1.999))
    assert comparison.interval is not None
    assert comparison.interval.excludes_one()
    assert comparison.verdict == "cannot tell yet (3 blocks)"


def test_four_blocks_that_agree_differ_but_have_no_direction_without_a_noise_floor() -> None:
    comparison = compare(blocks(1.40, 1.42, 1.41, 1.43))
    assert comparison.word is Word.DIFFERS
    assert comparison.verdict == "differs, noise floor not measured (4 blocks)"


def test_four_blocks_around_one_cannot_tell() -> None:
    assert compare(blocks(0.9, 1.1, 0.95, 1.08)).verdict == "cannot tell (4 blocks)"


def test_the_interval_mirrors_when_the_sides_are_swapped() -> None:
    forth, back = compare(blocks(1.2, 1.3, 1.1, 1.25)), compare(blocks(1 / 1.2, 1 / 1.3, 1 / 1.1, 1 / 1.25))
    assert forth.interval is not None
    assert back.interval is not None
    assert forth.interval.low == pytest.approx(1 / back.interval.high)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_a_figure_that_is_not_above_zero_has_no_ratio(bad: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        compare([Block(1, a=bad, b=1.0)])
