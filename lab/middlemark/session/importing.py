"""Imports a browser's recording: the whole of `middlemark session import` but its printing."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from middlemark.errors import InputError
from middlemark.new.session import write_new
from middlemark.session.draft import draft_of
from middlemark.session.findings import Findings
from middlemark.session.har import read_har
from middlemark.session.known_feeds import read_known_feeds
from middlemark.session.session_text import session_text
from middlemark.session.visit import chosen_origin, visits_of
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


def import_recording(request: ImportRequest) -> ImportedSession:
    """Write the session file of a recording; InputError when it is not a recording or the session file exists."""
    if request.path.exists() and not request.force:
        raise InputError(
            "is there already and is not overwritten", where=str(request.path), todo="Choose another --out, or --force"
        )
    findings = Findings()
    known = read_known_feeds(request.feeds)
    entries = read_har(request.recording)
    origin = chosen_origin(entries, request.origin, str(request.recording))
    visits = visits_of(entries, origin, findings)
    if not visits:
        why = "".join(f"\n  {warning}" for warning in findings.warnings)
        raise InputError(f"no request to {origin} in it can be sent again{why}", where=str(request.recording))
    draft = draft_of(_stem(request.path), visits, known, findings)
    steps = f"{len(visits)} step{'s' * (len(visits) > 1)} from {len(entries)} recorded requests to {origin}"
    findings.notes.insert(0, steps)
    text = session_text(draft, [*findings.notes, *(f"CHECK: {warning}" for warning in findings.warnings)])
    session = Session.model_validate(yaml.safe_load(text))
    if request.force:
        _replace(request.path, text)
    else:
        write_new(request.path, text)
    return ImportedSession(request.path, origin, session, findings)


def _stem(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", path.stem).strip("-.") or "recording"


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all: what was there stays until the new one is complete."""
    complete = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        complete.write_text(text, encoding="utf-8")
        complete.replace(path)
    except OSError as error:
        raise InputError(f"cannot write this file ({error.strerror})", where=str(path)) from error
    finally:
        complete.unlink(missing_ok=True)
