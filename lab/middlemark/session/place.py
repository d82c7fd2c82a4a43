"""Places in a response where a value stands, as captures by which the driver finds it."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from middlemark.session.page import Address, Field, Page
from middlemark.workload.step import Capture

_MAX_CONTEXT = 60
_AFTER = re.compile(r"</\w+>|[^\w\s]")


def value_at(capture: Capture, body: str) -> str | None:
    """Return what the driver would capture from `body`: the first match; nothing by bytes that are unknown (U+FFFD)."""
    if "\ufffd" in (capture.regex or "".join(capture.between or ())):
        return None
    if capture.regex is not None:
        match = re.search(capture.regex, body)
        return match[1] if match else None
    if capture.between is not None:
        _, left, after = body.partition(capture.between[0])
        value, right, _ = after.partition(capture.between[1])
        return value if left and right else None
    return None


def places_of_field(page: Page, field: Field) -> list[Capture]:
    """Return where the value of a field stands, the plainest place first; none when its tag cannot be distinguished.

    The first finds it in a page whose first field of this name it is, the second in the first form of its kind.
    """
    plain = _in_tag(field)
    if plain is None:
        return []
    form = page.forms[field.form] if field.form >= 0 else None
    if form is None or not form.value:
        return [plain]
    opening = f"<form\\b[^>]*\\saction=[\"']?{_without_numbers(_attribute(form.tag, 'action') or '')}[\"'\\s>]"
    regex = plain.regex or f"{_escaped(plain.between[0])}([^{plain.between[1]}]*)" if plain.between else plain.regex
    return [plain, Capture(regex=f"(?s){opening}.*?{regex}")]


def place_of_part(address: Address, part: str) -> Capture | None:
    """Return where a part of an address (a query's value, a segment of the path) stands; None if it is not found."""
    written = _attribute(address.tag, address.attribute)
    if written is None or part not in written:
        return None
    before, _, after = written.rpartition(part)
    if before[-1:] not in {"=", "/"} or (after and after[0] not in "/?&#"):
        return None
    ending = _escaped(after[0]) if after else "[\"'\\s>]"
    return Capture(regex=f"\\s{address.attribute}=[\"']?{_without_numbers(before)}([^\"'\\s>/?&#]+){ending}")


def places_in_text(body: str, value: str) -> Iterator[tuple[str, Capture]]:
    """Yield each place where `value` stands alone in `body`, with what stands before it there."""
    seen: set[tuple[str, str]] = set()
    for match in re.finditer(rf"(?<![\w.-]){re.escape(value)}(?![\w.-])", body):
        left = _context(body, match.start())
        after = _AFTER.match(body, match.end())
        if left and after and (left, after[0]) not in seen and not re.search(r"\d\d", left):
            seen.add((left, after[0]))
            yield left, Capture(between=(left, after[0]))


def values_in_json(body: str) -> Iterator[tuple[str, str, str]]:
    """Yield each text and whole number of the JSON `body` with its key and pointer; nothing for anything but JSON."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return
    waiting: deque[tuple[str, str, Any]] = deque([("", "", content)])
    while waiting:
        pointer, key, part = waiting.popleft()
        if isinstance(part, dict):
            waiting += [(f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", name, part[name]) for name in part]
        elif isinstance(part, list):
            waiting += [(f"{pointer}/{index}", key, item) for index, item in enumerate(part)]
        elif isinstance(part, str | int) and not isinstance(part, bool) and pointer:
            yield key, pointer, str(part)


def _in_tag(field: Field) -> Capture | None:
    if field.kind == "textarea":
        return Capture(between=(field.tag, "</textarea>"))
    attribute = "content" if field.kind == "meta" else "value"
    value = re.search(rf"\s{attribute}\s*=\s*([\"']?)", field.tag, re.IGNORECASE)
    written = re.escape(field.name)
    name = re.search(rf"\sname\s*=\s*(?:([\"']){written}\1|{written}(?=[\s>]))", field.tag, re.IGNORECASE)
    if value is None or name is None:
        return None
    quote = value[1]
    if not quote:
        return _unquoted(field.tag, name, value)
    if name.end() > value.start():
        element = re.match(r"<\w+", field.tag)
        opening = element[0] if element else "<"
        return Capture(regex=f"{opening}\\b[^>]*?{_escaped(value[0])}([^{quote}]*){quote}[^>]*?{_escaped(name[0])}")
    if re.search(r"\d", field.tag[name.end() : value.start()]):
        return Capture(regex=f"{_escaped(name[0])}[^>]*?{_escaped(value[0])}([^{quote}]*){quote}")
    return Capture(between=(field.tag[name.start() + 1 : value.end()], quote))


def _unquoted(tag: str, name: re.Match[str], value: re.Match[str]) -> Capture:
    """Return where the value stands that a blank or the end of the tag ends."""
    inside = f"{_escaped(value[0])}([^\\s\"'>]+)"
    if name.end() > value.start():
        element = re.match(r"<\w+", tag)
        opening = element[0] if element else "<"
        return Capture(regex=f"{opening}\\b[^>]*?{inside}[^>]*?{_escaped(name[0])}")
    return Capture(regex=f"{_escaped(name[0])}[^>]*?{inside}")


def _attribute(tag: str, name: str) -> str | None:
    """Return what stands in an attribute, as it stands there."""
    found = re.search(rf"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", tag, re.IGNORECASE)
    return next((text for text in found.groups() if text is not None), None) if found else None


def _without_numbers(text: str) -> str:
    """Return the pattern of a part of an address in which other numbers may stand the next time."""
    parts = re.split(r"([/?&=])", text)
    return "".join("[^\"'\\s>/?&#]+" if re.search(r"\d", part) else _escaped(part) for part in parts)


def _context(body: str, end: int) -> str:
    """Return what stands before `end`: the tag or attribute it follows, or the line."""
    begin = max(0, end - 400)
    line = body[max(begin, body.rfind("\n", begin, end) + 1) : end]
    opened = line.rfind("<")
    if opened >= 0 and ">" not in line[opened:]:
        attribute = re.search(r"[\w-]+\s*=\s*[\"'][^\"'<>]*\Z", line)
        return attribute[0] if attribute else ""
    return line[opened:] if opened >= 0 else line[-_MAX_CONTEXT:].lstrip()


def _escaped(text: str) -> str:
    """Return the pattern that means `text` for the driver as for Python, which escapes blanks needlessly."""
    return re.escape(text).replace("\\ ", " ")
