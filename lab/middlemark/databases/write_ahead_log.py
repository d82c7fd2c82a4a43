"""What transactions write, from the write-ahead log of a PostgreSQL server of ours, read by its own pg_waldump."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from middlemark.databases.database import Connection, Database
from middlemark.databases.programs import postgresql_programs
from middlemark.errors import HostError

_SLOT = "middlemark_work"
# Below it are the catalogs: rows of theirs are not the application's.
_FIRST_OWN_RELATION = 16384
_RECORD = re.compile(
    r"rmgr: (?P<kind>\w+)\s+len \(rec/tot\):\s*(?P<bytes>\d+)/\s*\d+, tx:\s*(?P<transaction>\d+), .*?desc: (?P<what>.*)"
)
_RELATION = re.compile(r"rel \d+/(?P<database>\d+)/(?P<relation>\d+)")
_END = re.compile(r"(?:COMMIT|COMMIT_PREPARED (?P<prepared>\d+):) (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+) UTC")
_TUPLES = re.compile(r"ntuples: (\d+)")
_ONE_ROW = ("INSERT", "UPDATE", "HOT_UPDATE", "DELETE")


@dataclass
class WrittenTransaction:
    """A committed transaction: when, seconds since 1970, the rows it wrote, and its bytes of the write-ahead log.

    Rows are inserted, updated and deleted ones. Images of whole pages are left out: they depend on the last checkpoint.
    """

    time_s: float = 0.0
    rows: int = 0
    wal_bytes: int = 0
    databases: frozenset[int] = frozenset()


class WriteAheadLog:
    """The part of a server's write-ahead log that is written from now on."""

    def __init__(self, server: Database, folder: Path, connection: Connection) -> None:
        self._server = server
        self._folder = folder
        self._connection = connection
        self._begin = self._position()

    def transactions(self, database: str) -> list[WrittenTransaction]:
        """The transactions that have written into `database` and committed so far; HostError if they cannot be read."""
        row = self._connection.execute("SELECT oid FROM pg_database WHERE datname = %s", [database]).fetchone()
        if row is None:
            raise HostError(f"the database {database} does not exist", where=self._server.address)
        return [one for one in written_transactions(self._lines()) if int(row[0]) in one.databases]

    def _lines(self) -> list[str]:
        program = postgresql_programs() / "pg_waldump"
        words = ["--path", str(self._folder), "--start", self._begin, "--end", self._position()]
        try:
            done = subprocess.run(
                [str(program), *words], capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"}
            )
        except OSError as error:
            raise HostError(f"pg_waldump cannot be run ({error.strerror})", where=str(program)) from error
        if done.returncode:
            raise HostError(f"pg_waldump failed ({done.stderr.strip()})", where=str(self._folder))
        return done.stdout.splitlines()

    def _position(self) -> str:
        row = self._connection.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
        return "" if row is None else str(row[0])


@contextmanager
def keeping_log(server: Database) -> Iterator[WriteAheadLog]:
    """Keep the write-ahead log of a server of ours from now on until the context ends.

    Raises HostError when the server is the user's own.
    """
    if server.server is None:
        raise HostError("the write-ahead log of a PostgreSQL of your own cannot be read", where=server.address)
    with server.admin() as admin:
        # Without a slot a checkpoint would let the segments be used again; a temporary one ends with its session.
        admin.execute("SELECT pg_create_physical_replication_slot(%s, true, true)", [_SLOT])
        yield WriteAheadLog(server, server.server.folder / "data" / "pg_wal", admin)


def written_transactions(lines: Iterable[str]) -> list[WrittenTransaction]:
    """The committed transactions of pg_waldump's lines, in the order of their commits."""
    open_ones: dict[str, WrittenTransaction] = {}
    ended: list[WrittenTransaction] = []
    for record in filter(None, map(_RECORD.match, lines)):
        end = _END.match(record["what"])
        number = (end["prepared"] if end else None) or record["transaction"]
        if number == "0":
            continue
        one = open_ones.setdefault(number, WrittenTransaction())
        one.wal_bytes += int(record["bytes"])
        relation = _RELATION.search(record["what"])
        if relation:
            one.databases |= {int(relation["database"])}
            one.rows += _rows(record) if int(relation["relation"]) >= _FIRST_OWN_RELATION else 0
        if end:
            one.time_s = datetime.fromisoformat(f"{end['time']}+00:00").timestamp()
            ended.append(open_ones.pop(number))
    return ended


def _rows(record: re.Match[str]) -> int:
    """How many rows a record writes: none but those of tables (Heap, Heap2) do."""
    if not record["kind"].startswith("Heap"):
        return 0
    what = re.split(r"[ +]", record["what"], maxsplit=1)[0]
    if what == "MULTI_INSERT":
        several = _TUPLES.search(record["what"])
        return int(several[1]) if several else 0
    return 1 if what in _ONE_ROW else 0
