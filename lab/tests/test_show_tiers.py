"""What every tier used and waited for, and the diagram of the tiers: a box for each role, an arrow for each call."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from deployed_result import SQL, apart, deployment, whole, with_deployments
from made_result import combination
from rejudged_result import page_of, with_windows
from report_html import HTML, section, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge_folder
from middlemark.records.findings import Findings
from middlemark.records.run_parts import CallRecord, DatabaseRecord, DeploymentRecord, ProcessRecord
from middlemark.records.samples import ObservedPool, Statement
from middlemark.records.window import (
    DatabaseFigures,
    DiskFigures,
    HostFigures,
    Limit,
    ReportedPoolFigures,
    TierFigures,
    Window,
)
from middlemark.show.diagram import topologies, topology_figures
from middlemark.show.page import report_page
from middlemark.show.resources import limits
from middlemark.show.tables import Fold, Picture, Row, Table
from middlemark.verdict.limit import Place

SHOP = DatabaseFigures(
    commits_per_s=1, rollbacks_per_s=0, deadlocks=0, cache_hit_share=1, temporary_mib=0, max_waiting_locks=0,
    mean_active_sessions=0, looks=80, waits={"CPU": 0.01, "IO:WalSync": 0.02, "Lock:tuple": 0.01},
    log_mib_per_s=105.0, full_pages_per_s=9000.0, checkpoints=1, checkpoint_mib=812.0,
    pools={"web+services": ObservedPool(size=20, in_work=17.5, full=0.83)},
)  # fmt: skip
DISK = DiskFigures(busy=0.5, read_mib_per_s=0, written_mib_per_s=3)
PLACES = {Place.POOL.value: 0.01, Place.APPLICATION.value: 0.05, Place.STORAGE.value: 0.03}
PLAIN = TierFigures(cpu_s=1, cpu_share=0.1, cpu_ms_per_transaction=1, memory_mean_mib=1, memory_max_mib=1)


def watched_closely(window: Window) -> Window:
    own = window.tiers["web+services"]
    pool = ReportedPoolFigures(size=20, in_use=19.5, full=0.9, waiting=0.03)
    slow = Statement(database="shop", query="SELECT pg_sleep($1)", calls=7, total_ms=7000.0)
    more = {
        "tiers": {**window.tiers, "web+services": own.model_copy(update={"pools": {"shop": pool}})},
        "databases": {"shop": SHOP},
        "host": HostFigures(io_stalled=0.25, disks={"vda": DISK}),
        "limit": Limit(by=(), platform_peak=False, message="waiting for the moon", in_progress=1.0, seen=0.5),
        "places": PLACES,
        "statements": (slow,),
    }
    return window.model_copy(update=more)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Judge a run whose windows were watched."""
    shape = Shape(loads=(10, 60), repeats=1)
    return with_windows(write_synthetic(tmp_path_factory.mktemp("result"), shape), watched_closely)


def rows_of(findings: Findings, title: str) -> list[list[str]]:
    """Return the rows of the table folded below a title."""
    resources = section(page_of(findings), "resources")
    folds = (each for each in resources.iter(f"{HTML}details") if words(each[0]) == title)
    return [[words(entry) for entry in row] for row in next(folds, ET.Element("none")).iter(f"{HTML}tr")]


def waiting_charts(findings: Findings) -> list[Picture]:
    return [figure for block in limits(findings) if isinstance(block, Row) for figure in block.figures]


def test_a_bar_for_each_load_is_as_long_as_the_transactions_under_way(watched: Findings) -> None:
    charts = waiting_charts(watched)
    assert [chart.title for chart in charts] == ["local", "json"]
    for one, chart in zip(COMBINATIONS, charts, strict=True):
        whole = [watched.of(one, load)[0].under_way for load in (10, 60)]
        for drawing in (chart.wide, chart.narrow):
            parts = re.findall(r'<rect class="column (\S+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', drawing)
            bars: dict[str, list[tuple[float, float]]] = {}
            for _, x, y, width in parts:
                bars.setdefault(y, []).append((float(x), float(width)))
            lengths = []
            for bar in bars.values():
                # Each part begins where the one before it ends.
                assert all(left[0] + left[1] == pytest.approx(right[0], abs=0.2) for left, right in pairwise(bar))
                lengths.append(sum(width for _, width in bar))
            assert lengths[1] / lengths[0] == pytest.approx(whole[1] / whole[0], rel=0.05)
            assert {style for style, *_ in parts} == {"s0", "s1", "s2", "rest"}


def test_the_numbers_below_have_every_place_and_what_was_not_seen(watched: Findings) -> None:
    (folded,) = [block for block in limits(watched) if isinstance(block, Fold)]
    table = folded.blocks[0]
    assert isinstance(table, Table)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    seen = [row[f"#{place}"].exact for place in PLACES]
    assert seen == pytest.approx(list(PLACES.values()))
    under_way = watched.of(COMBINATIONS[0], 60)[0].under_way
    assert row["#under way"].exact == pytest.approx(under_way)
    assert row["#not seen anywhere"].exact == pytest.approx(under_way - sum(PLACES.values()))


def test_pools_disks_checkpoints_and_statements_have_their_tables(watched: Findings) -> None:
    pools = rows_of(watched, "Connection pools")
    assert pools[1][:3] == ["local, 60 users", "web+services", "shop"]
    assert pools[1][3:] == ["20.0", "17.5", "83.0", "19.5", "90.0", "0.030"]
    disks = rows_of(watched, "Disks of the machine")
    assert disks[1] == ["local, 60 users", "vda", "50.0", "0", "3.00"]
    databases = rows_of(watched, "Commits, locks and cache of the databases")
    assert databases[0][-1] == "checkpoints wrote MiB"
    assert databases[1][-1] == "812"
    assert rows_of(watched, "The whole machine")[1][-1] == "25.0"
    statements = rows_of(watched, "Statements that took most time, over all windows compared")
    assert statements[1] == ["local", "shop", "SELECT pg_sleep($1)", "7", "7,000"]
    assert "waiting for the moon" in words(page_of(watched))


def test_a_result_in_which_nothing_was_waited_for_has_no_such_chart(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    bare = with_windows(folder, lambda window: window.model_copy(update={"places": {}, "limit": None}))
    assert list(limits(bare)) == []
    assert "under way were" not in words(page_of(bare))


def counted(received: float, sent: float, ended: int = 0) -> TierFigures:
    changes = {"net_received_mib_per_s": received, "net_sent_mib_per_s": sent, "connections_ended": ended}
    return PLAIN.model_copy(update=changes)


def test_each_tier_has_the_figures_of_its_network_or_the_reason(tmp_path: Path) -> None:
    tiers = {"web": PLAIN, "services": counted(0.5, 1.5), "database": counted(2, 4, 3), "processor": PLAIN,
             "driver": PLAIN}  # fmt: skip
    with_deployments(
        write_synthetic(tmp_path, Shape(COMBINATIONS[:1], loads=(10,), repeats=2)), apart("go", "json (http)")
    )

    def with_network(window: Window) -> Window:
        exchanged = {"bytes_per_s": 3 * 2**20, "sent_bytes_per_s": float(2**20), "throughput_tps": 1024.0}
        return window.model_copy(update={"tiers": tiers, **exchanged})

    findings = with_windows(tmp_path, with_network)
    assert "what goes between them waits for no network" in words(page_of(findings))
    rows = rows_of(findings, "Network of every tier, at 10 users")
    not_counted = "not counted: the kernel knows no bytes of a process, and its connections were not looked at"
    assert {row[1]: row[2:] for row in rows[1:]} == {
        "web": ["n/a", "n/a", "n/a", "n/a", "called by the virtual users: what it exchanged with them is the driver's"],
        "services": ["0.500", "1.50", "512", "1,536", "on its callers' connections"],
        "database": [
            "2.00",
            "4.00",
            "2,048",
            "4,096",
            "at least: the last bytes of 6 connections that ended are missing",
        ],
        "processor": ["n/a", "n/a", "n/a", "n/a", not_counted],
        "driver": [
            "3.00",
            "1.00",
            "3,072",
            "1,024",
            "all it exchanged, with headers of HTTP; over TLS before encryption",
        ],
    }


def test_the_tiers_of_each_load_are_listed_with_the_driver_last(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=2)))
    rows = rows_of(findings, "60 users: CPU and memory of every tier")
    assert [row[:2] for row in rows[1:]] == [
        [tier, name] for tier in ("web + services", "database", "driver") for name in ("local", "json")
    ]
    windows = findings.of(COMBINATIONS[0], 60)
    mean = sum(window.tiers["web+services"].cpu_ms_per_transaction for window in windows) / 2
    assert float(rows[1][2]) == pytest.approx(mean, abs=0.005)


SOAP = combination("go", binding="soap")


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
    four = tuple(combination("go", binding="json", session=one) for one in protocols)
    write_synthetic(tmp_path, Shape(four, loads=(10,), repeats=1))
    tree = page_of(with_deployments(tmp_path, *(apart("go", over) for over in protocols)))
    tiers = section(tree, "tiers")
    assert len(list(tiers.findall(f"{HTML}figure"))) == 3
    folded = [each for each in tiers.findall(f"{HTML}details") if words(each[0]) == "1 more diagram"]
    assert len(list(folded[0].iter(f"{HTML}figure"))) == 1


def test_a_result_that_has_not_recorded_it_has_no_such_part(tmp_path: Path) -> None:
    result(tmp_path, whole("go"))
    findings = with_deployments(tmp_path)
    assert topology_figures(findings) == []
    assert 'href="#tiers"' not in report_page(findings)
