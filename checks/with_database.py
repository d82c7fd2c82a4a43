"""Runs a command with an embedded PostgreSQL around it: `with_database.py COMMAND…`.

The command finds the address of an administrator's connection in MIDDLEMARK_TEST_DATABASE.
"""

from __future__ import annotations

import os
import subprocess
import sys

from middlemark.databases.postgresql import embedded_postgresql
from middlemark.errors import LabError


def main(command: list[str]) -> int:
    """Return the exit status of `command`, or the one of the error that kept it from running."""
    try:
        with embedded_postgresql() as database:
            environment = {**os.environ, "MIDDLEMARK_TEST_DATABASE": database.url(database.maintenance)}
            return subprocess.run(command, env=environment, check=False).returncode
    except LabError as error:
        print(f"with_database.py: {error}", file=sys.stderr)
        return error.exit_status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
