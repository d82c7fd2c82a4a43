"""The targets that the steps of a session name: in an experiment these are listeners of the entry tier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import Specification
from middlemark.specification.tiers import Protocol
from middlemark.topology.plan import plan
from middlemark.topology.request import DeploymentRequest
from middlemark.topology.target import Target
from middlemark.workload.session import Session

OF_VIRTUAL_USERS = (Protocol.HTTP, Protocol.HTTPS)
"""What virtual users speak."""


def check_listeners(session: Session, specification: Specification) -> None:
    """Raise InputError for the first step that goes to a listener that the entry never has."""
    entry = specification.description.entry
    known = [one.value for one in specification.description.tiers[entry].listens if one in OF_VIRTUAL_USERS]
    for step in session.every_step:
        if step.target is not None and step.target not in known:
            what = f"step '{step.id}' of '{session.name}' goes to the target '{step.target}', "
            raise InputError(what + f"on which {entry} does not listen. {suggestion(step.target, known)}")


def check_open(request: DeploymentRequest, names: Sequence[str]) -> None:
    """Raise InputError where the entry of a deployment does not open one of these listeners."""
    entry = request.specification.description.entry
    processes = [one for one in plan(request) if entry in one.offers and not one.is_proxy]
    for name in names:
        if not all(Protocol(name) in one.listens for one in processes):
            raise InputError(f"{entry} does not listen on {name} in these modes, and the session goes there")


def opening_modes(specification: Specification, chosen: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Return a value of each mode that nobody chose and that opens one of these listeners: the first that does."""
    tls = specification.description.tls
    if tls is None or Protocol.HTTPS not in names:
        return {}
    return {mode: values[0] for mode, values in tls.when.items() if mode not in chosen}


def listener_addresses(session: Session, target: Target) -> dict[str, tuple[str, ...]]:
    """Return where a running subject listens for the steps that name a target, by that name."""
    return {name: target.addresses_over(Protocol(name)) for name in session.target_names}


def authority_of(session: Session, target: Target) -> Path | None:
    """Return the certificate to trust where a session goes to listeners over TLS; None where it does not."""
    if Protocol.HTTPS not in session.target_names or target.certificate is None:
        return None
    return target.certificate.certificate
