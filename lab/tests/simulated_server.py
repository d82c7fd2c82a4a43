"""A server in a formula: users who think in front of a station of several channels, whose knee is known exactly.

The machine repairman's model (birth and death; L. Kleinrock, Queueing Systems I, 3.8): of `users` those who do not
think wait for or are served by `channels`; contention slows all channels down while requests wait.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np

from middlemark.search.seen import Seen

NOISE = 0.01
"""Standard deviation of a point's throughput, relative."""


@dataclass
class SimulatedServer:
    """`think_s` after each answer, `service_s` of a channel for one; each waiting request slows all by `contention`."""

    think_s: float
    channels: int
    service_s: float
    contention: float
    response_limit_s: float = math.inf
    random: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 (noise, no secret)

    def throughput(self, users: int) -> float:
        """Return the exact transactions per second."""
        inside = np.arange(1, users + 1)
        slower = 1 + self.contention * np.maximum(0, inside - self.channels) / self.channels
        rates = np.minimum(inside, self.channels) / self.service_s / slower
        if not self.think_s:
            return float(rates[-1])
        arrivals = (users - np.arange(users)) / self.think_s
        logs = np.concatenate([[0.0], np.cumsum(np.log(arrivals) - np.log(rates))])
        shares = np.exp(logs - logs.max())
        return float((shares[1:] * rates).sum() / shares.sum())

    def response_s(self, users: int) -> float:
        """Return the exact mean response: users ÷ throughput - think time."""
        return users / self.throughput(users) - self.think_s

    def measured(self, load: float) -> Seen:
        """Return a point with noise."""
        users = round(load)
        response_s = self.response_s(users) * math.exp(self.random.gauss(0, 3 * NOISE))
        throughput = self.throughput(users) * math.exp(self.random.gauss(0, NOISE))
        return Seen(load, throughput, response_s, response_s / self.response_limit_s, under_way=throughput * response_s)

    def peak(self, most: int) -> float:
        """Return the highest throughput there is up to so many users."""
        loads = sorted({round(1.04**step) for step in range(math.ceil(math.log(most, 1.04)))})
        best = max(loads, key=self.throughput)
        near = range(max(1, math.floor(best / 1.04)), math.ceil(best * 1.04) + 1, max(1, best // 100))
        return max(self.throughput(users) for users in near)


def any_server(seed: int) -> SimulatedServer:
    """Return one of many kinds: with and without think time, one channel or several, level behind the knee or not."""
    draw = random.Random(seed)  # noqa: S311 (made-up servers, no secret)
    service_s = math.exp(draw.uniform(math.log(0.001), math.log(0.02)))
    return SimulatedServer(
        think_s=draw.choice([0, 10, 30, 100]) * service_s,
        channels=draw.choice([1, 2, 4, 8]),
        service_s=service_s,
        contention=draw.choice([0, 0, 0.001, 0.005, 0.02]),
        random=draw,
    )
