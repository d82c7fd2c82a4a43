"""What tiers, databases and the machine used inside the window, from the samples around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from middlemark.records.point import DatabaseFigures, HostFigures, TierFigures
from middlemark.records.samples import Sample

# What /proc counts CPU time in, where no finer clock can be read (time(7), USER_HZ).
TICK_S = 0.01
MIN_EDGES = 2


def tier_cpus(samples: Sequence[Sample]) -> dict[str, frozenset[int]]:
    """Return the CPUs that each tier could use, over all samples; a tier of which that is not known is left out."""
    cpus: dict[str, frozenset[int]] = {}
    for sample in samples:
        for tier, one in sample.tiers.items():
            cpus[tier] = cpus.get(tier, frozenset()) | frozenset(one.cpus)
    return {tier: numbers for tier, numbers in cpus.items() if numbers}


def tier_cpu_sets(samples: Sequence[Sample]) -> dict[str, frozenset[frozenset[int]]]:
    """Return the CPUs that processes of each tier could use, each set once; a tier without any is left out."""
    sets: dict[str, frozenset[frozenset[int]]] = {}
    for sample in samples:
        for tier, one in sample.tiers.items():
            if one.cpus:
                sets[tier] = sets.get(tier, frozenset()).union(map(frozenset, one.apart or (one.cpus,)))
    return sets


def tier_figures(
    samples: Sequence[Sample], start_s: float, window_s: float, transactions: int
) -> dict[str, TierFigures]:
    """Return each tier's figures between `start_s` and `start_s + window_s` (seconds since the driver's hello).

    CPU time at the window's edges is interpolated between the samples around them. A tier whose samples do not cover
    the window is left out.
    """
    window = (start_s, start_s + window_s)
    tiers = dict.fromkeys(tier for sample in samples for tier in sample.tiers)
    own = {tier: [sample for sample in samples if tier in sample.tiers] for tier in tiers}
    return {tier: _figures(own[tier], tier, window, transactions) for tier in tiers if _covers(own[tier], window)}


def database_figures(samples: Sequence[Sample], start_s: float, window_s: float) -> dict[str, DatabaseFigures]:
    """Return what each database did in the window, by its name; one whose samples do not cover it is left out."""
    window = (start_s, start_s + window_s)
    names = dict.fromkeys(name for sample in samples for name in sample.databases)
    own = {name: [sample for sample in samples if name in sample.databases] for name in names}
    return {name: _of_database(own[name], name, window) for name in names if _covers(own[name], window)}


def _of_database(samples: Sequence[Sample], database: str, window: tuple[float, float]) -> DatabaseFigures:
    window_s = window[1] - window[0]

    def grown(counter: str) -> float:
        return _grown(samples, lambda s: getattr(s.databases[database], counter), window)

    hit, read = grown("blocks_hit"), grown("blocks_read")
    inside = [s.databases[database] for s in samples if window[0] <= s.t_ns / 1e9 <= window[1]]
    return DatabaseFigures(
        commits_per_s=grown("commits") / window_s,
        rollbacks_per_s=grown("rollbacks") / window_s,
        deadlocks=round(grown("deadlocks")),
        cache_hit_share=hit / (hit + read) if hit + read > 0 else None,
        temporary_mib=grown("temporary_bytes") / 2**20,
        max_waiting_locks=max((one.waiting_locks for one in inside), default=0),
        mean_active_sessions=sum(one.active_sessions for one in inside) / len(inside) if inside else 0.0,
    )


def host_figures(samples: Sequence[Sample], start_s: float, window_s: float) -> HostFigures | None:
    """Return what the whole machine did in the window; None when the samples do not cover it."""
    window = (start_s, start_s + window_s)
    own = [sample for sample in samples if sample.host is not None]
    if not own or not _covers(own, window):
        return None

    def rate(name: str) -> float | None:
        if any(getattr(s.host, name) is None for s in own):
            return None
        return _grown(own, lambda s: getattr(s.host, name), window) / window_s

    loopback, network = rate("loopback_bytes"), rate("network_bytes")
    return HostFigures(
        loopback_mib_per_s=None if loopback is None else loopback / 2**20,
        network_mib_per_s=None if network is None else network / 2**20,
        stolen_cpus=rate("steal_s"),
    )


def cpu_between(samples: Sequence[Sample], tiers: Sequence[str], edges_s: Sequence[float]) -> tuple[float, ...]:
    """Return the CPU seconds of these tiers together between each edge and the next (seconds since the driver's hello).

    None at all when one of them is missing in a sample, or the samples do not cover the edges.
    """
    if not tiers or not samples or any(not sample.tiers.keys() >= set(tiers) for sample in samples):
        return ()
    if len(edges_s) < MIN_EDGES or not _covers(samples, (edges_s[0], edges_s[-1])):
        return ()
    readings = [_at(samples, lambda s: _together(s, tiers), edge) for edge in edges_s]
    return tuple(after - before for before, after in pairwise(readings))


def cpu_step_s(samples: Sequence[Sample], tiers: Sequence[str]) -> float:
    """Return the step in which the system counted the CPU time of these tiers: a clock tick, else a nanosecond.

    User and system time of each tier are cut off for themselves.
    """
    readings = [sample.tiers[tier].cpu_s / TICK_S for sample in samples for tier in tiers if tier in sample.tiers]
    in_ticks = bool(readings) and all(abs(reading - round(reading)) < 1e-6 for reading in readings)
    return 2 * len(tiers) * TICK_S if in_ticks else 1e-9


def _together(sample: Sample, tiers: Sequence[str]) -> float:
    return sum(sample.tiers[tier].cpu_s for tier in tiers)


def _covers(samples: Sequence[Sample], window: tuple[float, float]) -> bool:
    start_s, end_s = window
    return start_s < end_s and samples[0].t_ns / 1e9 <= start_s and samples[-1].t_ns / 1e9 >= end_s


def _figures(samples: Sequence[Sample], tier: str, window: tuple[float, float], transactions: int) -> TierFigures:
    start_s, end_s = window
    cpu_s = _grown(samples, lambda s: s.tiers[tier].cpu_s, window)
    inside = [s.tiers[tier].rss_mib for s in samples if start_s <= s.t_ns / 1e9 <= end_s]
    memory = inside or [samples[-1].tiers[tier].rss_mib]

    def rate(name: str, unit: float = 1.0) -> float | None:
        if any(getattr(s.tiers[tier], name) is None for s in samples):
            return None
        return _grown(samples, lambda s: getattr(s.tiers[tier], name), window) / (end_s - start_s) / unit

    return TierFigures(
        cpu_s=cpu_s,
        cpu_share=cpu_s / (end_s - start_s),
        cpu_ms_per_transaction=cpu_s * 1000 / transactions if transactions else 0.0,
        memory_mean_mib=sum(memory) / len(memory),
        memory_max_mib=max(memory),
        switches_per_s=rate("switches"),
        waiting_for_cpu=rate("run_delay_s"),
        read_mib_per_s=rate("read_bytes", 2**20),
        written_mib_per_s=rate("written_bytes", 2**20),
    )


def _grown(samples: Sequence[Sample], counter: Callable[[Sample], float], window: tuple[float, float]) -> float:
    return _at(samples, counter, window[1]) - _at(samples, counter, window[0])


def _at(samples: Sequence[Sample], counter: Callable[[Sample], float], moment_s: float) -> float:
    """Return a counter at a moment that the samples cover, on a line between the two around it."""
    later = next(sample for sample in samples if sample.t_ns / 1e9 >= moment_s)
    earlier = samples[max(0, samples.index(later) - 1)]
    length_s = (later.t_ns - earlier.t_ns) / 1e9
    share = (moment_s - earlier.t_ns / 1e9) / length_s if length_s > 0 else 1.0
    before, after = counter(earlier), counter(later)
    return before + (after - before) * share
