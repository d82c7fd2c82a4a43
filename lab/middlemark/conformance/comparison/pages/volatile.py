"""Replaces the values a specification lists as volatile, each held against its pattern and what determines it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from middlemark.conformance.comparison.pages.canonical import Volatile
from middlemark.conformance.comparison.pages.document import Page, collapsed, path_of

Judge = Callable[[Volatile, str], str | None]
"""Says what is wrong with a replaced value, None when nothing is."""


@dataclass(frozen=True)
class Replaced:
    """How many nodes were replaced, their bytes in the page, and what was wrong with the values."""

    nodes: int
    size: int
    wrong: tuple[str, ...]


def replace_volatile(page: Page, volatiles: Sequence[Volatile], judge: Judge | None) -> Replaced:
    """Replace the volatile values in the tree. Without a judge (a canonical page) only the patterns decide."""
    nodes = size = 0
    wrong: list[str] = []
    for volatile in volatiles:
        found = list(_matching(page, volatile))
        numbers = _numbers(value for _, value in found) if volatile.numbered else {}
        for element, value in found:
            fault = judge(volatile, value) if judge and not volatile.optional else None
            if fault:
                wrong.append(f"{path_of(element)}: {fault}")
            _replace(element, volatile, f"volatile {numbers[value]}" if value in numbers else "volatile")
            nodes += 1
            size += _bytes(volatile, value)
    return Replaced(nodes, size, tuple(wrong))


def _matching(page: Page, volatile: Volatile) -> Iterator[tuple[etree._Element, str]]:
    for element in page.at(volatile.selector):
        value = element.get(volatile.attribute) if volatile.attribute else collapsed(element.text or "")
        if value is not None and (volatile.optional or re.fullmatch(volatile.pattern or "", value)):
            yield element, value


def _replace(element: etree._Element, volatile: Volatile, by: str) -> None:
    if volatile.attribute is None:
        element.text = by
    elif volatile.optional:
        del element.attrib[volatile.attribute]
    else:
        element.set(volatile.attribute, by)


def _bytes(volatile: Volatile, value: str) -> int:
    """Return what the value takes in the page; an attribute left out takes its name and a blank, too."""
    size = len(value.encode())
    if volatile.optional and volatile.attribute:
        return len(volatile.attribute) + 1 + (size + len('=""') if value else 0)
    return size


def _numbers(values: Iterable[str]) -> dict[str, int]:
    """Number the values in the order in which they appear: which ids an application draws is open."""
    return {value: number for number, value in enumerate(dict.fromkeys(values), start=1)}
