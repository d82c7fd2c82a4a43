"""Two tiers trust each other by certificates, and one shows the other a token, all made for their deployment."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import jwt
import pytest
from cryptography import x509
from small_shop import PLATFORM, specification

from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.execution.run_case import run_case
from middlemark.conformance.execution.state.case_databases import case_databases
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.context import Context, addresses_of
from middlemark.errors import InputError
from middlemark.processes.watchdog import watchdog
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject
from middlemark.topology.about import SHOWN_TOKEN
from middlemark.topology.deployment import Kept, deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

BANK = """
title = "Bank"
version = 1

[tiers.teller]
listens = { http = "MM_PORT" }
entry = true

[tiers.teller.calls.vault]
addresses = { http = "MM_VAULT", https = "MM_SAFE_VAULT" }

[tiers.vault]
listens = { http = "MM_PORT", https = "MM_TLS_PORT" }
paths = ["/caller"]

[roles]
variable = "MM_ROLE"
carries = { teller = ["teller"], vault = ["vault"] }

[modes.trust]
variable = "MM_TRUST"
values = ["none", "certificate", "token"]

[tls]
certificate = "MM_CERTIFICATE"
key = "MM_KEY"
authority = "MM_AUTHORITY"
when = { trust = ["certificate"] }

[tls.certificates.anna]
cn = "anna"
ou = "tellers"
tier = "teller"

[tls.certificates.guest]
cn = "guest"

[tls.certificates.stranger]
cn = "anna"
ou = "tellers"
signed_by = "another authority"

[token_key]
variable = "MM_TOKEN_KEY"
tier = "vault"
when = { trust = ["token"] }

[tokens.anna]
variable = "MM_TOKEN"
tier = "teller"
claims = { sub = "anna", roles = ["teller"], aud = "bank" }
lifetime_seconds = 86_400

[tokens.late]
claims = { sub = "anna", roles = ["teller"], aud = "bank" }
lifetime_seconds = -3_600

[tokens.forged]
claims = { sub = "anna", roles = ["teller"], aud = "bank" }
lifetime_seconds = 86_400
signed_by = "another key"
"""

APPLICATION = r"""
import http.server, json, os, ssl, threading, urllib.request
settings = {name[3:].lower(): value for name, value in os.environ.items() if name.startswith("MM_")}
shown = settings | {name: "secret" for name in ("token",) if name in settings}
about = {"platform": "small", "server": "http.server", "specification": "bank", "specification_version": "1",
         "commit": "none", "roles": [settings["role"]], "settings": shown, "versions": {}, "not_default": []}

class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/about":
            content = json.dumps(about)
        elif self.path == "/caller":
            shown = self.connection.getpeercert() if isinstance(self.connection, ssl.SSLSocket) else {}
            content = json.dumps([part for parts in shown.get("subject", ()) for part in parts])
        elif self.path == "/vault":
            trust = ssl.create_default_context(cafile=settings["authority"])
            trust.load_cert_chain(settings["certificate"], settings["key"])
            content = urllib.request.urlopen(settings["safe_vault"] + "/caller", context=trust).read().decode()
        else:
            content = "ok"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(content.encode())
    def log_message(self, *_):
        pass

class Encrypted(http.server.ThreadingHTTPServer):
    def finish_request(self, request, address):
        try:
            super().finish_request(keys.wrap_socket(request, server_side=True), address)
        except OSError:
            pass

if "tls_port" in settings:
    keys = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    keys.load_cert_chain(settings["certificate"], settings["key"])
    keys.load_verify_locations(settings["authority"])
    keys.verify_mode = ssl.CERT_REQUIRED
    encrypted = Encrypted((settings["host"], int(settings["tls_port"])), Pages)
    threading.Thread(target=encrypted.serve_forever, daemon=True).start()
http.server.ThreadingHTTPServer((settings["host"], int(settings["port"])), Pages).serve_forever()
"""
CASES = """
version: 1
cases:
  - name: a known teller
    steps:
      - send: {path: /caller}
        over: https
        certificate: anna
        expect: {body: '[["commonName", "anna"], ["organizationalUnitName", "tellers"]]'}
  - name: somebody else
    steps: [{send: {path: /caller}, over: https, certificate: guest, expect: {body: '[["commonName", "guest"]]'}}]
  - name: of another authority
    steps: [{send: {path: /caller}, over: https, certificate: stranger, no_handshake: true}]
  - name: without a certificate
    steps: [{send: {path: /caller}, over: https, no_handshake: true}]
  - name: a teller who is not let in
    steps: [{send: {path: /caller}, over: https, certificate: anna, no_handshake: true}]
"""
Deploy = Callable[..., AbstractContextManager[Target]]


@pytest.fixture
def deploy(tmp_path: Path) -> Iterator[Deploy]:
    """Give a function that deploys the bank with a value of the mode `trust`."""
    cases = specification(tmp_path, BANK, "bank").folder / "cases"
    cases.mkdir()
    (cases / "certificates.yaml").write_text(CASES, encoding="utf-8")
    small = tmp_path / "platforms" / "small"
    small.mkdir(parents=True)
    (tmp_path / "specs" / "README.md").touch()
    (small / "application.py").write_text(APPLICATION, encoding="utf-8")
    text = PLATFORM.partition("[specs.shop.modes]")[0].replace("[specs.shop]", "[specs.bank]")
    content = text.format(build='["cp", "application.py", "{artifact}"]', roles=["teller", "vault"])
    modes = '[specs.bank.modes]\ntrust = ["none", "certificate", "token"]\n'
    (small / "platform.toml").write_text(f"{content}\n{modes}", encoding="utf-8")
    subject = find_subject(tmp_path, "small", "bank")
    with watchdog(tmp_path / "runtime") as watching:
        program = Program(subject, build(subject, tmp_path, watching))

        def deploy(trust: str, kept: Kept | None = None) -> AbstractContextManager[Target]:
            request = DeploymentRequest(program, {"trust": trust}, {}, tmp_path / "logs")
            return deployed(request, watching, kept)

        yield deploy


def test_the_called_tier_knows_its_caller_by_the_certificate(deploy: Deploy) -> None:
    with deploy("certificate") as target:
        assert target.wrong_settings() == []
        shown = httpx.get(f"{target.addresses[0]}/vault").json()
        settings = {name: about.settings for name, about in target.about().items()}
        assert target.authority == Path(settings["vault"]["authority"])
        vault = x509.load_pem_x509_certificate(Path(settings["vault"]["certificate"]).read_bytes())
        private = Path(settings["vault"]["authority"]).parent
        keys = [*private.rglob("*.key.*")]
        # As PEM and in a store: those of two processes and of three names.
        assert len(keys) == 2 * (2 + 3)
        assert [one for one in (private, *keys) if one.stat().st_mode & 0o077] == []
    assert shown == [["commonName", "anna"], ["organizationalUnitName", "tellers"]]
    assert vault.subject.rfc4514_string() == "CN=vault"
    assert not target.authority.exists()


def failures(target: Target) -> dict[str, str]:
    """Run the cases; return how each failed, the empty text where it did not."""
    spec = target.subject.specification
    with case_databases(spec, {}) as databases, open_client(target.addresses[0]) as client:
        context = Context(spec, addresses_of(target), target.modes, databases, threading.Event(), client, list)
        ran = {one.case.name: run_case(one, target.modes, "", context).execution for one in read_cases(spec)}
        context.close()
    return {name: "; ".join(failure.text for failure in one.failures) for name, one in ran.items()}


def test_a_case_shows_a_certificate_and_sees_who_is_let_in(deploy: Deploy) -> None:
    with deploy("certificate") as target:
        assert failures(target) == {
            "a known teller": "",
            "somebody else": "",
            "of another authority": "",
            "without a certificate": "",
            "a teller who is not let in": "expected the listener to end the handshake, found status 200",
        }
        target.carrying("vault")[0].stop()
        assert all("Connection refused" in text for text in failures(target).values())
    with deploy("none") as target:
        assert set(failures(target).values()) == {"the application does not listen over https with these modes"}


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("certificate: guest", "certificate: guests", "'guests' is not a certificate. Did you mean 'guest'?"),
        ("over: https, certificate: guest", "certificate: guest", "a certificate is shown `over: https` alone"),
        ("over: https, no_handshake", "no_handshake", "a handshake ends `over: https`"),
        ("anna, no_handshake: true", "anna, no_handshake: true, expect: {length: 1}", "nothing is answered"),
        ("path: /caller}, over: https, no_h", "path: /, }, over: https, no_h", "teller does not listen on https"),
    ],
)
def test_a_wrong_case_is_refused(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    bank = specification(tmp_path, BANK, "bank")
    (bank.folder / "cases").mkdir()
    assert right in CASES
    (bank.folder / "cases" / "certificates.yaml").write_text(CASES.replace(right, wrong), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_cases(bank)
    assert message in str(caught.value)


def test_where_the_condition_does_not_hold_nothing_is_made(deploy: Deploy) -> None:
    with deploy("none") as target:
        settings = {name: set(about.settings) for name, about in target.about().items()}
        assert (target.authority, target.tokens) == (None, {})
    plain = {"host", "port", "role", "trust"}
    assert settings == {"teller": plain | {"vault"}, "vault": plain}


def test_a_token_is_checked_by_the_key_that_the_other_tier_has(deploy: Deploy) -> None:
    with deploy("token") as target:
        assert target.wrong_settings() == []
        settings = {name: about.settings for name, about in target.about().items()}
        key = Path(settings["vault"]["token_key"]).read_bytes()
        tokens, known_to_cases = dict(target.tokens), addresses_of(target).tokens
        given = {one.name: token for one in target.members if (token := one.process.spec.settings.get("MM_TOKEN"))}
    assert settings["teller"]["token"] == SHOWN_TOKEN
    assert given == {"teller": tokens["anna"]}
    assert "token_key" not in settings["teller"]
    assert "token" not in settings["vault"]
    claims = jwt.decode(tokens["anna"], key, algorithms=["RS256"], audience="bank")
    assert (claims["sub"], claims["roles"]) == ("anna", ["teller"])
    left = datetime.datetime.fromtimestamp(claims["exp"], datetime.UTC) - datetime.datetime.now(datetime.UTC)
    assert datetime.timedelta(hours=23) < left <= datetime.timedelta(hours=24)
    with pytest.raises(jwt.ExpiredSignatureError):
        jwt.decode(tokens["late"], key, algorithms=["RS256"], audience="bank")
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(tokens["forged"], key, algorithms=["RS256"], audience="bank")
    assert known_to_cases == tokens


def test_processes_that_are_kept_trust_the_callers_of_the_next_deployment(deploy: Deploy) -> None:
    kept = Kept()
    try:
        with deploy("certificate", kept) as target:
            first = target.authority
        with deploy("certificate", kept) as target:
            assert target.authority == first
            assert httpx.get(f"{target.addresses[0]}/vault").json()[0] == ["commonName", "anna"]
    finally:
        kept.close()
    assert first is not None
    assert not first.exists()


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            'ou = "tellers"\ntier = "teller"',
            'ou = "tellers"\ntier = "tella"',
            "tls.certificates.anna.tier: 'tella' is not known. Did you mean 'teller'?",
        ),
        (
            'cn = "guest"',
            'cn = "guest"\ntier = "teller"',
            "tls.certificates: the processes of teller have one certificate",
        ),
        (
            'tier = "teller"\n\n[tls.certificates.guest]',
            'tier = "teller"\nsigned_by = "another authority"\n\n[tls.certificates.guest]',
            "tls.certificates.anna.signed_by: the processes of a tier have certificates of the authority",
        ),
        ('tier = "vault"', 'tier = "cellar"', "token_key.tier: 'cellar' is not known. Did you mean 'teller'?"),
        ('variable = "MM_TOKEN"\n', "", "tokens.anna.variable: `variable` and `tier` belong together"),
        (BANK[BANK.index("[token_key]") : BANK.index("[tokens.anna]")], "", "tokens: tokens and [token_key] need"),
        ('{ sub = "anna"', '{ exp = 1, sub = "anna"', "tokens.anna.claims.exp: the lab sets it, by `lifetime_seconds`"),
        ('"MM_TOKEN_KEY"', '"MM_KEY"', "token_key.variable: MM_KEY is the variable of tls.key, too"),
        ('"MM_TOKEN"', '"MM_KEY"', "tokens.anna.variable: MM_KEY is the variable of tls.key, too"),
        ('trust = ["token"] }', 'trust = ["tokens"] }', "token_key.when.trust: 'tokens' is not a value of trust"),
    ],
)
def test_a_wrong_description_is_refused_with_its_place(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in BANK
    with pytest.raises(InputError) as caught:
        specification(tmp_path, BANK.replace(right, wrong, 1), "bank")
    assert str(caught.value).startswith(f"{tmp_path}/specs/bank/spec.toml: {message}")
