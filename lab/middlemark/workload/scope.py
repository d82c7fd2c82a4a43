"""Checks that every `${name}` of a session has a value wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable

from middlemark.documents import Location, suggestion, wrong_at
from middlemark.steps.template import is_name, names_in
from middlemark.workload.authentication import Authentication
from middlemark.workload.part import Group, Part
from middlemark.workload.step import Step


class Scope:
    """The names that have a value, part after part; `authentication` is that of steps without one of their own.

    `modes` are those that requests carry: they have one value in all requests of a user.
    """

    def __init__(self, feeds: Iterable[str], modes: Iterable[str], authentication: Authentication | None) -> None:
        self._feeds, self._modes = frozenset(feeds), frozenset(modes)
        self._authentication = authentication
        self._known = {*self._feeds, *self._modes}
        # Names that may have no value, each with the step that captures it.
        self._unsure: dict[str, str] = {}

    def check(self, parts: tuple[Part, ...], place: Location) -> None:
        """Raise the validator's error for the first name without a value; `place` is that of the parts in the file."""
        for index, part in enumerate(parts):
            if isinstance(part, Group):
                self._check_group(part, (*place, index))
            else:
                self._check_step(part, (*place, index))

    def _check_group(self, group: Group, place: Location) -> None:
        before = set(self._known)
        self.check(group.group, (*place, "group"))
        if group.probability < 1:
            for name in self._known - before:
                self._unsure[name] = f"the group that captures it (beginning with step '{_first(group)}')"
            self._known = before

    def _check_step(self, step: Step, place: Location) -> None:
        for location, template in step.templates():
            self._check_names(place + location, template)
        if step.authentication is None and self._authentication is not None and not step.has_authorization:
            for location, template in self._authentication.templates():
                self._check_names(("authentication", *location), template)
        for position, name in enumerate(step.identify):
            self._check_name((*place, "identify", position), name)
            if name in self._modes:
                raise wrong_at((*place, "identify", position), f"'{name}' is the same in every request; leave it out")
        for name in step.capture:
            if name in self._feeds | self._modes or not is_name(name):
                why = "is not a name: letters, digits, - and _" if not is_name(name) else "is already a feed"
                why = "is a mode of the specification" if name in self._modes else why
                raise wrong_at((*place, "capture", name), f"'{name}' {why}; choose another name")
            if step.probability < 1 and name not in self._known:
                self._unsure[name] = f"step '{step.id}', which captures it,"
            else:
                self._known.add(name)

    def _check_names(self, location: Location, template: str) -> None:
        try:
            names = names_in(template)
        except ValueError as error:
            raise wrong_at(location, str(error)) from error
        for name in names:
            self._check_name(location, name)

    def _check_name(self, location: Location, name: str) -> None:
        if name in self._known:
            return
        if name in self._unsure:
            raise wrong_at(location, f"'{name}' may have no value: {self._unsure[name]} can be left out")
        hint = suggestion(name, self._known)
        raise wrong_at(location, f"'{name}' is neither a feed nor captured by an earlier step. {hint}")


def _first(group: Group) -> str:
    first = group.group[0]
    return _first(first) if isinstance(first, Group) else first.id
