"""What a server that stands before an application is given: where that is, and who its workers may be."""

from __future__ import annotations

import grp
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from middlemark.subject.server import Server

NOBODY = "nobody"


@dataclass(frozen=True)
class Upstream:
    """What a front stands before and where: `address` is `host:port` of the application, `host` and `port` its own."""

    address: str
    host: str
    port: int


def configure_front(server: Server, folder: Path, upstream: Upstream) -> None:
    """Write the server's files into `folder`; InputError when a template asks for what there is not.

    `account` is set for root only: who the server's workers are to run as.
    """
    variables = {
        "folder": str(folder),
        "host": upstream.host,
        "port": upstream.port,
        "upstream": upstream.address,
        "account": None if os.geteuid() else NOBODY,
        "group": None if os.geteuid() else grp.getgrgid(pwd.getpwnam(NOBODY).pw_gid).gr_name,
    }
    server.write(folder, variables)
