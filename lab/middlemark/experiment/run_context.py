"""What all points of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from middlemark.databases.database import Database
from middlemark.experiment.journal import Journal
from middlemark.experiment.load_chooser import LoadChooser
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.progress import Progress
from middlemark.load.stores import Stores, servers_of
from middlemark.processes.watchdog import Watchdog
from middlemark.records.run import Combination
from middlemark.topology.request import Program


@dataclass(frozen=True)
class RunContext:
    """A run that is under way: what was built (`programs`, by subject), loaded (`stores`, by scale) and found so far.

    `root` is the result folder.
    """

    preparation: Preparation
    watchdog: Watchdog
    root: Path
    programs: Mapping[str, Program]
    stores: Mapping[str, Stores]
    journal: Journal
    progress: Progress
    chooser: LoadChooser

    def stores_of(self, combination: Combination) -> Stores:
        """Return the databases of a combination's scale."""
        return self.stores[self.preparation.scale_of(combination)]

    @property
    def servers(self) -> dict[str, Database]:
        """Return each database server by the tier under which it is watched; none for a specification without."""
        return servers_of(next(iter(self.stores.values())))
