"""Application servers accept only clients with a certificate of the authority, where the specification has one."""

from __future__ import annotations

import ssl
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from server_files import settings_of_tls, with_authority

from conftest import ROOT
from middlemark.processes.ending import Part
from middlemark.processes.ports import LOOPBACK, free_port
from middlemark.processes.process import ProcessSpec, running
from middlemark.processes.watchdog import watchdog
from middlemark.subject.installing import installed
from middlemark.subject.subject import find_subject
from middlemark.topology.certificate import Authority, Certificate
from middlemark.topology.configuring import configure
from middlemark.topology.hosting import Application, hosted

# Fetching the server once takes minutes on a slow line, and a busy machine starts it in minutes.
pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]

Ask = Callable[[Certificate | None], str]


@contextmanager
def asking(server_name: str, folder: Path, authority: Authority) -> Iterator[Ask]:
    """Run the server with one page in an archive; give what asks for it over TLS and shows a certificate, or none."""
    subject = with_authority(find_subject(ROOT, f"jakarta@{server_name}", "spice")).for_cases()
    assert subject.server
    archive, private = folder / "page.war", folder / "server"
    with zipfile.ZipFile(archive, "w") as war:
        war.writestr("page.txt", "ok")
    private.mkdir()
    port, tls_port = free_port(), free_port()
    settings = {"MM_HOST": LOOPBACK, "MM_PORT": str(port), "MM_ENCRYPTION": "tls"}
    settings |= settings_of_tls(authority, tls_port)
    url = f"http://{LOOPBACK}:{port}/page.txt"
    alone = ProcessSpec("page", Part.APPLICATION, (), private, folder / "log", settings, url, ports=(port, tls_port))

    def ask(shown: Certificate | None) -> str:
        context = ssl.create_default_context(cafile=authority.certificate)
        if shown:
            context.load_cert_chain(shown.certificate, shown.key)
        return httpx.get(f"https://{LOOPBACK}:{tls_port}/page.txt", verify=context, trust_env=False).text

    with watchdog(folder / "runtime") as watching:
        install = installed(subject.server, watching)
        spec = hosted(Application(subject, subject.server, install, private, archive, {}), alone)
        configure(subject.server, spec, subject.server.words(private, install, {}), watching)
        with running(spec, watching):
            yield ask


@pytest.mark.parametrize("server", ["liberty", "wildfly"])
def test_only_a_certificate_of_the_authority_is_accepted(server: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    authority, other = Authority(tmp_path), Authority(tmp_path / "other")
    with asking(server, tmp_path, authority) as ask:
        assert ask(authority.issue("caller", "caller", "callers")) == "ok"
        for shown in (None, other.issue("caller", "caller", "callers")):
            with pytest.raises(httpx.TransportError):
                ask(shown)
