"""Writes down how a combination runs: what the report draws."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from middlemark.experiment.listeners import listener_addresses
from middlemark.experiment.running_subject import RunningSubject
from middlemark.load.stores import Stores
from middlemark.records.choices import HTTP, NO_PROXY, REVERSE_PROXY
from middlemark.records.run_parts import CallRecord, DatabaseRecord, DeploymentRecord, ProcessRecord
from middlemark.specification.tiers import Protocol
from middlemark.topology.plan import protocol_of
from middlemark.topology.target import Member, Target

SQL = "SQL"


def deployment_record(subject: RunningSubject) -> DeploymentRecord:
    """Return how a subject runs now."""
    target, stores = subject.target, subject.stores
    proxy = subject.combination.modes.get(REVERSE_PROXY, NO_PROXY)
    servers = {store.tier: store for store in stores.values()}
    return DeploymentRecord(
        driver=tuple(dict.fromkeys(_of_driver(subject))),
        processes=tuple(
            ProcessRecord(
                name=member.name,
                tiers=member.planned.tiers,
                runs=proxy if member.planned.is_proxy else member.subject.name,
                ports={protocol.value: port for protocol, port in member.ports.items()},
                calls=tuple(dict.fromkeys([*_calls(target, member), *_queries(member, stores)])),
            )
            for member in target.members
        ),
        databases=tuple(
            DatabaseRecord(tier=tier, port=urlsplit(store.url).port, users_own=store.is_users)
            for tier, store in servers.items()
        ),
    )


def _of_driver(subject: RunningSubject) -> Iterator[CallRecord]:
    """Yield what virtual users call: where steps name no listener, the entry over http."""
    target, session = subject.target, subject.session
    addresses = dict(listener_addresses(session, target))
    if any(step.target is None for step in session.every_step):
        addresses[Protocol.HTTP.value] = target.addresses
    version = subject.combination.modes.get(HTTP, "1.1")
    for protocol, of_protocol in addresses.items():
        over = f"HTTP/{version}" + (", TLS" if protocol == Protocol.HTTPS.value else "")
        for address in of_protocol:
            port = urlsplit(address).port
            names = (one.name for one in target.members if port in one.ports.values())
            yield from (CallRecord(to=name, over=over, port=port) for name in names)


def _calls(target: Target, member: Member) -> Iterator[CallRecord]:
    """Yield the calls of a process to others; a proxy passes on each protocol that it listens on."""
    members = {one.name: one for one in target.members}
    planned, description = member.planned, target.subject.specification.description
    if planned.is_proxy:
        for behind in planned.calls.values():
            ports = members[behind].ports
            yield from (CallRecord(to=behind, over=one.value, port=ports.get(one)) for one in sorted(planned.listens))
        return
    for tier in planned.tiers:
        for callee, call in description.tiers[tier].calls.items():
            if callee in planned.calls:
                protocol = protocol_of(description, call, target.modes)
                interface = target.modes[call.mode] if call.mode else protocol.value
                over = interface if interface == protocol.value else f"{interface} ({protocol.value})"
                to = planned.calls[callee]
                yield CallRecord(to=to, over=over, port=members[to].ports.get(protocol))


def _queries(member: Member, stores: Stores) -> Iterator[CallRecord]:
    """Yield the calls of a process to database servers."""
    tiers = member.subject.specification.description.tiers
    carried = (tier for tier in member.planned.tiers if not member.planned.is_proxy)
    for name in dict.fromkeys(database for tier in carried for database in tiers[tier].databases):
        yield CallRecord(to=stores[name].tier, over=SQL, port=urlsplit(stores[name].url).port)
