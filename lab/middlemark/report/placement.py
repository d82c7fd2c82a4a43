"""Which CPUs each role had, and what of the figures that leaves comparable."""

from __future__ import annotations

from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.placement import cpu_list
from middlemark.records.run import Run
from middlemark.report.figure import Table, text_table
from middlemark.verdict.metrics import CPU_TIME
from middlemark.verdict.naming import short_names
from middlemark.verdict.sharing import notes, sharing


@dataclass(frozen=True)
class Mark:
    """A label below the verdict, and what it means."""

    name: str
    meaning: str


def placement_mark(result: Result) -> Mark | None:
    """Return what is to be known of the CPUs before any figure is read; None when none were shared."""
    name = sharing(result.run)
    return Mark(name, " ".join([_meaning(result.run), *notes(result.run)])) if name else None


def _meaning(run: Run) -> str:
    cost = CPU_TIME.title(run.specification)
    compared = f"{cost} and throughput are compared, latency percentiles are shown and not ranked."
    if run.shared_cpus:
        return f"Driver or database ran on CPUs of what was measured, or might have: {compared}"
    if not any(one.shared_cores for one in run.placement.values()):
        return f"What was measured had CPUs of its own, the driver had not: {compared}"
    cores = "Driver or database ran on cores of what was measured"
    return f"{cores}." if run.percentiles_ranked else f"{cores}, and others on the driver's: {compared}"


def placement_table(result: Result) -> Table:
    """Return the CPUs of every role by combination; equal ones once, none for results of earlier versions."""
    names = short_names(result.run.combinations)
    rows: dict[tuple[str, ...], list[str]] = {}
    for path, one in result.run.placement.items():
        places = {role: f"CPU {cpu_list(numbers)}" for role, numbers in one.cpus.items()} or {"all": "anywhere"}
        roles = ["driver, lab" if role == "driver" else role for role in places]
        what = "yes" if one.shared else "cores" if one.shared_cores else "no"
        shared = what + (f": {one.note}" if one.note else "")
        for role, cpus in zip(roles, places.values(), strict=True):
            rows.setdefault((role, cpus, shared), []).append(names.get(path, path))
    return text_table(
        ("role", "CPUs", "shared with driver or database", "combination"),
        [(*row, "all" if len(of) == len(result.run.placement) else ", ".join(of)) for row, of in rows.items()],
    )
