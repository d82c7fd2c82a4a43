"""In what two runs differ, in words: what was run, how, and on which machine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from middlemark.records.run import Run

OF_THE_MACHINE = ("system", "kernel", "cpu", "cpus", "limits", "kernel_settings")
NAMES = {
    "requested": "the experiment with its options",
    "changed": "the files that are in no commit",
    "spec": "the specification",
    "specification": "what its spec.toml has",
    "spec_version": "the version of the specification",
    "load_unit": "the unit of the loads",
    "think": "the think time",
    "placement": "the CPUs of the roles",
    "cpu": "the machine's CPU",
    "cpus": "the number of CPUs that may be used",
    "limits": "limits of processes",
    "kernel_settings": "settings of the kernel",
    "memory_mib": "the memory of the machine",
}
# The system keeps a little of the memory for itself, and not the same after each start.
MEMORY_TOLERANCE = 0.01


@dataclass(frozen=True)
class Difference:
    """A field in which two runs differ, of a mapping one `key` of it; `old` and `new` where these are short texts."""

    field: str
    key: str = ""
    old: str = ""
    new: str = ""

    @property
    def what(self) -> str:
        """The field in words."""
        return NAMES.get(self.field, self.field)


def differences(before: Run, after: Run, fields: Sequence[str]) -> Iterator[Difference]:
    """Yield the differences in these fields of two runs, then those of their machines."""
    for name in fields:
        yield from _different(name, getattr(before, name), getattr(after, name))
    for name in OF_THE_MACHINE:
        yield from _different(name, getattr(before.host, name), getattr(after.host, name))
    memory = before.host.memory_mib, after.host.memory_mib
    if not math.isclose(*memory, rel_tol=MEMORY_TOLERANCE):
        yield Difference("memory_mib", old=f"{memory[0]} MiB", new=f"{memory[1]} MiB")


def _different(name: str, old: object, new: object) -> Iterator[Difference]:
    if old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                yield Difference(name, str(key), _short(old.get(key)), _short(new.get(key)))
    elif name == "requested":
        yield Difference(name)
    else:
        yield Difference(name, old=_short(old), new=_short(new))


def _short(value: object) -> str:
    return str(value) if isinstance(value, str | int | float) else ""
