"""Whether a load is sustained: what is lost and when, what is slight, and the shapes of what processes hold."""

from __future__ import annotations

import numpy as np
import pytest

from middlemark.records.soak import Quantity, Shape, Soak, SoakPlan
from middlemark.verdict.shapes import Values, fit_shape
from middlemark.verdict.soak import SliceFigure, Slices, judge_soak

MINUTE, DAY = 60.0, 1440
PEAK = 300.0


def noise(slices: int = DAY, seed: int = 7) -> Values:
    """Scatter of one on average, the same every time."""
    return np.random.default_rng(seed).standard_normal(slices)


def scattered(level: float = PEAK, slices: int = DAY, share: float = 0.03) -> Values:
    """Slices around a level."""
    return level * (1 + share * noise(slices))


def wandering(slices: int, seed: int) -> Values:
    """Scatter of one, of which neighbours are alike: a checkpoint or a collection lasts for some slices."""
    found, fresh = np.zeros(slices), noise(slices, seed)
    for place in range(1, slices):
        found[place] = 0.8 * found[place - 1] + 0.6 * fresh[place]
    return found


def judged(
    tps: Values,
    *,
    mean_ms: float = 20.0,
    failed: float = 0.0,
    others: tuple[SliceFigure, ...] = (),
    length_s: float = 0.0,
) -> Soak:
    """Judge slices of a minute, which are the whole soak unless that is to be longer."""
    edges_s: Values = np.arange(len(tps) + 1, dtype=np.float64) * MINUTE
    times = np.full(len(tps), mean_ms)
    slices = Slices(edges_s, np.round(tps * MINUTE), tps, times, failed, others)
    plan = SoakPlan(
        length_s=length_s or len(tps) * MINUTE, slice_s=MINUTE, mean_ms=3000, errors=0.0001, rate="orders per second"
    )
    return judge_soak(slices, plan, ended=True)


def test_scatter_alone_is_sustained_and_level() -> None:
    for share in (0.02, 0.05, 0.1):
        soak = judged(scattered(share=share))
        assert soak.sustained
        assert soak.text.startswith("sustained for 24 h (")
        assert [one.shape for one in soak.series] == [Shape.LEVEL, Shape.LEVEL]


def test_a_slight_decline_is_sustained_and_its_slope_is_stated() -> None:
    soak = judged(scattered() * (1 - 0.04 * np.arange(DAY) / DAY))

    assert soak.sustained
    throughput = soak.series[0]
    assert throughput.per_hour == pytest.approx(-0.04 * PEAK / 24, rel=0.2)
    assert throughput.uncertainty == pytest.approx(0.05, abs=0.04)
    assert throughput.is_level  # 4 % is below what matters


def test_the_times_are_named_when_the_peak_and_when_all_throughput_was_lost() -> None:
    place = np.arange(DAY)
    soak = judged(scattered() * np.where(place < 120, 1.0, np.where(place < 240, 0.6, 0.0)))

    assert soak.sustained is False
    assert soak.peak_lost_s == pytest.approx(2 * 3600, abs=MINUTE)
    assert soak.all_lost_s == pytest.approx(4 * 3600, abs=MINUTE)
    assert "peak throughput was lost after 2 h (" in soak.text
    assert "all throughput was lost after 4 h" in soak.text


def test_a_steep_decline_loses_the_peak_when_it_is_a_tenth_below_its_best() -> None:
    soak = judged(scattered() * (1 - 0.3 * np.arange(DAY) / DAY))

    assert soak.sustained is False
    # A tenth is reached after 8 h; scatter is allowed for, by three standard errors of a level.
    assert soak.peak_lost_s is not None
    assert 8 * 3600 < soak.peak_lost_s < 12 * 3600
    assert soak.all_lost_s is None


def test_a_stall_that_passes_is_not_sustained_though_the_peak_is_reached_again() -> None:
    tps = scattered()
    tps[30:40] = 0.0
    soak = judged(tps)

    assert (soak.sustained, soak.peak_lost_s, soak.all_lost_s) == (False, None, None)
    assert soak.stalls == ((30 * MINUTE, 40 * MINUTE),)
    assert "nothing was completed from 30 min to 40 min" in soak.text


def test_a_slice_without_a_rare_transaction_is_no_stall() -> None:
    # One in two minutes on average.
    tps = np.random.default_rng(7).poisson(0.5, DAY) / MINUTE

    assert judged(tps).stalls == ()


def test_a_slow_wave_is_not_lost_when_it_ends_in_its_valley() -> None:
    wave = 1 + 0.06 * np.sin(2 * np.pi * (np.arange(DAY) / 120 + 0.25 + 0.5))

    assert judged(scattered(share=0.02) * wave).sustained


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"mean_ms": 3500.0}, "the mean response at the end was 3,500 ms (limit: 3000 ms)"),
        ({"failed": 0.02}, "2 % of the transactions failed (limit: 0.01 %)"),
    ],
)
def test_response_times_and_errors_have_limits(changes: dict[str, float], reason: str) -> None:
    soak = judged(scattered(), **changes)  # type: ignore[arg-type]  # each is a number of that name

    assert soak.sustained is False
    assert soak.reasons == (reason,)


def test_what_ended_early_is_not_called_sustained_and_few_slices_give_no_verdict() -> None:
    early = judged(scattered(slices=180), length_s=24 * 3600)
    assert (early.sustained, early.verdict) == (None, "not known")
    assert "3 h of 24 h" in early.text
    assert judged(scattered(slices=9)).sustained is None


def test_what_processes_hold_is_named_with_its_time_and_does_not_decide() -> None:
    place = np.arange(DAY)
    odd = noise()
    held = {
        "leaks": 200 + 1.0 * place + odd,
        "begins": 200 + np.maximum(0, place - 700) + odd,
        "fills": 200 + np.minimum(300, place) + 3 * odd,
        "steps": np.where(place < 400, 200.0, 400.0) + odd,
        "level": 200 + 3 * odd,
        "unknown": np.where(place < 60, np.nan, 200.0),
    }
    others = tuple(SliceFigure(Quantity.MEMORY, name, "MiB", values) for name, values in held.items())
    prepared = SliceFigure(Quantity.PREPARED, "orders", "transactions", np.where(place < 400, 0.2, 0.8) + 0.1 * odd)
    soak = judged(scattered(), others=(*others, prepared))

    assert soak.sustained
    leaks, begins, fills, steps, level, unknown, few = soak.series[2:]
    assert leaks.shape is Shape.LINE
    assert leaks.per_hour == pytest.approx(60, rel=0.01)
    assert leaks.text.startswith("memory of leaks rises by 60")
    assert (begins.shape, fills.shape, steps.shape) == (Shape.BEGINS, Shape.ENDS, Shape.STEP)
    assert begins.at_s == pytest.approx(700 * MINUTE, abs=5 * MINUTE)
    assert "rises since 11 h 4" in begins.text
    assert fills.at_s == pytest.approx(300 * MINUTE, abs=5 * MINUTE)
    assert fills.text.endswith("and is level since")
    assert steps.at_s == 400 * MINUTE
    assert "rose at 6 h 40 min from 200 to 400 MiB" in steps.text
    assert level.is_level
    assert (unknown.is_level, unknown.values[0], unknown.values[-1]) == (True, None, 200.0)
    # Less than one more on average is scatter.
    assert few.is_level


def test_what_wanders_and_comes_back_is_level_and_sustained() -> None:
    found = [judged(PEAK * (1 + 0.05 * wandering(240, seed))) for seed in range(30)]

    assert sum(soak.sustained is False for soak in found) <= 1
    assert sum(not soak.series[0].is_level for soak in found) <= 3


def test_a_slope_that_is_not_certain_is_not_stated() -> None:
    # A pool that grows in steps: neighbours are alike, and a line through them says little.
    grown = np.repeat([8.0, 12.0, 15.0, 20.0], [18, 12, 48, 102])
    soak = judged(scattered(slices=180), others=(SliceFigure(Quantity.CONNECTIONS, "orders", "connections", grown),))
    connections = soak.series[-1]

    assert not connections.is_level
    assert " an hour (" not in connections.text
    assert connections.text.startswith(("connections of orders rise", "connections of orders rose"))


def test_what_bends_smoothly_is_not_level() -> None:
    place = np.arange(240)
    heap = 22 + 15 * (1 - np.exp(-place / 90)) + 0.05 * noise(240)
    fit = fit_shape(heap)

    assert fit.shape is not Shape.LEVEL
    assert fit.before < 27
    assert fit.after > 35


def test_what_never_changes_is_level() -> None:
    assert fit_shape(np.full(100, 7.0)).shape is Shape.LEVEL
    assert fit_shape(np.zeros(100)).shape is Shape.LEVEL
    assert fit_shape(np.array([])).shape is Shape.LEVEL
