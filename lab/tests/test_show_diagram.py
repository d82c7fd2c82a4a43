"""The diagram of the tiers: a box for each role, an arrow for each call, once for each topology of the run."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from pathlib import Path

from deployed_result import SQL, apart, deployment, whole, with_deployments
from rejudged_result import page_of
from report_html import HTML, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.deployment import CallRecord, DatabaseRecord, DeploymentRecord, ProcessRecord
from middlemark.records.findings import Findings
from middlemark.records.run import Combination
from middlemark.show.diagram import topologies, topology_figures
from middlemark.show.page import report_page

SOAP = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")


def result(folder: Path, *records: DeploymentRecord) -> Findings:
    own = (*COMBINATIONS, SOAP)[: len(records)]
    write_synthetic(folder, Shape(combinations=own, loads=(10,), repeats=1))
    return with_deployments(folder, *records)


def test_boxes_have_what_runs_in_them_where_it_listens_and_its_cpus(tmp_path: Path) -> None:
    (one,) = topologies(result(tmp_path, apart("go", "json (http)", behind="nginx")))
    boxes = {box.name: box for box in one.boxes}
    assert boxes["services"].lines == ("services", "go", "http 8081, grpc 8082", "CPU 1")
    assert boxes["reverse-proxy"].lines == ("reverse-proxy", "nginx", "http 8084", "CPU 1")
    assert boxes["database"].lines == ("database", "SQL 5432", "CPU 0")
    assert boxes["driver"].lines == ("driver", "virtual users", "CPU 0")
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
    assert box.lines == ("web × 5", "go", "http 8090, http 8091 and 3 more", "CPU 1")


def test_combinations_that_ran_alike_share_a_diagram(tmp_path: Path) -> None:
    found = topologies(result(tmp_path, whole("go"), apart("go", "json (http)"), whole("other@server")))
    assert [topology.names for topology in found] == [("local", "soap"), ("json",)]
    shared = next(box for box in found[0].boxes if box.name == "all")
    assert shared.lines == ("all", "web + services", "go, other@server", "http 8080", "CPU 1")


def test_other_protocols_are_another_diagram(tmp_path: Path) -> None:
    assert len(topologies(result(tmp_path, apart("go", "json (http)"), apart("go", "grpc")))) == 2


def test_databases_of_the_users_own_and_several_are_named(tmp_path: Path) -> None:
    calls = (SQL.model_copy(update={"to": "database.a"}), SQL.model_copy(update={"to": "database.b"}))
    process = ProcessRecord(name="all", tiers=("web",), runs="go", ports={"http": 1}, calls=calls)
    servers = (DatabaseRecord(tier="database.a", port=5432), DatabaseRecord(tier="database.b", users_own=True))
    record = deployment((process,), ["all"]).model_copy(update={"databases": servers})
    (one,) = topologies(result(tmp_path, record))
    assert [(box.name, box.lines) for box in one.boxes if box.name.startswith("database")] == [
        ("database a", ("database a", "SQL 5432", "CPU 0")),
        ("database b", ("database b", "a server of the user's")),
    ]  # fmt: skip


def test_arrows_pass_beside_the_boxes_and_boxes_beside_each_other_in_both_widths(tmp_path: Path) -> None:
    web = apart("go", "json (http)").processes[-1]
    both = web.model_copy(update={"calls": (*web.calls, CallRecord(to="database", over="SQL", port=5432))})
    record = apart("go", "json (http)")
    record = record.model_copy(update={"processes": (*record.processes[:-1], both)})
    (figure,) = topology_figures(result(tmp_path, record))
    for drawing, width in ((figure.wide, 760), (figure.narrow, 344)):
        found = re.findall(r'class="box" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawing)
        boxes = [(float(x), float(y), float(x) + float(w), float(y) + float(h)) for x, y, w, h in found]
        assert len(boxes) == 5
        assert all(left >= 0 and right <= width for left, _, right, _ in boxes)
        assert not [1 for a, b in combinations(boxes, 2) if overlap(a, b)]
        ways = re.findall(r'class="flow" d="M([^"]+)"', drawing)
        assert [way.count("L") for way in ways].count(3) == 1, "one arrow passes a rank"
        points = [point for way in ways for point in along(way)]
        assert not [(point, box) for point in points for box in boxes if overlap((*point, *point), box)]


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether two areas (left, top, right, bottom) have more than an edge in common; one may be a point."""
    return all(a[side] + 0.5 < b[side + 2] and b[side] + 0.5 < a[side + 2] for side in (0, 1))


def along(way: str) -> list[tuple[float, float]]:
    """Return points on a way, close to each other."""
    corners = [tuple(map(float, corner.split(" "))) for corner in way.split("L")]
    return [
        (x + (to_x - x) * step / 50, y + (to_y - y) * step / 50)
        for (x, y), (to_x, to_y) in pairwise(corners)
        for step in range(51)
    ]


def test_the_report_has_a_diagram_with_its_table(tmp_path: Path) -> None:
    page = report_page(result(tmp_path, whole("go"), apart("go", "json (http)")))
    assert '<a href="#tiers">Tiers</a>' in page
    assert (
        'aria-label="The tiers as they ran, local: driver calls all over HTTP/1.1; all calls database over SQL"' in page
    )
    assert "<td>services over json (http)</td>" in page
    assert "Not recorded" not in page


def test_of_many_topologies_the_first_three_are_shown_and_the_rest_folded(tmp_path: Path) -> None:
    protocols = ("json", "soap", "grpc", "binary")
    four = tuple(
        Combination(subject="go", modes={"binding": "json", "session": one}, label=one, path=f"go/session={one}")
        for one in protocols
    )
    write_synthetic(tmp_path, Shape(four, loads=(10,), repeats=1))
    tree = page_of(with_deployments(tmp_path, *(apart("go", over) for over in protocols)))
    section = next(each for each in tree.iter(f"{HTML}section") if each.get("id") == "tiers")
    assert len(list(section.findall(f"{HTML}figure"))) == 3
    folded = [each for each in section.findall(f"{HTML}details") if words(each[0]) == "1 more diagram"]
    assert len(list(folded[0].iter(f"{HTML}figure"))) == 1


def test_a_result_that_has_not_recorded_it_has_no_such_part(tmp_path: Path) -> None:
    result(tmp_path, whole("go"))
    findings = with_deployments(tmp_path)
    assert topology_figures(findings) == []
    assert 'href="#tiers"' not in report_page(findings)
