"""Adds to a synthetic result how its combinations ran."""

from __future__ import annotations

from pathlib import Path

from rejudged_result import with_run

from middlemark.records.findings import Findings
from middlemark.records.folder import read_run
from middlemark.records.placement import Placement
from middlemark.records.run_parts import CallRecord, DatabaseRecord, DeploymentRecord, ProcessRecord

SQL = CallRecord(to="database", over="SQL", port=5432)
SUT, REST = (1,), (0,)
PINNED = Placement(cpus={"driver": REST, "database": REST, "sut": SUT}, shared=False)


def whole(subject: str) -> DeploymentRecord:
    """Return one process that carries everything."""
    process = ProcessRecord(name="all", tiers=("web", "services"), runs=subject, ports={"http": 8080}, calls=(SQL,))
    return deployment((process,), ["all"])


def apart(subject: str, over: str, *, webs: int = 1, behind: str = "") -> DeploymentRecord:
    """Return web processes that call services, maybe behind a proxy, and a processor that nobody calls."""
    services = ProcessRecord(
        name="services", tiers=("services",), runs=subject, ports={"http": 8081, "grpc": 8082}, calls=(SQL,)
    )
    processor = ProcessRecord(name="processor", tiers=("processor",), runs=subject, ports={"http": 8083}, calls=(SQL,))
    before = CallRecord(to="services", over="http", port=8081)
    proxy = ProcessRecord(
        name="reverse-proxy", tiers=("reverse-proxy",), runs=behind, ports={"http": 8084}, calls=(before,)
    )
    call = CallRecord(to="reverse-proxy" if behind else "services", over=over, port=8084 if behind else 8081)
    names = [f"web-{number}" for number in range(1, webs + 1)] if webs > 1 else ["web"]
    web = [
        ProcessRecord(name=name, tiers=("web",), runs=subject, ports={"http": 8090 + place}, calls=(call,))
        for place, name in enumerate(names)
    ]
    return deployment((processor, services, *([proxy] if behind else []), *web), names)


def deployment(processes: tuple[ProcessRecord, ...], entry: list[str]) -> DeploymentRecord:
    """Return a deployment whose driver calls these processes, with one database server."""
    return DeploymentRecord(
        driver=tuple(CallRecord(to=name, over="HTTP/1.1", port=8080) for name in entry),
        processes=processes,
        databases=(DatabaseRecord(tier="database", port=5432),),
    )


def with_deployments(folder: Path, *records: DeploymentRecord) -> Findings:
    """Give each combination of the result its deployment, in order, and judge it again."""
    paths = [one.path for one in read_run(folder).combinations]
    deployments = dict(zip(paths, records, strict=False))
    return with_run(folder, deployments=deployments, placement=dict.fromkeys(paths, PINNED))
