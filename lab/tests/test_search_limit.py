"""The users supported at a limit: what the search and the rounds find, against servers for which it is known."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import pytest
from simulated_server import SimulatedServer

from middlemark.judge.levels import estimate
from middlemark.search.limit import around
from middlemark.search.search import Goal, next_load
from middlemark.search.seen import Range, Seen
from middlemark.verdict.supported import crossings

RUNS = 200
ROUNDS = 5


@cache
def _throughput(think_s: float, channels: int, service_s: float, contention: float, users: int) -> float:
    return SimulatedServer(think_s, channels, service_s, contention).throughput(users)


class Server(SimulatedServer):
    """A simulated server that computes each load once."""

    def throughput(self, users: int) -> float:
        """The exact transactions per second."""
        return _throughput(self.think_s, self.channels, self.service_s, self.contention, users)

    @property
    def supported(self) -> float:
        """Users at which the exact mean response is at the limit; between two whole numbers along a line."""
        low, high = 1, 100_000
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.response_s(middle) < self.response_limit_s else (low, middle)
        below, above = self.response_s(low), self.response_s(high)
        return low + (self.response_limit_s - below) / (above - below)


@dataclass(frozen=True)
class Shape:
    """A kind of server: far behind its knee at the limit, in the bend before it, without think time, for few users."""

    think_s: float
    channels: int
    service_s: float
    contention: float
    limit_s: float

    def server(self, seed: int) -> Server:
        """A server of this kind, with noise of its own."""
        noise = random.Random(seed)  # noqa: S311 (noise, no secret)
        return Server(self.think_s, self.channels, self.service_s, self.contention, self.limit_s, noise)


SHAPES = {
    "behind the knee": Shape(1.0, 2, 0.01, 0.0, 3.0),
    "users who think for ten seconds": Shape(10.0, 4, 0.02, 0.0, 3.0),
    "in the bend": Shape(1.0, 2, 0.01, 0.0, 0.05),
    "no think time": Shape(0.0, 2, 0.01, 0.0, 0.5),
    "throughput that sinks": Shape(1.0, 4, 0.01, 0.005, 1.0),
    "few users": Shape(0.1, 1, 0.02, 0.0, 0.1),
}


def loads_of_rounds(server: Server, loads: Range) -> tuple[float, ...]:
    """The loads that a search leaves for the rounds."""
    seen: list[Seen] = []
    while (load := next_load(seen, loads, Goal.LIMIT)) is not None:
        seen.append(server.measured(load))
    return around(seen, loads)


def rounds_of(server: Server, rounds: int = ROUNDS) -> list[float] | None:
    """The users supported in each round of a run on a server."""
    low, high = loads_of_rounds(server, Range(1, 10_000, 16))
    strains = [(server.measured(low).strain, server.measured(high).strain) for _ in range(rounds)]
    return crossings((low, high), strains)


@pytest.mark.parametrize("name", SHAPES)
def test_the_interval_of_users_supported_holds_the_truth_as_often_as_it_says(name: str) -> None:
    server = SHAPES[name].server(0)
    covered, middles = 0, []
    for seed in range(RUNS):
        server.random.seed(seed)
        values = rounds_of(server)
        assert values is not None
        known = estimate(values)
        covered += known.low <= server.supported <= known.high
        middles.append(known.mean / server.supported)
    # In the bend a line through a curve finds some 0.4 % too few users, which an interval of ± 0.5 % does not cover.
    in_the_bend = name == "in the bend"
    # 95 % of 200 intervals; below 91 % in 1 of 100 such tests.
    assert covered / RUNS > (0.4 if in_the_bend else 0.91)
    assert sum(middles) / RUNS == pytest.approx(1, abs=0.005 if in_the_bend else 0.002)


def test_sides_that_support_equally_many_users_differ_for_certain_no_more_often_than_the_level_says() -> None:
    server = SHAPES["behind the knee"].server(0)
    apart = 0
    for seed in range(RUNS):
        server.random.seed(seed)
        a, b = rounds_of(server), rounds_of(server)
        assert a is not None
        assert b is not None
        known = estimate([1 + (one - other) / server.supported for one, other in zip(a, b, strict=True)])
        apart += not known.low <= 1 <= known.high
    assert apart / RUNS < 0.08


def test_the_limit_alone_is_searched_with_fewer_points_than_peak_and_limit() -> None:
    server = SHAPES["behind the knee"].server(1)
    loads = Range(1, 10_000, 30)
    seen: dict[Goal, list[Seen]] = {goal: [] for goal in Goal}
    for goal, points in seen.items():
        while (load := next_load(points, loads, goal)) is not None:
            points.append(server.measured(load))
    assert len(seen[Goal.LIMIT]) < len(seen[Goal.PEAK])


def test_the_loads_of_the_rounds_lie_where_the_response_is_a_tenth_off_its_limit() -> None:
    server = SHAPES["users who think for ten seconds"].server(0)
    low, high = loads_of_rounds(server, Range(1, 10_000, 16))
    assert (server.response_s(round(low)) / 3, server.response_s(round(high)) / 3) == pytest.approx(
        (0.9, 1.1), abs=0.05
    )


LOADS = Range(1, 1000, 10)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([], ()),
        ([Seen(10, 9.0, 4.0, 1.3)], ()),
        ([Seen(10, 9.0, 1.0, 0.3), Seen(1000, 900.0, 1.0, 0.3)], (1000,)),
        ([Seen(10, 9.0, 1.0, 0.3), Seen(11, 9.0, 0.1, 0.1, failing=True)], (10,)),
        ([Seen(7, 9.0, 1.0, 0.99), Seen(8, 9.0, 4.0, 1.9)], (7, 8)),
        ([Seen(999, 9.0, 1.0, 0.3), Seen(1000, 9.0, 4.0, 1.001)], (900, 1000)),
        # Loads of the search so near each other that their slope says nothing.
        ([Seen(100, 9.0, 1.0, 0.99), Seen(101, 9.0, 1.0, 1.3)], (90, 110)),
    ],
)
def test_around_the_limit_are_two_loads_unless_no_response_crosses_it(
    seen: list[Seen], expected: tuple[float, ...]
) -> None:
    assert around(seen, LOADS) == expected


def test_each_round_crosses_where_its_own_response_does_and_their_mean_is_the_crossing_of_all() -> None:
    values = crossings((100, 120), [(0.9, 1.1), (0.9, 1.1)])
    assert values == pytest.approx([110, 110])
    slower = crossings((100, 120), [(0.9, 1.1), (0.95, 1.15), (0.85, 1.05)])
    assert slower == pytest.approx([110, 105, 115])
    # A round whose responses do not rise at all has a crossing too: the slope is that of all rounds.
    odd = crossings((100, 120), [(0.9, 1.1), (0.9, 1.1), (1.0, 1.0)])
    assert odd is not None
    assert sum(odd) / 3 == pytest.approx(110)


@pytest.mark.parametrize("strains", [[], [(1.1, 0.9)], [(0.5, 0.5)], [(0.2, 0.3)], [(1.5, 1.7)]])
def test_rounds_that_do_not_cross_the_limit_near_their_loads_have_no_number_of_users(
    strains: list[tuple[float, float]],
) -> None:
    assert crossings((100, 120), strains) is None
