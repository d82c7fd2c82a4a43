"""From the choices of a combination, which are text, to what a deployment is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.records.choices import NO_PROXY, REVERSE_PROXY, is_mode, is_setting, tier_of
from middlemark.specification.specification import Specification
from middlemark.subject.server import Server, load_reverse_proxy


@dataclass(frozen=True)
class DeploymentChoices:
    """What of a combination concerns its deployment; front end, CPUs and load are none of it."""

    modes: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    instances: Mapping[str, int] = field(default_factory=dict)
    reverse_proxy: Server | None = None


def deployment_choices(home: Path, specification: Specification, choices: Mapping[str, str]) -> DeploymentChoices:
    """Return what the choices ask of a deployment; InputError for a server, tier, setting or number that is wrong."""
    for name, value in choices.items():
        if is_setting(name):
            specification.require_setting(name, value)
    instances = {tier: value for name, value in choices.items() if (tier := tier_of(name)) is not None}
    return DeploymentChoices(
        modes={name: value for name, value in choices.items() if is_mode(name)},
        settings={name: value for name, value in choices.items() if is_setting(name)},
        instances={tier: _count(specification, tier, value) for tier, value in instances.items()},
        reverse_proxy=load_reverse_proxy(home, choices.get(REVERSE_PROXY, NO_PROXY)),
    )


def _count(specification: Specification, tier: str, text: str) -> int:
    known = list(specification.description.tiers)
    if tier not in known:
        raise InputError(f"{specification.name} has no tier '{tier}'. {suggestion(tier, known)}")
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InputError(f"expected a number of {tier} processes, found '{text}'", todo="Write 1 or more")
    return int(text)
