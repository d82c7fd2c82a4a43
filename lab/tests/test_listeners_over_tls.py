"""Listeners over TLS: a process gets a port, a certificate and its key when its modes ask for them, and only then."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx
import pytest
from small_shop import ENCRYPTED, ONE_PLATFORM, SHOP, TLS, specification

from middlemark.errors import InputError
from middlemark.processes.watchdog import watchdog
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program

APPLICATION = r"""
import http.server, json, os, ssl, threading
settings = {name[3:].lower(): value for name, value in os.environ.items() if name.startswith("MM_")}
about = {"platform": "small", "server": "http.server", "specification": "shop", "specification_version": "1",
         "commit": "none", "roles": ["site"], "settings": settings, "versions": {}, "not_default": []}
class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        content = json.dumps(about).encode() if self.path == "/about" else b"ok"
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
    def log_message(self, *_):
        pass
if "tls_port" in settings:
    encrypted = http.server.ThreadingHTTPServer((settings["host"], int(settings["tls_port"])), Pages)
    keys = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    keys.load_cert_chain(settings["certificate"], settings["key"])
    encrypted.socket = keys.wrap_socket(encrypted.socket, server_side=True)
    threading.Thread(target=encrypted.serve_forever, daemon=True).start()
http.server.ThreadingHTTPServer((settings["host"], int(settings["port"])), Pages).serve_forever()
"""


def program(home: Path, runtime: Path) -> Program:
    """Write a checkout with one tier that may listen over TLS, and build its application."""
    specification(home, ENCRYPTED)
    small = home / "platforms" / "small"
    small.mkdir(parents=True)
    (home / "specs" / "README.md").touch()
    (small / "application.py").write_text(APPLICATION, encoding="utf-8")
    text = ONE_PLATFORM.format(build='["cp", "application.py", "{artifact}"]')
    (small / "platform.toml").write_text(f'{text}\n[specs.shop.modes]\nprivacy = ["none", "some"]\n', encoding="utf-8")
    subject = find_subject(home, "small", "shop")
    with watchdog(runtime) as watching:
        return Program(subject, build(subject, home, watching))


def test_a_process_answers_over_tls_with_a_certificate_that_is_gone_with_it(tmp_path: Path) -> None:
    small = program(tmp_path, tmp_path / "runtime")
    with watchdog(tmp_path / "runtime") as watching:
        request = DeploymentRequest(small, {"privacy": "some"}, {}, tmp_path / "logs")
        with deployed(request, watching) as target:
            (address,) = target.encrypted_addresses
            assert address.startswith("https://127.0.0.1:")
            trust = ssl.create_default_context(cafile=target.authority)
            assert httpx.get(f"{address}/health", verify=trust, trust_env=False).text == "ok"
            assert target.differences_from_request(target.about()) == []
            settings = target.about()["site"].settings
            assert settings["tls_port"] == address.rpartition(":")[2]
            assert (target.members[0].process.spec.ports) == (int(settings["port"]), int(settings["tls_port"]))
            key = Path(settings["key"])
            assert key.stat().st_mode & 0o077 == 0
        assert not key.parent.exists()


def test_without_the_mode_nothing_listens_over_tls(tmp_path: Path) -> None:
    small = program(tmp_path, tmp_path / "runtime")
    request = DeploymentRequest(small, {}, {}, tmp_path / "logs")
    with watchdog(tmp_path / "runtime") as watching, deployed(request, watching) as target:
        assert target.encrypted_addresses == ()
        assert target.authority is None
        assert set(target.about()["site"].settings) == {"host", "port", "privacy"}


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (TLS.partition("[modes")[0], "\n", "tiers.site.listens: https needs [tls]"),
        (', https = "MM_TLS_PORT"', "", "tls: no tier listens on https"),
        ('"MM_KEY"', '"MM_CERTIFICATE"', "tls.key: MM_CERTIFICATE is the variable of tls.certificate, too"),
        ('privacy = ["some"]', 'privacy = ["much"]', "tls.when.privacy: 'much' is not a value of privacy"),
        ('privacy = ["some"]', 'privaci = ["some"]', "tls.when.privaci: 'privaci' is not a mode."),
    ],
)
def test_a_wrong_description_is_refused_with_its_place(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in ENCRYPTED
    with pytest.raises(InputError) as caught:
        specification(tmp_path, ENCRYPTED.replace(right, wrong))
    assert str(caught.value).startswith(f"{tmp_path}/specs/shop/spec.toml: {message}")


def test_a_call_over_tls_needs_an_authority_that_the_caller_trusts(tmp_path: Path) -> None:
    called = SHOP.replace("tcp = ", "https = ") + TLS.partition("when")[0]
    with pytest.raises(
        InputError, match=r"tiers\.stock\.calls\.books\.addresses\.https: a call over https needs `authority`"
    ):
        specification(tmp_path, called)
    specification(tmp_path / "right", f'{called}authority = "MM_AUTHORITY"\n')
