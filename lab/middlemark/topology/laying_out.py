"""How the processes of a combination are laid out: from choices in text to what is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import InputError
from middlemark.records.run import FRONT, LAYOUT, NO_FRONT, PROCESSORS, WEB_SERVERS
from middlemark.subject.server import Server, front_called


@dataclass(frozen=True)
class LaidOut:
    """The choices of LAYOUT, each with its default."""

    front: Server | None = None
    web_servers: int = 1
    processors: int = 1


def laid_out(home: Path, choices: Mapping[str, str]) -> tuple[dict[str, str], LaidOut]:
    """Return the modes among `choices`, and the layout; InputError for a server that is not there or a wrong number."""
    modes = {mode: value for mode, value in choices.items() if mode not in LAYOUT}
    layout = LaidOut(
        front=front_called(home, choices.get(FRONT, NO_FRONT)),
        web_servers=count_of(WEB_SERVERS, choices.get(WEB_SERVERS, "1")),
        processors=count_of(PROCESSORS, choices.get(PROCESSORS, "1")),
    )
    return modes, layout


def count_of(choice: str, text: str) -> int:
    """Return the number of processes in `text`; InputError when it is none."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InputError(f"'{text}' is no number of {choice}", where=f"--set {choice}", todo="Write 1 or more")
    return int(text)
