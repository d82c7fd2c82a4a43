"""Writes SVG elements as markup; every value is escaped."""

from __future__ import annotations

from markupsafe import Markup, escape

Number = float | int


def element(name: str, /, *inside: str, **attributes: str | Number) -> Markup:
    """Return `<name …>inside</name>`; `stroke_width` becomes `stroke-width`, `class_` becomes `class`."""
    written = Markup().join(
        Markup(' {}="{}"').format(_attribute(key), number(value)) for key, value in attributes.items() if value != ""
    )
    content = Markup().join(escape(part) for part in inside)
    return Markup("<{}{}>{}</{}>").format(name, written, content, name)


def number(value: str | Number) -> str:
    """Return a coordinate with at most one decimal: a tenth of a pixel is not seen; texts stay as they are."""
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0")


def _attribute(key: str) -> str:
    """Return the attribute's name; SVG's own names with a capital (`viewBox`) stay as they are."""
    return key.rstrip("_").replace("_", "-")
