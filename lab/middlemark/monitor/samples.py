"""The lines of `monitor.ndjson`, and the figures of a tier inside the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from middlemark.results.point import TierFigures
from middlemark.results.run import Record


class TierSample(Record):
    """One tier at one moment: CPU time since its start in seconds, memory in MiB.

    `cpus` are the numbers of the CPUs its processes may use; empty where the system does not tell.
    """

    cpu_s: float
    rss_mib: float
    cpus: tuple[int, ...] = ()


class Sample(Record):
    """One line: all tiers at `t_ns`, which counts from the driver's hello."""

    v: Literal[1] = 1
    t_ns: int
    tiers: dict[str, TierSample]


def read_samples(path: Path) -> list[Sample]:
    """Return the samples of a file; a last line that was cut off is left out."""
    samples: list[Sample] = []
    if not path.is_file():
        return samples
    for line in path.read_bytes().splitlines():
        try:
            samples.append(Sample.model_validate_json(line))
        except ValidationError:
            break
    return samples


def tier_cpus(samples: Sequence[Sample]) -> dict[str, frozenset[int]]:
    """Return the CPUs that each tier could use, over all samples; a tier of which that is not known is left out."""
    cpus: dict[str, frozenset[int]] = {}
    for sample in samples:
        for tier, one in sample.tiers.items():
            cpus[tier] = cpus.get(tier, frozenset()) | frozenset(one.cpus)
    return {tier: numbers for tier, numbers in cpus.items() if numbers}


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


def _covers(samples: Sequence[Sample], window: tuple[float, float]) -> bool:
    start_s, end_s = window
    return start_s < end_s and samples[0].t_ns / 1e9 <= start_s and samples[-1].t_ns / 1e9 >= end_s


def _figures(samples: Sequence[Sample], tier: str, window: tuple[float, float], transactions: int) -> TierFigures:
    start_s, end_s = window
    cpu_s = _cpu_at(samples, tier, end_s) - _cpu_at(samples, tier, start_s)
    inside = [s.tiers[tier].rss_mib for s in samples if start_s <= s.t_ns / 1e9 <= end_s]
    memory = inside or [samples[-1].tiers[tier].rss_mib]
    return TierFigures(
        cpu_s=cpu_s,
        cpu_share=cpu_s / (end_s - start_s),
        cpu_ms_per_transaction=cpu_s * 1000 / transactions if transactions else 0.0,
        memory_mean_mib=sum(memory) / len(memory),
        memory_max_mib=max(memory),
    )


def _cpu_at(samples: Sequence[Sample], tier: str, moment_s: float) -> float:
    """Return the CPU time of the tier at a moment that its samples cover."""
    later = next(sample for sample in samples if sample.t_ns / 1e9 >= moment_s)
    earlier = samples[max(0, samples.index(later) - 1)]
    length_s = (later.t_ns - earlier.t_ns) / 1e9
    share = (moment_s - earlier.t_ns / 1e9) / length_s if length_s > 0 else 1.0
    before, after = earlier.tiers[tier].cpu_s, later.tiers[tier].cpu_s
    return before + (after - before) * share
