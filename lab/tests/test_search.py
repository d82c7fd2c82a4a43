"""The search for the peak and for the largest load inside the limits, on servers whose curves are known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from simulated_server import SimulatedServer, any_server

from middlemark.search.limit import next_for_limit
from middlemark.search.peak import next_for_peak
from middlemark.search.search import found, next_load
from middlemark.search.seen import Range, Seen

MOST = 3000
POINTS = 10
# The search was tuned on servers 0 … 99: of those it says nothing any more.
SERVERS = range(1000, 1100)


def searched(server: SimulatedServer, loads: Range) -> list[Seen]:
    """Return the points in the order in which the search wanted them."""
    seen: list[Seen] = []
    while (load := next_load(seen, loads)) is not None:
        seen.append(server.measured(load))
    return seen


def test_the_peak_is_found_within_three_percent_in_ten_points_on_each_of_a_hundred_servers() -> None:
    loads = Range(1, MOST, POINTS)
    missed: list[str] = []
    for seed in SERVERS:
        server = any_server(seed)
        seen: list[Seen] = []
        while len(seen) < POINTS and (load := next_for_peak(seen, loads)) is not None:
            seen.append(server.measured(load))
        known = server.peak(MOST)
        result = found(seen, loads)
        assert result.peak
        there = server.throughput(round(result.peak.load))
        if abs(there / known - 1) > 0.03 or abs(result.throughput / known - 1) > 0.03:
            missed.append(f"{seed}: {there / known:.3f}, said {result.throughput / known:.3f}")
    assert missed == []


def test_six_points_find_the_peak_of_clients_without_think_time() -> None:
    for channels in (1, 2, 4):
        server = SimulatedServer(think_s=0, channels=channels, service_s=0.005, contention=0.02)
        seen = searched(server, Range(1, 1000, 6))

        peak = found(seen, Range(1, 1000, 6)).peak
        assert len(seen) <= 6
        assert peak
        assert server.throughput(round(peak.load)) > 0.97 * channels / 0.005


@pytest.mark.parametrize(("think_s", "limit_s"), [(1.0, 3.0), (0.0, 0.5), (1.0, 0.02), (0.2, 0.3)])
def test_the_largest_load_inside_the_limits_is_enclosed(think_s: float, limit_s: float) -> None:
    server = SimulatedServer(think_s, channels=2, service_s=0.01, contention=0.0, response_limit_s=limit_s)
    loads = Range(1, 10_000, 16)

    result = found(searched(server, loads), loads)

    assert result.limit_known
    assert result.inside
    assert result.outside
    assert result.outside.load <= max(1.1 * result.inside.load, result.inside.load + 1)
    assert server.response_s(round(result.inside.load)) < 1.15 * limit_s
    assert server.response_s(round(result.outside.load)) > 0.85 * limit_s


def test_a_whole_load_between_neighbours_is_measured_before_the_limit_is_known() -> None:
    loads = Range(4, 6, 10)
    seen = [Seen(4, 100.0, 0.1, 0.3), Seen(6, 100.0, 6.0, 20.0)]

    assert next_for_limit(seen, loads) == 5
    assert not found(seen, loads).limit_known
    assert found([*seen, Seen(5, 100.0, 0.1, 0.4)], loads).limit_known


def test_a_whole_load_between_neighbours_is_measured_before_the_peak_is_known() -> None:
    loads = Range(2, 7, 10)
    # Straight up to 4, and down like a cliff from 6 to 7: the lines meet just below 6.
    seen = [Seen(2, 200.0, 0.01, 0.1), Seen(4, 400.0, 0.01, 0.1), Seen(6, 580.0, 0.01, 0.1), Seen(7, 300.0, 0.01, 0.1)]

    assert next_for_peak(seen, loads) == 5
    assert not found(seen, loads).peak_known
    assert found([*seen, Seen(5, 490.0, 0.01, 0.1)], loads).peak_known


@pytest.mark.parametrize("whole", [True, False])
def test_no_load_is_outside_the_range(whole: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    loads = Range(1234, 5678, 10, whole=whole)

    assert loads.nearest(1) == 1234
    assert loads.nearest(10_000) == 5678


def test_a_load_at_which_answers_fail_is_neither_a_peak_nor_exceeded() -> None:
    loads = Range(1, 10_000, 12)
    server = SimulatedServer(0.1, channels=4, service_s=0.01, contention=0.0)
    seen: list[Seen] = []
    while (load := next_load(seen, loads)) is not None:
        seen.append(replace(server.measured(load), failing=load > 20))

    result = found(seen, loads)
    assert result.peak
    assert result.peak.load == 20 or (result.peak.load > 15 and result.inside)
    failing = [point.load for point in seen if point.failing]
    assert all(load < failing[place] for place, load in enumerate(failing[1:]))


def test_a_point_that_is_invalid_is_no_peak_but_shows_the_shape() -> None:
    loads = Range(1, 1000, 10)
    points = [Seen(load, 100.0 * min(load, 4), 0.01, 0.1, counts=load != 4) for load in (1, 2, 4, 8)]

    result = found(points, loads)

    assert result.peak
    assert result.peak.load == 8


def test_a_point_that_is_invalid_is_measured_once_more_before_the_search_goes_on() -> None:
    loads = Range(1, 1000, 10)
    first, low = Seen(1, 100.0, 0.01, 0.1), Seen(2, 90.0, 0.01, 0.1, counts=False)
    there = next_load([first], loads)
    assert there is not None
    wrong = replace(low, load=there)

    assert next_load([first, wrong], loads) == there
    right = replace(wrong, throughput=200.0, counts=True)
    on = next_load([first, wrong, right], loads)
    assert on == next_load([first, right], loads)
    assert next_load([first, wrong, wrong], loads) not in (None, there)


def test_a_point_that_is_invalid_is_not_measured_again_when_no_point_is_left() -> None:
    assert next_load([Seen(1, 100.0, 0.01, 0.1, counts=False)], Range(1, 1000, 1)) is None


@pytest.mark.parametrize(
    ("loads", "throughputs", "edge"),
    [
        (Range(10, 40, 10), {10: 100.0, 40: 380.0}, True),
        (Range(10, 40, 10), {10: 400.0, 40: 380.0}, True),
        (Range(10, 40, 10), {10: 396.0, 40: 400.0}, False),
        (Range(10, 40, 10), {10: 100.0, 20: 300.0, 40: 200.0}, False),
        (Range(1, 40, 10), {1: 400.0, 40: 380.0}, False),
        (Range(1, 40, 10, whole=False), {1: 400.0, 40: 380.0}, True),
    ],
)
def test_a_peak_at_an_end_of_the_range_may_lie_beyond_it(
    loads: Range, throughputs: dict[float, float], *, edge: bool
) -> None:
    seen = [Seen(load, throughput, 0.01, 0.1) for load, throughput in throughputs.items()]

    assert found(seen, loads).at_edge is edge


def test_invalid_points_beside_the_peak_or_above_it_make_it_doubtful() -> None:
    loads = Range(1, 1000, 10)
    valid = [Seen(load, tps, 0.01, 0.1) for load, tps in ((10, 100.0), (40, 300.0), (160, 200.0))]
    beside, above = (Seen(load, tps, 0.01, 0.1, counts=False) for load, tps in ((80, 250.0), (320, 400.0)))
    far, failing = Seen(5, 50.0, 0.01, 0.1, counts=False), Seen(41, 400.0, 9.0, 3.0, failing=True, counts=False)

    def doubtful(*more: Seen) -> list[float]:
        return [point.load for point in found([*valid, *more], loads).doubtful]

    assert doubtful() == doubtful(far) == doubtful(failing) == []
    assert doubtful(beside, above, far) == [80, 320]
    assert doubtful(beside, replace(beside, counts=True)) == []
    assert [point.load for point in found([far], loads).doubtful] == [5]


def test_the_end_of_the_range_ends_the_search() -> None:
    loads = Range(10, 40, 10)
    server = SimulatedServer(1.0, channels=8, service_s=0.01, contention=0.0)

    seen = searched(server, loads)

    assert [point.load for point in seen] == [10, 40]
    result = found(seen, loads)
    assert result.outside is None
    assert result.inside == seen[-1]


def test_a_search_that_was_interrupted_goes_on_where_it_was() -> None:
    loads = Range(1, MOST, POINTS)
    seen = searched(any_server(3), loads)

    assert [next_load(seen[:done], loads) for done in range(len(seen))] == [point.load for point in seen]


def test_rates_are_searched_with_three_digits() -> None:
    loads = Range(0.5, 1000, 10, whole=False)
    points = [Seen(0.5, 9.5, 0.013, 0.01, under_way=9.5 * 0.013)]

    assert next_load(points, loads) == pytest.approx(1.5 * 0.5 / (9.5 * 0.013), rel=0.01)
