"""Which processes a subject becomes: computed from the request before anything is started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from middlemark.errors import InputError
from middlemark.records.placement import REVERSE_PROXY
from middlemark.specification.description import SpecificationDescription
from middlemark.specification.tiers import Call, Protocol
from middlemark.topology.request import DeploymentRequest


@dataclass(frozen=True)
class PlannedProcess:
    """One process to be started.

    `tiers` are those it carries, those called in process included, or REVERSE_PROXY alone; `offers` are those among
    them that answer from outside. `role` is empty where nobody is told. `calls` has the name of the process that gets
    its requests for a tier, by that tier. `behind` are the processes that a proxy stands before. `port` is the one
    requested, None for a free one.
    """

    name: str
    tiers: tuple[str, ...]
    offers: tuple[str, ...] = ()
    role: str = ""
    listens: frozenset[str] = frozenset({Protocol.HTTP})
    calls: Mapping[str, str] = field(default_factory=dict)
    behind: tuple[str, ...] = ()
    port: int | None = None

    @property
    def is_proxy(self) -> bool:
        """Say whether it is a reverse proxy, and no application."""
        return self.tiers == (REVERSE_PROXY,)

    @property
    def label(self) -> str:
        """Return the name of the tier in figures: several carried by one process are joined with `+`."""
        return "+".join(self.tiers)


@dataclass(frozen=True)
class _Group:
    """Tiers in one process: the one that gives it its name, and those that it calls in process."""

    tier: str
    tiers: tuple[str, ...]
    offers: tuple[str, ...]
    role: str


def plan(request: DeploymentRequest) -> tuple[PlannedProcess, ...]:
    """Return the processes in the order in which they start: each after those it calls.

    Raises InputError for a division into processes that the platform does not offer.
    """
    return tuple(_Planner(request).processes())


class _Planner:
    """The tiers of one request, put into processes."""

    def __init__(self, request: DeploymentRequest) -> None:
        self._request = request
        self._specification: SpecificationDescription = request.specification.description
        self._modes = request.chosen
        tiers = self._specification.tiers
        self._active = [n for n, tier in tiers.items() if request.specification.holds(tier.when, self._modes)]
        self._groups = self._grouped()
        self._check_instances()
        self._proxied = self._tier_behind_proxy()

    def processes(self) -> Iterator[PlannedProcess]:
        """Yield the processes, a reverse proxy right after what it stands before."""
        for group in self._start_sequence():
            own = list(self._processes_of(group))
            yield from own
            if group.tier == self._proxied:
                yield from self._proxies(group, own)

    def _grouped(self) -> dict[str, _Group]:
        """Return the groups by the tier that names them."""
        inside = {callee: caller for caller, callee, call in self._calls() if self._is_in_process(call)}
        entry = self._specification.entry
        if self._is_whole(inside):
            self._check_one_subject(entry, self._active)
            role = self._role_of(tuple(self._active), whole=True)
            return {entry: _Group(entry, tuple(self._active), tuple(self._active), role)}
        groups: dict[str, _Group] = {}
        for tier in self._active:
            if tier not in inside:
                carried = tuple(one for one in self._active if one == tier or _carrier(one, inside) == tier)
                self._check_one_subject(tier, carried)
                groups[tier] = _Group(tier, carried, (tier,), self._role_of((tier,), whole=False))
        self._check_reachable(inside)
        return groups

    def _check_one_subject(self, tier: str, carried: Sequence[str]) -> None:
        """Raise InputError for tiers of different subjects in the process that a tier names."""
        own = self._request.program_of((tier,)).subject.name
        for one in carried:
            other = self._request.program_of((one,)).subject.name
            if other != own:
                raise InputError(f"the {tier} process of {own} cannot carry {one} of {other}")

    def _check_reachable(self, inside: Mapping[str, str]) -> None:
        """Raise InputError for a call to a tier that runs inside the process of somebody else."""
        for caller, callee, _ in self._calls():
            carrier = _carrier(callee, inside)
            if carrier not in (callee, _carrier(caller, inside)):
                raise InputError(f"{caller} cannot call {callee}, which runs inside the process of {carrier}")

    def _check_instances(self) -> None:
        """Raise InputError for a number of processes of a tier that has none of its own."""
        for tier, count in self._request.instances.items():
            if tier not in self._groups and count > 1:
                raise InputError(f"{tier} has no process of its own here; {count} were requested")

    def _is_whole(self, inside: Mapping[str, str]) -> bool:
        """Say whether one process is to carry every tier.

        So it was requested, or the platform is not divided, or requests choose what is called in process: then its role
        alone tells a process what it carries.
        """
        roles = self._specification.roles
        if roles is None or len(self._specification.tiers) == 1:
            return False
        entry = self._specification.entry
        divided = any(roles.carries[role] == (entry,) for role in self._request.subject.implementation.roles)
        modes = self._specification.modes
        chosen = any(call.mode and modes[call.mode].is_carried for _, callee, call in self._calls() if callee in inside)
        return (self._request.all_interfaces or chosen or not divided) and entry in inside.values()

    def _role_of(self, tiers: tuple[str, ...], *, whole: bool) -> str:
        """Return the role that carries exactly these tiers, or all; InputError where the platform lacks it."""
        roles = self._specification.roles
        if roles is None:
            return ""
        subject = self._request.program_of(tiers).subject
        wanted = tuple(self._specification.tiers) if whole else tiers
        fitting = [role for role, carried in roles.carries.items() if {*carried} == {*wanted}]
        known = [role for role in fitting if role in subject.implementation.roles]
        if not known:
            which = f"role '{fitting[0]}'" if fitting else f"role that carries {' and '.join(wanted)}"
            raise InputError(f"{subject.name} has no {which}", where="platform.toml")
        return known[0]

    def _calls(self) -> Iterator[tuple[str, str, Call]]:
        for caller in self._active:
            for callee, call in self._specification.tiers[caller].calls.items():
                yield caller, callee, call

    def _is_in_process(self, call: Call) -> bool:
        return call.mode is not None and self._modes.get(call.mode, "") in call.in_process

    def _start_sequence(self) -> list[_Group]:
        """Return the groups, called ones first; of the others the last tier of the specification first."""
        needs = {
            name: {self._group_of(callee) for callee in self._callees(group)} for name, group in self._groups.items()
        }
        reversed_needs = {name: needs[name] for name in reversed(list(needs))}
        return [self._groups[name] for name in TopologicalSorter(reversed_needs).static_order()]

    def _callees(self, group: _Group) -> list[str]:
        """Return the tiers outside the group that it calls."""
        calls = (callee for tier in group.tiers for callee in self._specification.tiers[tier].calls)
        return [callee for callee in dict.fromkeys(calls) if callee not in group.tiers and callee in self._active]

    def _group_of(self, tier: str) -> str:
        return next(name for name, group in self._groups.items() if tier in group.tiers)

    def _processes_of(self, group: _Group) -> Iterator[PlannedProcess]:
        entry = self._specification.entry in group.tiers
        calls = {callee: self._reached(callee) for callee in self._callees(group)}
        name = group.role if entry and len(group.offers) > 1 else group.tier
        count = self._request.count(group.tier)
        proxied = group.tier == self._proxied
        wanted, proxy = self._specification.reverse_proxy, self._request.reverse_proxy
        shared = proxied and proxy is not None and proxy.balances and not (wanted and wanted.listeners)
        if count > 1 and (len(group.offers) > 1 or (self._is_called(group) and not shared)):
            raise InputError(f"{group.tier} has one process where others call it; {count} were requested")
        for index, one in enumerate(_names(name, count)):
            port = self._request.port if entry and not proxied and index == 0 else None
            yield PlannedProcess(
                one, group.tiers, group.offers, group.role, self._listens(group), calls=calls, port=port
            )

    def _listens(self, group: _Group) -> frozenset[str]:
        """Return what a process of the group listens on; an interface's protocol only where that is offered."""
        found: set[str] = set()
        for tier in group.offers:
            interfaces = {n: one for n, one in self._specification.interfaces.items() if one.tier == tier}
            of_interfaces = {str(one.protocol) for one in interfaces.values()} - {Protocol.HTTP}
            offered: set[str] = {one.protocol for name, one in interfaces.items() if self._is_offered(name)}
            offered |= {one for _, callee, call in self._calls() if callee == tier for one in call.addresses or ()}
            found |= {p for p in self._specification.tiers[tier].listens if p not in of_interfaces or p in offered}
        tls = self._specification.tls
        encrypted = tls is not None and self._request.specification.holds(tls.when, self._modes)
        return frozenset((found | {Protocol.HTTP}) - (set() if encrypted else {Protocol.HTTPS}))

    def _is_offered(self, interface: str) -> bool:
        """Say whether an interface is called in these modes, or to be offered all the same."""
        modes = [call.mode for tier in self._specification.tiers.values() for call in tier.calls.values() if call.mode]
        if any(self._modes.get(mode) == interface for mode in modes):
            return True
        return self._request.all_interfaces and self._request.subject.knows_interface(interface)

    def _is_called(self, group: _Group) -> bool:
        return any(callee in group.tiers for other in self._groups.values() for callee in self._callees(other))

    def _tier_behind_proxy(self) -> str | None:
        """Return the tier whose processes the reverse proxy stands before, None without one."""
        if self._request.reverse_proxy is None:
            return None
        wanted = self._specification.reverse_proxy
        for mode, values in wanted.only_with.items() if wanted else ():
            chosen = self._request.specification.mode_value(mode, self._modes)
            if chosen not in values:
                raise InputError(f"a reverse proxy exists only with {mode}={' or '.join(values)}, not with {chosen}")
        before = wanted.before if wanted else (self._specification.entry,)
        tier = next((one for one in before if one in self._groups), self._specification.entry)
        for protocol in sorted(self._protocols_to(tier)):
            reason = self._request.reverse_proxy.reason_against(protocol)
            if reason:
                raise InputError(reason)
        return tier

    def _protocols_to(self, tier: str) -> frozenset[str]:
        """Return what a proxy passes on to a tier, http among them: by that one it shows it is ready."""
        wanted = self._specification.reverse_proxy
        calls = (call for _, callee, call in self._calls() if callee == tier and not self._is_in_process(call))
        called = {listener for call in calls for listener in listeners_called(self._specification, call, self._modes)}
        passed = called & set(wanted.listeners) if wanted and wanted.listeners else called
        return frozenset({Protocol.HTTP, *(passed & self._listens(self._groups[tier]))})

    def _proxies(self, group: _Group, own: list[PlannedProcess]) -> Iterator[PlannedProcess]:
        """Yield the proxy that shares requests out to all processes, else one before each: sessions never share one."""
        entry = self._specification.entry in group.tiers
        proxy, names = self._request.reverse_proxy, [one.name for one in own]
        shares = [tuple(names)] if proxy is not None and proxy.balances else [(name,) for name in names]
        for index, (name, behind) in enumerate(zip(_names(REVERSE_PROXY, len(shares)), shares, strict=True)):
            port = self._request.port if entry and index == 0 else None
            listens = self._protocols_to(group.tier)
            yield PlannedProcess(name, (REVERSE_PROXY,), listens=listens, behind=behind, port=port)

    def _reached(self, tier: str) -> str:
        """Return the process that gets requests for a tier."""
        group = self._groups[self._group_of(tier)]
        return REVERSE_PROXY if group.tier == self._proxied else group.tier


def listeners_called(specification: SpecificationDescription, call: Call, modes: Mapping[str, str]) -> dict[str, str]:
    """The listeners over which a call may go in these modes, each with the variable that gets its address."""
    if call.address and call.mode:
        return {specification.interfaces[modes[call.mode]].protocol: call.address}
    return call.variables


def _carrier(tier: str, inside: Mapping[str, str]) -> str:
    """Return the tier whose process carries one that is called in process."""
    while tier in inside:
        tier = inside[tier]
    return tier


def _names(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}-{number}" for number in range(1, count + 1)]
