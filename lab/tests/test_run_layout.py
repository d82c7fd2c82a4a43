"""A run with more processes: a reverse proxy, several web processes, several processors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from report_html import parsed, words
from run_command import finish, found_in

from middlemark.judge.samples import SampleSums
from middlemark.records.findings import Findings
from middlemark.records.folder import read_run
from middlemark.records.point import Outcome
from middlemark.records.run import RunStatus
from middlemark.records.run_parts import CallRecord
from middlemark.records.samples import Samples
from middlemark.records.window import Window
from middlemark.show.diagram import topologies, topology_figures
from middlemark.show.page import report_page

pytestmark = [pytest.mark.full, pytest.mark.long]

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {binding: [soap], orders: [async-queue]}
reverse_proxy: nginx
instances: {web: 2, processor: 2}
cpus: 1
loads: {users: [4]}
think: {constant: 50ms}
phases: {warm: 500ms, settle: 200ms, measure: 2s, drain: 10s}
rounds: 1
replacements: 0
work: false
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the experiment once; its result folder."""
    folder = tmp_path_factory.mktemp("layout")
    file = folder / "deployed.yaml"
    file.write_text(EXPERIMENT, encoding="utf-8")
    done = finish(file, folder / "out")
    (out,) = (folder / "out").iterdir()
    assert read_run(out).status is RunStatus.FINISHED, done.stderr
    return out


@pytest.fixture(scope="module")
def result(folder: Path) -> Findings:
    """What the run has found."""
    return found_in(folder)


@pytest.fixture(scope="module")
def window(result: Findings) -> Window:
    """The only window."""
    (window,) = result.windows
    return window


def test_the_reverse_proxy_is_a_tier_of_its_own_and_so_are_the_processors(window: Window) -> None:
    tiers = window.tiers
    assert set(tiers) == {"web", "reverse-proxy", "services", "processor", "database", "driver"}
    assert all(tier.cpu_s > 0 for tier in tiers.values())


def test_every_order_is_completed_before_the_audit_and_it_passes(window: Window) -> None:
    outcomes = {check.name: check.outcome for check in window.checks}
    assert window.audit
    assert window.audit.passed
    assert outcomes["drained"] is Outcome.PASSED
    assert outcomes["settings"] is Outcome.PASSED
    assert outcomes["errors"] is Outcome.PASSED


def test_every_process_is_on_the_cpus_of_its_role_from_its_first_moment(
    folder: Path, result: Findings, window: Window
) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system cannot keep processes on CPUs")
    (placement,) = result.run.placement.values()
    used = SampleSums.of(Samples(folder / "points" / window.path / "monitor.ndjson")).cpus
    assert set(used) == set(window.tiers)
    assert used == {tier: placement.of(tier) for tier in used}
    assert len(placement.of("web")) == 1
    check = next(check for check in window.checks if check.name == "placement")
    assert (check.outcome, check.message) == (Outcome.PASSED, placement.text)
    assert placement.shared == result.run.shared_cpus == (len(os.sched_getaffinity(0)) == 1)
    assert result.run.host.cpus == len(os.sched_getaffinity(0))


def test_the_network_of_every_tier_is_counted_or_has_its_reason(result: Findings, window: Window) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux counts the bytes of connections")
    tiers = window.tiers
    counted = {name for name, tier in tiers.items() if (tier.net_received_mib_per_s or 0) > 0}
    # Nobody calls the processor but the lab, which asks each second for its pool.
    assert counted == {"reverse-proxy", "services", "database", "processor"}
    assert (tiers["processor"].net_sent_mib_per_s or 0) < 0.01
    proxy, services = tiers["reverse-proxy"], tiers["services"]
    # What the proxy passes on is what it gets, but for the headers it writes itself.
    assert proxy.net_sent_mib_per_s == pytest.approx(services.net_sent_mib_per_s, rel=0.5)
    assert window.sent_bytes_per_s
    page = words(parsed(report_page(result)))
    if not window.valid:
        pytest.skip(f"the report has the network of windows that count: {'; '.join(window.reasons)}")
    _, _, network = page.partition("Network of every tier")
    assert "called by the virtual users: what it exchanged with them is the driver's" in network
    assert "all it exchanged, with headers of HTTP; over TLS before encryption" in network
    assert "the kernel knows no bytes of a process" not in network


def test_how_the_processes_ran_is_recorded_and_drawn(result: Findings) -> None:
    ((path, record),) = result.run.deployments.items()
    assert path == result.run.combinations[0].path
    ports = {process.name: process.ports for process in record.processes}
    runs = {process.name: process.runs for process in record.processes}
    assert list(ports) == ["processor-1", "processor-2", "services", "reverse-proxy", "web-1", "web-2"]
    assert runs == dict.fromkeys(ports, "go") | {"reverse-proxy": "nginx"}
    (database,) = record.databases
    sql = CallRecord(to="database", over="SQL", port=database.port)
    calls = {process.name: process.calls for process in record.processes}
    behind = CallRecord(to="services", over="http", port=ports["services"]["http"])
    soap = CallRecord(to="reverse-proxy", over="soap (http)", port=ports["reverse-proxy"]["http"])
    assert calls == {
        "processor-1": (sql,), "processor-2": (sql,), "services": (sql,), "reverse-proxy": (behind,),
        "web-1": (soap,), "web-2": (soap,),
    }  # fmt: skip
    assert record.driver == tuple(
        CallRecord(to=name, over="HTTP/1.1", port=ports[name]["http"]) for name in ("web-1", "web-2")
    )
    assert database.port
    (topology,) = topologies(result)
    assert [(box.name, box.rank) for box in topology.boxes] == [
        ("driver", 0), ("processor × 2", 3), ("services", 3), ("reverse-proxy", 2), ("web × 2", 1), ("database", 4),
    ]  # fmt: skip
    (figure,) = topology_figures(result)
    assert f"http {ports['services']['http']}" in figure.wide


def test_the_combination_has_every_choice_in_its_name(result: Findings) -> None:
    (combination,) = result.run.combinations
    assert (
        combination.path
        == "go/binding=soap,orders=async-queue,reverse_proxy=nginx,instances.web=2,instances.processor=2,cpus=1"
    )
    assert combination.label == "go soap async-queue, behind nginx, 2 × web, 2 × processor, 1 CPU"


def test_the_reverse_proxy_is_disclosed_with_version_files_and_every_setting(result: Findings) -> None:
    assert result.run.versions["nginx"].count(".") == 2
    assert {"servers/nginx/server.toml", "servers/nginx/proxy.conf.template"} <= result.run.inputs.keys()
    assert "nginx: access_log" in {row["what"] for row in result.run.not_default}


def test_published_ratios_are_kept_in_the_result(folder: Path, result: Findings) -> None:
    assert result.published
    assert {ratio.test for source in result.published.sources for ratio in source.ratios} == {
        "web service",
        "durable messaging",
    }
    assert "published.json" in (folder / "manifest.sha256").read_text(encoding="utf-8")
