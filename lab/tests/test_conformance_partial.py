"""A platform that offers little is verified as far as it goes, and what it does not offer is listed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from called_application import brokerage
from lxml import etree
from small_specification import ROOT, specification_with

from middlemark.conformance.cases.suite import ABOUT_CASE
from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.result import SubjectResult
from middlemark.conformance.verify import verify
from middlemark.databases.database import Database
from middlemark.specification.specification import find_specification

pytestmark = pytest.mark.long

SECONDS = 600
CASES = """
cases:
  - name: A quote is read over every interface
    steps: [{call: getQuote, with: {symbol: "s:3"}, response: {symbol: "s:3"}}]
  - name: What only gRPC has is asked for
    interfaces: [grpc]
    steps: [{call: ping}]
  - name: A page is shown while orders are queued
    modes: {orders: [async-queue]}
    steps: [{get: /}]
  - name: The config page is shown
    needs: {features: [config-page]}
    steps: [{get: /config}]
  - name: The config page changes the binding
    needs: {features: [config-page], modes: {binding: [json, soap]}}
    steps:
      - post: /config
        form: {binding: soap, services_url: "", orders: sync, market_summary_seconds: "0"}
        expect: {status: 303}
  - name: A processor by itself is there
    needs: {roles: [processor]}
    steps: [{get: /}]
  - name: Nobody is told of a page that the platform does not know
    steps: [{send: {path: /about}, expect: {json: {settings: {config_page: "off"}}}}]
"""
OFFERED = {
    'roles = ["web", "services", "processor", "all"]': 'roles = ["web", "services", "all"]',
    'features = ["config-page", "pools"]\n': 'features = ["pools"]\n',
    'binding = ["local", "json", "soap", "grpc"]': 'binding = ["local", "json"]',
    'orders = ["sync", "async-queue"]': 'orders = ["sync"]',
}
MISSING = [
    "binding=soap", "binding=grpc", "orders=async-queue", "orders=async-xa", "interface soap", "interface grpc",
    "role processor", "feature config-page",
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a checkout whose only platform is Go offering local and JSON, synchronous orders, no feature."""
    folder = tmp_path_factory.mktemp("checkout")
    specification_with(folder, few=CASES)
    (folder / "databases").symlink_to(ROOT / "databases")
    go = folder / "platforms" / "go"
    shutil.copytree(ROOT / "platforms" / "go", go, ignore=shutil.ignore_patterns("*_test.go"))
    text = (go / "platform.toml").read_text(encoding="utf-8")
    for offered, less in OFFERED.items():
        assert offered in text
        text = text.replace(offered, less)
    (go / "platform.toml").write_text(text, encoding="utf-8")
    return folder


def verified_at(address: str, home: Path) -> SubjectResult:
    """Verify what runs at an address, whose platform is looked for in `home`, without its database."""
    specification = find_specification("brokerage", home)
    return verify(VerifyRequest(home, specification, (), home / "logs", addresses=(address,))).subjects[0]


def test_what_is_not_offered_is_not_run_and_is_listed_everywhere(home: Path, tmp_path: Path) -> None:
    outputs = ["--out", str(tmp_path), "--json", str(tmp_path / "all.json"), "--junit", str(tmp_path / "all.xml")]
    command = [sys.executable, "-m", "middlemark", "verify", "go", *outputs]
    environment = {**os.environ, "GOFLAGS": "-buildvcs=false"}
    done = subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"  not offered, so not verified: {', '.join(MISSING)}" in done.stdout
    assert "note:" not in done.stdout
    (subject,) = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["subjects"]
    assert subject["not_offered"] == MISSING
    assert sorted((one["case"], one["interface"]) for one in subject["executions"]) == [
        ("A quote is read over every interface", "json"),
        (ABOUT_CASE, ""),
        (ABOUT_CASE, ""),
        ("Nobody is told of a page that the platform does not know", ""),
    ]
    suites = etree.parse(tmp_path / "all.xml").findall("testsuite")
    assert len(suites) == 2, "one for each configuration"
    assert all([one.get("value") for one in suite.iter("property")] == MISSING for suite in suites)


def test_at_an_address_the_platform_that_about_names_says_what_is_offered(
    home: Path, database_cluster: Database, tiny_template: str, tmp_path: Path
) -> None:
    unknown = tmp_path / "unknown"
    specification_with(unknown, few=CASES)
    with brokerage(database_cluster, tiny_template, tmp_path) as target:
        known, assumed = (verified_at(target.addresses[0], one) for one in (home, unknown))
    assert known.not_offered == tuple(MISSING)
    assert {one.case for one in known.executions} == {
        "A quote is read over every interface",
        ABOUT_CASE,
        "Nobody is told of a page that the platform does not know",
    }
    assert not any("platform.toml" in note for note in known.notes)
    assert assumed.not_offered == ()
    assert {"The config page is shown", "A processor by itself is there"} < {one.case for one in assumed.executions}
    assert any("this checkout has no platforms/go/platform.toml" in note for note in assumed.notes)
