"""A subject: a platform, alone or on a server, with one specification it implements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.records.run import BINDING
from middlemark.subject.platform import Implementation, Platform, load_platform
from middlemark.subject.server import Accepts, Server, load_server

SELF = "self"


@dataclass(frozen=True)
class Subject:
    """What is started and measured: `PLATFORM` or `PLATFORM@SERVER`; `server` hosts it, None when it runs by itself."""

    name: str
    platform: Platform
    spec: str
    server: Server | None = None

    @property
    def implementation(self) -> Implementation:
        """Return how the platform implements the specification."""
        return self.platform.description.specs[self.spec]

    @property
    def modes(self) -> dict[str, tuple[str, ...]]:
        """Return every mode with its values, the default first; `binding` is one of them."""
        return {BINDING: self.implementation.bindings, **self.implementation.modes}

    def for_cases(self) -> Subject:
        """Return the subject as it runs while cases are played."""
        return self if self.server is None else replace(self, server=self.server.for_cases())

    def offers(self, mode: str) -> tuple[str, ...]:
        """Return the values the subject offers for a mode, none when it does not know the mode."""
        return self.modes.get(mode, ())

    def chosen(self, wishes: Mapping[str, str]) -> dict[str, str]:
        """Return a value for every mode: the wish, else the default; InputError for a wish it cannot fulfil."""
        for mode, value in wishes.items():
            if mode not in self.modes:
                raise InputError(f"{self.name} has no mode '{mode}'. {suggestion(mode, sorted(self.modes))}")
            if value not in self.modes[mode]:
                offered = ", ".join(self.modes[mode])
                raise InputError(f"{self.name} does not offer {mode}={value}", todo=f"It offers {offered}")
        return {mode: wishes.get(mode, values[0]) for mode, values in self.modes.items()}


def find_subject(home: Path, text: str, spec: str) -> Subject:
    """Return the subject called `text`; InputError says what is unknown and what there is."""
    name, at, server = text.partition("@")
    if not name or (at and not server):
        raise InputError(f"'{text}' names no subject", todo="Write PLATFORM or PLATFORM@SERVER, for example go")
    platform = load_platform(home, name)
    known = platform.description.specs
    if spec not in known:
        raise InputError(f"{name} does not implement '{spec}'. {suggestion(spec, list(known))}", where=text)
    hosting = known[spec].hosting
    if (server or SELF) not in hosting:
        possible = " or ".join(name if one == SELF else f"{name}@{one}" for one in hosting)
        wrong = f"does not run on '{server}'" if server else "needs a server that hosts it"
        raise InputError(f"{name} {wrong}", where=text, todo=f"Write {possible}")
    return Subject(text, platform, spec, _host(home, server) if server else None)


def _host(home: Path, name: str) -> Server:
    server = load_server(home, name)
    if server.description.accepts is Accepts.PROXY:
        raise InputError(f"{name} stands before applications and hosts none", todo=f"Write --set front={name}")
    return server
