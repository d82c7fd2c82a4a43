"""A driver that runs out of local ports says so: it is no error of the server's."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import few_ports
import pytest
from driven import SESSION

NAMESPACE = ["unshare", "--user", "--map-root-user", "--net"]


def _with_few_ports(session: Path) -> dict[str, Any]:
    if shutil.which("unshare") is None or subprocess.run([*NAMESPACE, "true"], check=False).returncode:
        pytest.skip("a network namespace, in which ports can be few, is not allowed here")
    words = [*NAMESPACE, sys.executable, few_ports.__file__, str(session)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_a_driver_without_a_local_port_was_the_limit_and_the_server_is_not_blamed(tmp_path: Path) -> None:
    session = tmp_path / "page.yaml"
    session.write_text("per_iteration: {connections: keep}\n" + SESSION, encoding="utf-8")
    printed = _with_few_ports(session)
    few = printed["few"]
    failed = few["errors_by_kind"]["local_ports"]
    # Two users have a connection, and keep it.
    assert set(few["errors_by_kind"]) == {"local_ports"}
    assert few["total"]["count"] > 0
    ports = next(check for check in few["checks"] if check["name"] == "local ports")
    assert (ports["outcome"], ports["found"], ports["limit"]) == ("failed", failed, 0)
    assert ports["message"] == f"the driver ran out of local ports, {failed} transactions found none"
    assert "The driver may have been the limit: see" in few["verdict"]
    assert "local ports" in few["verdict"]
    assert set(printed["nowhere"]) == {"connect"}, "without a route there is another reason than the ports"
