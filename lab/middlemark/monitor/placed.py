"""Whether every tier was where it was to be: what the system says of its processes, against the placement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from middlemark.monitor.sampler import Roots, families
from middlemark.processes.affinity import allowed_cpus
from middlemark.records.placement import DATABASE, DRIVER, Placement, Whereabouts, cpu_list

CpuSets = Collection[frozenset[int]]


def whereabouts(placement: Placement, roots: Roots, sampled: Mapping[str, CpuSets]) -> Whereabouts:
    """Return which tiers had a process on other CPUs than the tier's own, and of which of them nothing was seen.

    `sampled` are the CPUs that processes of the tiers could use under load, the driver among them, which is gone now.
    Of `roots`, the processes of the others, every thread is looked at. Where nothing is pinned, nobody is displaced.
    """
    if not placement.cpus:
        return Whereabouts()
    absent: dict[str, list[int]] = {role: [] for role in (DRIVER, DATABASE) if role in placement.cpus}
    now = {
        tier: {cpus for pid in pids for cpus in allowed_cpus(pid)} for tier, pids in (absent | families(roots)).items()
    }
    displaced = [text for tier in now for text in _displaced(placement, tier, sampled.get(tier, ()), now[tier])]
    unseen = [tier for tier in now if not sampled.get(tier) and not now[tier]]
    return Whereabouts(tuple(displaced), tuple(unseen))


def _displaced(placement: Placement, tier: str, sampled: CpuSets, now: CpuSets) -> Iterator[str]:
    own = placement.of(tier)
    for could, sets in (("could while it was loaded", sampled), ("can", now)):
        others = sorted(cpu_list(cpus) for cpus in sets if cpus != own)
        if others:
            yield f"{tier} {could} use CPU {' or '.join(others)}, not {cpu_list(own)}"
