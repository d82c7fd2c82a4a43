"""What was still to be done when the load had ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkLeft:
    """Whether all work that was left was done within `limit_s` seconds, and how many seconds that took."""

    done: bool
    seconds: float
    limit_s: float
