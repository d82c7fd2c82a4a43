"""Which CPUs the processes of a combination may use, by role."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field

DRIVER, DATABASE, SUT = "driver", "database", "sut"
LAB = "the lab"
"""What is measured and has no role; names of tiers hold no blank."""
REVERSE_PROXY = "reverse-proxy"
_IN_WORDS = {SUT: "system under test"}


class Placement(BaseModel):
    """Where the processes of a combination run.

    `cpus` has the numbers of the CPUs by role: `driver`, which the lab itself shares, `database` unless that is
    the user's own, `sut`, and each part of it that has others; empty when nothing is pinned. `shared`: the system under
    test has CPUs in common with driver or database, or may have. `shared_cores`: it has threads of cores of which
    these have others. `driver_shares`: the driver has CPUs or cores in common with anybody, so that its lateness may be
    the waiting for them. `note` is what else is to be known.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    cpus: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    shared: bool = True
    shared_cores: bool = False
    driver_shares: bool = True
    note: str = ""

    def of(self, tier: str) -> frozenset[int]:
        """The CPUs of a tier, those of several in one process together; none when it may run anywhere."""
        if tier == DRIVER:
            return frozenset(self.cpus.get(DRIVER, ()))
        if is_database(tier):
            return frozenset(cpus_of_database(tier, self.cpus))
        return frozenset(number for part in tier.split("+") for number in self.cpus.get(part, self.cpus.get(SUT, ())))

    @property
    def databases(self) -> dict[str, frozenset[int]]:
        """The CPUs of the database servers, and of each that has its own."""
        return {role: frozenset(numbers) for role, numbers in self.cpus.items() if is_database(role)}

    @property
    def text(self) -> str:
        """Who runs where: `driver and database: CPU 0; system under test: CPU 1`."""
        if not self.cpus:
            return "nothing is pinned"
        roles: dict[tuple[int, ...], list[str]] = {}
        for role, numbers in self.cpus.items():
            roles.setdefault(numbers, []).append(_IN_WORDS.get(role, role))
        return "; ".join(f"{' and '.join(names)}: CPU {cpu_list(numbers)}" for numbers, names in roles.items())

    @property
    def line(self) -> str:
        """Who runs where, whether CPUs are shared, and the note."""
        shared = " (shared CPUs)" if self.shared else ""
        return f"{self.text}{shared}" + (f"; {self.note}" if self.note else "")


def database_tier(server: str | None) -> str:
    """The name under which a database server is watched: by its own name only where there are several."""
    return DATABASE if server is None else f"{DATABASE}.{server}"


def is_database(tier: str) -> bool:
    """Say whether a tier is a database server."""
    return tier.partition(".")[0] == DATABASE


def cpus_of_database(tier: str, cpus: Mapping[str, Collection[int]]) -> Collection[int]:
    """The CPUs of a database server: its own, else those that the servers share."""
    return cpus.get(tier, cpus.get(DATABASE, ()))


def is_platform(tier: str) -> bool:
    """Say whether the CPU time of a tier is the platform's cost: neither driver nor database nor reverse proxy.

    A reverse proxy is a product of its own, and an experiment puts the same one before every platform.
    """
    return not (tier in {DRIVER, REVERSE_PROXY} or is_database(tier))


def cpu_list(numbers: Iterable[int]) -> str:
    """Numbers of CPUs as Linux writes them (cpuset(7), list format): `0-2,5`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def cpu_numbers(text: str) -> tuple[int, ...]:
    """The numbers of a list as Linux writes them, rising; ValueError when it is none."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or int(last or first) < int(first):
            raise ValueError(f"'{text}' is not a list of CPUs; write it like 0 or 0-2,5")
        numbers.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(numbers))
