"""Whether every tier was on its own CPUs: what the system shows of its processes, against the placement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from middlemark.monitor.sampler import Roots, families
from middlemark.processes.affinity import allowed_cpus
from middlemark.records.placement import DATABASE, DRIVER, Placement, cpu_list, is_database
from middlemark.records.point import ObservedAffinity

CpuSets = Collection[frozenset[int]]


def observed_affinity(placement: Placement, roots: Roots, sampled: Mapping[str, CpuSets]) -> ObservedAffinity:
    """Return which tiers had a process on other CPUs than the tier's own, and which were not observed.

    `sampled` are the CPUs that processes of the tiers could use under load, the driver among them, which is gone now.
    Of `roots`, the processes of the others, every thread is looked at. Where nothing is pinned, none is misplaced.
    """
    if not placement.cpus:
        return ObservedAffinity()
    # Several database servers are watched by their own names.
    unwatched = (DRIVER,) if any(map(is_database, roots)) else (DRIVER, DATABASE)
    absent: dict[str, list[int]] = {role: [] for role in unwatched if role in placement.cpus}
    now = {
        tier: {cpus for pid in pids for cpus in allowed_cpus(pid)} for tier, pids in (absent | families(roots)).items()
    }
    misplaced = [text for tier in now for text in _misplaced(placement, tier, sampled.get(tier, ()), now[tier])]
    not_observed = [tier for tier in now if not sampled.get(tier) and not now[tier]]
    return ObservedAffinity(misplaced=tuple(misplaced), not_observed=tuple(not_observed))


def _misplaced(placement: Placement, tier: str, sampled: CpuSets, now: CpuSets) -> Iterator[str]:
    own = placement.of(tier)
    for could, sets in (("could while it was loaded", sampled), ("can", now)):
        others = sorted(cpu_list(cpus) for cpus in sets if cpus != own)
        if others:
            yield f"{tier} {could} use CPU {' or '.join(others)}, not {cpu_list(own)}"
