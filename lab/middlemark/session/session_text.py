"""A drafted session as the text of a session file, with comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from middlemark.session.draft import SessionDraft, StepDraft
from middlemark.session.findings import UNPRINTABLE, one_line
from middlemark.workload.feed import Feed, Per
from middlemark.workload.step import Capture


def session_text(draft: SessionDraft, comments: Iterable[str]) -> str:
    """Return the YAML of a session, `comments` at its top."""
    lines = [f"# {comment}" for comment in comments]
    lines += [f"name: {_text(draft.name)}", f"think: {{constant: {draft.think}}}"]
    lines += ["per_iteration: {connections: new, cookies: new}", ""]
    if draft.feeds:
        lines += ["feeds:", *(f"  {name}: {_feed(feed)}" for name, feed in draft.feeds.items()), ""]
    lines.append("steps:")
    for step in draft.steps:
        lines += _step(step)
    return "\n".join(lines) + "\n"


def _step(step: StepDraft) -> Iterator[str]:
    yield from (f"  # {one_line(comment)}" for comment in step.comments)
    yield f"  - id: {_text(step.id)}"
    if step.transaction != step.id:
        yield f"    transaction: {_text(step.transaction)}"
    yield f"    {step.method.lower()}: {_text(step.request.path)}"
    if step.request.headers:
        yield f"    headers: {_mapping(step.request.headers)}"
    if step.request.form is not None:
        yield f"    form: {_mapping(step.request.form)}"
    if step.request.body is not None:
        yield f"    body: {_text(step.request.body)}"
    if step.request.raw is not None:
        yield f"    body_file: {_text(step.body_file)}"
    expect: dict[str, Any] = {"status": step.status, "path": step.path, "marker": step.marker}
    yield f"    expect: {_mapping({key: value for key, value in expect.items() if value is not None})}"
    if step.capture:
        yield "    capture:"
        yield from (f"      {name}: {_capture(capture)}" for name, capture in step.capture.items())
    if step.think is not None:
        yield f"    think: {{constant: {step.think}}}"
    if step.identify:
        yield f"    identify: [{', '.join(step.identify)}]"


def _feed(feed: Feed) -> str:
    keys = feed.model_dump(by_alias=True, exclude_defaults=True, mode="json")
    if feed.per is not Per.STEP:
        keys["per"] = feed.per.value
    return _mapping(keys)


def _capture(capture: Capture) -> str:
    return _mapping(capture.model_dump(by_alias=True, exclude_defaults=True, mode="json"))


def _mapping(keys: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{_text(key)}: {_value(value)}" for key, value in keys.items()) + "}"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    """Return `text` as YAML on one line, plain where that means the same."""
    if UNPRINTABLE.search(text):
        return '"' + one_line(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    if re.fullmatch(r"[A-Za-z_/][\w/.?=&%+ -]*", text) and not text.endswith(" ") and yaml.safe_load(text) == text:
        return text
    return "'" + text.replace("'", "''") + "'"
