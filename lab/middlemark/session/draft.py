"""The session as it grows out of the visits of a recording."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from middlemark.duration import Duration
from middlemark.session.findings import Findings
from middlemark.session.given import GivenValues
from middlemark.session.har import header
from middlemark.session.known_feeds import KnownFeeds
from middlemark.session.marker import Markers
from middlemark.session.naming import step_names
from middlemark.session.request import RequestReader, RequestTemplates, segments
from middlemark.session.visit import Visit
from middlemark.steps.request import fields_of
from middlemark.steps.template import names_in
from middlemark.workload.feed import Feed
from middlemark.workload.step import Capture

Shown = Callable[[int, int], None]
"""Shows how many steps of how many are drafted."""


def unseen(_done: int, _of: int) -> None:
    """Show nothing."""


_LONG_PAUSE_S = 120
_STEP_MS = 10
"""Think times are rounded to this: a person's are no more exact."""


@dataclass
class StepDraft:
    """A step before it is written; `comments` are for readers, `body_file` for a body that is not text."""

    id: str
    transaction: str
    method: str
    request: RequestTemplates
    status: int
    marker: str | None
    path: str | None
    capture: Mapping[str, Capture]
    think: Duration | None = None
    body_file: str = ""
    comments: list[str] = field(default_factory=list)

    @property
    def identify(self) -> list[str]:
        """Return the names that a request which changes something sends, by which its outcome can be looked up."""
        if self.method == "GET":
            return []
        texts = [
            self.request.path,
            *(value for _, value in fields_of(self.request.form or {})),
            self.request.body or "",
        ]
        return list(dict.fromkeys(name for text in texts for name in names_in(text)))


@dataclass
class SessionDraft:
    """A session before it is written."""

    name: str
    think: Duration
    feeds: Mapping[str, Feed]
    steps: list[StepDraft]


def draft_of(
    name: str, visits: Sequence[Visit], known: KnownFeeds, findings: Findings, shown: Shown = unseen
) -> SessionDraft:
    """Return the session that repeats the visits; at least one is needed. `shown` is called after each step."""
    given = GivenValues(visits, findings, frozenset(known.feeds))
    reader = RequestReader(given, known, findings)
    steps, markers, passwords = [], Markers(visits), set[str]()
    for number, (id_, transaction) in enumerate(step_names(visits)):
        request = reader.read(number)
        step = StepDraft(id_, transaction, "", request, 200, None, None, {})
        steps.append(_step(visits[number], step, markers, {**known.lasting(), **request.values}))
        _check_login(steps[-1], passwords, findings)
        passwords |= visits[number].page.passwords if visits[number].is_page else set()
        steps[-1].body_file = f"{name}-{id_}.bin"
        shown(number + 1, len(visits))
    reader.warn_of_computed()
    for step, captures in zip(steps, given.captures, strict=True):
        step.capture = captures
    thinks = _think_times(visits, steps, findings)
    for step, think in zip(steps, thinks, strict=False):
        step.think = think
    _check_responses(visits, steps, findings)
    average = Duration(statistics.median(think.ms for think in thinks)) if thinks else Duration.of_seconds(1)
    return SessionDraft(name, average, known.used, steps)


def _step(visit: Visit, step: StepDraft, markers: Markers, values: Mapping[str, str]) -> StepDraft:
    """Return the step with its method and what its response must be."""
    step.method = visit.request.method
    if visit.response is not None:
        # A browser asks whether its copy is still valid; the driver has none.
        step.status = 200 if visit.response.status == 304 else visit.response.status
    step.marker = markers.marker_of(visit, values) if visit.is_page else None
    step.path = _end_path(visit, step.request, values)
    return step


def _end_path(visit: Visit, request: RequestTemplates, values: Mapping[str, str]) -> str | None:
    """Return the template of the path at which the redirects ended; None when something in it changes."""
    end = urlsplit(visit.url).path or "/"
    if end == visit.path:
        return request.path.partition("?")[0]
    names = {value: name for name, value in values.items()}
    unknown: list[str] = []

    def named(_: str, value: str) -> str:
        if value not in names:
            unknown.append(value)
        return f"${{{names.get(value, 'unknown')}}}"

    path = segments(end, named)
    return None if unknown else path


def _think_times(visits: Sequence[Visit], steps: Sequence[StepDraft], findings: Findings) -> list[Duration]:
    """Return the time between each response and the next request; one less than there are visits."""
    thinks, overlapping = [], 0
    for step, visit, following in zip(steps, visits, visits[1:], strict=False):
        gap = (following.started - visit.ended).total_seconds()
        overlapping += gap < 0
        if gap > _LONG_PAUSE_S:
            findings.warn(f"a pause of {gap:.0f} s after step {step.id} is kept as think time")
        thinks.append(Duration(round(max(0.0, gap) * 1000 / _STEP_MS) * _STEP_MS))
    if overlapping:
        findings.warn(
            f"{overlapping} request{'s were' if overlapping > 1 else ' was'} sent before the one before was over; a "
            "session sends one after the other"
        )
    return thinks


def _check_login(step: StepDraft, passwords: AbstractSet[str], findings: Findings) -> None:
    """Warn of what a login sends: the same user for everybody is rarely meant, and a password in a file is readable.

    `passwords` are the names of the fields that hid what was typed, on all pages before.
    """
    sent = dict(step.request.fields)
    if passwords.isdisjoint(sent):
        return
    findings.warn(f"step {step.id}: the recorded password stands in the session file")
    typed = {name: value for name, value in sent.items() if name not in passwords}
    if not any(names_in(value) for value in typed.values()):
        fields = ", ".join(typed) or "nothing but the password"
        step.comments.append(f"as recorded: every virtual user sends the same {fields}; a feed makes them differ")
        findings.warn(
            f"step {step.id}: every virtual user sends the same {fields}; `--feeds SESSION.yaml` takes feeds from "
            "another session where the values fit"
        )


def _check_responses(visits: Sequence[Visit], steps: Sequence[StepDraft], findings: Findings) -> None:
    """Warn of responses that cannot be checked or are errors."""
    lost = [
        step.id for step, visit in zip(steps, visits, strict=True) if visit.response and visit.response.content.is_lost
    ]
    pages = [step for step, visit in zip(steps, visits, strict=True) if visit.is_page and step.id not in lost]
    unmarked = [step.id for step in pages if step.marker is None]
    if unmarked:
        findings.warn(f"no title or heading identifies the page: {', '.join(unmarked)}; add a marker")
    if not any(visit.body for visit in visits):
        findings.warn(
            "the recording holds no bodies, so nothing is captured and no page is checked; record with content"
        )
    elif lost:
        findings.warn(
            f"the recording holds no body for {', '.join(lost)}, so nothing is captured or checked there; record with "
            "`Preserve log` and a current browser: older ones forget a page's body when the next page opens"
        )
    for step in steps:
        if step.status >= 400:
            findings.warn(f"step {step.id} expects the status {step.status}, as recorded")
        if step.path is None:
            findings.note(f"step {step.id}: its last path holds a value that changes, so it is not checked")
    set_here = frozenset[str]().union(*(visit.cookies for visit in visits))
    sent = (header(visit.request.headers, "cookie") or "" for visit in visits)
    foreign = {part.partition("=")[0].strip() for line in sent for part in line.split(";")} - set_here - {""}
    if foreign:
        findings.warn(
            f"cookies that no recorded response sets are not sent: {', '.join(sorted(foreign))}; a script set them, or "
            "they are older than the recording: record in a new private window"
        )
