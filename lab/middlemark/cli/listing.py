"""`middlemark list`: what there is to start, load, drive and run."""

from __future__ import annotations

from collections.abc import Iterable

from middlemark.checkout import checkout
from middlemark.cli.printing import print_lines
from middlemark.listing.catalogue import (
    Entry,
    experiments,
    hosts,
    reverse_proxies,
    sessions,
    specifications,
    subjects,
)


def listing() -> int:
    """List platforms, servers, specifications, sessions, experiments. Modes and scales stand beside them."""
    home = checkout()
    _print("Platforms (middlemark up PLATFORM SPEC)", subjects(home))
    _print("Servers that host (PLATFORM@SERVER)", hosts(home))
    _print("Reverse proxies (--set reverse_proxy=SERVER)", reverse_proxies(home))
    _print("Specifications (middlemark load SPEC --scale SCALE)", specifications(home))
    _print("Sessions (middlemark drive specs/SPEC/sessions/SESSION.yaml --target URL)", sessions(home))
    _print("Experiments (middlemark run EXPERIMENT)", experiments(home))
    return 0


def _print(title: str, entries: Iterable[Entry]) -> None:
    known = list(entries)
    width = max((len(entry.name) for entry in known), default=0)
    print_lines([title, *(f"  {entry.name:<{width}}  {entry.description}" for entry in known), ""])
