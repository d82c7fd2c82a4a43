"""From the choices of a combination, which are text, to what a deployment is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.records.choices import NO_PROXY, REVERSE_PROXY, is_mode, is_setting, tier_of
from middlemark.specification.specification import Specification
from middlemark.subject.server import load_reverse_proxy
from middlemark.subject.subject import Subject
from middlemark.topology.request import DeploymentRequest, Program

NOT_YET = Path()
"""The artifact of a subject, and the folder of logs, of a deployment that is only planned."""


def planned_deployment(home: Path, subject: Subject, choices: Mapping[str, str]) -> DeploymentRequest:
    """The deployment that choices ask for, before anything is built: no databases, logs or CPUs.

    Front end, CPUs and load are none of it. Raises InputError for a server, tier, setting or number that is wrong.
    """
    settings = {name: value for name, value in choices.items() if is_setting(name)}
    for name, value in settings.items():
        subject.specification.require_setting(name, value)
    instances = {tier: value for name, value in choices.items() if (tier := tier_of(name)) is not None}
    return DeploymentRequest(
        Program(subject, NOT_YET),
        {name: value for name, value in choices.items() if is_mode(name)},
        {},
        NOT_YET,
        settings=settings,
        instances={tier: _count(subject.specification, tier, value) for tier, value in instances.items()},
        reverse_proxy=load_reverse_proxy(home, choices.get(REVERSE_PROXY, NO_PROXY)),
    )


def _count(specification: Specification, tier: str, text: str) -> int:
    known = list(specification.description.tiers)
    if tier not in known:
        raise InputError(f"{specification.name} has no tier '{tier}'. {suggestion(tier, known)}")
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InputError(f"expected a number of {tier} processes, found '{text}'", todo="Write 1 or more")
    return int(text)
