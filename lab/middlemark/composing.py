"""Composes YAML that anybody may have written: within bounds, and with a place for every mistake."""

from __future__ import annotations

from typing import Any, cast

import yaml
from yaml.composer import Composer, ComposerError
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent

# No file of the formats read here comes near; the parsers and pydantic recurse, libyaml until the process crashes.
MAX_LEVELS = 100
# Nested aliases can stand for more values than fit into any memory ("a billion laughs").
MAX_FROM_ALIASES = 100_000


class _Bounded(Composer):
    """Composes nodes like PyYAML, but not deeper than some levels and not more by aliases than some values."""

    def __init__(self) -> None:
        Composer.__init__(self)  # the next class in line is a loader, which wants the text
        self._level = 0
        self._count = 0
        self._from_aliases = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node and what is in it; ComposerError with its place beyond the bounds."""
        event = self.peek_event()  # type: ignore[attr-defined] # the parser's
        if isinstance(event, AliasEvent):
            return self._alias(super().compose_node(parent, index), event)
        if self._level == MAX_LEVELS:
            raise _refused(event, f"more than {MAX_LEVELS} levels")
        self._level += 1
        before = self._count
        self._count += 1
        node = super().compose_node(parent, index)
        self._level -= 1
        self._sizes[id(node)] = self._count - before
        return node

    def _alias(self, node: yaml.Node | None, event: AliasEvent) -> yaml.Node | None:
        if id(node) not in self._sizes:
            raise _refused(event, f"the alias '*{event.anchor}' stands for what it is in")
        size = self._sizes[id(node)]
        self._count += size
        self._from_aliases += size
        if self._from_aliases > MAX_FROM_ALIASES:
            raise _refused(event, f"aliases stand for more than {MAX_FROM_ALIASES:,} values")
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: FBT001, FBT002 (PyYAML's signature)
        """Construct the value of a node; ConstructorError with its place when PyYAML only fails, as for 2026-02-30."""
        try:
            return super().construct_object(node, deep)  # type: ignore[misc]
        except (ValueError, KeyError, AttributeError, OverflowError) as error:
            kind = node.tag.rpartition(":")[2]
            raise ConstructorError(
                None, None, f"this is not a valid {kind}; put text between quotes", node.start_mark
            ) from error


class ExplainingLoader(_Bounded, yaml.SafeLoader):
    """PyYAML's own parser, which says best what is wrong."""

    def __init__(self, text: str) -> None:
        yaml.SafeLoader.__init__(self, text)
        _Bounded.__init__(self)


class FastLoader(_Bounded, yaml.CSafeLoader):
    """The parser of libyaml."""

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        _Bounded.__init__(self)


def _refused(event: yaml.Event, reason: str) -> ComposerError:
    return ComposerError(None, None, reason, cast("yaml.Mark", event.start_mark))
