"""What tiers, databases and the machine used inside the window, from the samples around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from middlemark.monitor.series import Series
from middlemark.monitor.waits import PoolMeans, SessionMeans, pool_figures
from middlemark.records.point import DatabaseFigures, DiskFigures, HostFigures, TierFigures
from middlemark.records.samples import DatabaseSample, DiskSample, HostSample, Sample, TierSample

# What PostgreSQL reads and writes at once, as it is built everywhere.
PAGE_BYTES = 8192
MIB = 2**20

# What /proc counts CPU time in, where no finer clock can be read (time(7), USER_HZ).
TICK_S = 0.01
MIN_EDGES = 2


def tier_cpus(samples: Iterable[Sample]) -> dict[str, frozenset[int]]:
    """Return the CPUs that each tier could use, over all samples; a tier of which that is not known is left out."""
    cpus: dict[str, frozenset[int]] = {}
    for sample in samples:
        for tier, one in sample.tiers.items():
            cpus[tier] = cpus.get(tier, frozenset()) | frozenset(one.cpus)
    return {tier: numbers for tier, numbers in cpus.items() if numbers}


def tier_cpu_sets(samples: Iterable[Sample]) -> dict[str, frozenset[frozenset[int]]]:
    """Return the CPUs that processes of each tier could use, each set once; a tier without any is left out."""
    sets: dict[str, frozenset[frozenset[int]]] = {}
    for sample in samples:
        for tier, one in sample.tiers.items():
            if one.cpus:
                sets[tier] = sets.get(tier, frozenset()).union(map(frozenset, one.apart or (one.cpus,)))
    return sets


def tier_figures(
    samples: Iterable[Sample], start_s: float, window_s: float, transactions: int
) -> dict[str, TierFigures]:
    """Return each tier's figures between `start_s` and `start_s + window_s` (seconds since the driver's hello).

    CPU time at the window's edges is interpolated between the samples around them. A tier whose samples do not cover
    the window is left out.
    """
    window = (start_s, start_s + window_s)
    own = {tier: Series(TierSample) for tier in dict.fromkeys(tier for sample in samples for tier in sample.tiers)}
    reported: dict[tuple[str, str], PoolMeans] = {}
    for sample in samples:
        moment_s = sample.t_ns / 1e9
        for tier, one in sample.tiers.items():
            own[tier].append(moment_s, one)
            for database, pool in (one.pools or {}).items():
                reported.setdefault((tier, database), PoolMeans()).add(pool, window, moment_s)
    return {
        tier: _figures(series, window, transactions).model_copy(update={"pools": pool_figures(reported, tier)})
        for tier, series in own.items()
        if series.covers(window)
    }


def database_figures(samples: Iterable[Sample], start_s: float, window_s: float) -> dict[str, DatabaseFigures]:
    """Return what each database did in the window, by its name; one whose samples do not cover it is left out."""
    window = (start_s, start_s + window_s)
    own: dict[str, Series] = {}
    looks: dict[str, SessionMeans] = {}
    for sample in samples:
        for name, one in sample.databases.items():
            own.setdefault(name, Series(DatabaseSample)).append(sample.t_ns / 1e9, one)
            looks.setdefault(name, SessionMeans()).add(one.sessions, window, sample.t_ns / 1e9)
    return {
        name: _of_database(series, window).model_copy(update=looks[name].figures())
        for name, series in own.items()
        if series.covers(window)
    }


def _of_database(series: Series, window: tuple[float, float]) -> DatabaseFigures:
    window_s = window[1] - window[0]
    hit, read = series.grown("blocks_hit", window), series.grown("blocks_read", window)
    active = series.inside("active_sessions", window)
    return DatabaseFigures(
        commits_per_s=series.grown("commits", window) / window_s,
        rollbacks_per_s=series.grown("rollbacks", window) / window_s,
        deadlocks=round(series.grown("deadlocks", window)),
        cache_hit_share=hit / (hit + read) if hit + read > 0 else None,
        temporary_mib=series.grown("temporary_bytes", window) / MIB,
        max_waiting_locks=round(max(series.inside("waiting_locks", window), default=0)),
        mean_active_sessions=sum(active) / len(active) if active else 0.0,
        log_mib_per_s=series.rate("log_bytes", window, MIB),
        full_pages_per_s=series.rate("full_pages", window),
        checkpoints=_whole(series.rate("checkpoints", window, 1 / window_s)),
        checkpoint_mib=series.rate("checkpoint_pages", window, MIB / PAGE_BYTES / window_s),
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def host_figures(samples: Iterable[Sample], start_s: float, window_s: float) -> HostFigures | None:
    """Return what the whole machine did in the window; None when the samples do not cover it."""
    window = (start_s, start_s + window_s)
    series = Series(HostSample)
    disks: dict[str, Series] = {}
    for sample in samples:
        if sample.host is not None:
            series.append(sample.t_ns / 1e9, sample.host)
            for name, disk in (sample.host.disks or {}).items():
                disks.setdefault(name, Series(DiskSample)).append(sample.t_ns / 1e9, disk)
    if not series.covers(window):
        return None
    return HostFigures(
        loopback_mib_per_s=series.rate("loopback_bytes", window, MIB),
        network_mib_per_s=series.rate("network_bytes", window, MIB),
        stolen_cpus=series.rate("steal_s", window),
        cpu_stalled=series.rate("cpu_stalled_s", window),
        io_stalled=series.rate("io_stalled_s", window),
        memory_stalled=series.rate("memory_stalled_s", window),
        disks={name: _of_disk(disk, window) for name, disk in disks.items() if disk.covers(window)},
    )


def _of_disk(series: Series, window: tuple[float, float]) -> DiskFigures:
    window_s = window[1] - window[0]
    return DiskFigures(
        busy=series.grown("busy_s", window) / window_s,
        read_mib_per_s=series.grown("read_bytes", window) / window_s / MIB,
        written_mib_per_s=series.grown("written_bytes", window) / window_s / MIB,
    )


def cpu_between(
    samples: Iterable[Sample],
    tiers: Sequence[str],
    edges_s: Sequence[float],
    spent_by: Callable[[TierSample], float] = lambda tier: tier.cpu_s,
) -> tuple[float, ...]:
    """Return the CPU seconds of these tiers together between each edge and the next (seconds since the driver's hello).

    `spent_by`: those of a part of each tier.

    None at all when one of them is missing in a sample, or the samples do not cover the edges.
    """
    if not tiers or len(edges_s) < MIN_EDGES:
        return ()
    together = Series(TierSample)
    for sample in samples:
        if not sample.tiers.keys() >= set(tiers):
            return ()
        spent = sum(spent_by(sample.tiers[tier]) for tier in tiers)
        together.append(sample.t_ns / 1e9, TierSample(cpu_s=spent, rss_mib=0.0))
    if not together.covers((edges_s[0], edges_s[-1])):
        return ()
    readings = [together.at("cpu_s", edge) for edge in edges_s]
    return tuple(after - before for before, after in pairwise(readings))


def cpu_step_s(samples: Iterable[Sample], tiers: Sequence[str]) -> float:
    """Return the step in which the system counted the CPU time of these tiers: a clock tick, else a nanosecond.

    User and system time of each tier are cut off for themselves.
    """
    found = False
    for sample in samples:
        for tier in tiers:
            if tier in sample.tiers:
                found = True
                reading = sample.tiers[tier].cpu_s / TICK_S
                if abs(reading - round(reading)) >= 1e-6:
                    return 1e-9
    return 2 * len(tiers) * TICK_S if found else 1e-9


def _figures(series: Series, window: tuple[float, float], transactions: int) -> TierFigures:
    cpu_s = series.grown("cpu_s", window)
    memory = series.inside("rss_mib", window) or series.last("rss_mib")
    return TierFigures(
        cpu_s=cpu_s,
        cpu_share=cpu_s / (window[1] - window[0]),
        cpu_ms_per_transaction=cpu_s * 1000 / transactions if transactions else 0.0,
        memory_mean_mib=sum(memory) / len(memory),
        memory_max_mib=max(memory),
        switches_per_s=series.rate("switches", window),
        waiting_for_cpu=series.rate("run_delay_s", window),
        compiler_s=series.sum("compiler_s", window),
        read_mib_per_s=series.rate("read_bytes", window, MIB),
        written_mib_per_s=series.rate("written_bytes", window, MIB),
        unread=series.mean("unread", window),
        net_received_mib_per_s=series.rate("net_received_bytes", window, MIB),
        net_sent_mib_per_s=series.rate("net_sent_bytes", window, MIB),
        connections_ended=series.count("connections_ended", window),
    )
