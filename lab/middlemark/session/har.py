"""The parts of a HAR 1.2 file that a session is made from; browsers add many more, which are passed over.

Source: http://www.softwareishard.com/blog/har-12-spec/. `_resourceType` is an addition of Chromium's.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from middlemark.documents import read_json
from middlemark.errors import InputError
from middlemark.session.body import sent_fields

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
# What a browser looks through for a character set (HTML Living Standard, 13.2.3.2), as base64 and a multiple of four.
_META_WITHIN = 1368
_DEVTOOLS = "WebInspector"
# Headers that its sanitized export leaves out (DevTools frontend, models/har/Log.ts).
_CREDENTIALS = frozenset({"cookie", "set-cookie", "authorization"})
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Part(BaseModel):
    """A part of the file; other keys are ignored, and one that is null is absent.

    Half a surrogate pair is U+FFFD: so a browser sends it (WHATWG Infra, "scalar value string").
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls_and_surrogates(cls, content: Any) -> Any:
        if not isinstance(content, dict):
            return content
        return {key: _scalars(value) for key, value in content.items() if value is not None}


def _scalars(value: Any) -> Any:
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) and not value.isascii() else value


class NameValue(_Part):
    """A header, or a field of a form."""

    name: str
    value: str = ""


class PostData(_Part):
    """What a request sends."""

    media_type: str = Field("", alias="mimeType")
    params: tuple[NameValue, ...] = ()
    text: str | None = None
    encoding: str | None = None


class Request(_Part):
    """What the browser sent."""

    method: str
    url: str
    headers: tuple[NameValue, ...] = ()
    post: PostData = Field(PostData(), alias="postData")

    @property
    def media_type(self) -> str:
        """Return the type of what is sent, with its parameters; empty where neither header nor body name one."""
        return header(self.headers, "content-type") or self.post.media_type

    @property
    def sent(self) -> bytes | None:
        """Return the bytes of the body; None without any, ValueError for what is not base64."""
        text = self.post.text
        if text is None or self.post.encoding != "base64":
            return None if text is None else text.encode("latin-1" if self._has_a_byte_for_each(text) else "utf-8")
        return base64.b64decode(text, validate=True)

    @property
    def body(self) -> str | None:
        """Return the body as text; None without any, ValueError for what is none."""
        return None if self.sent is None else self.sent.decode("utf-8")

    @property
    def has_lost_bytes(self) -> bool:
        """Whether the body is not the one that was sent: Chromium writes U+FFFD for bytes that are not text."""
        text = self.post.text or ""
        length = header(self.headers, "content-length") or ""
        return self.post.encoding != "base64" and "\ufffd" in text and length != str(len(text.encode("utf-8")))

    def _has_a_byte_for_each(self, text: str) -> bool:
        """Return whether each character is a byte: so Firefox and mitmproxy write what is sent with a file."""
        length = header(self.headers, "content-length") or ""
        return length == str(len(text)) and all(character <= "\xff" for character in text)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the fields of the form that is sent, of either kind; none of anything else."""
        try:
            text = self.body
        except ValueError:
            return []
        return sent_fields(text, self.media_type) if text else [(each.name, each.value) for each in self.post.params]


class Content(_Part):
    """The body of a response: text, or base64 of its bytes."""

    media_type: str = Field("", alias="mimeType")
    size: float = 0
    text: str | None = None
    encoding: str | None = None

    @property
    def is_lost(self) -> bool:
        """Whether there was a body that the recording does not hold."""
        return self.text is None and self.size > 0


class Response(_Part):
    """What the server sent back; a request that was broken off has the status 0 or -1."""

    status: int
    headers: tuple[NameValue, ...] = ()
    content: Content = Content()
    redirect: str = Field("", alias="redirectURL")

    @property
    def media_type(self) -> str:
        """Return the type of the body without its parameters, lower case."""
        named = header(self.headers, "content-type") or self.content.media_type
        return named.partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """Return the body's character set, lower case; UTF-8 when neither header nor page name one."""
        places = header(self.headers, "content-type") or "", self._begin_of_page
        named = next((found for place in places if (found := _CHARSET.search(place))), None)
        return named[1].lower() if named else "utf-8"

    @property
    def _begin_of_page(self) -> str:
        """Return the `meta` elements among the first bytes of a page, where browsers look for its character set."""
        text = self.content.text or ""
        if self.content.encoding == "base64":
            with suppress(binascii.Error):
                text = base64.b64decode(text[:_META_WITHIN]).decode("latin-1")
        return " ".join(re.findall(r"<meta\b[^>]*", text[:_META_WITHIN], re.IGNORECASE))

    @property
    def body(self) -> str | None:
        """Return the body as text; None when the recording does not hold it."""
        if self.content.text is None or self.content.encoding != "base64":
            return self.content.text
        try:
            return base64.b64decode(self.content.text).decode(self.charset, errors="replace")
        except (binascii.Error, LookupError, ValueError):  # Python has a set "undefined", which decodes nothing
            return None


class Entry(_Part):
    """One request and its response."""

    started: AwareDatetime = Field(alias="startedDateTime")
    time_ms: float = Field(0, alias="time", allow_inf_nan=False, le=1e12)
    request: Request
    response: Response
    resource: str | None = Field(None, alias="_resourceType")

    @property
    def ended(self) -> datetime:
        """Return when the last byte was there; the start where the calendar ends before."""
        with suppress(OverflowError):
            return self.started + timedelta(milliseconds=max(0, self.time_ms))
        return self.started


class _Creator(_Part):
    name: str = ""


class _Log(_Part):
    creator: _Creator = _Creator()
    entries: tuple[Entry, ...]


class _Har(_Part):
    log: _Log


@dataclass(frozen=True)
class Recording:
    """The requests of a recording in the order in which they were sent, and whether its program removed credentials."""

    entries: list[Entry]
    is_sanitized: bool


def read_har(path: Path) -> Recording:
    """Recording of a HAR file; InputError for anything else."""
    if path.suffix.lower() == ".zip":
        raise InputError(
            "this is an archive", where=str(path), todo="Record into a file that ends in .har, or unpack the archive"
        )
    log = read_json(path, _Har).log
    entries = sorted(log.entries, key=lambda entry: entry.started)
    if not entries:
        raise InputError("this recording holds no request", where=str(path), todo="Record before you open the site")
    return Recording(entries, log.creator.name == _DEVTOOLS and not any(_has_credentials(entry) for entry in entries))


def _has_credentials(entry: Entry) -> bool:
    names = {each.name.lower() for each in (*entry.request.headers, *entry.response.headers)}
    return not names.isdisjoint(_CREDENTIALS)


def header(headers: Sequence[NameValue], name: str) -> str | None:
    """Return the value of the first header of this name, None without one."""
    return next((each.value for each in headers if each.name.lower() == name.lower()), None)
