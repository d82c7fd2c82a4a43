"""A subject: a platform, alone or on a server, with one specification it implements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.target.platform import Implementation, Platform, load_platform

SELF = "self"


@dataclass(frozen=True)
class Subject:
    """What is started and measured: `PLATFORM` or `PLATFORM@SERVER`."""

    name: str
    platform: Platform
    spec: str

    @property
    def implementation(self) -> Implementation:
        """Return how the platform implements the specification."""
        return self.platform.description.specs[self.spec]

    def offers(self, mode: str) -> tuple[str, ...]:
        """Return the values the subject offers for a mode, none when it does not know the mode."""
        return self.implementation.bindings if mode == "binding" else self.implementation.modes.get(mode, ())


def find_subject(home: Path, text: str, spec: str) -> Subject:
    """Return the subject called `text`; InputError says what is unknown and what there is."""
    name, _, server = text.partition("@")
    platform = load_platform(home, name)
    known = platform.description.specs
    if spec not in known:
        raise InputError(f"{name} does not implement '{spec}'. {suggestion(spec, list(known))}", where=text)
    hosting = known[spec].hosting
    if (server or SELF) not in hosting:
        offered = ", ".join(hosting)
        raise InputError(f"{name} does not run on '{server or SELF}' (it runs on {offered})", where=text)
    return Subject(text, platform, spec)
