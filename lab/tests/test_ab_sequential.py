"""The words of `ab`: looks whose levels add up, and how often a word is false or right, simulated."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass

import pytest

from middlemark.ab.sequential import (
    ALPHA,
    UNKNOWN,
    Interval,
    Word,
    against,
    falls,
    interval_at,
    is_decided,
    level_of,
    next_look,
    word_of,
)

# Of a budget of 2 min with slices of 1 s, a quarter of it warm-up.
PAIRS = 42
RUNS = 400
EQUAL_WITHIN = 0.05
TEN_PERCENT = math.log(1.1)


@dataclass(frozen=True)
class Noise:
    """What moves slices: a drift that both sides share, and what a side does for several slices of its own."""

    pair_sd: float = 0.10
    drift_sd: float = 0.0
    drift_slices: float = 600.0
    likeness: float = 0.0


def simulated_word(chance: random.Random, difference: float, noise: Noise) -> Word:
    """Word of one comparison whose true ln B ÷ A is `difference`."""
    own_sd = noise.pair_sd / math.sqrt(2)
    keep = math.exp(-1 / noise.drift_slices)
    drift = noise.drift_sd * chance.gauss(0, 1)
    own = [own_sd * chance.gauss(0, 1) for _ in range(2)]
    values: list[float] = []
    look, interval = 0, UNKNOWN
    while len(values) < PAIRS:
        pair = [0.0, 0.0]
        for side in (0, 1) if chance.random() < 0.5 else (1, 0):
            drift = keep * drift + math.sqrt(1 - keep**2) * noise.drift_sd * chance.gauss(0, 1)
            fresh = math.sqrt(1 - noise.likeness**2) * own_sd * chance.gauss(0, 1)
            own[side] = noise.likeness * own[side] + fresh
            pair[side] = drift + own[side]
        values.append(pair[1] - pair[0] + difference)
        if len(values) in {next_look(len(values) - 1), PAIRS}:
            interval, look = interval_at(look, values), look + 1
            if is_decided(interval, EQUAL_WITHIN, None):
                break
    return word_of(interval, EQUAL_WITHIN)


def words(difference: float, noise: Noise) -> Counter[Word]:
    """Words of RUNS comparisons."""
    chance = random.Random(20_261_125)  # noqa: S311 (a simulation)
    return Counter(simulated_word(chance, difference, noise) for _ in range(RUNS))


@pytest.mark.parametrize(
    "noise",
    [
        Noise(),
        Noise(pair_sd=0.03),
        Noise(drift_sd=0.3, drift_slices=60),
        Noise(likeness=0.3),
    ],
    ids=["noise of 10 %", "a quiet machine", "a machine that drifts", "sides with a memory"],
)
def test_equal_sides_get_a_word_with_a_direction_in_at_most_one_of_twenty_runs(noise: Noise) -> None:
    counted = words(0.0, noise)
    assert counted[Word.SLOWER] + counted[Word.FASTER] <= 0.05 * RUNS + 2 * math.sqrt(0.05 * 0.95 * RUNS)
    if not noise.likeness:
        assert counted[Word.SLOWER] + counted[Word.FASTER] <= 0.05 * RUNS


@pytest.mark.parametrize("noise", [Noise(), Noise(drift_sd=0.1)], ids=["noise", "noise and drift"])
def test_ten_percent_are_found_in_at_least_nine_of_ten_runs_and_never_with_the_wrong_direction(noise: Noise) -> None:
    slower, faster = words(TEN_PERCENT, noise), words(-TEN_PERCENT, noise)
    assert slower[Word.SLOWER] >= 0.9 * RUNS
    assert faster[Word.FASTER] >= 0.9 * RUNS
    assert slower[Word.FASTER] == faster[Word.SLOWER] == 0


def test_on_a_quiet_machine_equal_sides_are_called_equal() -> None:
    assert words(0.0, Noise(pair_sd=0.03))[Word.EQUAL] >= 0.95 * RUNS


def test_the_levels_of_all_looks_add_up() -> None:
    assert sum(map(level_of, range(1_000))) == pytest.approx(ALPHA)
    assert all(level_of(look) > level_of(look + 1) for look in range(50))


def test_looks_come_ever_more_rarely() -> None:
    looks = [next_look(0)]
    while len(looks) < 6:
        looks.append(next_look(looks[-1]))
    assert looks == [12, 18, 27, 40, 60, 91]


def test_the_interval_is_that_of_student_at_the_level_of_the_look() -> None:
    values = [0.01, 0.03, 0.02, 0.00, 0.04, 0.02, 0.01, 0.03, 0.02, 0.00, 0.04, 0.02]
    found = interval_at(0, values)
    # Standard deviation 0.013484, t(0.995; 11) = 3.105807, neighbours unlike each other.
    half = 3.105807 * 0.0134840 / math.sqrt(12)
    assert found.low == pytest.approx(math.exp(0.02 - half) - 1, rel=1e-4)
    assert found.high == pytest.approx(math.exp(0.02 + half) - 1, rel=1e-4)
    assert interval_at(1, values).high > found.high, "a later look has a smaller level"


def test_alike_neighbours_widen_the_interval() -> None:
    mixed = [0.0, 0.1] * 6
    sorted_ = [0.0] * 6 + [0.1] * 6
    assert interval_at(0, sorted_).high > 1.5 * interval_at(0, mixed).high


def test_a_side_that_becomes_cheaper_beside_the_other_is_noticed_and_one_that_scatters_is_not() -> None:
    chance = random.Random(3)  # noqa: S311 (made-up figures, no secret)
    noise = [0.05 * chance.gauss(0, 1) for _ in range(40)]
    warming = [0.5 * math.exp(-place / 15) + one for place, one in enumerate(noise)]
    assert falls(warming, 0.03)
    assert not falls([-one for one in warming], 0.03)
    assert not falls([0.3 + one for one in noise], 0.03)
    assert not falls(warming[:3], 0.03)


def test_fewer_than_two_pairs_say_nothing() -> None:
    assert interval_at(0, [0.1]) == UNKNOWN
    assert word_of(UNKNOWN, 0.05) is Word.UNDECIDED


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.06, 0.14, Word.SLOWER),
        (-0.14, -0.06, Word.FASTER),
        (-0.03, 0.02, Word.EQUAL),
        (0.01, 0.04, Word.EQUAL),
        (-0.03, 0.08, Word.UNDECIDED),
    ],
)
def test_the_word_follows_from_the_interval(low: float, high: float, word: Word) -> None:
    assert word_of(Interval((low + high) / 2, low, high), EQUAL_WITHIN) is word


@pytest.mark.parametrize(
    ("interval", "limit", "side"),
    [
        ((0.06, 0.2), None, 1),
        ((-0.2, -0.06), None, 0),
        ((-0.06, 0.06), None, None),
        ((0.025, 0.045), None, None),
        ((0.025, 0.045), 0.02, 1),
        ((0.025, 0.045), 0.03, None),
    ],
)
def test_an_answer_is_against_the_side_that_is_slower_or_fails_its_limit(
    interval: tuple[float, float], limit: float | None, side: int | None
) -> None:
    assert against(Interval(sum(interval) / 2, *interval), 0.05, limit) is side


def test_with_a_limit_it_goes_on_until_the_limit_is_outside_the_interval() -> None:
    above, below, across = (Interval(0.0, low, high) for low, high in ((0.06, 0.14), (-0.03, 0.02), (0.02, 0.09)))
    assert is_decided(across, EQUAL_WITHIN, None)
    assert not is_decided(across, EQUAL_WITHIN, 0.05)
    assert is_decided(above, EQUAL_WITHIN, 0.05)
    assert is_decided(below, EQUAL_WITHIN, 0.05)
