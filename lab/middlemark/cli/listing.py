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
    heads = Entry("SUBJECT SPEC", "LANGUAGE; MODES")
    _print("Platforms (middlemark up SUBJECT SPEC)", heads, subjects(home))
    _print("Servers that host (PLATFORM@SERVER)", Entry("SERVER", "VERSION; ARTIFACTS"), hosts(home))
    _print("Reverse proxies (--set reverse_proxy=SERVER)", Entry("SERVER", "PROTOCOLS"), reverse_proxies(home))
    heads = Entry("SPEC", "TITLE; DATABASES; SCALES")
    _print("Specifications (middlemark load SPEC --scale SCALE)", heads, specifications(home))
    heads = Entry("SESSION SPEC", "DESCRIPTION")
    _print("Sessions (middlemark drive specs/SPEC/sessions/SESSION.yaml --target URL)", heads, sessions(home))
    _print("Experiments (middlemark run EXPERIMENT)", Entry("EXPERIMENT", "DESCRIPTION"), experiments(home))
    return 0


def _print(title: str, heads: Entry, entries: Iterable[Entry]) -> None:
    known = [heads, *entries]
    width = max(len(entry.name) for entry in known)
    print_lines([title, *(f"  {entry.name:<{width}}  {entry.description}" for entry in known), ""])
