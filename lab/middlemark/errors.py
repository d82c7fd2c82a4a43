"""The lab's expected errors, grouped by who can fix them.

Only these are printed without a traceback. Each says what happened, where, and what to do next.

    LabError
    ├── InputError        the user's file or option is wrong           exit 2
    ├── MissingToolError  something has to be installed                exit 2
    ├── HostError         a port, disk, database or limit of the host  exit 2
    ├── TargetError       an application or the driver failed          exit 1
    └── Interrupted       the user stopped the run                     exit 130
"""

from __future__ import annotations


class LabError(Exception):
    """An expected error. `str(error)` is the whole message a user reads."""

    exit_status = 1

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        """Join what happened, where (file:line, address, command), and what to do next."""
        self.what = what
        self.where = where
        self.todo = todo
        super().__init__(f"{where + ': ' if where else ''}{what}{'. ' + todo if todo else ''}")


class InputError(LabError):
    """The user's file, option or name is wrong."""

    exit_status = 2


class MissingToolError(LabError):
    """A program the user has to install is missing or too old."""

    exit_status = 2


class HostError(LabError):
    """The host does not give what is needed: port, disk, database, open files."""

    exit_status = 2


class TargetError(LabError):
    """An application, a database or the driver did not do what it must."""

    exit_status = 1


class Interrupted(LabError):  # noqa: N818 (an interruption is not anybody's error)
    """The user stopped the run; what was measured so far is kept."""

    exit_status = 130
