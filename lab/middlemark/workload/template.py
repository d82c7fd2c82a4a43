"""Texts with `${name}` in them; `$${` is a plain `${`."""

from __future__ import annotations

import re

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_PLACE = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")


def names_in(template: str) -> list[str]:
    """Return the names that stand in `template`, in order; raise ValueError for a place that is not a name."""
    names: list[str] = []
    for match in _PLACE.finditer(template):
        if match[0] == "$${":
            continue
        if not match[2]:
            raise ValueError(f"'{template}' has a ${{ without }}; for a plain ${{ write $${{")
        if not NAME.match(match[1]):
            raise ValueError(f"'${{{match[1]}}}' is no name; a name is letters, digits, - and _, for example ${{user}}")
        names.append(match[1])
    return names
