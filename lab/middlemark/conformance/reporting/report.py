"""The report of a verification: what was verified of what, in numbers, without the executions themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Literal

from pydantic import Field

from middlemark import __version__
from middlemark.conformance.result import ConfigurationResult, ConformanceResult, Difference, SubjectResult
from middlemark.records.record import Record


class ReportedSubject(Record):
    """One subject, one front end on the tiers behind of another subject, or one address.

    `server` and `versions` are what `/about` says of where it ran, `artifact` is the hash of what was built; all are
    empty of a front end on others' tiers. `missed` counts known failures that did not occur.
    """

    subject: str
    platform: str
    server: str
    artifact: str
    versions: dict[str, str]
    environment: dict[str, str] = Field(description="added while cases ran, never in a measurement")
    not_offered: tuple[str, ...]
    missed: int
    configurations: tuple[ConfigurationResult, ...]


class ReportedPair(Record):
    """Two variants of subjects: in how many executions they were compared, by what, and what differs how often.

    Of every execution but known failures the outcome is compared; of `responses`, `end_states` and pages (`sizes`) as
    many as these.
    """

    one: str
    other: str
    executions: int
    responses: int
    end_states: int
    sizes: int
    differences: dict[str, int]
    equal: bool


class ConformanceReport(Record):
    """The whole file. `only` and `sample` say how cases were chosen, `stopped` why it ended before all had run."""

    v: Literal[1] = 1
    middlemark: str
    commit: str
    changed: bool = Field(description="files of the checkout differed from the commit")
    specification: str
    specification_version: str
    started: str
    seconds: float
    only: tuple[str, ...]
    sample: bool
    stopped: str
    subjects: tuple[ReportedSubject, ...] = Field(min_length=1)
    pairs: tuple[ReportedPair, ...]


def report_of(result: ConformanceResult) -> ConformanceReport:
    """Return the report of a verification of one subject at least."""
    first = result.subjects[0]
    return ConformanceReport(
        middlemark=__version__,
        commit=first.commit,
        changed=bool(first.changed),
        specification=first.specification,
        specification_version=first.specification_version,
        started=first.started,
        seconds=max(subject.seconds for subject in result.subjects),
        only=result.only,
        sample=result.sample,
        stopped=result.stopped,
        subjects=tuple(_reported(subject) for subject in result.subjects),
        pairs=tuple(_pairs(result)),
    )


def _reported(subject: SubjectResult) -> ReportedSubject:
    return ReportedSubject(
        subject=subject.subject,
        platform=subject.platform,
        server=subject.server,
        artifact=subject.artifact,
        versions=subject.versions,
        environment=subject.environment,
        not_offered=subject.not_offered,
        missed=len(subject.missed),
        configurations=subject.configurations,
    )


def _pairs(result: ConformanceResult) -> Iterator[ReportedPair]:
    """Yield every pair of variants, in the order of the subjects."""
    for (one, ours), (other, theirs) in combinations(result.checked, 2):
        common = [(ours[key], theirs[key]) for key in ours.keys() & theirs.keys()]
        # What comes after a request that only one of the two refused is not compared.
        whole = [(first, second) for first, second in common if first.responses_until_parted(second) is None]
        different = Counter(one.what for one in _between(result, one, other))
        yield ReportedPair(
            one=one,
            other=other,
            executions=len(common),
            responses=sum(bool(first.responses and second.responses) for first, second in common),
            end_states=sum(bool(first.end_state and second.end_state) for first, second in whole),
            sizes=sum(len(first.sizes.keys() & second.sizes.keys()) for first, second in whole),
            differences=dict(sorted(different.items())),
            equal=bool(common) and not different,
        )


def _between(result: ConformanceResult, one: str, other: str) -> Iterator[Difference]:
    return (found for found in result.differences if (found.one, found.other) == (one, other))
