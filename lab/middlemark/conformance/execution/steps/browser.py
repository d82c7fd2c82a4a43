"""A browser without a screen: requests over kept-alive connections, with cookies of its own."""

from __future__ import annotations

import math
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx

from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import HttpVersion
from middlemark.conformance.execution.steps.http_1_0 import Http10Transport
from middlemark.conformance.failure import StepFailed
from middlemark.specification.pages import Cookie, Login
from middlemark.topology.certificate import Certificate

RESPONSE_SECONDS = 30.0
FORM = "application/x-www-form-urlencoded"
_BITS_OF_A_CHARACTER = 6  # Base64, the densest way to write random bits in a cookie
_AS_A_BROWSER_SENDS = "!$%&'()*+,/:;=?@[]~\\^`{|}"


@dataclass(frozen=True)
class Request:
    """What is sent; `path` with query, byte for byte."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class Browser:
    """One browser at one address. `user` is who has logged in with `log_in`."""

    def __init__(self, client: httpx.Client, address: str, cookies: httpx.Cookies | None = None) -> None:
        self._client = client
        self._address = httpx.URL(address)
        self._cookies = httpx.Cookies(cookies)
        self.user: str | None = None

    def at(self, client: httpx.Client, address: str) -> Browser:
        """Return the same browser at another address: both have the same cookies."""
        other = Browser(client, address)
        other._cookies, other.user = self._cookies, self.user
        return other

    def copy(self) -> Browser:
        """Return a browser with the same cookies, which goes its own way from now on."""
        other = Browser(self._client, str(self._address), self._cookies)
        other.user = self.user
        return other

    def log_in(self, user: str, login: Login) -> None:
        """Log a user in as the specification says; StepFailed when that is refused."""
        fields = [(name, filled(text, {"user": user})) for name, text in login.form.items()]
        response = self.send(form_of(login.post, fields, {}))
        if response.status_code != login.status:
            what = f"{user} cannot log in: expected status {login.status}, found {response.status_code}"
            raise StepFailed(what, passing=response.status_code == httpx.codes.SERVICE_UNAVAILABLE)
        self.user = user

    def send(self, request: Request) -> httpx.Response:
        """Send the request and keep the cookies of the response; StepFailed without one. Redirects are not followed."""
        # As the target of the request line the path stays as it is; an httpx.URL would be cleaned of `..` and `//`.
        target = {"target": request.path.encode()}
        headers = {"accept-encoding": "identity", **request.headers}
        try:
            outgoing = self._client.build_request(
                request.method, self._address, headers=headers, content=request.body, extensions=target
            )
            self._cookies.set_cookie_header(outgoing)
            response = self._client.send(outgoing)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise StepFailed(
                f"{request.method} {request.path}: expected a response, found none ({error or type(error).__name__})",
                passing=isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError),
            ) from error
        self._cookies.extract_cookies(response)
        return response


def browser_path(path: str) -> str:
    """Return a path as a browser sends it: what no address may hold is percent-encoded."""
    return quote(path, safe=_AS_A_BROWSER_SENDS)


def form_of(path: str, fields: Sequence[tuple[str, str]], headers: Mapping[str, str]) -> Request:
    """Return the request a browser makes of a form; `headers` are further ones."""
    return Request("POST", path, {"content-type": FORM, **headers}, urlencode(fields).encode())


def cookie_fault(header: str, allowed: Cookie | None) -> str | None:
    """Say what is wrong with a Set-Cookie header (`[pages.cookie]` of spec.toml), None when nothing is."""
    pair, *rest = header.split(";")
    name, _, value = pair.strip().partition("=")
    attributes = {one.strip().lower() for one in rest}
    but = f" but '{allowed.name}'" if allowed else ""
    if allowed is None or name != allowed.name:
        return f"expected no cookie{but}, found '{name}'"
    missing = {"httponly", "samesite=lax", "path=/"} - attributes
    if missing:
        return f"expected the cookie with {', '.join(sorted(missing))}, found {header}"
    if value and len(value) < math.ceil(allowed.least_bits / _BITS_OF_A_CHARACTER) and "max-age=0" not in attributes:
        return f"expected a cookie of at least {allowed.least_bits} bits, found {len(value)} characters"
    return None


def open_client(
    address: str,
    trusted: Path | None = None,
    version: HttpVersion = HttpVersion.KEPT_ALIVE,
    own: Certificate | None = None,
) -> httpx.Client:
    """Return the client whose connections all browsers of one application share.

    Over https it trusts the authorities of the system, or `trusted` alone, and shows its `own` certificate where it has
    one. In HTTP/1.0 nothing is kept alive.
    """
    # Reading the system's certificates takes longer than most cases.
    trust = ssl.create_default_context(cafile=trusted) if address.startswith("https://") else None
    if trust and own:
        trust.load_cert_chain(own.certificate, own.key)
    if trust and trusted:
        # By its address alone an application shows its own certificate, and not the authority's.
        trust.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    # The client itself keeps no cookie: many browsers share it.
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    return httpx.Client(
        cookies=no_cookies,
        verify=trust or False,
        timeout=RESPONSE_SECONDS,
        trust_env=False,
        follow_redirects=False,
        transport=Http10Transport(RESPONSE_SECONDS, trust) if version is HttpVersion.ONE_REQUEST else None,
    )
