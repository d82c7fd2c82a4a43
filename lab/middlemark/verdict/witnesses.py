"""Whether a window was disturbed, by witnesses that know nothing of what is measured.

They see the machine: time that a hypervisor took, processes of others on the subject's CPUs, subjects that are kept
beside it, waiting for memory. A window that they report is measured again, and that is fair only while no figure of the
subject can be a reason: this module sees samples of CPU time alone, no transaction and no response, and imports nothing
that has them; a test holds it to that. CPU pressure is no witness: the subject's own waiting is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from middlemark.records.placement import DRIVER, cpu_list, is_database
from middlemark.records.samples import Disturbance, Sample, value_at

# The shares of a window above which it counts as disturbed. Steal is counted exactly, and the subject's CPU time grows
# by about as much as it lost CPU: 1 % is a fifth of the smallest difference (5 %) that runs are made to decide.
STEAL_LIMIT = 0.01
# Of the same CPUs, by processes of others. The kernel's own threads, which work for the subject too, take up to 1 %.
FOREIGN_LIMIT = 0.02
# Of one CPU: three servers of Java that idle after a load use 1.0 to 1.8 % together. Each subject of a round has nearly
# the same neighbours, so what is left of this in a comparison is a fraction; a neighbour that works uses far more.
NEIGHBOURS_LIMIT = 0.03
# Of the time, in which some task waited for memory. A machine that has enough shows exactly 0; what is reclaimed or
# read again has taken CPU time and caches before this is 1 %.
MEMORY_LIMIT = 0.01

# The kernel counts idle time in ticks of 10 ms: in a shorter window two or three of them are as much as a limit.
MIN_WINDOW_S = 3.0
# Counters say by their growth what the window had: looks at its edges are enough, and a window may last for hours.
EDGE_S = 10.0

Looks = Sequence[Sample]
Counter = Callable[[Sample], float | None]


def is_near_edge(sample: Sample, window: tuple[float, float]) -> bool:
    """Whether a sample says something of the begin or the end of a window, in seconds since the driver's hello."""
    return sample.host is not None and min(abs(sample.t_ns / 1e9 - edge) for edge in window) <= EDGE_S


def disturbances(looks: Looks, window: tuple[float, float]) -> tuple[Disturbance, ...]:
    """What disturbed a window, by the samples near its edges; each witness reports once.

    A witness that sees nothing, as where the kernel counts nothing, reports nothing, and so do all in a window that is
    too short for them.
    """
    length_s = window[1] - window[0]
    if length_s < MIN_WINDOW_S:
        return ()
    cpus = _subjects_cpus(looks)
    foreign_s, shared = _foreign(looks)
    witnesses: tuple[tuple[str, float, Counter, int, str], ...] = (
        (
            "steal", STEAL_LIMIT, lambda one: _of_cpus(one, cpus, steal=True), len(cpus),
            f"a hypervisor took {{}} of CPU {cpu_list(cpus)}",
        ),
        (
            "foreign CPU time", FOREIGN_LIMIT, foreign_s, len(shared),
            f"processes outside the run took {{}} of CPU {cpu_list(shared)}",
        ),
        (
            "idle neighbours", NEIGHBOURS_LIMIT, lambda one: one.host.neighbours_cpu_s if one.host else None, 1,
            "subjects that are kept and not measured used {} of one CPU",
        ),
        (
            "memory pressure", MEMORY_LIMIT, lambda one: one.host.memory_stalled_s if one.host else None, 1,
            "a task of the machine waited for memory in {} of the time",
        ),
    )  # fmt: skip
    found = []
    for witness, limit, counter, of, what in witnesses:
        grown_s = _grown(looks, window, counter)
        if grown_s is not None and of and (share := grown_s / length_s / of) > limit:
            text = f"{what.format(f'{100 * share:.1f} %')} (limit: {100 * limit:g} %)"
            found.append(Disturbance(witness=witness, found=share, limit=limit, text=text))
    return tuple(found)


def _foreign(looks: Looks) -> tuple[Counter, frozenset[int]]:
    """How long CPUs were busy, less the CPU time of the run's own processes that may run there; and these CPUs.

    The CPUs are the subject's. A process that may run on one of them and on others adds these others, since its place
    is unknown. Where nothing is pinned, these are all CPUs. The run's own processes are its tiers, the lab with its
    watchdog, and the neighbours. Not judged where a server of the user's own does the database's work.
    """
    lab = ""
    sets = [(name, frozenset(tier.cpus)) for one in looks for name, tier in one.tiers.items()]
    sets += [(lab, frozenset(one.host.lab_cpus)) for one in looks if one.host]
    cpus = _subjects_cpus(looks)
    while not all(own <= cpus for _, own in sets if own & cpus):
        cpus = cpus.union(*(own for _, own in sets if own & cpus))
    sharing = frozenset(name for name, own in sets if own & cpus)
    tiers = sharing - {lab}
    users_own = any(one.databases and not any(map(is_database, one.tiers)) for one in looks)

    def foreign_s(one: Sample) -> float | None:
        busy_s = _of_cpus(one, cpus, steal=False)
        if users_own or busy_s is None or one.host is None or not tiers <= one.tiers.keys():
            return None
        own_s = sum(one.tiers[tier].cpu_s for tier in tiers) + (one.host.neighbours_cpu_s or 0.0)
        return busy_s - own_s - ((one.host.lab_cpu_s or 0.0) if lab in sharing else 0.0)

    return foreign_s, cpus


def _subjects_cpus(looks: Looks) -> frozenset[int]:
    """The CPUs that processes of the subject could use: those of every tier but driver and databases."""
    tiers = (tier for one in looks for name, tier in one.tiers.items() if name != DRIVER and not is_database(name))
    return frozenset().union(*(tier.cpus for tier in tiers))


def _of_cpus(one: Sample, cpus: frozenset[int], *, steal: bool) -> float | None:
    """The seconds that these CPUs were busy, or stolen, together; None where one of them was not looked at."""
    counted = one.host.cpus if one.host and one.host.cpus else {}
    if not cpus or not cpus <= counted.keys():
        return None
    return sum(counted[cpu].steal_s if steal else counted[cpu].busy_s for cpu in cpus)


def _grown(looks: Looks, window: tuple[float, float], counter: Counter) -> float | None:
    """By how much a counter grew in a window; None where it is unavailable or the samples do not cover it."""
    known = [(one.t_ns / 1e9, value) for one in looks if (value := counter(one)) is not None]
    if not known or known[0][0] > window[0] or known[-1][0] < window[1]:
        return None
    moments_s, values = zip(*known, strict=True)
    return value_at(moments_s, values, window[1]) - value_at(moments_s, values, window[0])
