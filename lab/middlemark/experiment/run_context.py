"""What all points of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from middlemark.databases.database import Database
from middlemark.experiment.finished import Finished
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

    `root` is the result folder, `earlier` what was finished in it when the run was resumed.
    """

    preparation: Preparation
    watchdog: Watchdog
    root: Path
    programs: Mapping[str, Program]
    stores: Mapping[str, Stores]
    journal: Journal
    progress: Progress
    earlier: Finished

    @property
    def chooser(self) -> LoadChooser:
        """The loads of the combinations, as far as they are known."""
        return self.earlier.chooser

    def stores_of(self, combination: Combination) -> Stores:
        """Databases of a combination, its own: a reset ends no connection of another one that is kept running."""
        number = self.preparation.combinations.index(combination)
        these = self.stores[self.preparation.scale_of(combination)]
        return {name: replace(one, database=f"{one.database}_{number}") for name, one in these.items()}

    @property
    def servers(self) -> dict[str, Database]:
        """Return each database server by the tier under which it is watched; none for a specification without."""
        return servers_of(next(iter(self.stores.values())))
