"""Which point is to be measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from middlemark.experiment.faults_definition import PointFaults
from middlemark.records.folder import POINTS, SEARCH, point_folder
from middlemark.records.run import Combination, Load


@dataclass(frozen=True)
class PointSpec:
    """A point to measure. `index` counts the points of the run; `iteration_s` is the expected iteration.

    `faults` are injected while it is loaded. `searching`: it belongs to a search and to no round. `segment` counts how
    often the run had been resumed before.
    """

    index: int
    combination: Combination
    load: Load
    repeat: int
    iteration_s: float
    faults: PointFaults = ()
    searching: bool = False
    segment: int = 0

    @property
    def run(self) -> str:
        """Return what makes this point's new users different from any other's."""
        return f"p{self.index}"

    def folder(self, root: Path) -> Path:
        """Return the folder of the point in the result folder `root`; it may not exist yet."""
        return point_folder(root, self.combination, self.load, self.repeat, SEARCH if self.searching else POINTS)
