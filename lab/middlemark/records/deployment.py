"""How a combination ran: its processes, who called whom over what, and where each listened."""

from __future__ import annotations

from pydantic import Field

from middlemark.records.record import Record


class CallRecord(Record):
    """A call to another process, or to a database server by its tier; `over` is the interface or protocol in words.

    `port` is that of the listener, None where it is not known.
    """

    to: str
    over: str
    port: int | None = None


class ProcessRecord(Record):
    """A process of the subject, or a reverse proxy before one.

    `tiers` are those it carries; `runs` is what runs in it, a subject or a server; `ports` are by protocol.
    """

    name: str
    tiers: tuple[str, ...]
    runs: str
    ports: dict[str, int]
    calls: tuple[CallRecord, ...] = ()


class DatabaseRecord(Record):
    """A database server by its tier; `users_own`: the lab did not start it. `port` None: a socket, or not known."""

    tier: str
    port: int | None = None
    users_own: bool = False


class DeploymentRecord(Record):
    """The first start of a combination: ports differ from start to start, all else does not."""

    driver: tuple[CallRecord, ...]
    processes: tuple[ProcessRecord, ...]
    databases: tuple[DatabaseRecord, ...] = Field(default=())
