"""Settings that are not the default of a server, a library or a compiler: rows that an application shows."""

from __future__ import annotations

from pydantic import Field

from middlemark.documents import Document


class Disclosed(Document):
    """A setting that differs from its default, and can change performance."""

    what: str
    value: str
    why: str

    @property
    def row(self) -> dict[str, str]:
        """Return it as `/about` has it (specs/README.md)."""
        return {"what": self.what, "value": self.value, "why": self.why}


class NotDefault(Disclosed):
    """A setting of a server; its templates may take the value from here."""

    variable: str = Field("", description="the templates' name for the value, when they take it from here")
