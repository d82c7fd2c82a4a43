"""What is watched besides processes: databases, connections of clients, and the pools that applications report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from middlemark.monitor.database import DatabaseWatches, WatchedDatabase, watching
from middlemark.monitor.pools import PoolReports, polling
from middlemark.monitor.threads import Names
from middlemark.monitor.unread import Ports, UnreadCounts
from middlemark.records.placement import is_database
from middlemark.records.samples import Sample, TierSample


@dataclass(frozen=True)
class Watches:
    """The watches of a point; by default nothing is watched.

    `compilers`: names of compiler threads by tier. `neighbours`: root processes of subjects that are kept and not
    measured. `cpus`: those that are looked at one by one.
    """

    databases: DatabaseWatches = field(default_factory=DatabaseWatches)
    unread: UnreadCounts = field(default_factory=lambda: UnreadCounts({}))
    pools: PoolReports = field(default_factory=lambda: PoolReports({}))
    compilers: Names = field(default_factory=dict)
    neighbours: tuple[int, ...] = ()
    cpus: frozenset[int] = frozenset()

    def added_to(self, sample: Sample) -> Sample:
        """Return a sample of the processes with what the watches see now."""
        unread, pools = self.unread.now(), self.pools.now()
        tiers: dict[str, TierSample] = {
            tier: one.model_copy(update={"pools": pools.get(tier), **self._connections(tier, unread.get(tier))})
            for tier, one in sample.tiers.items()
        }
        return sample.model_copy(update={"tiers": tiers, "databases": self.databases.sample()})

    def _connections(self, tier: str, unread: int | None) -> dict[str, int | None]:
        """Return what is known of the connections to a tier; what databases wait for their sessions show."""
        found = {"unread": None if is_database(tier) else unread}
        traffic = self.unread.traffic.get(tier)
        if traffic is None or unread is None:
            return found
        return {
            **found,
            "net_received_bytes": traffic.received,
            "net_sent_bytes": traffic.sent,
            "connections_ended": traffic.ended,
        }


@contextmanager
def watches(
    databases: Mapping[str, WatchedDatabase],
    ports: Ports,
    addresses: Mapping[str, Sequence[str]],
    counted: Sequence[str] = (),
) -> Iterator[Watches]:
    """Watch until the context ends: databases by name, ports on which tiers listen, addresses of tiers with pools.

    `counted` are the tiers whose bytes are counted.
    """
    with ExitStack() as stack:
        unread = UnreadCounts(ports, counted)
        stack.callback(unread.close)
        yield Watches(stack.enter_context(watching(databases)), unread, stack.enter_context(polling(addresses)))
