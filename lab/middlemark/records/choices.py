"""The choices of a combination that are not modes of its subject: how it is deployed, loaded and driven."""

from __future__ import annotations

REVERSE_PROXY = "reverse_proxy"
CPUS = "cpus"
SCALE = "scale"
SESSION = "session"
HTTP, CONNECTIONS, TLS, THREADS = "http", "connections", "tls", "threads"

NO_PROXY = "none"
ANY_PROXY = "any"
"""Any reverse proxy, in the contrast of a specification, which names no server."""

OWN = "own"
"""As the subject of a tier: the one that runs the others."""

OF_THE_DRIVER = (HTTP, CONNECTIONS, TLS, THREADS)
OF_REQUESTS = (SESSION, *OF_THE_DRIVER)
"""Choices of what virtual users send and how: no process is started otherwise for them."""
NAMED = (SCALE, SESSION, REVERSE_PROXY, CPUS, *OF_THE_DRIVER)
"""Every choice with a name of its own; besides these there are `instances.TIER`, `tiers.TIER`, settings (`MM_…`)."""

_INSTANCES = "instances."
_TIERS = "tiers."
_SETTING = "MM_"


def instances_of(tier: str) -> str:
    """The choice of how many processes a tier has."""
    return f"{_INSTANCES}{tier}"


def tier_of(choice: str) -> str | None:
    """The tier whose number of processes is chosen, None for any other choice."""
    return choice.removeprefix(_INSTANCES) if choice.startswith(_INSTANCES) else None


def subject_of(tier: str) -> str:
    """The choice of the subject that runs a tier."""
    return f"{_TIERS}{tier}"


def tier_run(choice: str) -> str | None:
    """The tier whose subject is chosen, None for any other choice."""
    return choice.removeprefix(_TIERS) if choice.startswith(_TIERS) else None


def is_setting(choice: str) -> bool:
    """Say whether a choice is the value of a setting."""
    return choice.startswith(_SETTING)


def is_mode(choice: str) -> bool:
    """Say whether a choice is a mode of the subject."""
    of_tier = tier_of(choice) or tier_run(choice)
    return not (choice in NAMED or is_setting(choice) or of_tier is not None)
