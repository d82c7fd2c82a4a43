"""What an application offers of its specification, which has more than anybody need offer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from middlemark.conformance.cases.needs import Needs
from middlemark.specification.specification import Specification
from middlemark.subject.subject import Subject


@dataclass(frozen=True)
class Offer:
    """The values of modes, the interfaces, roles and features that an application offers."""

    specification: Specification
    modes: Mapping[str, tuple[str, ...]]
    interfaces: tuple[str, ...]
    roles: tuple[str, ...]
    features: tuple[str, ...]

    def meets(self, needs: Needs) -> bool:
        """Say whether everything is offered that a case needs."""
        return (
            all(set(values) <= set(self.modes.get(mode, ())) for mode, values in needs.modes.items())
            and set(needs.interfaces) <= set(self.interfaces)
            and set(needs.roles) <= set(self.roles)
            and set(needs.features) <= set(self.features)
        )

    def settings(self, wanted: Mapping[str, str]) -> dict[str, str]:
        """Return those of the settings that an application with these features knows."""
        known = self.specification.knows_setting
        return {name: value for name, value in wanted.items() if known(name, self.features)}

    def with_front_end(self, front_end: Offer) -> Offer:
        """Return what both offer: what is behind the front end of another."""
        modes = {
            mode: tuple(one for one in values if one in front_end.modes.get(mode, ()))
            for mode, values in self.modes.items()
        }
        return Offer(
            self.specification,
            modes,
            tuple(one for one in self.interfaces if one in front_end.interfaces),
            tuple(one for one in self.roles if one in front_end.roles),
            tuple(one for one in self.features if one in front_end.features),
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what the specification has and is not offered, and what therefore is not verified."""
        return tuple(self._missing())

    def _missing(self) -> Iterator[str]:
        description = self.specification.description
        for name, mode in description.modes.items():
            yield from (f"{name}={value}" for value in mode.values if value not in self.modes.get(name, ()))
        yield from (f"interface {one}" for one in description.interfaces if one not in self.interfaces)
        roles = description.roles.carries if description.roles else ()
        yield from (f"role {one}" for one in roles if one not in self.roles)
        yield from (f"feature {one}" for one in description.features if one not in self.features)


def offer_of(subject: Subject) -> Offer:
    """Return what a subject offers, as its platform and the server that hosts it say."""
    return Offer(
        subject.specification,
        subject.modes,
        tuple(one for one in subject.specification.description.interfaces if subject.knows_interface(one)),
        subject.implementation.roles,
        subject.features,
    )


def everything(specification: Specification) -> Offer:
    """Return the offer of an application that offers all that its specification names."""
    description = specification.description
    return Offer(
        specification,
        {name: mode.values for name, mode in description.modes.items()},
        tuple(description.interfaces),
        tuple(description.roles.carries) if description.roles else (),
        tuple(description.features),
    )
