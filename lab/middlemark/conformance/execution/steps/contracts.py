"""What the engine itself reads from a specification's WSDL."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lxml import etree


@cache
def wsdl_name_space(spec_folder: Path) -> str:
    """Return the target name space of a specification's WSDL, `urn:none` when it has no WSDL."""
    for file in sorted(spec_folder.glob("*.wsdl")):
        return str(etree.parse(file).getroot().get("targetNamespace"))
    return "urn:none"
