"""What `--place ROLE=CPUS` says."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.processes.affinity import usable_cpus
from middlemark.records.placement import DATABASE, REVERSE_PROXY, SUT, Placement, cpu_list, cpu_numbers
from middlemark.specification.specification import Specification


def placement_of(specification: Specification, texts: Sequence[str] | None) -> Placement | None:
    """Return the CPUs of the roles that are named, None where none is.

    Raises InputError for an unknown role, for what is not a list of CPUs, and for CPUs that may not be used here.
    """
    roles = (SUT, DATABASE, REVERSE_PROXY, *specification.description.tiers)
    usable = usable_cpus()
    cpus: dict[str, tuple[int, ...]] = {}
    for text in texts or ():
        role, _, numbers = text.partition("=")
        if role not in roles:
            raise InputError(f"'{role}' is not a role. {suggestion(role, roles)}", where=f"--place {text}")
        try:
            cpus[role] = cpu_numbers(numbers)
        except ValueError as error:
            raise InputError(str(error), where=f"--place {text}") from error
        missing = [number for number in cpus[role] if number not in usable]
        if missing:
            what = f"CPU {cpu_list(missing)} may not be used here, only {cpu_list(usable) or 'any'}"
            raise InputError(what, where=f"--place {text}")
    return Placement(cpus=cpus) if cpus else None
