"""Visits: the requests of a recording that become steps, each with the response its redirects end at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import urldefrag, urljoin, urlsplit

from middlemark.errors import InputError
from middlemark.session.findings import Findings
from middlemark.session.har import Entry, Request, Response, header
from middlemark.session.page import Page, read_page
from middlemark.wording import counted
from middlemark.workload.step import Step

MAX_REDIRECTS = 5  # the driver's
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}
_STATIC_RESOURCES = frozenset({"stylesheet", "image", "media", "font", "script", "texttrack", "manifest"})
_STATIC_TYPES = re.compile(
    r"(?:image|font|audio|video)/|text/(?:css|javascript|vtt)$|application/(?:(?:x-)?javascript|ecmascript|wasm|font-|"
    r"vnd\.ms-fontobject|manifest\+json)"
)
_STATIC_PATHS = re.compile(
    r"\.(?:css|m?js|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|webm|wasm)$", re.IGNORECASE
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_IN_THE_BACKGROUND = frozenset({"ping", "beacon", "preflight", "cspviolationreport", "prefetch"})
_NOT_HTTP = frozenset({"websocket", "eventsource", "signedexchange", "webtransport"})


@dataclass(frozen=True)
class Visit:
    """One request of a person, or of a script of the page, and the last response after redirects.

    `url` is where the redirects ended. `response` is None when the recording does not hold it. `cookies` are those
    that the response and its redirects set, by name.
    """

    request: Request
    started: datetime
    ended: datetime
    url: str
    response: Response | None
    redirects: int
    cookies: Mapping[str, str]

    @property
    def path(self) -> str:
        """Return the path of the request, without query."""
        return urlsplit(self.request.url).path or "/"

    @cached_property
    def body(self) -> str:
        """The text of the response; nothing when the recording does not hold it.

        The driver looks for UTF-8: what has other bytes in the response's character set is U+FFFD.
        """
        text = (self.response.body if self.response else None) or ""
        if self.response is None or text.isascii() or self.response.charset in {"utf-8", "utf8"}:
            return text
        return _NOT_ASCII.sub("\ufffd", text)

    @cached_property
    def page(self) -> Page:
        """The response as a page, read once."""
        return read_page(self.body)

    @cached_property
    def is_page(self) -> bool:
        """Whether the response is HTML."""
        return self.response is not None and self.response.media_type in {"text/html", "application/xhtml+xml"}


def origin_of(url: str) -> str:
    """Return `scheme://host[:port]` of an address, the port only where it is not the scheme's; empty for no address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port and port != _PORTS[parts.scheme] else "")


def chosen_origin(entries: Sequence[Entry], requested: str | None, where: str) -> str:
    """Return the site that is imported: the requested one, else that to which the first page leads.

    Raises InputError for a recording without one.
    """
    sites = Counter(origin for entry in entries if (origin := origin_of(entry.request.url)))
    if requested is not None:
        if origin_of(requested) in sites:
            return origin_of(requested)
        known = ", ".join(sites) or "none"
        raise InputError(f"no request went to '{requested}'. Sites of this recording: {known}", where="--origin")
    for entry in entries:
        is_page = entry.resource == "document" or entry.response.media_type == "text/html"
        if is_page and origin_of(entry.request.url):
            return _led_to(entry, entries)
    if not sites:
        raise InputError("this recording holds no http address", where=where)
    return next(iter(sites))


def _led_to(first: Entry, entries: Sequence[Entry]) -> str:
    """Return the site at which the redirects of a page end: https, or the name with `www`."""
    sites = {origin_of(entry.request.url) for entry in entries}
    by_url = {urldefrag(entry.request.url)[0]: entry for entry in reversed(entries)}
    last: Entry | None = first
    origin = origin_of(first.request.url)
    for _ in range(MAX_REDIRECTS):
        if last is None or last.response.status not in _REDIRECTS:
            break
        target = _target(last)
        origin = origin_of(target) if origin_of(target) in sites else origin
        last = by_url.get(target)
    return origin


def _is_same_host(site: str, other: str) -> bool:
    """Return whether two sites have one host, but for a leading `www`: one sends its visitors to the other."""
    hosts = {(urlsplit(each).hostname or "").removeprefix("www.") for each in (site, other)}
    return len(hosts) == 1


def visits_of(entries: Sequence[Entry], origin: str, findings: Findings) -> list[Visit]:
    """Return the visits of a site in the order of their requests; `findings` gets what is left out."""
    left = list(_dynamic(entries, origin, findings))
    visits: list[Visit] = []
    folded = 0
    while left:
        visit = _followed(left.pop(0), left, origin, findings)
        if visit is not None:
            visits.append(visit)
            folded += visit.redirects
    if folded:
        findings.note(f"{counted(folded, 'redirect')} folded into the steps that led there")
    return visits


def _dynamic(entries: Sequence[Entry], origin: str, findings: Findings) -> Iterator[Entry]:
    """Yield the requests that are neither static files nor to other sites nor impossible to send again."""
    static = sent_on = 0
    elsewhere: Counter[str] = Counter()
    for entry in entries:
        site = origin_of(re.sub(r"^ws(?=s?:)", "http", entry.request.url))
        if not site:
            continue  # data:, blob: and a browser's own pages were never sent
        if site != origin and entry.response.status in _REDIRECTS and _is_same_host(site, origin):
            sent_on += 1
        elif site != origin:
            elsewhere[site] += 1
        elif _is_static(entry):
            static += 1
        elif _can_be_sent(entry, findings):
            yield entry
    if static:
        findings.note(
            f"{counted(static, 'static file')} left out; a session with `sub_resources` fetches images, style "
            "sheets and scripts as a browser does"
        )
    if sent_on:
        findings.note(f"{counted(sent_on, 'redirect')} to {origin} left out: the session begins there")
    for site, count in elsewhere.items():
        findings.warn(
            f"{counted(count, 'request')} to {site} left out: a session has one site ({origin}); "
            f"`--origin {site}` imports that one"
        )


def _is_static(entry: Entry) -> bool:
    if entry.resource in _STATIC_RESOURCES:
        return True
    if entry.resource in {"document", "xhr", "fetch"} or entry.request.method != "GET":
        return False
    path = urlsplit(entry.request.url).path
    return bool(_STATIC_TYPES.match(entry.response.media_type) or _STATIC_PATHS.search(path))


def _can_be_sent(entry: Entry, findings: Findings) -> bool:
    request, what = entry.request, f"{entry.request.method} {urlsplit(entry.request.url).path}"
    purpose = header(request.headers, "sec-purpose") or header(request.headers, "purpose") or ""
    if entry.resource in _IN_THE_BACKGROUND or "prefetch" in purpose or request.method == "OPTIONS":
        findings.note(f"{what} left out: the browser sent it by itself")
    elif entry.resource in _NOT_HTTP or entry.response.status == 101 or request.url.startswith("ws"):
        findings.warn(f"{what} left out: the driver does not support {entry.resource or 'web sockets'}")
    elif entry.response.status <= 0:
        findings.warn(f"{what} left out: it has no response")
    elif request.method.lower() not in Step.METHODS:
        findings.warn(f"{what} left out: the driver sends {', '.join(Step.METHODS).upper()} only")
    else:
        return True
    return False


def _followed(first: Entry, left: list[Entry], origin: str, findings: Findings) -> Visit | None:
    """Return the visit that begins with `first`, its redirects taken out of `left`; None if it cannot be sent again."""
    what = f"{first.request.method} {urlsplit(first.request.url).path}"
    last, redirects, cookies, method = first, 0, _cookies(first), first.request.method
    while last.response.status in _REDIRECTS:
        target, method = _target(last), _method_after(last.response.status, method)
        redirects += 1
        if origin_of(target) != origin:
            where = origin_of(target) or f"'{_location(last.response)}', no address"
            findings.warn(f"{what} left out: it leads to {where}, which is not followed")
            return None
        if redirects > MAX_REDIRECTS:
            findings.warn(f"{what} left out: it is redirected more than {MAX_REDIRECTS} times")
            return None
        of_method = (entry for entry in left if entry.request.method == method)
        following = next((entry for entry in of_method if urldefrag(entry.request.url)[0] == target), None)
        if following is None:
            findings.warn(f"{what}: where it leads ({urlsplit(target).path}) is not recorded, so no marker is checked")
            return Visit(first.request, first.started, last.ended, target, None, redirects, cookies)
        left.remove(following)
        last, cookies = following, cookies | _cookies(following)
    return Visit(first.request, first.started, last.ended, last.request.url, last.response, redirects, cookies)


def _method_after(status: int, method: str) -> str:
    """Return the method with which browsers and the driver follow a redirect (Fetch Standard, HTTP-redirect fetch)."""
    if (status in {301, 302} and method == "POST") or (status == 303 and method != "HEAD"):
        return "GET"
    return method


def _cookies(entry: Entry) -> dict[str, str]:
    """Return the cookies a response sets, by name; some browsers write all of them into one header."""
    headers = (each.value for each in entry.response.headers if each.name.lower() == "set-cookie")
    pairs = (line.partition(";")[0].partition("=") for lines in headers for line in lines.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip()}


def _target(entry: Entry) -> str:
    """Return the address to which a response redirects; empty where what it names is none."""
    try:
        return urldefrag(urljoin(entry.request.url, _location(entry.response)))[0]
    except ValueError:
        return ""


def _location(response: Response) -> str:
    return header(response.headers, "location") or response.redirect
