"""Recorded bodies as templates, of which everything stays as it was but the values that names stand for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from middlemark.steps.template import literal

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
# What browsers, scripts and libraries leave as it is in a form; anything else in a text shows that it is none.
_FORM_TEXT = re.compile(r"[A-Za-z0-9*._~!'(),:;/?@$\[\]+%&=-]*")
_BOUNDARY = re.compile(r"boundary\s*=\s*(?:\"([^\"]+)\"|([^\s\";]+))", re.IGNORECASE)
_FIELD_NAME = re.compile(r"content-disposition:[^\r\n]*?;\s*name=\"([^\"\r\n]*)\"", re.IGNORECASE)
_FILE_NAME = re.compile(r"content-disposition:[^\r\n]*;\s*filename\*?=\"?([^\"\r\n]*)", re.IGNORECASE)
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(?P<key>\s*:)?|-?\d+(?P<fraction>\.\d+)?(?P<power>[eE][+-]?\d+)?|[{}]')


def form_fields(text: str) -> list[tuple[str, str]] | None:
    """Return the fields of a form; None for a text that is none, or would be sent otherwise than it is written.

    Other spellings of the same byte (`%2f`, `%2F`, `/`) are the same to every server.
    """
    pairs = [pair.partition("=") for pair in text.split("&")]
    if not _FORM_TEXT.fullmatch(text) or not all(equals for _, equals, _ in pairs):
        return None
    try:
        return [(_decoded(name), _decoded(value)) for name, _, value in pairs]
    except UnicodeDecodeError:
        return None


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8")


def json_body(text: str, template: Callable[[str, str], str]) -> str:
    """Return the template of a JSON text: `template(key, value)` stands for a text or whole number where it is a name.

    Everything else stays as it is written: other numbers, blanks, keys that come twice.
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return literal(text)
    parts, end = list[str](), 0
    keys = [""]
    for token in _JSON_TOKEN.finditer(text):
        written = token[0]
        if written == "{":
            keys.append("")
        elif written == "}":
            keys.pop()
        elif token["key"]:
            keys[-1] = json.loads(written.removesuffix(token["key"]))
        elif not token["fraction"] and not token["power"]:
            is_text = written.startswith('"')
            value = json.loads(written) if is_text else written
            inserted = template(keys[-1], value) if value else ""
            if inserted.startswith("${"):
                parts += [literal(text[end : token.start()]), f'"{inserted}"' if is_text else inserted]
                end = token.end()
    return "".join([*parts, literal(text[end:])])


@dataclass(frozen=True)
class Multipart:
    """The template of a form with files: all of it as it is written but the values of fields that are names."""

    template: str
    fields: tuple[str, ...]
    files: tuple[str, ...]


def multipart_body(text: str, media_type: str, template: Callable[[str, str], str]) -> Multipart | None:
    """Return a body of `multipart/form-data` (RFC 7578) as a template; None for a text that is none."""
    named = _BOUNDARY.search(media_type)
    boundary = "--" + (named[1] or named[2]) if named else ""
    begin, *parts = text.split(boundary) if boundary else [text]
    if begin or not parts or not parts[-1].startswith("--"):
        return None
    written, fields, files = list[str](), list[str](), list[str]()
    for part in parts[:-1]:
        head, blank, value = part.partition("\r\n\r\n")
        name, file = _FIELD_NAME.search(head), _FILE_NAME.search(head)
        if not (blank and name and value.endswith("\r\n")):
            return None
        if file is None:
            fields.append(name[1])
            written.append(literal(head + blank) + template(name[1], value.removesuffix("\r\n")) + "\r\n")
        else:
            files.append(file[1])
            written.append(literal(part))
    return Multipart(literal(boundary).join(["", *written, literal(parts[-1])]), tuple(fields), tuple(files))


def sent_fields(text: str, media_type: str) -> list[tuple[str, str]]:
    """Return the fields of a form of either kind; none of any other text."""
    fields: list[tuple[str, str]] = []

    def kept(name: str, value: str) -> str:
        fields.append((name, value))
        return ""

    return (form_fields(text) or []) if multipart_body(text, media_type, kept) is None else fields
