"""Every relative link in the Markdown leads to a file, and its anchor to a heading."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def dead_links(root: Path) -> list[str]:
    """Return `file: link` for each relative link in a Markdown file that leads nowhere."""
    return [
        f"{page.relative_to(root)}: {link}"
        for page in files(root, ".md")
        for link in _links(read(page))
        if not _leads_somewhere(page, link)
    ]


def _links(text: str) -> list[str]:
    prose = _CODE.sub("", _FENCE.sub("", text))
    found = (match[1] or match[2] for match in _LINK.finditer(prose))
    return [link for link in found if not _ELSEWHERE.match(link)]


def _leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = unquote(link).partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in _anchors(read(target))


def _anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, made as GitHub makes them: a repeated one gets -1, -2 …."""
    anchors: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = unique = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = 0
        while unique in anchors:
            count += 1
            unique = f"{anchor}-{count}"
        anchors.add(unique)
    return anchors


def test_no_link_is_dead() -> None:
    assert dead_links(REPOSITORY) == []


def test_a_link_to_a_missing_file_is_found(plant: Plant) -> None:
    root = plant({"docs/a.md": "See [b](b.md) and [c](../c.md#here).", "c.md": "# Here"})
    assert dead_links(root) == ["docs/a.md: b.md"]


def test_a_link_to_a_missing_heading_is_found(plant: Plant) -> None:
    root = plant(
        {"a.md": "[one](b.md#the-one) [again](b.md#the-one-1) [two](#two)", "b.md": "# The `one`!\n## The one"}
    )
    assert dead_links(root) == ["a.md: #two"]


def test_code_and_addresses_are_no_links(plant: Plant) -> None:
    root = plant({"a.md": "`[x](y)` [z](https://example.org)\n```\n[x](y)\n```\n"})
    assert dead_links(root) == []
