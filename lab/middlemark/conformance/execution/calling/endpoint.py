"""Where an interface of an application is called, and what describes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from middlemark.conformance.cases.contract import Contract
from middlemark.specification.description import Interface


@dataclass(frozen=True)
class Endpoint:
    """An interface at an address (http://host:port); `contract` is the one by which its answers are judged.

    `folder` is the specification's.
    """

    name: str
    interface: Interface
    folder: Path
    contract: Contract
    address: str

    @property
    def url(self) -> str:
        """Return where its HTTP requests go."""
        return self.address + self.interface.path

    @property
    def file(self) -> Path:
        """Return the interface's own contract."""
        return self.folder / self.interface.file
