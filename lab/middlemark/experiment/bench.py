"""What the points of a run have in common, and which point is to be measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from middlemark.databases.database import Database
from middlemark.experiment.faults_definition import PointFaults
from middlemark.experiment.preparation import Preparation
from middlemark.load.loading import reset_database
from middlemark.processes.guard import Guard
from middlemark.records.folder import POINTS, SEARCH, point_folder
from middlemark.records.run import Combination, Load


@dataclass(frozen=True)
class Bench:
    """What stays the same for all points of a run. `template` is the loaded data set, `name` the database in use."""

    preparation: Preparation
    guard: Guard
    database: Database
    template: str
    name: str
    root: Path

    def reset(self) -> None:
        """Bring the database back to exactly the loaded state."""
        reset_database(self.database, self.template, self.name)


@dataclass(frozen=True)
class PointOrder:
    """Which point to measure. `index` counts the points of the run; `iteration_s` is the expected iteration.

    `faults` strike while it is loaded. `searching`: it belongs to a search and to no block. `sitting` counts how often
    the run had gone on before.
    """

    index: int
    combination: Combination
    load: Load
    repeat: int
    iteration_s: float
    faults: PointFaults = ()
    searching: bool = False
    sitting: int = 0

    @property
    def run(self) -> str:
        """Return what makes this point's new users different from any other's."""
        return f"p{self.index}"

    def folder(self, root: Path) -> Path:
        """Return the folder of the point in the result folder `root`; it may not exist yet."""
        return point_folder(root, self.combination, self.load, self.repeat, SEARCH if self.searching else POINTS)
