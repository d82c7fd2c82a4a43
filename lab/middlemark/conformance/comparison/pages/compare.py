"""Compares a page with its canonical file: element by element, and in size."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from middlemark.conformance.comparison.pages.canonical import PAGES, read_pages
from middlemark.conformance.comparison.pages.document import Page, parse
from middlemark.conformance.comparison.pages.outline import Line, first_difference, outline
from middlemark.conformance.comparison.pages.volatile import Judge, replace_volatile
from middlemark.errors import InputError

_MAX_DEVIATION = 0.05


@dataclass(frozen=True)
class Normalised:
    """A page with its volatile values replaced: its lines, how many nodes were replaced, what is wrong with those.

    `size` is that of the page in bytes without the replaced values.
    """

    lines: list[Line]
    replaced: int
    size: int
    wrong: tuple[str, ...]


def normalised(page: Page, folder: Path, judge: Judge | None) -> Normalised:
    """Replace a page's volatile values, each held against what the judge knows; the page itself stays as it is.

    `folder` is the specification's.
    """
    definition = read_pages(folder)
    own = Page(copy.deepcopy(page.root), page.doctype, page.size)
    replaced = replace_volatile(own, definition.volatile if definition else (), judge)
    return Normalised(outline(own), replaced.nodes, page.size - replaced.size, replaced.wrong)


@cache
def canonical(folder: Path, file: str) -> Normalised:
    """Return the canonical page of that file; InputError when it is not there or not HTML5."""
    path = folder / PAGES / file
    try:
        page, errors = parse(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read this canonical page ({error.strerror})", where=str(path)) from error
    if errors:
        raise InputError(f"this canonical page is not HTML5: {errors[0]}", where=str(path))
    return normalised(page, folder, None)


def unlike_canonical(page: Normalised, folder: Path, file: str) -> str | None:
    """Say where a page is not the canonical one, None when it is: an element, a value, or the size."""
    wanted = canonical(folder, file)
    found = first_difference(wanted.lines, page.lines)
    if found:
        return f"not the page {file}: {found}"
    deviation = abs(page.size / wanted.size - 1)
    if deviation > _MAX_DEVIATION:
        return (
            f"not the size of the page {file}: expected {wanted.size} bytes ± {_MAX_DEVIATION:.0%}, "
            f"found {page.size} (without {page.replaced} replaced values)"
        )
    return None
