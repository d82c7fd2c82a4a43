"""Whether every tier was where it was to be: what the system says of its processes, against the placement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from middlemark.monitor.sampler import Roots, families
from middlemark.results.placement import DRIVER, Placement, cpu_list
from middlemark.target.affinity import allowed_cpus


def displaced(placement: Placement, roots: Roots, seen: Mapping[str, frozenset[int]]) -> tuple[str, ...]:
    """Return one text for every tier that could use other CPUs than its own; none where nothing is pinned.

    `seen` are the CPUs that tiers could use while they were sampled, the driver among them, which is gone now. Of
    `roots`, the processes of the others, every thread is looked at.
    """
    return tuple(_displaced(placement, roots, seen)) if placement.cpus else ()


def _displaced(placement: Placement, roots: Roots, seen: Mapping[str, frozenset[int]]) -> Iterator[str]:
    for tier, pids in {DRIVER: [], **families(roots)}.items():
        now = frozenset(number for pid in pids for number in allowed_cpus(pid))
        for could, cpus in (("could while it was loaded", seen.get(tier)), ("can", now)):
            if cpus and cpus != placement.of(tier):
                yield f"{tier} {could} use CPU {cpu_list(cpus)}, not {cpu_list(placement.of(tier))}"
