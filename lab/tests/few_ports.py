"""Drives a session where local ports are few; run by `unshare --user --map-root-user --net`."""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import subprocess
import sys
from pathlib import Path

from driven import a_plan, drive
from other_server import Manners, misbehaving

from middlemark.workload.driver import driver_path

SYSTEM = Path("/proc/sys/net")
PORTS = "50000 50001"
# Linux, netdevice(7).
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 1


def main(session: Path) -> None:
    """Print, as JSON, the result of a drive with fewer ports than users, and the errors where there is no way."""
    _begin_loopback()
    with misbehaving(Manners()) as address:
        plan = a_plan(session, address, measure_ms=100)
        # The server has a port by now.
        (SYSTEM / "ipv4/ip_local_port_range").write_text(PORTS, encoding="utf-8")
        few = drive(session, address, "--json", "--users", "4")
    (SYSTEM / "ipv6/conf/all/disable_ipv6").write_text("1", encoding="utf-8")
    plan.write_text(plan.read_text(encoding="utf-8").replace(address, "http://[::1]:9"), encoding="utf-8")
    nowhere = subprocess.run([str(driver_path()), "run", str(plan)], capture_output=True, text=True, check=True)
    end = json.loads(nowhere.stdout.splitlines()[-1])
    json.dump({"few": json.loads(few.stdout), "nowhere": end["errors"]}, sys.stdout)


def _begin_loopback() -> None:
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", flags | UP))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
