"""Where plays are played: a database that stays, and for each program the applications that the plays need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from checks.mutation.tasks import WorkerOrder
from middlemark.target.subject import Subject


@dataclass(frozen=True)
class Played:
    """A play that has been played: its name, the case and the cell, how long it took, why it failed if it did.

    `is_start` tells the start of an application, which comes before the plays it is for.
    """

    name: str
    case: str
    cell: str
    seconds: float
    failure: str = ""
    is_start: bool = False


class Stage:
    """Plays. `plays` names all there are, in verify's order; `pids` are the processes of the applications now."""

    plays: tuple[str, ...] = ()
    pids: tuple[int, ...] = ()

    def play(self, artifact: Path, plays: Iterable[str]) -> Iterator[Played]:
        """Yield each play as soon as it is played, in this order as far as the applications allow it."""
        raise NotImplementedError


@contextmanager
def standing_stage(order: WorkerOrder, subject: Subject) -> Iterator[Stage]:
    """Give a stage with a database; everything it has started is gone when the context ends."""
    raise NotImplementedError
