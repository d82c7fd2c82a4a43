"""Pages and raw requests."""

from __future__ import annotations

import ssl

import httpx

from middlemark.conformance.cases.expectation import Expect
from middlemark.conformance.cases.interfaces import wsdl_name_space
from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import Send, Visit
from middlemark.conformance.comparison.match import is_now, shown
from middlemark.conformance.comparison.pages.canonical import Volatile
from middlemark.conformance.comparison.pages.compare import normalised, unlike_canonical
from middlemark.conformance.comparison.pages.document import Page, parse, text_of
from middlemark.conformance.comparison.pages.looking import elements, not_as_expected
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.browser import Browser, Request, browser_path, cookie_fault, form_of
from middlemark.conformance.execution.steps.patience import patiently
from middlemark.conformance.execution.steps.queries import rows_of
from middlemark.conformance.execution.steps.raw_response import media_type, text_of_response
from middlemark.conformance.execution.steps.refusals import is_refused, passing_with
from middlemark.conformance.execution.steps.responses import faults, location_of, status_fault
from middlemark.conformance.failure import StepFailed
from middlemark.specification.pages import Pages
from middlemark.steps.request import Method

_PAGE = (200, 303)
_RAW = (200,)


def visit(step: Visit, actor: Actor, where: str) -> None:
    """Ask for a page as a browser does and hold the response against the case."""
    patiently(lambda: _visit(step, actor, where), actor, step.within, step.until)


def send(step: Send, actor: Actor, where: str) -> None:
    """Send a raw request and hold the response against the case."""
    patiently(lambda: _send(step, actor, where), actor, step.within, step.until)


def _visit(step: Visit, actor: Actor, where: str) -> None:
    request = _request(step, actor)
    response = actor.browser(step.as_, step.user).at(*actor.context.listener(step)).send(request)
    with passing_with(response):
        if is_refused(step, request, response, actor, where):
            return
        _judge_status(response, step.expect, actor, _PAGE)
        _hold(response, step.expect, actor)
        if step.expect.file is not None:
            _hold_file(response, step.expect.file, actor)
            actor.notes.text(where, f"{response.status_code} {step.expect.file}")
            return
        for cookie in response.headers.get_list("set-cookie"):
            _fail(cookie_fault(cookie, _rules(actor).cookie))
        if step.expect.is_open and not step.expect.looks_at_page and not step.capture:
            actor.notes.text(where, _statuses(step.expect, _PAGE))
        elif response.status_code == 303:
            actor.notes.text(where, f"303 {location_of(response)}")
            for name in step.capture:
                raise StepFailed(f"capture {name}: expected a page, found 303 to {location_of(response)}")
        else:
            _hold_visited(step, response, actor, where)


def _hold_visited(step: Visit, response: httpx.Response, actor: Actor, where: str) -> None:
    page = _html(response, _rules(actor))
    _hold_page(page, step.expect, actor, where, response.status_code)
    for name, place in step.capture.items():
        selector = filled(place.at, actor.captured)
        found = elements(page, selector)
        if not found:
            raise StepFailed(f"capture {name}: expected an element at {selector}, found none")
        actor.captured[name] = found[0].get(place.attribute) if place.attribute else text_of(found[0])


def _send(step: Send, actor: Actor, where: str) -> None:
    raw, context = step.send, actor.context
    body = None if raw.body is None else filled(raw.body, actor.captured).encode()
    path = filled(raw.path, actor.captured)
    headers = {name: filled(value, actor.captured) for name, value in raw.headers.items()}
    request = Request(raw.method, path, headers, body)
    tier = context.tier_for(path)
    if tier is None and step.as_ is not None:
        browser = actor.browser(step.as_, step.user).at(*context.listener(step))
    else:
        browser = Browser(*context.listener(step, tier))
    if step.no_handshake:
        _hold_no_handshake(browser, request)
        return
    response = browser.send(request)
    with passing_with(response):
        if is_refused(step, request, response, actor, where):
            return
        _judge_status(response, step.expect, actor, _RAW)
        _hold(response, step.expect, actor)
        _keep_headers(step, response, actor)
        if step.expect.file is not None:
            _hold_file(response, step.expect.file, actor)
        if step.expect.looks_at_page or _is_page(response, _rules(actor)):
            _hold_page(_html(response, _rules(actor)), step.expect, actor, where, response.status_code)
        elif step.expect.is_open:
            actor.notes.text(where, _statuses(step.expect, _RAW))
        elif path.partition("?")[0] == "/about":
            # What a process says of itself is its own: ports, versions, its platform's name.
            actor.notes.text(where, f"{response.status_code} {media_type(response)}")
        else:
            actor.notes.text(where, text_of_response(response))


def _keep_headers(step: Send, response: httpx.Response, actor: Actor) -> None:
    for name, place in step.capture.items():
        value = response.headers.get(place.header)
        if value is None:
            raise StepFailed(f"capture {name}: expected the header {place.header}, found none")
        actor.captured[name] = value


def _hold_no_handshake(browser: Browser, request: Request) -> None:
    """StepFailed unless the listener ends the handshake: where it answers, and where nothing listens."""
    try:
        response = browser.send(request)
    except StepFailed as failed:
        if failed.__cause__ is not None and _ends_handshake(failed.__cause__):
            return
        raise
    raise StepFailed(f"expected the listener to end the handshake, found status {response.status_code}")


def _ends_handshake(error: BaseException) -> bool:
    """Say whether a request without a response met a listener that did not want its certificate.

    With TLS 1.3 a client hears of that after its own part of the handshake, as of a connection that is closed.
    """
    if not isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        return False
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return not any(isinstance(one, ConnectionRefusedError | ssl.SSLCertVerificationError) for one in causes)


def _request(step: Visit, actor: Actor) -> Request:
    headers = {name: filled(value, actor.captured) for name, value in step.headers.items()}
    path = browser_path(filled(step.path, actor.captured))
    if step.method is Method.POST and step.body is None:
        fields = [(name, filled(value, actor.captured)) for name, value in step.fields or ()]
        return form_of(path, fields, headers)
    body = None if step.body is None else filled(step.body, actor.captured).encode()
    return Request(step.method, path, headers, body)


def _rules(actor: Actor) -> Pages:
    """Return what is true of every page of the specification."""
    return actor.context.specification.description.pages


def _is_page(response: httpx.Response, rules: Pages) -> bool:
    """Say whether a raw response is a page of the application: one to HEAD has none.

    That of a redirect is open, and a refusal of what is no page may come from the server.
    """
    kind = rules.content_type.partition(";")[0]
    return response.is_success and bool(response.content) and media_type(response) == kind


def _judge_status(response: httpx.Response, expect: Expect, actor: Actor, default: tuple[int, ...]) -> None:
    if actor.outcomes is not None and expect.status is None:
        return
    if response.status_code not in expect.statuses(default):
        raise StepFailed(status_fault(response, _statuses(expect, default)))


def _statuses(expect: Expect, default: tuple[int, ...]) -> str:
    """Return the statuses that are as expected, in words."""
    if isinstance(expect.status, str):
        return expect.status
    return " or ".join(str(one) for one in expect.statuses(default))


def _hold(response: httpx.Response, expect: Expect, actor: Actor) -> None:
    for fault in faults(response, expect, actor.surroundings(), wsdl_name_space(actor.context.specification)):
        raise StepFailed(fault)


def _hold_file(response: httpx.Response, name: str, actor: Actor) -> None:
    wanted = actor.context.specification.file_content(name)
    if response.content != wanted:
        raise StepFailed(f"body: expected the {len(wanted)} bytes of {name}, found {len(response.content)} others")


def _html(response: httpx.Response, rules: Pages) -> Page:
    """Return the page after everything that every page must be."""
    kind = response.headers.get("content-type", "")
    if _compact(kind) != _compact(rules.content_type):
        raise StepFailed(f"Content-Type: expected {rules.content_type}, found {kind or 'none'}")
    for name, value in rules.headers.items():
        if response.headers.get(name) != value:
            raise StepFailed(f"header {name}: expected {value}, found {response.headers.get(name) or 'none'}")
    page, errors = parse(response.content)
    if errors:
        raise StepFailed(f"expected HTML5 without parse errors, found {len(errors)}: {errors[0]}")
    scripts = page.at("script")
    if scripts and not rules.scripts:
        raise StepFailed(f"expected a page without script, found {shown(text_of(scripts[0]))}")
    return page


def _compact(content_type: str) -> str:
    return content_type.lower().replace(" ", "")


def _hold_page(page: Page, expect: Expect, actor: Actor, where: str, status: int) -> None:
    folder = actor.context.specification.folder
    seen = normalised(page, folder, lambda volatile, value: _value_fault(volatile, value, actor))
    actor.replaced += seen.replaced
    actor.sizes[where] = seen.size
    lines = (line for line, _ in seen.lines)
    noted = _statuses(expect, ()) if expect.is_open else "\n".join([str(status), *lines])
    actor.notes.text(where, noted)
    for fault in seen.wrong:
        raise StepFailed(fault)
    for look in expect.look:
        _fail(not_as_expected(page, look, actor.surroundings()))
    if expect.page is not None:
        _fail(unlike_canonical(seen, folder, expect.page))


def _value_fault(volatile: Volatile, value: str, actor: Actor) -> str | None:
    """Say what is wrong with a volatile value where the specification determines it."""
    if volatile.value == "now" and not is_now(value, actor.began):
        return f"expected a time from {actor.began:%H:%M:%S} UTC until now, found {value}"
    if volatile.sql is None or actor.context.databases is None:
        return None
    allowed = [row[0] for row in rows_of(actor.connection(volatile.database), volatile.sql).rows]
    if value not in allowed:
        return f"expected one of {shown(allowed)} (what the database says), found {value}"
    return None


def _fail(fault: str | None) -> None:
    if fault is not None:
        raise StepFailed(fault)
