"""Recordings from plausible to odd, drawn by hypothesis: what browsers, proxies, scripts and damaged disks leave."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

from hypothesis import strategies as st

# Few of each, so that a value which one response gives is sent by a later request.
_TOKENS = ["aB3x", "9f3a7c1e5b2d4860", "17", "c-4711-77", "7", "uid:7", "x" * 40, "é", "a b", "1e5", "a.b", "${x}", "'"]
_NAMES = ["token", "csrf-token", "X-CSRF-Token", "id", "item", "item_id", "access_token", "q", "_method", "1", "a b"]
_PATHS = ["/", "/items", "/items/17", "/items/c-4711-77/edit", "/a b", "/ü", "//x", "/%zz", "/a;b=1", "/x.css", "/$%7B"]
_SITES = ["", "", "", "http://shop.test", "http://shop.test:80", "https://shop.test", "http://www.shop.test"]
_ODD_ADDRESSES = [
    "", "about:blank", "data:text/html,x", "http://[bad/", "http://shop.test:99999/", "http://shop.test:x/",
    "ws://shop.test/",
    "HTTP://SHOP.TEST/x", "http://user:pass@shop.test/", "http://shop.test", "//shop.test/", "http://sh\u00f6p.test/",
    "http://shop.test/\ud800", "http://shop.test/\x00", "chrome-extension://x/", "http://shop.test/a\nb",
    "http://[::1]:80/",
]  # fmt: skip
_MEDIA = [
    "text/html", "text/html; charset=utf-8", "text/html; charset=iso-8859-1", "text/html; charset=undefined",
    "application/json",
    "application/problem+json", "text/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
    "image/png",
    "multipart/form-data", 'TEXT/HTML;CHARSET="UTF-16"', "text/plain; charset=idna", "text/html; charset=base64",
    "x", "", ";",
]  # fmt: skip
_HEADERS = [
    *_NAMES, "Authorization", "Cookie", "Set-Cookie", "Content-Type", "Location", "X-A", "", "Host", ":path",
    "Purpose", "Ä", "X\nY",
]  # fmt: skip
_RESOURCES = ["document", "xhr", "fetch", "image", "ping", "websocket", "script", "other", ""]
_TIMES = [
    "2026-01-31T08:00:00.000Z",
    "2026-01-31T08:00:01+01:00",
    "2026-01-31T08:00:02.123456Z",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00+14:00",
]
_STATUSES = [200, 200, 200, 201, 204, 206, 301, 302, 303, 304, 307, 308, 400, 404, 500, 0, -1, 101, 599, 600, 999, 1000]
_ODD: list[Any] = [
    None, True, False, 0, -1, 1e308, 10**400, 2**63, 0.1, "", " ", "\x00", "\ud800", "\udc00x", "a\u2028b\r\n",
    "\ufeff", "${", "$${x}",
    "#", "- a: [", "'\"", "{{}}", [], {}, [[]], [{}], {"": None}, {"name": 1, "value": []}, "x" * 3000, "\U0001f375",
    "%", "=", "&&",
]  # fmt: skip

token = st.sampled_from(_TOKENS) | st.text(st.characters(codec=None), max_size=6)
name = st.sampled_from(_NAMES) | st.text(max_size=4)
media = st.sampled_from(_MEDIA)


def _address() -> st.SearchStrategy[str]:
    query = st.lists(st.tuples(name, token), max_size=3).map(lambda pairs: "&".join(f"{a}={b}" for a, b in pairs))
    written = st.tuples(st.sampled_from(_SITES), st.sampled_from(_PATHS), query)
    usual = written.map(
        lambda parts: (parts[0] or "http://shop.test") + parts[1] + ("?" + parts[2] if parts[2] else "")
    )
    return usual | usual | usual | st.sampled_from(_ODD_ADDRESSES)


def _tag() -> st.SearchStrategy[str]:
    quoted = st.sampled_from(["'{}'", '"{}"', "{}"])
    patterns = st.sampled_from(
        [
            "<input type=hidden name={0} value={1}>", "<input value={1} name={0}/>", "<meta name={0} content={1}>",
            "<a href=/items/{1}>x</a>", '<a href="/items?{0}={1}&x=2">x</a>', "<form action=/items/{1} method=post>",
            "</form>",
            "<textarea name={0}>{1}</textarea>", "<h1>{1}</h1>", "<title>{0} {1}</title>", "<p class={0}>{1}</p>",
            "<![{0}[{1}]]>",
            "<!--{1}", "<!doctype {0}>", "<button name={0} value={1}>", "<script>{0}='{1}'</script>", "&{0};&#x{1};",
            "<input type=password name={0}>",
            "<meta charset={1}>", "<h2>{0}\n{1}", "<base href={1}>", "<textarea name={0}>", "<{0} {1}=>",
        ]
    )  # fmt: skip
    return st.builds(lambda p, q, n, t: p.format(n, q.format(t)), patterns, quoted, name, token)


def _json_value() -> st.SearchStrategy[Any]:
    """Draw what JSON can hold, lone surrogates and huge numbers included."""
    leaves = token | st.sampled_from(_ODD) | st.integers() | st.floats()
    return st.recursive(
        leaves, lambda below: st.lists(below, max_size=3) | st.dictionaries(name, below, max_size=3), max_leaves=6
    )


def _text() -> st.SearchStrategy[str]:
    page = st.lists(_TAG, max_size=6).map("\n".join)
    form = st.lists(st.tuples(name, token), max_size=4).map(lambda pairs: "&".join(f"{a}={b}" for a, b in pairs))
    document = _JSON.map(json.dumps)
    part = st.builds('--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'.format, name, token)
    parts = st.lists(part, max_size=3).map(lambda written: "".join([*written, "--b--\r\n"]))
    deep = st.sampled_from(
        ["[" * 3000 + "]" * 3000, "[" * 3000, '{"a":' * 3000, "<a>" * 3000, '{"a": 1, "a": 2}', '"\\ud800"']
    )
    return page | form | document | parts | deep | st.sampled_from(["", "\ufeff{}", "<a>1</a>", "NaN", "7|0|x"]) | token


# Made once: hypothesis looks through each strategy when it first draws of it.
_ADDRESS, _TAG, _JSON = _address(), _tag(), _json_value()
_TEXT = _text()
_PAIRS = st.lists(st.tuples(st.sampled_from(_HEADERS), token | media | _ADDRESS), max_size=4)
_REDIRECT = st.just("") | _ADDRESS
_REPLACEMENT = st.sampled_from(_ODD) | _JSON


@st.composite
def _content(draw: st.DrawFn) -> dict[str, Any]:
    content: dict[str, Any] = {"mimeType": draw(media), "text": draw(_TEXT)}
    match draw(st.integers(0, 9)):
        case 0:
            content |= {"text": base64.b64encode(draw(st.binary(max_size=40))).decode(), "encoding": "base64"}
        case 1:
            raw = content["text"].encode("utf-8", "surrogatepass")
            content |= {"text": base64.b64encode(raw).decode(), "encoding": "base64"}
        case 2:
            content |= {"encoding": draw(st.sampled_from(["base64", "gzip", ""]))}
        case 3:
            content |= {"params": [{"name": draw(name), "value": draw(token), "fileName": "a.png"}]}
    return content


@st.composite
def _headers(draw: st.DrawFn) -> list[dict[str, Any]]:
    pairs = draw(_PAIRS)
    bearer, cookie = draw(token), draw(token)
    odd = {"Authorization": f"Bearer {bearer}", "Set-Cookie": f"XSRF-TOKEN={cookie}; Path=/\nother={bearer}"}
    return [{"name": key, "value": odd.get(key, value) if len(value) % 2 else value} for key, value in pairs]


@st.composite
def _entry(draw: st.DrawFn) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": draw(
            st.sampled_from(["GET", "GET", "POST", "POST", "PUT", "DELETE", "PATCH", "HEAD", "get", "CONNECT"])
        ),
        "url": draw(_ADDRESS),
        "headers": draw(_headers()),
    }
    if draw(st.booleans()):
        content = draw(_content())
        request["postData"] = content
        request["headers"].append({"name": "Content-Length", "value": str(len(content["text"]))})
    return {
        "startedDateTime": draw(st.sampled_from(_TIMES)),
        "time": draw(st.sampled_from([0, 100, -1, 0.5, 1e12])),
        "_resourceType": draw(st.sampled_from(_RESOURCES)),
        "request": request,
        "response": {
            "status": draw(st.sampled_from(_STATUSES)),
            "headers": draw(_headers()),
            "content": draw(_content()),
            "redirectURL": draw(_REDIRECT),
        },
    }


def _places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *(place for key, inside in below for place in _places(inside, (*path, key)))]


@st.composite
def recordings(draw: st.DrawFn) -> bytes:
    """Draw the bytes of a recording: plausible entries, then up to three parts replaced or left out."""
    entries = [draw(_entry()) for _ in range(draw(st.integers(1, 6)))]
    har: Any = {"log": {"version": "1.2", "entries": entries}}
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2, 3]))):
        places = [place for place in _places(har) if place]
        if not places:
            break
        *path, key = draw(st.sampled_from(places))
        part = har
        for step in path:
            part = part[step]
        if draw(st.booleans()):
            # A copy: a later part may be replaced inside it, and what is drawn must not depend on earlier recordings.
            part[key] = copy.deepcopy(draw(_REPLACEMENT))
        else:
            del part[key]
    return json.dumps(har).encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Draw a recording of which bytes are missing, doubled or others."""
    raw = bytearray(draw(recordings()))
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(raw)))
        end = min(len(raw), begin + draw(st.sampled_from([0, 1, 1, 5, 50])))
        raw[begin:end] = draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"\\", b"}", b"\xef\xbb\xbf", raw[begin:end] * 2])
        )
    if draw(st.integers(0, 4)) == 0:
        del raw[draw(st.integers(0, len(raw))) :]
    return bytes(raw)
