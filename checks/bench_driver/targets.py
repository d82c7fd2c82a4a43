"""What the driver must reach, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from checks.bench_driver.costs import Cost
from checks.bench_driver.figures import Figure, Ratio, Verdict, at_least, at_most, ratio
from checks.bench_driver.itself import Lateness, Memory
from checks.bench_driver.loads import DRIVER, TITLES, USERS, Load

RATIOS = (
    (Load.KEEP, "wrk", 0.97),
    (Load.KEEP, "hyperfoil", 0.9),
    (Load.KEEP, "k6", 1 / 6),
    (Load.NEW, "wrk", 0.93),
    (Load.THINK, "hyperfoil", 0.6),
    (Load.BURST, "hyperfoil", 0.6),
    (Load.THINK, "k6", 0.15),
)
RATES = ((Load.KEEP, "wrk", 0.97), (Load.NEW, "wrk", 0.93))
# Of 5,000 users with 1 s think time each sends a little less than one request a second: the response takes time too.
REACHED_PER_SECOND = 0.99 * USERS
USER_KB, BASE_MB = 3.0, 15.0
LATE_US = {"exact": 150.0, "coalesced": 1200.0}


@dataclass(frozen=True)
class Rounds:
    """What was measured: costs of each tool by load and round (None: it failed), and the driver of itself."""

    costs: dict[Load, dict[str, list[Cost | None]]]
    memory: list[Memory]
    lateness: dict[str, list[Lateness]]


@dataclass(frozen=True)
class Judged:
    """One target: the figure it is about, what was found, what is required, the verdict."""

    what: str
    found: Figure | Ratio | None
    target: str
    verdict: Verdict
    remark: str = ""


def judged(rounds: Rounds) -> list[Judged]:
    """Return every target with its verdict."""
    return [
        *(_cost_ratio(rounds, *one) for one in RATIOS),
        *(_rate_ratio(rounds, *one) for one in RATES),
        _rate(rounds),
        _small("memory per idle user, KB", [one.bytes_per_user / 1e3 for one in rounds.memory], USER_KB),
        _small("base memory, MB", [one.base_bytes / 1e6 for one in rounds.memory], BASE_MB),
        *(_late(wake, rounds.lateness.get(wake, [])) for wake in LATE_US),
    ]


def _cost_ratio(rounds: Rounds, load: Load, other: str, target: float) -> Judged:
    found = _ratio(rounds, load, other, lambda cost: cost.cpu_us_per_request)
    verdict = found.at_most(target) if found else Verdict.UNKNOWN
    return Judged(f"{TITLES[load]}: CPU ÷ {other}", found, f"≤ {target:.3g}", verdict)


def _rate_ratio(rounds: Rounds, load: Load, other: str, target: float) -> Judged:
    found = _ratio(rounds, load, other, lambda cost: cost.requests_per_second)
    verdict = found.at_least(target) if found else Verdict.UNKNOWN
    return Judged(f"{TITLES[load]}: requests/s ÷ {other}", found, f"≥ {target:.3g}", verdict)


def _ratio(rounds: Rounds, load: Load, other: str, figure: Callable[[Cost], float]) -> Ratio | None:
    ours, theirs = (rounds.costs.get(load, {}).get(tool, []) for tool in (DRIVER, other))
    pairs = [(figure(one), figure(two)) for one, two in zip(ours, theirs, strict=False) if one and two]
    return ratio(tuple(one for one, _ in pairs), tuple(two for _, two in pairs)) if pairs else None


def _rate(rounds: Rounds) -> Judged:
    values = tuple(cost.requests_per_second for cost in rounds.costs.get(Load.THINK, {}).get(DRIVER, []) if cost)
    figure = Figure(values) if values else None
    target = f"≥ {REACHED_PER_SECOND:,.0f}"
    return Judged(f"{TITLES[Load.THINK]}: requests/s on one core", figure, target, at_least(figure, REACHED_PER_SECOND))


def _small(what: str, values: list[float], target: float) -> Judged:
    figure = Figure(tuple(values)) if values else None
    return Judged(what, figure, f"≤ {target:g}", at_most(figure, target))


def _late(wake: str, rounds: list[Lateness]) -> Judged:
    """Only rounds in which the driver had its CPU for itself count."""
    quiet = [one.p99_us for one in rounds if one.quiet]
    judgement = _small(f"lateness p99, {wake}, µs", quiet, LATE_US[wake])
    if not rounds:
        return judgement
    counted = [one for one in rounds if one.quiet] or rounds
    waited, stolen = max(one.waited for one in counted), max(one.stolen for one in counted)
    remark = f"{len(quiet)} of {len(rounds)} rounds undisturbed; "
    remark += f"in the run queue {waited:.2%} of the time, stolen {stolen:.2%}"
    machine = [one.machine_p99_us for one in rounds if one.quiet and one.machine_p99_us is not None]
    if machine:
        remark += f"; a program that only sleeps, right after: {Figure(tuple(machine)).median:,.0f} µs"
    return Judged(judgement.what, judgement.found, judgement.target, judgement.verdict, remark)
