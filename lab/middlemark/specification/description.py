"""`specs/<name>/spec.toml`: all the lab knows about a specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from middlemark.documents import Document, Location, suggestion, wrong_at
from middlemark.records.choices import REVERSE_PROXY as PROXY_CHOICE
from middlemark.records.choices import SESSION, is_mode
from middlemark.records.placement import DATABASE, DRIVER, REVERSE_PROXY, SUT
from middlemark.specification.credentials import Tls, Token, TokenKey
from middlemark.specification.modes import Mode, Setting, SettingType
from middlemark.specification.pages import Login, Pages
from middlemark.specification.report_definition import ReportDefinition
from middlemark.specification.resources import Condition, DatabaseDefinition, FileSet, QueueDefinition
from middlemark.specification.reverse_proxy import ReverseProxy
from middlemark.specification.tiers import Call, Name, Protocol, Roles, Tier, Variable

OTHER_ROLES = (DRIVER, DATABASE, SUT, REVERSE_PROXY)
"""Who else has CPUs and figures beside the tiers of an application."""

OF_EVERY_PROCESS = ("MM_HOST", "MM_SERVER")
"""What specs/README.md tells every process, whatever the specification."""


class Interface(Document):
    """A way to call operations from outside, with the contract that describes it."""

    tier: Name
    contract: Literal["openapi", "wsdl", "grpc"]
    file: str = Field(description="the contract, in this folder")
    protocol: Literal["http", "grpc"] = "http"
    path: str = Field("", description="where HTTP requests go, below the tier's address")
    shown: str = Field("", description="what `up` prints after the address; `path` when left out")
    statuses: dict[str, str] = Field(
        {}, description="error code: its gRPC status, where that is not the one of the code's HTTP status"
    )
    trailer: bool = Field(default=True, description="of gRPC: errors have a trailer; false: `statuses` has all codes")
    elements: dict[str, str] = Field({}, description="key of the OpenAPI contract: its element in a WSDL")


class EffectDefinition(Document):
    """Lasting effects that an audit counts by name: those of these transactions in confirmed.toml."""

    transactions: tuple[str, ...] = Field(min_length=1)
    plural: str = Field(description="what reports call several of them")


class Unfinished(Document):
    """Work that may go on after an answer: the query returns rows as long as it is unfinished."""

    query: str = Field(description="a file of this folder")
    database: Name | None = Field(None, description="the database that is asked; the only one if left out")
    when: Condition = Field({}, description="otherwise nothing is ever unfinished after an answer")


class CaseDefinition(Document):
    """How cases begin."""

    scale: str | None = Field(None, description="the scale of the data set; the first if left out")


class SpecificationDescription(Document):
    """The whole file."""

    title: str
    version: int = Field(ge=1, description="of rules, contracts and data together")
    tiers: dict[Name, Tier] = Field(min_length=1, description="in the order in which a request passes them")
    roles: Roles | None = Field(None, description="needed by several tiers")
    modes: dict[Name, Mode] = Field({})
    features: dict[Name, str] = Field({}, description="feature, which a platform may leave out: what it is")
    settings: dict[Variable, Setting] = Field({})
    scales: dict[Name, dict[str, PositiveInt]] = Field({}, description="scale: numbers for data sets and sessions")
    databases: dict[Name, DatabaseDefinition] = Field({})
    files: dict[Name, FileSet] = Field({})
    queues: dict[Name, QueueDefinition] = Field({})
    tls: Tls | None = Field(None, description="needed where a tier listens on https")
    token_key: TokenKey | None = Field(None, description="needed by tokens")
    tokens: dict[Name, Token] = Field({})
    interfaces: dict[Name, Interface] = Field({})
    reverse_proxy: ReverseProxy | None = Field(None, description="before the entry if left out")
    login: Login | None = None
    pages: Pages = Pages()
    effects: dict[Name, EffectDefinition] = Field({})
    unfinished: dict[Name, Unfinished] = Field({})
    cases: CaseDefinition = CaseDefinition()
    report: ReportDefinition = ReportDefinition()

    @property
    def variables_of_modes(self) -> dict[str, str]:
        """The variable of each mode that processes are told of, by the mode."""
        return {name: mode.variable for name, mode in self.modes.items() if mode.variable is not None}

    @property
    def carried_modes(self) -> dict[str, Mode]:
        """The modes whose values stand in requests."""
        return {name: mode for name, mode in self.modes.items() if mode.is_carried}

    @property
    def values_in_process(self) -> dict[str, tuple[str, ...]]:
        """For each mode of a call its values with which the called tier runs inside the caller's process."""
        calls = [call for tier in self.tiers.values() for call in tier.calls.values()]
        return {call.mode: call.in_process for call in calls if call.mode}

    @property
    def entry(self) -> str:
        """Return the tier that virtual users call."""
        return next(name for name, tier in self.tiers.items() if tier.entry)

    @model_validator(mode="after")
    def _one_entry(self) -> Self:
        for name in self.tiers:
            if name in OTHER_ROLES:
                raise wrong_at(("tiers", name), f"'{name}' is a role beside the application; call the tier otherwise")
        entries = [name for name, tier in self.tiers.items() if tier.entry]
        if len(entries) != 1:
            raise wrong_at(("tiers",), f"expected one tier with `entry = true`, found {len(entries)}")
        for name, tier in self.tiers.items():
            if Protocol.HTTP not in tier.listens:
                raise wrong_at(("tiers", name, "listens"), "every tier listens on http, for /health and /about")
        if self.tiers[entries[0]].when:
            raise wrong_at(("tiers", entries[0], "when"), "the entry is always there")
        if len(self.tiers) > 1 and self.roles is None:
            raise wrong_at(("tiers",), "several tiers need [roles], so that a process knows which it carries")
        return self

    @model_validator(mode="after")
    def _modes_are_no_other_choices(self) -> Self:
        for name in self.modes:
            if not is_mode(name):
                raise wrong_at(("modes", name), f"'{name}' is a choice of experiments; call the mode otherwise")
        return self

    @model_validator(mode="after")
    def _variables_differ(self) -> Self:
        """Refuse a variable with two meanings: what a process is told first would be lost without a word."""
        own: Location = ("specs/README.md",)
        known: dict[str, tuple[Location, Location]] = dict.fromkeys(OF_EVERY_PROCESS, (own, own))
        for location, variable, meaning in (*self._variables(), *self._addresses()):
            first, meant = known.setdefault(variable, (location, meaning))
            if meant != meaning:
                raise wrong_at(location, f"{variable} is the variable of {'.'.join(map(str, first))}, too")
        return self

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for location, name, known in self._mentions():
            if name not in known:
                raise wrong_at(location, f"'{name}' is not known. {suggestion(name, known)}")
        return self

    @model_validator(mode="after")
    def _conditions_are_possible(self) -> Self:
        for location, condition in self._conditions():
            for mode, values in condition.items():
                if mode not in self.modes:
                    raise wrong_at((*location, mode), f"'{mode}' is not a mode. {suggestion(mode, list(self.modes))}")
                if location[:2] == ("modes", mode):
                    raise wrong_at((*location, mode), "a value depends on other modes, never on its own")
                if self.modes[mode].is_carried and location[0] not in {"modes", "reverse_proxy"}:
                    what = (
                        f"processes are the same for every {mode}, since requests hold it: nothing depends on it here"
                    )
                    raise wrong_at((*location, mode), what)
                for value in values:
                    if value not in self.modes[mode].values:
                        raise wrong_at((*location, mode), f"'{value}' is not a value of {mode}")
        return self

    @model_validator(mode="after")
    def _resources_are_needed(self) -> Self:
        for kind, names in (("databases", self.databases), ("files", self.files), ("queues", self.queues)):
            needed = {one for tier in self.tiers.values() for one in getattr(tier, kind)}
            for name in names:
                if name not in needed:
                    raise wrong_at((kind, name), f"no tier has '{name}' among its {kind}")
        return self

    @model_validator(mode="after")
    def _effects_differ(self) -> Self:
        counted: dict[str, str] = {}
        for name, effect in self.effects.items():
            for transaction in effect.transactions:
                other = counted.setdefault(transaction, name)
                if other != name:
                    raise wrong_at(("effects", name), f"'{transaction}' is counted by {other}, too")
        return self

    @model_validator(mode="after")
    def _numbers_of_resources_are_settings(self) -> Self:
        needed: list[tuple[Location, str | None, SettingType]] = [
            (("databases", name, "pool"), one.pool, SettingType.INTEGER) for name, one in self.databases.items()
        ]
        needed += [
            (("databases", name, "recovery"), one.recovery, SettingType.SECONDS) for name, one in self.databases.items()
        ]
        for name, queue in self.queues.items():
            needed.append((("queues", name, "concurrency"), queue.concurrency, SettingType.INTEGER))
            needed.append((("queues", name, "retry"), queue.retry, SettingType.SECONDS))
        for location, setting, kind in needed:
            if setting and self.settings[setting].type is not kind:
                meant = "an integer" if kind is SettingType.INTEGER else "a number of seconds"
                raise wrong_at(location, f"{setting} is not {meant}")
        return self

    @model_validator(mode="after")
    def _https_has_certificates(self) -> Self:
        """Refuse https without [tls], and calls over it to a tier whose authority the caller does not know."""
        listening = [name for name, tier in self.tiers.items() if Protocol.HTTPS in tier.listens]
        if listening and self.tls is None:
            raise wrong_at(("tiers", listening[0], "listens"), "https needs [tls]")
        if self.tls and not self.tls.authority and not listening:
            raise wrong_at(("tls",), "no tier listens on https")
        owners = [one.tier for one in self.tls.certificates.values() if one.tier] if self.tls else []
        for owner in owners:
            if owners.count(owner) > 1:
                raise wrong_at(("tls", "certificates"), f"the processes of {owner} have one certificate")
        for name, tier in self.tiers.items():
            for callee, call in tier.calls.items():
                if Protocol.HTTPS in call.variables and not (self.tls and self.tls.authority):
                    location = ("tiers", name, "calls", callee, "addresses", Protocol.HTTPS)
                    raise wrong_at(location, "a call over https needs `authority` in [tls]")
        return self

    @model_validator(mode="after")
    def _tokens_have_a_key(self) -> Self:
        if bool(self.tokens) != (self.token_key is not None):
            raise wrong_at(("tokens",), "tokens and [token_key] need each other")
        return self

    @model_validator(mode="after")
    def _interfaces_are_listened_on(self) -> Self:
        for name, interface in self.interfaces.items():
            if interface.protocol not in self.tiers[interface.tier].listens:
                what = f"{interface.tier} does not listen on {interface.protocol}"
                raise wrong_at(("interfaces", name, "protocol"), what)
        return self

    @model_validator(mode="after")
    def _calls_can_be_made(self) -> Self:
        """Refuse calls in a circle, to a listener that the tier does not have, and by a mode without meaning."""
        for name, tier in self.tiers.items():
            for callee, call in tier.calls.items():
                location: Location = ("tiers", name, "calls", callee)
                if name in self.reached_from(callee):
                    raise wrong_at(location, f"{name} and {callee} call each other in a circle")
                for listener in call.addresses or ():
                    if listener not in self.tiers[callee].listens:
                        raise wrong_at((*location, "addresses", listener), f"{callee} does not listen on {listener}")
                if call.mode is not None:
                    self._check_mode_of_call(location, callee, call)
                elif call.in_process:
                    raise wrong_at((*location, "in_process"), "without `mode` nothing chooses when the call is one")
        return self

    def _check_mode_of_call(self, location: Location, callee: str, call: Call) -> None:
        """Refuse a mode of a call that does not say, with each of its values, how the tier is called."""
        values = self.modes[call.mode].values if call.mode else ()
        if not values:
            raise wrong_at((*location, "mode"), f"'{call.mode}' has no values here: each platform names its own")
        for value in call.in_process:
            if value not in values:
                raise wrong_at((*location, "in_process"), f"'{value}' is not a value of {call.mode}")
        for value in values if call.address else ():
            one = self.interfaces.get(value)
            if value not in call.in_process and (one is None or one.tier != callee):
                raise wrong_at((*location, "mode"), f"'{value}' is neither in_process nor an interface of {callee}")
        over = {self.interfaces[one].protocol for one in values if call.address and one not in call.in_process}
        if call.mode and self.modes[call.mode].is_carried and len(over) > 1:
            what = f"requests choose between {' and '.join(sorted(over))}, and a caller needs the `addresses` of both"
            raise wrong_at((*location, "address"), what)

    @model_validator(mode="after")
    def _processes_have_each_listener_once(self) -> Self:
        """Refuse tiers that may share a process and have a listener by two variables: it would get one port."""
        carried = self.roles.carries if self.roles else {}
        names = dict.fromkeys(name for tier in self.tiers.values() for name in tier.listens)
        together: list[tuple[Location, str, tuple[str, ...]]] = [(("tiers",), Protocol.HTTP, tuple(self.tiers))]
        together += [(("roles", "carries", role), name, tiers) for role, tiers in carried.items() for name in names]
        for location, listener, tiers in together:
            listening = [one for one in tiers if listener in self.tiers[one].listens]
            if len({self.tiers[one].listens[listener] for one in listening}) > 1:
                what = f"{' and '.join(listening)} listen on {listener} by different variables; a process has one port"
                raise wrong_at(location, f"{what} for it")
        return self

    @model_validator(mode="after")
    def _report_names_choices(self) -> Self:
        known = [*self.modes, SESSION, PROXY_CHOICE, *self.settings]
        for where, choices in self.report.named_choices():
            for choice, value in choices.items():
                location: Location = ("report", *where, choice)
                if choice not in known:
                    raise wrong_at(location, f"'{choice}' is not known. {suggestion(choice, known)}")
                values = self.modes[choice].values if choice in self.modes else ()
                if values and value not in values:
                    raise wrong_at(location, f"'{value}' is not a value of {choice}. {suggestion(value, list(values))}")
        return self

    def reached_from(self, tier: str) -> frozenset[str]:
        """Return the tiers that a request to `tier` may reach, itself included."""
        reached: set[str] = set()
        waiting = [tier]
        while waiting:
            one = waiting.pop()
            if one not in reached and one in self.tiers:
                reached.add(one)
                waiting += self.tiers[one].calls
        return frozenset(reached)

    def _mentions(self) -> Iterator[tuple[Location, str, list[str]]]:
        """Yield every name that stands for something else in the file: its place, itself, and what there is."""
        tiers, databases = list(self.tiers), list(self.databases)
        for name, tier in self.tiers.items():
            yield from _mentions_of(("tiers", name), tier, self)
        for role, carried in self.roles.carries.items() if self.roles else ():
            yield from ((("roles", "carries", role), one, tiers) for one in carried)
        for name, mode in self.modes.items():
            yield from ((("modes", name, "tiers"), one, tiers) for one in mode.tiers)
        for name, interface in self.interfaces.items():
            yield ("interfaces", name, "tier"), interface.tier, tiers
        certificates = self.tls.certificates.items() if self.tls else ()
        yield from ((("tls", "certificates", name, "tier"), one.tier, tiers) for name, one in certificates if one.tier)
        if self.token_key:
            yield ("token_key", "tier"), self.token_key.tier, tiers
        yield from ((("tokens", name, "tier"), one.tier, tiers) for name, one in self.tokens.items() if one.tier)
        of_features = ((name, one.feature) for name, one in self.settings.items() if one.feature)
        yield from ((("settings", name, "feature"), feature, list(self.features)) for name, feature in of_features)
        for name, database in self.databases.items():
            chosen = {"pool": database.pool, "recovery": database.recovery}
            yield from ((("databases", name, key), one, list(self.settings)) for key, one in chosen.items() if one)
        for name, queue in self.queues.items():
            numbers = {"concurrency": queue.concurrency, "retry": queue.retry}
            yield from ((("queues", name, key), one, list(self.settings)) for key, one in numbers.items())
        named = ((name, one.database) for name, one in self.unfinished.items() if one.database)
        yield from ((("unfinished", name, "database"), one, databases) for name, one in named)
        if self.reverse_proxy:
            before = self.reverse_proxy.before
            listeners = [one for name in before if name in self.tiers for one in self.tiers[name].listens]
            yield from ((("reverse_proxy", "before"), one, tiers) for one in before)
            yield from ((("reverse_proxy", "listeners"), one, listeners) for one in self.reverse_proxy.listeners)
        if self.cases.scale:
            yield ("cases", "scale"), self.cases.scale, list(self.scales)

    def _variables(self) -> Iterator[tuple[Location, str, Location]]:
        """Yield every variable that means the same in whatever process: its place, itself, and what it means."""
        places: dict[Location, str] = {("roles",): self.roles.variable} if self.roles else {}
        places |= {("modes", name): variable for name, variable in self.variables_of_modes.items()}
        places |= {("databases", name): database.variable for name, database in self.databases.items()}
        places |= {("files", name): files.variable for name, files in self.files.items()}
        places |= {("settings", name): name for name in self.settings}
        places |= {("tls", "certificate"): self.tls.certificate, ("tls", "key"): self.tls.key} if self.tls else {}
        places |= {("tls", "authority"): self.tls.authority} if self.tls and self.tls.authority else {}
        places |= {("token_key", "variable"): self.token_key.variable} if self.token_key else {}
        places |= {("tokens", name, "variable"): one.variable for name, one in self.tokens.items() if one.variable}
        yield from ((place, variable, place) for place, variable in places.items())

    def _addresses(self) -> Iterator[tuple[Location, str, Location]]:
        """Yield the variable of each port and of each address; several tiers may use one for the same."""
        for name, tier in self.tiers.items():
            for listener, variable in tier.listens.items():
                yield ("tiers", name, "listens", listener), variable, ("listens", listener)
            for callee, call in tier.calls.items():
                for listener, variable in call.variables.items():
                    yield ("tiers", name, "calls", callee), variable, ("calls", callee, listener or call.mode or "")

    def _conditions(self) -> Iterator[tuple[Location, Condition]]:
        yield from ((("tiers", name, "when"), tier.when) for name, tier in self.tiers.items())
        yield from ((("unfinished", name, "when"), one.when) for name, one in self.unfinished.items())
        yield from ((("queues", name, "when"), one.when) for name, one in self.queues.items())
        for name, mode in self.modes.items():
            yield from ((("modes", name, "only_with", value), one) for value, one in mode.only_with.items())
        if self.tls:
            yield ("tls", "when"), self.tls.when
        if self.token_key:
            yield ("token_key", "when"), self.token_key.when
        if self.reverse_proxy:
            yield ("reverse_proxy", "only_with"), self.reverse_proxy.only_with


def _mentions_of(
    place: Location, tier: Tier, description: SpecificationDescription
) -> Iterator[tuple[Location, str, list[str]]]:
    yield from (((*place, "calls", one), one, list(description.tiers)) for one in tier.calls)
    yield from (((*place, "databases"), one, list(description.databases)) for one in tier.databases)
    yield from (((*place, "files"), one, list(description.files)) for one in tier.files)
    yield from (((*place, "queues"), one, list(description.queues)) for one in tier.queues)
    modes = (call.mode for call in tier.calls.values() if call.mode)
    yield from (((*place, "calls"), one, list(description.modes)) for one in modes)
