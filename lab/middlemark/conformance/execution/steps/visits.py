"""Pages and raw requests."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import httpx

from middlemark.conformance.cases.expectation import Expect
from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import Get, Post, Send
from middlemark.conformance.comparison.match import is_now, shown
from middlemark.conformance.comparison.pages.canonical import Volatile
from middlemark.conformance.comparison.pages.compare import normalised, unlike_canonical
from middlemark.conformance.comparison.pages.document import Page, parse, text_of
from middlemark.conformance.comparison.pages.looking import elements, not_as_expected
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.answers import faults, location_of, status_fault
from middlemark.conformance.execution.steps.browser import FORM, Browser, Request, browser_path, cookie_fault
from middlemark.conformance.execution.steps.contracts import wsdl_name_space
from middlemark.conformance.execution.steps.database import ask, question
from middlemark.conformance.execution.steps.raw_answer import said
from middlemark.conformance.failure import StepFailed
from middlemark.records.run import SYNC

_RANK = re.compile(r"volatile \d+")
_PAGE = (200, 303)
_RAW = (200,)
_PAGES = "text/html"
_HTML = f"{_PAGES}; charset=utf-8"


def visit(step: Get | Post, actor: Actor, where: str) -> None:
    """Ask for a page as a browser does and hold what comes against the case."""
    browser = actor.browser(step.as_, step.user)
    answer = browser.send(_request(step, actor))
    _judge_status(answer, step.expect, actor, _PAGE)
    _hold(answer, step.expect, actor)
    if step.expect.file is not None:
        _hold_file(answer, actor.stage.spec_folder / step.expect.file)
        actor.notes.said(where, f"{answer.status_code} {step.expect.file}")
        return
    for cookie in answer.headers.get_list("set-cookie"):
        _fail(cookie_fault(cookie))
    if answer.status_code == 303:
        actor.notes.said(where, f"303 {location_of(answer)}")
        for name in step.capture:
            raise StepFailed(f"capture {name}: expected a page, came 303 to {location_of(answer)}")
        return
    page = _html(answer)
    _hold_page(page, step.expect, actor, where, answer.status_code)
    for name, place in step.capture.items():
        selector = filled(place.at, actor.captured)
        found = elements(page, selector)
        if not found:
            raise StepFailed(f"capture {name}: expected an element at {selector}, found none")
        actor.captured[name] = found[0].get(place.attribute) if place.attribute else text_of(found[0])


def send(step: Send, actor: Actor, where: str) -> None:
    """Send a raw request and hold what comes against the case."""
    raw = step.send
    body = None if raw.body is None else filled(raw.body, actor.captured).encode()
    path = filled(raw.path, actor.captured)
    headers = {name: filled(value, actor.captured) for name, value in raw.headers.items()}
    if path.startswith("/services/") and actor.stage.addresses.services is not None:
        browser = Browser(actor.stage.client, actor.stage.addresses.services)
    elif step.as_ is not None:
        browser = actor.browser(step.as_, step.user)
    else:
        browser = Browser(actor.stage.client, actor.stage.addresses.web)
    answer = browser.send(Request(raw.method, path, headers, body))
    _judge_status(answer, step.expect, actor, _RAW)
    _hold(answer, step.expect, actor)
    if step.expect.file is not None:
        _hold_file(answer, actor.stage.spec_folder / step.expect.file)
    # An answer to HEAD has no page, and a redirect's is nobody's to say.
    has_page = answer.content and not answer.is_redirect and answer.headers.get("content-type", "").startswith(_PAGES)
    if step.expect.page is not None or step.expect.look or has_page:
        _hold_page(_html(answer), step.expect, actor, where, answer.status_code)
    elif path.partition("?")[0] == "/about":
        # What a process says of itself is its own: ports, versions, its platform's name.
        actor.notes.said(where, f"{answer.status_code} {answer.headers.get('content-type', '')}")
    else:
        actor.notes.said(where, said(answer))


def _request(step: Get | Post, actor: Actor) -> Request:
    headers = {name: filled(value, actor.captured) for name, value in step.headers.items()}
    if isinstance(step, Get):
        return Request("GET", browser_path(filled(step.get, actor.captured)), headers)
    fields = [
        (name, filled(text, actor.captured))
        for name, value in step.form.items()
        for text in ((value,) if isinstance(value, str) else value)
    ]
    body = urlencode(fields).encode()
    return Request("POST", browser_path(filled(step.post, actor.captured)), {"content-type": FORM, **headers}, body)


def _judge_status(answer: httpx.Response, expect: Expect, actor: Actor, default: tuple[int, ...]) -> None:
    if actor.outcomes is not None:
        actor.outcomes[f"status {answer.status_code}"] += 1
        if expect.status is None:
            return
    _fail(status_fault(answer, default if expect.status is None else (expect.status,)))


def _hold(answer: httpx.Response, expect: Expect, actor: Actor) -> None:
    around = actor.surroundings(lambda query: ask(actor, query))
    for fault in faults(answer, expect, around, wsdl_name_space(actor.stage.spec_folder)):
        raise StepFailed(fault)


def _hold_file(answer: httpx.Response, path: Path) -> None:
    if answer.content != path.read_bytes():
        raise StepFailed(f"body: expected the {path.stat().st_size} bytes of {path}, came {len(answer.content)} others")


def _html(answer: httpx.Response) -> Page:
    """Return the page after everything that every page must be."""
    kind = answer.headers.get("content-type", "")
    if kind.lower().replace(" ", "") != _HTML.replace(" ", ""):
        raise StepFailed(f"Content-Type: expected {_HTML}, came {kind or 'none'}")
    if answer.headers.get("cache-control") != "no-store":
        raise StepFailed(f"Cache-Control: expected no-store, came {answer.headers.get('cache-control')}")
    page, errors = parse(answer.content)
    if errors:
        raise StepFailed(f"expected HTML5 without parse errors, came {len(errors)}: {errors[0]}")
    scripts = page.at("script")
    if scripts:
        raise StepFailed(f"expected a page without script, came {shown(text_of(scripts[0]))}")
    return page


def _hold_page(page: Page, expect: Expect, actor: Actor, where: str, status: int) -> None:
    seen = normalised(page, actor.stage.spec_folder, lambda volatile, value: _value_fault(volatile, value, actor))
    actor.replaced += seen.replaced
    actor.sizes[where] = seen.size
    lines = (line for line, _ in seen.lines)
    if actor.stage.orders != SYNC:
        # Which of several orders is completed first is nobody's to say, and so is the order of their holdings' ids.
        lines = (_RANK.sub("volatile", line) for line in lines)
    actor.notes.said(where, "\n".join([str(status), *lines]))
    for fault in seen.wrong:
        raise StepFailed(fault)
    around = actor.surroundings(lambda query: ask(actor, query))
    for look in expect.look:
        _fail(not_as_expected(page, look, around))
    if expect.page is not None:
        _fail(unlike_canonical(seen, actor.stage.spec_folder, expect.page))


def _value_fault(volatile: Volatile, value: str, actor: Actor) -> str | None:
    """Say what is wrong with a volatile value where the specification determines it."""
    if volatile.value == "now" and not is_now(value, actor.began):
        return f"expected a time from {actor.began:%H:%M:%S} UTC until now, came {value}"
    if volatile.sql is None or actor.stage.database is None:
        return None
    allowed = [row[0] for row in question(actor.connection(), volatile.sql).rows]
    if value not in allowed:
        return f"expected one of {shown(allowed)} (what the database says), came {value}"
    return None


def _fail(fault: str | None) -> None:
    if fault is not None:
        raise StepFailed(fault)
