"""Imports a browser's recording: the whole of `middlemark session import` but its printing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from middlemark.errors import InputError
from middlemark.explaining import first_mistake, reason
from middlemark.saving import write_new, write_whole
from middlemark.session.draft import SessionDraft, Shown, draft_of, unseen
from middlemark.session.findings import Findings
from middlemark.session.har import read_har
from middlemark.session.known_feeds import read_known_feeds
from middlemark.session.session_text import session_text
from middlemark.session.visit import Visit, chosen_origin, visits_of
from middlemark.wording import counted
from middlemark.workload.session import Session


@dataclass(frozen=True)
class ImportRequest:
    """What to import. None: `out` the recording's name with .yaml, no feeds, the `origin` of the first page."""

    recording: Path
    out: Path | None = None
    feeds: Path | None = None
    origin: str | None = None
    force: bool = False

    @property
    def path(self) -> Path:
        """Return where the session goes: into the working directory by default."""
        return self.out or Path(f"{_stem(self.recording)}.yaml")


@dataclass(frozen=True)
class ImportedSession:
    """A session that was written to `path`; `origin` is the site it was recorded at."""

    path: Path
    origin: str
    session: Session
    findings: Findings

    @property
    def numbers(self) -> list[str]:
        """Return the names of the numbers that its ranges need, to be given by `--number`."""
        bounds = [bound for feed in self.session.feeds.values() for bound in feed.range or ()]
        return list(dict.fromkeys(bound for bound in bounds if isinstance(bound, str)))


def import_recording(request: ImportRequest, shown: Shown = unseen) -> ImportedSession:
    """Write the session file of a recording; InputError when it is not a recording or the session file exists."""
    if request.path.exists() and not request.force:
        raise InputError(
            "is there already and is not overwritten", where=str(request.path), todo="Choose another --out, or --force"
        )
    findings = Findings()
    recording = read_har(request.recording)
    entries = recording.entries
    origin = chosen_origin(entries, request.origin, str(request.recording))
    visits = visits_of(entries, origin, findings)
    if recording.is_sanitized:
        findings.warn(
            "the recording holds neither cookies nor Authorization headers: Chromium leaves them out of a sanitized "
            "export. The driver keeps cookies itself; if the site needs a token from one, export with sensitive data"
        )
    drafted = _drafted(request, visits, findings, shown)
    if drafted is None:
        why = "".join(f"\n  {warning}" for warning in findings.warnings)
        raise InputError(f"no request to {origin} in it can be sent again{why}", where=str(request.recording))
    draft, session, findings = drafted
    steps = f"{counted(len(visits), 'step')} from {counted(len(entries), 'recorded request')} to {origin}"
    findings.notes.insert(0, steps)
    text = session_text(draft, [*findings.notes, *(f"CHECK: {warning}" for warning in findings.warnings)])
    write = write_whole if request.force else write_new
    for step in draft.steps:
        if step.request.raw is not None:
            write(request.path.with_name(step.body_file), step.request.raw)
    write(request.path, text)
    return ImportedSession(request.path, origin, session, findings)


def _drafted(
    request: ImportRequest, visits: list[Visit], findings: Findings, shown: Shown
) -> tuple[SessionDraft, Session, Findings] | None:
    """Draft a session of the visits; one that a session cannot hold is taken out of them, with a warning."""
    while visits:
        drafted = Findings(list(findings.notes), list(findings.warnings))
        draft = draft_of(_stem(request.path), visits, read_known_feeds(request.feeds), drafted, shown)
        try:
            return draft, Session.model_validate(yaml.safe_load(session_text(draft, ()))), drafted
        except ValidationError as error:
            wrong = _wrong_steps(error, str(request.recording))
        for number in sorted(wrong):
            findings.warn(f"{visits[number].request.method} {visits[number].path} left out: {wrong[number]}")
        for number in sorted(wrong, reverse=True):
            del visits[number]
    return None


def _wrong_steps(error: ValidationError, where: str) -> dict[int, str]:
    """Return the numbers of the steps that no session can hold, with the first reason; InputError for anything else."""
    wrong: dict[int, str] = {}
    for problem in error.errors():
        place, *inside = problem["loc"] or ("",)
        number = next((part for part in inside if isinstance(part, int)), None)
        if place != "steps" or number is None:
            raise InputError(f"no session can be made of it: {first_mistake(error)}", where=where) from error
        wrong.setdefault(number, reason(problem))
    return wrong


def _stem(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", path.stem).strip("-.") or "recording"
