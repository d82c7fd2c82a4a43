"""`platforms/<name>/known-failures.toml`: failures that are known, each with its reason; the cases still run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from middlemark.conformance.cases.suite import Placed
from middlemark.documents import Document, read_toml, suggestion
from middlemark.errors import InputError
from middlemark.specification.tiers import Name
from middlemark.subject.subject import Subject, subject_names

FILE = "known-failures.toml"

Text = Annotated[str, Field(min_length=8)]


class KnownFailure(Document):
    """One failure of the platform in one case.

    It covers exactly the failures of that case whose text holds `text`; another failure of the same case still counts.
    Of several texts it covers nothing unless each is held by a failure of the execution. Without `on`, `modes` and
    `interface` every execution of the case has to show it, unless it is `intermittent`.
    """

    case: str = Field(description="the case's sentence")
    spec: Name | None = Field(None, description="the case's specification; the only one it implements if left out")
    on: Name | None = Field(None, description="only on this server")
    text: Text | Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        description="part of the failure's text; a list for failures that always come together"
    )
    reason: str = Field(min_length=8, description="why it is so, and where that is going to be fixed")
    modes: dict[Name, str] = Field({}, description="only in configurations with these values of modes")
    interface: Name | None = Field(None, description="only over this interface")
    intermittent: bool = Field(default=False, description="it also depends on chance: executions may pass")

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the parts of texts of failures, all of which an execution has to show."""
        return (self.text,) if isinstance(self.text, str) else self.text


class KnownFailures(Document):
    """The whole file."""

    version: Literal[1]
    known: tuple[KnownFailure, ...] = ()


def read_known(subject: Subject, cases: Iterable[Placed]) -> tuple[KnownFailure, ...]:
    """Return the known failures of a subject; InputError when its platform's list names what is not there.

    A subject without a server, as any at an address, has none of those on a server.
    """
    path = subject.platform.folder / FILE
    if not path.is_file():
        return ()
    server = subject.server.name if subject.server else None
    names = {placed.case.name for placed in cases}
    found = []
    for one in read_toml(path, KnownFailures).known:
        for fault in _faults_of_platform(one, subject):
            raise InputError(fault, where=str(path))
        if one.spec not in {None, subject.spec}:
            continue
        for fault in _faults(one, subject, names):
            raise InputError(fault, where=str(path))
        if one.on in {None, server}:
            found.append(one)
    return tuple(found)


def _faults_of_platform(one: KnownFailure, subject: Subject) -> Iterator[str]:
    platform, specs = subject.platform, list(subject.platform.description.specs)
    if one.spec is None and len(specs) > 1:
        yield f"'{one.case}': {platform.name} implements {len(specs)} specifications; name one of them as `spec`"
    if one.spec is not None and one.spec not in specs:
        yield f"{platform.name} does not implement '{one.spec}'. {suggestion(one.spec, specs)}"


def _faults(one: KnownFailure, subject: Subject, names: set[str]) -> Iterator[str]:
    description = subject.specification.description
    hosting = subject_names(subject.platform.folder.parents[1], subject.platform, subject.implementation)
    servers = [name.partition("@")[2] for name in hosting if "@" in name]
    if one.case not in names:
        yield f"'{one.case}' is not a case. {suggestion(one.case, names)}"
    if one.on is not None and one.on not in servers:
        yield f"{subject.platform.name} does not run on '{one.on}'. {suggestion(one.on, servers)}"
    for mode in one.modes.keys() - description.modes.keys():
        yield f"'{mode}' is not a mode. {suggestion(mode, list(description.modes))}"
    if one.interface is not None and one.interface not in description.interfaces:
        yield f"'{one.interface}' is not an interface. {suggestion(one.interface, list(description.interfaces))}"
