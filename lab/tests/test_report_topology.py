"""The diagram of the tiers: a box for each role, an arrow for each call, once for each topology of the run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from deployed_result import SQL, apart, deployment, whole, with_deployments
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.deployment import CallRecord, DatabaseRecord, DeploymentRecord, ProcessRecord
from middlemark.records.folder import Result
from middlemark.records.run import Combination
from middlemark.report.page import report_page
from middlemark.report.topology import topologies
from middlemark.report.topology_chart import topology_figures

SOAP = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")


def result(folder: Path, *records: DeploymentRecord) -> Result:
    combinations = (*COMBINATIONS, SOAP)[: len(records)]
    write_synthetic(folder, Shape(combinations=combinations, loads=(10,), repeats=1))
    return with_deployments(folder, *records)


def test_boxes_have_what_runs_in_them_where_it_listens_and_its_cpus(tmp_path: Path) -> None:
    (one,) = topologies(result(tmp_path, apart("go", "json (http)", behind="nginx")))
    boxes = {box.name: box for box in one.boxes}
    assert boxes["services"].lines == ("go", "http 8081, grpc 8082", "CPU 1")
    assert boxes["reverse-proxy"].lines == ("nginx", "http 8084", "CPU 1")
    assert boxes["database"].lines == ("SQL 5432", "CPU 0")
    assert boxes["driver"].lines == ("virtual users", "CPU 0")
    calls = {(one.boxes[arrow.caller].name, one.boxes[arrow.called].name, arrow.over) for arrow in one.arrows}
    assert calls == {
        ("driver", "web", "HTTP/1.1"), ("web", "reverse-proxy", "json (http)"), ("reverse-proxy", "services", "http"),
        ("services", "database", "SQL"), ("processor", "database", "SQL"),
    }  # fmt: skip


def test_whoever_is_called_stands_behind_its_callers_and_who_is_not_before_its_callees(tmp_path: Path) -> None:
    (one,) = topologies(result(tmp_path, apart("go", "json (http)", behind="nginx")))
    assert {box.name: box.rank for box in one.boxes} == {
        "driver": 0, "web": 1, "reverse-proxy": 2, "services": 3, "processor": 3, "database": 4,
    }  # fmt: skip


def test_processes_that_do_the_same_are_one_box(tmp_path: Path) -> None:
    (one,) = topologies(result(tmp_path, apart("go", "json (http)", webs=5)))
    box = next(box for box in one.boxes if box.name.startswith("web"))
    assert box.name == "web × 5"
    assert box.lines == ("go", "http 8090, http 8091 and 3 more", "CPU 1")


def test_combinations_that_ran_alike_share_a_diagram(tmp_path: Path) -> None:
    found = topologies(result(tmp_path, whole("go"), apart("go", "json (http)"), whole("other@server")))
    assert [[one.label for one in topology.combinations] for topology in found] == [
        ["go local", "go soap"], ["go json"],
    ]  # fmt: skip
    shared = next(box for box in found[0].boxes if box.name == "all")
    assert shared.lines == ("web + services", "go, other@server", "http 8080", "CPU 1")


def test_other_protocols_are_another_diagram(tmp_path: Path) -> None:
    assert len(topologies(result(tmp_path, apart("go", "json (http)"), apart("go", "grpc")))) == 2


def test_databases_of_the_users_own_and_several_are_named(tmp_path: Path) -> None:
    calls = (SQL.model_copy(update={"to": "database.a"}), SQL.model_copy(update={"to": "database.b"}))
    process = ProcessRecord(name="all", tiers=("web",), runs="go", ports={"http": 1}, calls=calls)
    servers = (DatabaseRecord(tier="database.a", port=5432), DatabaseRecord(tier="database.b", users_own=True))
    record = deployment((process,), ["all"]).model_copy(update={"databases": servers})
    (one,) = topologies(result(tmp_path, record))
    assert [(box.name, box.lines) for box in one.boxes if box.name.startswith("database")] == [
        ("database a", ("SQL 5432", "CPU 0")), ("database b", ("a server of the user's",)),
    ]  # fmt: skip


def test_an_arrow_passes_beside_the_boxes_between_its_ends(tmp_path: Path) -> None:
    web = apart("go", "json (http)").processes[-1]
    both = web.model_copy(update={"calls": (*web.calls, CallRecord(to="database", over="SQL", port=5432))})
    record = apart("go", "json (http)")
    record = record.model_copy(update={"processes": (*record.processes[:-1], both)})
    (figure,) = topology_figures(result(tmp_path, record))
    ways = re.findall(r'class="flow" d="M([^"]+)"', figure.wide)
    (passing,) = [way for way in ways if way.count("L") == 3]
    heights = [float(corner.split(" ")[1]) for corner in passing.split("L")]
    boxes = re.findall(r'class="box" x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', figure.wide)
    beside = [(float(y), float(y) + float(height)) for x, y, height in boxes if float(x) == pytest.approx(605, abs=1)]
    assert len(beside) == 2
    assert not any(top <= heights[1] <= bottom for top, bottom in beside)


def test_the_report_has_a_diagram_with_its_table(tmp_path: Path) -> None:
    page = report_page(result(tmp_path, whole("go"), apart("go", "json (http)")))
    assert '<a href="#tiers">Tiers</a>' in page
    assert (
        'aria-label="The tiers as they ran, local: driver calls all over HTTP/1.1; all calls database over SQL"' in page
    )
    assert "<td>services over json (http)</td>" in page
    assert "Not recorded" not in page


def test_a_result_that_has_not_recorded_it_says_so(tmp_path: Path) -> None:
    result(tmp_path, whole("go"))
    page = report_page(with_deployments(tmp_path))
    assert "Not recorded: nothing was started, or by an earlier version." in page
    assert 'href="#tiers"' not in page
