"""The arithmetic of a comparison, against tables and against numbers worked out by hand, and the word it allows."""

from __future__ import annotations

import math
import random

import pytest

from middlemark.judge.spread import ASSUMED, ASSUMED_COMPILED
from middlemark.records.figures import Better
from middlemark.records.findings import Round, Spread
from middlemark.verdict.estimate import Interval, LogRatio, Prior, Ratio, Terms, compare, needed_in_start
from middlemark.verdict.student import t_quantile, tail_probability
from middlemark.verdict.words import (
    LAPTOP,
    PUBLISHABLE,
    QUICK,
    Judgement,
    Word,
    holm,
    judge,
    level_of_look,
    step_levels,
)


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
    for t in (0.01, 1.7, 250.0):
        assert tail_probability(t, 1) == pytest.approx(1 - 2 / math.pi * math.atan(t), rel=1e-10)
        assert tail_probability(t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), rel=1e-8)


def test_degrees_that_are_not_whole_lie_between_their_neighbours() -> None:
    assert t_quantile(0.95, 3) < t_quantile(0.95, 2.5) < t_quantile(0.95, 2)
    # Integrated by Simpson's rule with a step of 1/2000.
    density = math.gamma(1.75) / (math.sqrt(2.5 * math.pi) * math.gamma(1.25))
    values = [density * (1 + (i / 2000) ** 2 / 2.5) ** -1.75 for i in range(4001)]
    inside = 2 * sum(v * (1 if i in (0, 4000) else 4 if i % 2 else 2) for i, v in enumerate(values)) / 6000
    assert tail_probability(2.0, 2.5) == pytest.approx(1 - inside, rel=1e-9)


def rounds(*ratios: float) -> list[Round]:
    """Return rounds, each of a start of its own."""
    return [Round(repeat, 10.0 * repeat, 10.0 * repeat * ratio, repeat) for repeat, ratio in enumerate(ratios, 1)]


def kept(*starts: tuple[float, ...]) -> list[Round]:
    """Return the rounds of some starts, given their ratios."""
    every = [(start, ratio) for start, ratios in enumerate(starts) for ratio in ratios]
    return [Round(repeat, 10.0, 10.0 * ratio, start) for repeat, (start, ratio) in enumerate(every)]


def terms(a: Prior, b: Prior, better: Better = Better.LOWER, needed: int = 2) -> Terms:
    return Terms(better, a, b, needed)


GO, JVM = Prior(ASSUMED), Prior(ASSUMED_COMPILED)


def judged(*ratios: float, better: Better = Better.HIGHER) -> Judgement:
    """Return the judgement of a single comparison of rounds that nothing else is known of."""
    return judge([compare(rounds(*ratios), Terms(better))])[0]


def word_of(comparison: Ratio) -> Word:
    return judge([comparison])[0].word


def excludes_one(interval: Interval) -> bool:
    return interval.low > 1 or interval.high < 1


def interval_of(of: Ratio | Judgement) -> Interval:
    assert of.interval
    return of.interval


def estimate_of(comparison: Ratio) -> LogRatio:
    assert comparison.estimate
    return comparison.estimate


def half_of(comparison: Ratio) -> float:
    """Return half the width of the interval of the logarithm."""
    return math.log(interval_of(comparison).high / interval_of(comparison).low) / 2


def test_without_a_round_there_is_nothing_to_compare() -> None:
    comparison = compare([])
    assert (comparison.ratio, comparison.interval, comparison.estimate) == (None, None, None)
    assert judged().text == "nothing to compare"


@pytest.mark.parametrize("ratios", [(1.4,), (1.4, 1.4)])
def test_fewer_than_three_rounds_that_nothing_else_is_known_of_decide_nothing(ratios: tuple[float, ...]) -> None:
    comparison = compare(rounds(*ratios))
    assert comparison.ratio == pytest.approx(1.4)
    assert comparison.interval is None
    assert judged(*ratios).word is Word.UNDECIDED
    assert judged(*ratios).text.endswith("; a word needs 3 rounds that both sides have")


def test_starts_of_one_round_have_the_paired_t_interval() -> None:
    comparison = compare(rounds(1.0, 2.0, 4.0))
    assert comparison.ratio == pytest.approx(2.0)
    # Logs 0, ln 2 and ln 4: standard deviation ln 2, and t of two degrees of freedom is 4.3027.
    assert half_of(comparison) == pytest.approx(4.30265 * math.log(2) / math.sqrt(3), rel=1e-5)


def test_the_rounds_of_one_start_have_the_spread_between_starts_beside_their_own() -> None:
    comparison = compare(kept((1.10, 1.12, 1.14)), terms(GO, JVM))
    logs = [math.log(1.10), math.log(1.12), math.log(1.14)]
    middle = sum(logs) / 3
    window = sum((log - middle) ** 2 for log in logs) / 2 / 3
    parts = [(0.015**2, 6), (0.03**2, 6), (window, 2)]
    variance = sum(part for part, _ in parts)
    degrees = variance**2 / sum(part**2 / known for part, known in parts)
    assert half_of(comparison) == pytest.approx(t_quantile(0.95, degrees) * math.sqrt(variance), rel=1e-9)
    processes = estimate_of(comparison).of_processes()
    assert processes
    assert math.log(processes.high) - middle == pytest.approx(t_quantile(0.95, 2) * math.sqrt(window), rel=1e-9)


def test_several_starts_are_mixed_with_what_was_known_by_degrees_of_freedom() -> None:
    starts = ((1.0, 1.0), (1.2, 1.2))
    comparison = compare(kept(*starts), terms(GO, GO))
    # Windows that agree add nothing. Known are 2 · 0.015² with 12 degrees, seen is the square of ln 1.2 ÷ 2, twice.
    squares = 2 * (math.log(1.2) / 2) ** 2
    variance = (12 * 2 * 0.015**2 + squares) / 13
    assert half_of(comparison) == pytest.approx(t_quantile(0.95, 13) * math.sqrt(variance / 2), rel=1e-9)


def test_a_start_with_too_few_common_rounds_does_not_count() -> None:
    comparison = compare(kept((1.1, 1.1, 1.1), (9.0,)), terms(GO, GO))
    assert comparison.ratio == pytest.approx(1.1)
    alone = compare(kept((1.1,)), terms(GO, GO))
    assert judge([alone])[0].text == "cannot tell, 1 round; a word needs 2 rounds of a start that both sides have"


@pytest.mark.parametrize(("planned", "needed"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (9, 3)])
def test_a_start_may_lose_a_round_of_three_and_two_of_five(planned: int, needed: int) -> None:
    assert needed_in_start(planned) == needed


def test_a_word_comes_with_the_percentages_of_its_interval() -> None:
    (one,) = judge([compare(kept((1.30, 1.31, 1.29)), terms(GO, GO))])
    assert one.word is Word.SLOWER
    low, high = (100 * (end - 1) for end in (interval_of(one).low, interval_of(one).high))
    assert one.verdict == f"slower by {low:.0f} … {high:.0f} %"
    assert one.text == f"{one.verdict}, 1 start × 3 rounds; spread between starts 1.5 % (assumed)"


def test_undecided_rounds_say_what_is_open_what_the_processes_show_and_what_would_decide() -> None:
    (one,) = judge([compare(kept((1.03, 1.04, 1.05)), terms(GO, JVM))], minutes_of_start=7.0)
    assert one.word is Word.UNDECIDED
    assert one.verdict.startswith("cannot tell (-")
    assert "; these processes: +1.5 … +6.5 %; " in one.text
    assert one.more_starts
    assert f"; about {one.more_starts} more starts ({7 * one.more_starts} min) would decide a difference of" in one.text


def test_more_starts_are_said_to_decide_only_where_so_many_would() -> None:
    few = estimate_of(compare(kept((1.02, 1.06, 1.04)), terms(JVM, JVM)))
    assert few.platforms
    more = few.more_starts(0.05)
    assert more
    assert more > 1
    error, degrees = few.platforms
    for number, decides in ((more, True), (more - 1, False)):
        shrunk = error / math.sqrt(1 + number)
        assert (t_quantile(0.95, degrees + number) * shrunk < few.log) is decides
    assert few.more_starts(1e-12) is None


def test_equal_sides_are_equal_within_five_percent_once_the_interval_is_that_narrow() -> None:
    known = Prior(Spread(0.01, 40, 20))
    (one,) = judge([compare(kept((1.0, 1.01, 0.99, 1.0)), terms(known, known))])
    assert (one.word, one.verdict) == (Word.EQUAL, "equal within 5 %")
    assert one.text.endswith("; spread between starts 1.0 % (assumed, and seen in 20 earlier starts)")
    assert word_of(compare(kept((1.0, 1.01, 0.99, 1.0)), terms(JVM, JVM))) is Word.UNDECIDED


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
    assert judged(ratio, ratio * 1.01, ratio * 0.99, ratio, better=better).word is word


def cold(rest: float) -> Prior:
    return Prior(ASSUMED, rest)


@pytest.mark.parametrize(
    ("a", "b", "better", "side"),
    [(0.0, 0.1, Better.LOWER, "low"), (0.1, 0.0, Better.LOWER, "high"),
     (0.1, 0.0, Better.HIGHER, "low"), (0.0, 0.1, Better.HIGHER, "high")],
)  # fmt: skip
def test_what_is_not_warm_widens_the_interval_on_the_side_to_which_it_may_still_move(
    a: float, b: float, better: Better, side: str
) -> None:
    every = kept((1.0, 1.01, 0.99))
    warm, other = (interval_of(compare(every, terms(*sides, better))) for sides in ((GO, GO), (cold(a), cold(b))))
    low, high = math.log(warm.low / other.low), math.log(other.high / warm.high)
    assert (low, high) == pytest.approx((0.1, 0.0) if side == "low" else (0.0, 0.1))


def test_nothing_is_said_against_a_side_that_is_still_getting_faster() -> None:
    every = kept((1.2, 1.21, 1.19))
    (against,) = judge([compare(every, terms(GO, cold(0.15)))])
    assert against.verdict == "still getting faster: not judged against it"
    assert "; its figure may still change by 15.0 %" in against.text
    # Warmer it would be further ahead, or the other one is the cold one that gains.
    assert word_of(compare(every, terms(cold(0.15), GO))) is Word.SLOWER
    assert word_of(compare(every, terms(GO, cold(0.05)))) is Word.SLOWER


def test_what_is_left_of_a_warm_up_is_not_blamed_where_the_rounds_would_not_decide_either() -> None:
    assert word_of(compare(kept((0.98, 1.04, 1.01)), terms(GO, cold(0.15)))) is Word.UNDECIDED


def test_equal_figures_are_equal_whatever_their_size() -> None:
    comparison = compare([Round(repeat, size, size, repeat) for repeat, size in enumerate((1e-300, 0.1, 3.3, 1e300))])
    assert comparison.ratio == 1.0
    assert estimate_of(comparison).p_value() == 1.0


@pytest.mark.parametrize("ratios", [(1.01, 1.02, 1.03, 1.05), (1.01, 1.02, 1.03, 0.99), (0.97, 0.99, 0.96, 0.98, 0.99)])
def test_the_probability_is_below_five_percent_exactly_when_the_interval_excludes_one(
    ratios: tuple[float, ...],
) -> None:
    for comparison in (compare(rounds(*ratios)), compare(kept(ratios), terms(GO, cold(0.01)))):
        p_value = estimate_of(comparison).p_value()
        assert p_value is not None
        assert (p_value < 0.05) is excludes_one(interval_of(comparison))


def test_holm_multiplies_the_smallest_by_all_the_next_by_one_less_and_never_falls() -> None:
    # Worked out by hand: 0.01 · 4, then 0.02 · 3, then 0.022 · 2 = 0.044 raised to the one before, then 0.9.
    assert holm([0.02, 0.9, 0.01, 0.022]) == pytest.approx([0.06, 0.9, 0.04, 0.06])
    assert holm([0.7, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_each_comparison_has_the_level_of_its_step_and_all_behind_the_first_that_fails_have_that_ones() -> None:
    assert step_levels([0.02, 0.9, 0.01, 0.03], 0.05) == pytest.approx([0.05 / 3, 0.05 / 3, 0.05 / 4, 0.05 / 3])
    source = random.Random(5)  # noqa: S311 (made-up figures, no secret)
    for _ in range(200):
        values = [source.random() ** 3 for _ in range(4)]
        levels = step_levels(values, 0.05)
        for value, level, adjusted in zip(values, levels, holm(values), strict=True):
            assert (value < level) is (adjusted < 0.05)


def test_a_comparison_among_others_needs_a_clearer_difference() -> None:
    # The probability of three comparisons like this lies between 5 % ÷ 3 and 5 %.
    barely = compare(rounds(1.010, 1.030, 1.045, 1.060))
    clear = compare(rounds(1.20, 1.21, 1.20, 1.22))
    few = compare(rounds(1.2, 1.2))
    assert judge([barely])[0].word is Word.FASTER
    assert judge([barely, few])[0].word is Word.FASTER
    first, second, third = judge([barely, clear, barely])
    assert (first.word, second.word, third.word) == (Word.UNDECIDED, Word.FASTER, Word.UNDECIDED)
    assert "; as one of 2 comparisons (Holm); " in first.text
    assert not excludes_one(interval_of(first))


def test_the_interval_mirrors_when_the_sides_are_swapped() -> None:
    forth, back = compare(rounds(1.2, 1.3, 1.1, 1.25)), compare(rounds(1 / 1.2, 1 / 1.3, 1 / 1.1, 1 / 1.25))
    assert interval_of(forth).low == pytest.approx(1 / interval_of(back).high)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_a_figure_that_is_not_above_zero_has_no_ratio(bad: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        compare([Round(1, a=bad, b=1.0)])


@pytest.mark.parametrize("alphas", [QUICK, LAPTOP, PUBLISHABLE])
def test_the_levels_of_all_looks_add_up_to_five_percent_however_often_a_run_is_resumed(
    alphas: tuple[float, ...],
) -> None:
    assert sum(level_of_look(alphas, start) for start in range(1, 200)) == pytest.approx(0.05)
    assert [level_of_look(alphas, start + 1) for start in range(len(alphas))] == list(alphas)


def test_one_level_is_that_of_the_only_look_whatever_the_starts() -> None:
    assert [level_of_look((0.05,), starts) for starts in (1, 4)] == [0.05, 0.05]
