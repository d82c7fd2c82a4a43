"""A browser without a screen: requests over kept-alive connections, with cookies of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import quote, urlencode

import httpx

from middlemark.conformance.failure import StepFailed

SECONDS_TO_ANSWER = 30.0
FORM = "application/x-www-form-urlencoded"
_SESSION = "session"
_LEAST_LENGTH = 22  # 128 bits in Base64, the densest way to write them in a cookie
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

    def __init__(self, client: httpx.Client, address: str, cookies: Mapping[str, str] | None = None) -> None:
        self._client = client
        self._address = httpx.URL(address)
        self.cookies = dict(cookies or {})
        self.user: str | None = None

    def copy(self) -> Browser:
        """Return a browser with the same cookies, which goes its own way from now on."""
        other = Browser(self._client, str(self._address), self.cookies)
        other.user = self.user
        return other

    def log_in(self, user: str) -> None:
        """Log a user in with the password of the data set; StepFailed when that is refused."""
        answer = self.send(form_of("/login", [("user_id", user), ("password", "xxx")]))
        if answer.status_code != 303:
            raise StepFailed(f"{user} cannot log in: expected status 303, came {answer.status_code}")
        self.user = user

    def send(self, request: Request) -> httpx.Response:
        """Send the request and keep the cookies of the answer; StepFailed without one. Redirects are not followed."""
        # As the target of the request line the path stays as it is; an httpx.URL would be cleaned of `..` and `//`.
        target = {"target": request.path.encode()}
        headers = {"accept-encoding": "identity", **request.headers}
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            answer = self._client.request(
                request.method, self._address, headers=headers, content=request.body, extensions=target
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise StepFailed(
                f"{request.method} {request.path}: expected an answer, came none ({error or type(error).__name__})"
            ) from error
        for cookie in answer.headers.get_list("set-cookie"):
            self._keep(cookie)
        return answer

    def _keep(self, cookie: str) -> None:
        pair, *attributes = cookie.split(";")
        name, _, value = pair.strip().partition("=")
        if not value or any(re.fullmatch(r"\s*max-age=(0|-\d+)\s*", one, re.IGNORECASE) for one in attributes):
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


def browser_path(path: str) -> str:
    """Return a path as a browser sends it: what no address may hold is percent-encoded."""
    return quote(path, safe=_AS_A_BROWSER_SENDS)


def form_of(path: str, fields: Sequence[tuple[str, str]], headers: Mapping[str, str] | None = None) -> Request:
    """Return the request a browser makes of a form."""
    return Request("POST", path, {"content-type": FORM, **(headers or {})}, urlencode(fields).encode())


def cookie_fault(cookie: str) -> str | None:
    """Say what is wrong with a Set-Cookie header (specs/README.md, Web session), None when nothing is."""
    pair, *rest = cookie.split(";")
    name, _, value = pair.strip().partition("=")
    attributes = {one.strip().lower() for one in rest}
    if name != _SESSION:
        return f"expected no cookie but '{_SESSION}', came '{name}'"
    missing = {"httponly", "samesite=lax", "path=/"} - attributes
    if missing:
        return f"expected the cookie with {', '.join(sorted(missing))}, came {cookie}"
    if value and len(value) < _LEAST_LENGTH and "max-age=0" not in attributes:
        return f"expected a cookie of at least 128 bits, came {len(value)} characters"
    return None


def open_client(address: str) -> httpx.Client:
    """Return the client whose connections all browsers of one application share."""
    verify = address.startswith("https://")  # reading the system's certificates takes longer than most cases
    # The client itself keeps no cookie: many browsers share it.
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    return httpx.Client(
        cookies=no_cookies, verify=verify, timeout=SECONDS_TO_ANSWER, trust_env=False, follow_redirects=False
    )
