"""The environment of a process: every variable by which the specification tells it something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from middlemark.processes.ports import LOOPBACK
from middlemark.specification.credentials import NamedCertificate
from middlemark.specification.files_on_disk import files_on_disk
from middlemark.specification.tiers import Protocol
from middlemark.topology.credentials import Credentials
from middlemark.topology.plan import PlannedProcess, listeners_called
from middlemark.topology.request import DeploymentRequest
from middlemark.topology.target import Member, Places, member_called


def environment_of(
    planned: PlannedProcess,
    request: DeploymentRequest,
    started: Mapping[str, Member],
    places: Places,
    credentials: Credentials | None = None,
) -> dict[str, str]:
    """Return the settings of a process; `started` are those before it, `credentials` make certificates and tokens."""
    program = request.program_of(planned.tiers, planned.role)
    return {
        "MM_HOST": LOOPBACK,
        **dict(_listeners(planned, request, places)),
        **dict(_certificate(planned, request, credentials)),
        **dict(_tokens(planned, request, credentials)),
        **dict(_role_and_modes(planned, request)),
        **dict(_addresses(planned, request, started)),
        **dict(_resources(planned, request)),
        **request.settings,
        **(program.subject.implementation.cases_environment if request.in_cases else {}),
    }


def _listeners(planned: PlannedProcess, request: DeploymentRequest, places: Places) -> Iterator[tuple[str, str]]:
    tiers = request.specification.description.tiers
    for tier in planned.tiers:
        for listener, variable in tiers[tier].listens.items():
            if listener == Protocol.HTTP or (tier in planned.offers and listener in planned.listens):
                yield variable, places.given(listener)


def _certificate(
    planned: PlannedProcess, request: DeploymentRequest, credentials: Credentials | None
) -> Iterator[tuple[str, str]]:
    tls = request.specification.description.tls
    if tls is None or credentials is None or not request.holds(tls.when):
        return
    named = {one.tier: one for one in tls.certificates.values()}
    subject = next((named[tier] for tier in planned.tiers if tier in named), NamedCertificate(cn=planned.tiers[0]))
    certificate = credentials.authority.issue(planned.name, subject.cn, subject.ou)
    yield tls.certificate, str(certificate.certificate)
    yield tls.key, str(certificate.key)
    if tls.authority:
        yield tls.authority, str(credentials.authority.certificate)


def _tokens(
    planned: PlannedProcess, request: DeploymentRequest, credentials: Credentials | None
) -> Iterator[tuple[str, str]]:
    description = request.specification.description
    key = description.token_key
    if key is None or credentials is None or not request.holds(key.when):
        return
    if key.tier in planned.tiers:
        yield key.variable, str(credentials.tokens.public_key)
    for name, token in description.tokens.items():
        if token.variable and token.tier in planned.tiers:
            yield token.variable, credentials.tokens.texts[name]


def _role_and_modes(planned: PlannedProcess, request: DeploymentRequest) -> Iterator[tuple[str, str]]:
    description = request.specification.description
    if description.roles:
        yield description.roles.variable, planned.role
    for name, value in request.modes_of(request.program_of(planned.tiers)).items():
        mode = description.modes[name]
        if mode.variable is not None and (not mode.tiers or set(mode.tiers) & set(planned.tiers)):
            yield mode.variable, value


def _addresses(
    planned: PlannedProcess, request: DeploymentRequest, started: Mapping[str, Member]
) -> Iterator[tuple[str, str]]:
    """Yield the address of each tier in another process that this one calls."""
    description = request.specification.description
    for tier in planned.tiers:
        for callee, call in description.tiers[tier].calls.items():
            if callee in planned.calls:
                for listener, variable in listeners_called(description, call, request.chosen).items():
                    places = member_called(started, planned.calls[callee], listener).places
                    if places.has(listener):
                        # An interface is called over HTTP, that of gRPC too.
                        yield variable, places.url(listener) if call.address else places.address(listener)


def _resources(planned: PlannedProcess, request: DeploymentRequest) -> Iterator[tuple[str, str]]:
    specification = request.specification
    for tier in planned.tiers:
        needs = specification.description.tiers[tier]
        for name in needs.databases:
            yield specification.description.databases[name].variable, request.databases[name]
        for name in needs.files:
            yield specification.description.files[name].variable, str(files_on_disk(specification, name).folder)
