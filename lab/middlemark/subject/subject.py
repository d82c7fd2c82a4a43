"""A subject: a platform, alone or on a server, with one specification it implements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import Specification, find_specification
from middlemark.subject.platform import Implementation, Platform, Resource, load_platform
from middlemark.subject.server import Server, load_server, servers_that_host

# An ability of servers. Specifications whose tiers know an authority need it.
_ASKS_FOR_CERTIFICATES = "client-certificates"


@dataclass(frozen=True)
class Subject:
    """What is started and measured: `PLATFORM` or `PLATFORM@SERVER`; `server` hosts it, None when it runs by itself.

    `role` is that of a program which carries one role alone.
    """

    name: str
    platform: Platform
    specification: Specification
    server: Server | None = None
    role: str = ""

    @property
    def spec(self) -> str:
        """Return the name of the specification."""
        return self.specification.name

    @property
    def implementation(self) -> Implementation:
        """Return how the platform implements the specification."""
        return self.platform.description.specs[self.spec].of_role(self.role)

    def of_role(self, role: str) -> Subject:
        """The subject in a process of a role: the program of that role by itself, where the platform has one."""
        if role not in self.implementation.programs:
            return self
        return replace(self, name=self.platform.name, server=None, role=role)

    @property
    def programs(self) -> tuple[Subject, ...]:
        """The subject itself, and each program of one role."""
        return (self, *(self.of_role(role) for role in self.implementation.programs))

    @property
    def modes(self) -> dict[str, tuple[str, ...]]:
        """Return every mode of the specification with the values offered, the default first.

        A mode that the platform does not list has the specification's default; one that platforms name is left out.
        So is a value that needs what the server does not make.
        """
        known, lacking = self.specification.description.modes, list(self._not_made_in_modes())
        offered = {name: self.implementation.modes.get(name, mode.values[:1]) for name, mode in known.items()}
        able = {
            name: tuple(value for value in values if (name, value) not in lacking) for name, values in offered.items()
        }
        return {name: values for name, values in able.items() if values}

    @property
    def features(self) -> tuple[str, ...]:
        """Return the features that it has: of the platform's those for which its server has the ability."""
        needed = self.implementation.feature_abilities
        if self.server is None:
            return self.implementation.features
        return tuple(one for one in self.implementation.features if needed.get(one) in (None, *self._server_abilities))

    @property
    def _server_abilities(self) -> tuple[str, ...]:
        return self.server.description.uses[self.implementation.artifact].abilities if self.server else ()

    @property
    def compiler_threads(self) -> frozenset[str]:
        """Names of the threads that compile while it runs: its server's, else the platform's own."""
        return frozenset(self._compiler_threads or ())

    @property
    def is_compiled_before(self) -> bool:
        """Whether it declares that nothing is compiled while it runs."""
        return self._compiler_threads == ()

    @property
    def _compiler_threads(self) -> tuple[str, ...] | None:
        described = self.platform.description if self.server is None else self.server.description
        return described.compiler_threads

    def resources_in(self, modes: Mapping[str, str]) -> list[Resource]:
        """Return what there has to be with these mode values; a mode that is missing has its default."""
        return [one for one in self.implementation.resources if self.specification.holds(one.when, modes)]

    def database_parameters(self, name: str) -> tuple[str, ...]:
        """Return the further parameters of libpq that may be in the URL of a database; see `Resource.parameters`."""
        if self.server is not None:
            return self.server.description.uses[self.implementation.artifact].database_parameters
        resources = self.implementation.resources
        return next((one.parameters for one in resources if (one.kind, one.name) == ("database", name)), ())

    @property
    def resources_not_made(self) -> list[Resource]:
        """Return the resources that its server does not make."""
        if self.server is None:
            return []
        made = self.server.description.uses[self.implementation.artifact].resources
        return [one for one in self.implementation.resources if one.kind not in made]

    def _not_made_in_modes(self) -> Iterator[tuple[str, str]]:
        """Yield each mode with each of its values that needs a resource or an ability that the server lacks."""
        for resource in self.resources_not_made:
            yield from ((mode, value) for mode, values in resource.when.items() for value in values)
        tls = self.specification.description.tls
        if self.server and tls and tls.authority and _ASKS_FOR_CERTIFICATES not in self._server_abilities:
            yield from ((mode, value) for mode, values in tls.when.items() for value in values)

    @property
    def environment_of_cases(self) -> dict[str, str]:
        """Return what is added to its environment while cases run, and never in a measurement."""
        server = self.server.description.cases_environment if self.server else {}
        programs = (one.implementation.cases_environment for one in self.programs)
        return {**server, **{name: value for variables in programs for name, value in variables.items()}}

    def for_cases(self) -> Subject:
        """Return the subject as it runs while cases run."""
        return self if self.server is None else replace(self, server=self.server.for_cases())

    def offers(self, mode: str) -> tuple[str, ...]:
        """Return the values the subject offers for a mode, none when it does not know the mode."""
        return self.modes.get(mode, ())

    def knows_interface(self, interface: str) -> bool:
        """Say whether the subject offers an interface: it has it in every mode of a call that can choose it."""
        description = self.specification.description
        modes = [call.mode for tier in description.tiers.values() for call in tier.calls.values() if call.mode]
        return all(interface in self.offers(mode) for mode in modes if interface in description.modes[mode].values)

    def require_knows(self, setting: str) -> None:
        """Raise InputError for a setting of a feature that the subject does not have."""
        if not self.specification.knows_setting(setting, self.features):
            feature = self.specification.description.settings[setting].feature
            raise InputError(f"{self.name} has no feature '{feature}', and so no {setting}", where="platform.toml")

    def chosen(self, requested: Mapping[str, str]) -> dict[str, str]:
        """Return a value for every mode: the requested one, else the default.

        Raises InputError for one that it does not offer, and for values that never exist together.
        """
        for mode, value in requested.items():
            if mode not in self.modes:
                raise InputError(f"{self.name} has no mode '{mode}'. {suggestion(mode, sorted(self.modes))}")
            if value not in self.modes[mode]:
                offered = ", ".join(self.modes[mode])
                raise InputError(f"{self.name} does not offer {mode}={value}", todo=f"It offers {offered}")
        found = {mode: requested.get(mode, values[0]) for mode, values in self.modes.items()}
        if reason := self.specification.reason_against(found):
            raise InputError(reason)
        return found


def find_subject(home: Path, text: str, spec: str) -> Subject:
    """Return the subject called `text`; InputError says what is unknown and what there is."""
    name, at, server = text.partition("@")
    if not name or (at and not server):
        raise InputError(f"'{text}' does not name a subject", todo="Write PLATFORM or PLATFORM@SERVER, for example go")
    platform = load_platform(home, name)
    known = platform.description.specs
    if spec not in known:
        raise InputError(f"{name} does not implement '{spec}'. {suggestion(spec, list(known))}", where=text)
    specification = find_specification(spec, home)
    hosting = subject_names(home, platform, known[spec])
    if text not in hosting:
        if server:
            load_server(home, server)  # says so when there is no such server at all
        wrong = f"does not run on '{server}'" if server else "needs a server that hosts it"
        raise InputError(f"{name} {wrong}", where=text, todo=f"Write {' or '.join(hosting) or 'a server first'}")
    subject = Subject(text, platform, specification, load_server(home, server) if server else None)
    for what in (*_unknown(known[spec], specification), *_not_made(subject)):
        raise InputError(what, where=str(platform.folder / "platform.toml"))
    return subject


def platform_called(name: str, specification: Specification, home: Path) -> Subject | None:
    """Return the platform as a subject, wherever it runs; None when there is none so with this specification."""
    if name not in {file.parent.name for file in (home / "platforms").glob("*/platform.toml")}:
        return None
    platform = load_platform(home, name)
    return Subject(name, platform, specification) if specification.name in platform.description.specs else None


def specification_meant(home: Path, *subjects: str) -> str:
    """Return the specification that is meant where none is named.

    It is the first in the `platform.toml` of the first subject that the platforms of all others implement too;
    InputError when there is none so.
    """
    platforms = [load_platform(home, text.partition("@")[0]) for text in subjects]
    for spec in platforms[0].description.specs:
        if all(spec in platform.description.specs for platform in platforms):
            return spec
    raise InputError(f"no specification is implemented by all of {', '.join(subjects)}")


def subject_names(home: Path, platform: Platform, implementation: Implementation) -> list[str]:
    """Return the names of the subjects that a platform makes: itself, and on each server that hosts its artifact."""
    own = [platform.name] if implementation.start else []
    hosts = servers_that_host(home, implementation.artifact)
    return [*own, *(f"{platform.name}@{server.name}" for server in hosts)]


def _unknown(implementation: Implementation, specification: Specification) -> Iterator[str]:
    """Yield what a platform names and the specification does not have."""
    description, name = specification.description, specification.name
    for mode, values in implementation.modes.items():
        if mode not in description.modes:
            yield f"{name} has no mode '{mode}'. {suggestion(mode, list(description.modes))}"
            continue
        allowed = description.modes[mode].values or values
        yield from (
            f"'{one}' is not a value of {mode}. {suggestion(one, allowed)}" for one in values if one not in allowed
        )
    roles = list(description.roles.carries) if description.roles else []
    for role in implementation.roles:
        if role not in roles:
            yield f"{name} has no role '{role}'. {suggestion(role, roles)}"
    for feature in implementation.features:
        if feature not in description.features:
            yield f"{name} has no feature '{feature}'. {suggestion(feature, list(description.features))}"
    yield from _unknown_resources(implementation, specification)


def _unknown_resources(implementation: Implementation, specification: Specification) -> Iterator[str]:
    description, name = specification.description, specification.name
    known = {"database": list(description.databases), "queue": list(description.queues)}
    for resource in implementation.resources:
        if resource.name not in known[resource.kind]:
            yield f"{name} has no {resource.kind} '{resource.name}'. {suggestion(resource.name, known[resource.kind])}"
        for mode, values in resource.when.items():
            if mode in description.carried_modes:
                yield f"a resource cannot depend on {mode}, which requests hold: processes are the same for every value"
            offered = implementation.modes.get(mode, ())
            yield from (f"a resource needs {mode}={one}, which is not offered" for one in values if one not in offered)


def _not_made(subject: Subject) -> Iterator[str]:
    """Yield the resources that the server does not make and without which no value of a mode is left."""
    server = subject.server
    if server is None:
        return
    for resource in subject.resources_not_made:
        if resource.when and all(subject.offers(mode) for mode in resource.when):
            continue
        offered = server.description.uses[subject.implementation.artifact].resources
        made = f"It makes {' and '.join(offered)}" if offered else "It makes nothing"
        yield f"{server.name} does not make a {resource.kind}, and '{resource.name}' is one. {made}"
