"""Every platform offers modes, values, roles and features that its specifications have, on every server."""

from __future__ import annotations

from collections.abc import Iterator

from checks.listing import REPOSITORY
from middlemark.errors import InputError
from middlemark.subject.platform import load_platform
from middlemark.subject.subject import find_subject, subject_names


def subjects() -> Iterator[tuple[str, str]]:
    """Each subject of the repository, with the name of a specification that it implements."""
    for description in sorted(REPOSITORY.glob("platforms/*/platform.toml")):
        platform = load_platform(REPOSITORY, description.parent.name)
        for spec, implementation in platform.description.specs.items():
            yield from ((name, spec) for name in subject_names(REPOSITORY, platform, implementation))


def faults() -> Iterator[str]:
    """What a subject names that its specification does not have."""
    for name, spec in subjects():
        try:
            find_subject(REPOSITORY, name, spec)
        except InputError as error:
            yield f"{name}: {error}"


def test_every_subject_is_described_in_the_words_of_its_specification() -> None:
    assert ("jakarta@liberty", "remoting") in set(subjects())
    assert list(faults()) == []
