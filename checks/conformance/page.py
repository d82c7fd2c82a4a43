"""The page as Markdown: what was verified of each subject, in which configurations, and which are equal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from middlemark.conformance.reporting.report import ConformanceReport, ReportedPair, ReportedSubject

HEAD = """\
# What was verified

Written by `python -m checks.conformance` from the reports in `docs/reference/conformance/`, which `middlemark verify`
made of [whole verifications](../how-to/verify-an-application.md) with `--report`. Of each subject, and of each pair,
the last report counts. *B on A* is the front end of B on the tiers behind of A.
"""
COMPARED = """\
Of every execution that both have, but for known failures, how it ended is compared; of as many as stand here its
responses, the rows it left and the sizes of its pages.
"""
NOTHING = "No report is kept yet."
_SUBJECTS = ("subject", "configurations", "executions", "passed", "failed", "known failures", "not checked", "verified")
_PAIRS = ("pair", "executions", "responses", "rows at the end", "pages", "found", "verified")
_CONFIGURATIONS = ("configuration", "cases", "executions", "passed", "failed", "known failures", "not checked")


def markdown(reports: Sequence[ConformanceReport]) -> str:
    """Return the page that these reports make."""
    by_specification: dict[str, list[ConformanceReport]] = {}
    for report in sorted(reports, key=lambda one: one.started):
        name = f"{report.specification} {report.specification_version}"
        by_specification.setdefault(name, []).append(report)
    sections = [line for name in sorted(by_specification) for line in _section(name, by_specification[name])]
    return "\n".join([HEAD, *(sections or [NOTHING])]).rstrip("\n") + "\n"


def _section(name: str, reports: Sequence[ConformanceReport]) -> Iterator[str]:
    """Yield the lines on one version of a specification; the reports begin with the oldest."""
    subjects = {one.subject: (one, report) for report in reports for one in report.subjects}
    pairs = {(one.one, one.other): (one, report) for report in reports for one in report.pairs}
    yield from (f"## {name}", "")
    yield from _table(_SUBJECTS, (_subject_row(*subjects[one]) for one in sorted(subjects)))
    if pairs:
        yield COMPARED
        yield from _table(_PAIRS, (_pair_row(*pairs[one]) for one in sorted(pairs)))
    for one in sorted(subjects):
        subject, _ = subjects[one]
        if subject.platform:
            yield from _details(subject)


def _subject_row(subject: ReportedSubject, report: ConformanceReport) -> Iterator[str]:
    def total(name: str) -> str:
        return f"{sum(getattr(one, name) for one in subject.configurations):,}"

    yield from (subject.subject, str(len(subject.configurations)))
    yield from (total(name) for name in ("executions", "passed", "failed"))
    yield total("known") + (f", {subject.missed} of the list not seen" if subject.missed else "")
    yield from (total("not_checked"), _when(report))


def _pair_row(pair: ReportedPair, report: ConformanceReport) -> Iterator[str]:
    yield f"{pair.one} and {pair.other}"
    yield from (f"{number:,}" for number in (pair.executions, pair.responses, pair.end_states, pair.sizes))
    different = ", ".join(f"{number:,} × {what}" for what, number in pair.differences.items())
    yield "equal" if pair.equal else (f"differ: {different}" if different else "nothing in common")
    yield _when(report)


def _when(report: ConformanceReport) -> str:
    changed = " with changes" if report.changed else ""
    return f"{report.started[:10]}, commit {report.commit}{changed}, Middlemark {report.middlemark}"


def _details(subject: ReportedSubject) -> Iterator[str]:
    versions = ", ".join(f"{name} {version}" for name, version in subject.versions.items())
    added = ", ".join(f"{name}={value}" for name, value in subject.environment.items())
    yield from (f"### {subject.subject}", "")
    yield f"Build {subject.artifact} on {subject.server}" + (f": {versions}." if versions else ".")
    if added:
        yield f"While cases ran, and never in a measurement, it had `{added}`."
    yield f"Not offered, so not verified: {', '.join(subject.not_offered) or 'nothing'}."
    yield ""
    yield from _table(
        _CONFIGURATIONS,
        (
            (
                one.label,
                *(f"{n:,}" for n in (one.cases, one.executions, one.passed, one.failed, one.known, one.not_checked)),
            )
            for one in subject.configurations
        ),
    )


def _table(heading: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heading)} |"
    yield f"|{'---|' * len(heading)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""
