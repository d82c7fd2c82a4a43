"""The report is one file that needs nothing, is valid HTML, and shows the figures of the files."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from report_html import HTML, parsed, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.processes.ending import Part
from middlemark.processes.watchdog import Stopped, StoppedProcess
from middlemark.records.folder import point_folder, read_result, write_json
from middlemark.records.ledger import SeenSpread
from middlemark.records.run import Combination, RunStatus, Start
from middlemark.report.disclosure import heaps
from middlemark.report.page import write_report
from middlemark.report.timelines import timeline

SVG = "{http://www.w3.org/2000/svg}"
# Attributes by which a document fetches something.
FETCHING = {"src", "srcset", "href", "poster", "action", "formaction", "background", "manifest", "ping", "xlink:href"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_synthetic(tmp_path_factory.mktemp("result"))


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return write_report(folder).read_text(encoding="utf-8")


def test_the_report_is_strict_html(page: str) -> None:
    assert parsed(page).tag == f"{HTML}html"


def test_nothing_is_fetched_from_anywhere(page: str) -> None:
    for element in parsed(page).iter():
        for name, value in element.attrib.items():
            if name in FETCHING:
                assert value.startswith("#"), f"{element.tag} {name}={value}"
    assert not re.search(r"https?://", page)
    assert not re.search(r"url\(|@import|<script|<link|<iframe", page)


def test_the_policy_allows_nothing_but_its_own_styles(page: str) -> None:
    policies = [m.get("content") for m in parsed(page).iter(f"{HTML}meta") if m.get("http-equiv")]
    assert policies
    assert policies[0] is not None
    assert policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_every_anchor_leads_to_a_section(page: str) -> None:
    tree = parsed(page)
    ids = {element.get("id") for element in tree.iter() if element.get("id")}
    anchors = [a.get("href", "")[1:] for a in tree.iter(f"{HTML}a")]
    assert len(anchors) == 9
    assert set(anchors) <= ids


def test_the_verdict_is_the_headline(page: str) -> None:
    assert re.search(r"<h1>json: 1\.\d\d × \(rounds 1\.\d\d … 1\.\d\d\) the CPU time per transaction of local", page)


def test_the_experiments_description_and_the_reports_words_follow_the_headline(page: str) -> None:
    verdict = next(e for e in parsed(page).iter(f"{HTML}section") if e.get("id") == "verdict")
    assert "Go in process <and> over JSON" in [words(p) for p in verdict.iter(f"{HTML}p")]
    explained = [words(term) for term in verdict.iter(f"{HTML}dt")]
    assert explained == [
        "transaction", "combination", "point", "round", "tier", "platform's tiers", "comparability group",
    ]  # fmt: skip


def test_a_run_without_a_description_has_a_report(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    run = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    del run["description"]  # As results were written before they had one.
    (tmp_path / "run.json").write_text(json.dumps(run), encoding="utf-8")
    assert 'class="description"' not in write_report(tmp_path).read_text(encoding="utf-8")


def test_the_numbers_of_a_table_are_those_of_verdict_json(page: str, folder: Path) -> None:
    verdict = read_result(folder).of(COMBINATIONS[1], 60)[1].verdict
    assert verdict is not None
    rows = table_after(parsed(page), "json, 60 users, round 2")
    for name, t in {**verdict.transactions, "all transactions": verdict.total}.items():
        shown = rows[name]
        exact = (t.count, t.errors, t.tps, t.mean_ms, t.p50_ms, t.p90_ms, t.p95_ms, t.p99_ms, t.max_ms)
        assert shown == pytest.approx(exact)


def table_after(tree: ET.Element, title: str) -> dict[str, tuple[float, ...]]:
    """Return the table below a heading: the first text of each row to the exact values of the others."""
    elements = list(tree.iter())
    heading = next(i for i, e in enumerate(elements) if e.tag == f"{HTML}h4" and words(e) == title)
    table = next(e for e in elements[heading:] if e.tag == f"{HTML}table")
    rows = [list(row) for row in table.iter(f"{HTML}tr") if row[0].tag == f"{HTML}td"]
    return {
        words(row[0]): tuple(float(data.get("value", "nan")) for one in row[1:] for data in one.iter(f"{HTML}data"))
        for row in rows
    }


def test_every_figure_has_its_numbers_or_a_table_beside_it(page: str) -> None:
    figures = list(parsed(page).iter(f"{HTML}figure"))
    assert len(figures) >= 12
    drawn = [f for f in figures if not list(f.iter(f"{HTML}details"))]
    # What was reached at the peaks, the tiers' small charts and the run order have one table for all of them below.
    at_peaks = {
        "Users", "Transactions per second", "CPU-ms per transaction, platform's tiers",
        "Memory in MiB, platform's tiers",
    }  # fmt: skip
    assert {words(next(f.iter(f"{HTML}strong"))) for f in drawn} - at_peaks == {
        "web + services", "database", "driver", "Cost by place in the run",
    }  # fmt: skip


def test_every_chart_has_a_name_for_those_who_do_not_see_it(page: str) -> None:
    charts = re.findall(r'<svg [^>]*role="img"[^>]*>', page)
    assert len(charts) > 20
    assert all(re.search(r'aria-label="[^"]{10,}"', chart) for chart in charts)


def test_each_round_is_a_dot_with_its_value(page: str, folder: Path) -> None:
    verdict = read_result(folder).of(COMBINATIONS[0], 30)[0].verdict
    assert verdict is not None
    label = f"local, 30 users, round 1: {verdict.throughput_tps:,.0f} transactions per second"
    assert page.count(f"<title>{label}</title>") == 2  # once for screens, once for phones


def test_names_from_files_are_escaped(page: str) -> None:
    assert "bindings &lt;local &amp; json&gt;" in page
    assert "<local" not in page


def test_the_disclosure_holds_what_a_reader_needs(page: str) -> None:
    for fact in (
        "6.1.0",
        "Some CPU at 2.8 GHz",
        "7,960 MiB",
        "1,024",
        "1.90 ms",
        "0123456789ab, with changes",
        "ab" * 32,
        "synchronous_commit",
        "GOMAXPROCS",
        "200 ms",
        "does not offer binding=soap",
        "9f" * 32,
    ):
        assert fact in page
    assert "middlemark run demo --out &#39;my results&#39;" in page
    assert "shared CPUs" in page


def test_the_report_of_a_killed_run_begins_with_that_and_shows_what_there_is(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, stop_after=1, status=RunStatus.RUNNING))
    begun = point_folder(tmp_path, COMBINATIONS[1], 10, 0)
    begun.mkdir(parents=True)
    (begun / "intervals.ndjson").write_text('{"v":1,"t_n', encoding="utf-8")
    page = write_report(tmp_path).read_text(encoding="utf-8")
    tree = parsed(page)
    banner = next(e for e in tree.iter() if e.get("class") == "banner")
    assert words(banner).startswith("This run has not finished: it is still running, or it was killed.")
    assert "local, 10 users, round 1" in table_titles(tree)
    assert "not finished" in page
    assert "Without an audit: json, 10 users, round 1." in page


def test_the_report_of_a_killed_run_shows_when_and_what_was_stopped(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, stop_after=1, status=RunStatus.RUNNING))
    ended = [("driver", "signal"), *[("application", "signal")] * 2, ("database", "survived SIGKILL")]
    processes = [
        StoppedProcess(part=Part(part), name=part, pid=7, how=how, signal="SIGKILL", processes=1, seconds=0.1)
        for part, how in ended
    ]
    stopped = Stopped(
        when="2026-11-20T08:05:00Z", reason="the lab was killed", lab_pid=4711, processes=processes, removed=[]
    )
    write_json(tmp_path / "stopped.json", stopped)
    tree = parsed(write_report(tmp_path).read_text(encoding="utf-8"))
    stop = "orphaned processes were stopped: driver, application; still running: database"
    banner = words(next(e for e in tree.iter() if e.get("class") == "banner"))
    assert banner.startswith(
        f"This run has not finished. The lab was killed at 2026-11-20 08:05:00Z; {stop}. What was measured"
    )
    assert words(next(tree.iter(f"{HTML}h1"))).startswith("not finished after 1 of 2 points; ")
    reasons = next(e for e in tree.iter(f"{HTML}ul") if e.get("class") == "reasons")
    assert words(reasons[0]) == (
        f"not finished: the lab was killed at 2026-11-20 08:05:00Z, after 1 of 2 points ({stop})"
    )
    assert "still running, or" not in words(tree)


def table_titles(tree: ET.Element) -> list[str]:
    return [words(h) for h in tree.iter(f"{HTML}h4")]


def test_a_failed_run_without_any_point_has_a_readable_report(tmp_path: Path) -> None:
    shape = Shape(stop_after=0, status=RunStatus.FAILED, message="the build failed")
    page = write_report(write_synthetic(tmp_path, shape)).read_text(encoding="utf-8")
    assert "This run failed." in words(parsed(page))
    assert "the build failed" in page
    assert "No point was finished." in page


def test_broken_lines_of_the_driver_cost_only_the_strip(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    (point_folder(tmp_path, COMBINATIONS[0], 10, 0) / "intervals.ndjson").write_text("nonsense\n{}\n", encoding="utf-8")
    tree = parsed(write_report(tmp_path).read_text(encoding="utf-8"))
    strips = [words(e) for e in tree.iter(f"{HTML}figure") if e.get("class") == "time"]
    assert len(strips) == 2
    assert strips[0].startswith("json, 10 users, round 1: transactions per second")
    assert strips[1].startswith("json, 10 users, round 1: CPU of all tiers")


def test_invalid_points_are_named_with_the_word_and_the_reason(tmp_path: Path) -> None:
    page = write_report(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, error_points=frozenset({0}))))
    tree = parsed(page.read_text(encoding="utf-8"))
    failed = [words(row) for row in tree.iter(f"{HTML}tr") if "failed" in words(row).split()]
    assert any("errors" in row and "closed 8, status 40" in row for row in failed)
    assert "INVALID" in words(tree)


def test_settings_in_which_the_combinations_differ_are_listed(page: str) -> None:
    rows = [words(row) for row in parsed(page).iter(f"{HTML}tr")]
    assert rows[rows.index("what local json") + 1] == "settings binding local json"


def test_a_combination_that_was_never_started_differs_in_nothing_known(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, stop_after=1, status=RunStatus.FAILED))
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "json was not started; nothing to compare." in words(parsed(page))
    assert "What differs" in page


def test_of_three_combinations_the_two_that_were_started_are_compared(tmp_path: Path) -> None:
    soap = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")
    write_synthetic(tmp_path, Shape(combinations=(*COMBINATIONS, soap), loads=(10,), repeats=1, stop_after=2))
    tree = parsed(write_report(tmp_path).read_text(encoding="utf-8"))
    rows = [words(row) for row in tree.iter(f"{HTML}tr")]
    assert rows[rows.index("what local json") + 1] == "settings binding local json"
    assert "soap was not started and cannot be compared." in words(tree)


@pytest.mark.parametrize(("repeats", "written"), [(2, False), (3, True)])
def test_an_interval_is_written_only_where_it_may_decide(tmp_path: Path, repeats: int, *, written: bool) -> None:
    tree = parsed(write_report(write_synthetic(tmp_path, Shape(loads=(10,), repeats=repeats))).read_text("utf-8"))
    row = next(words(r) for r in tree.iter(f"{HTML}tr") if words(r).startswith("json ÷ local: CPU time"))
    assert bool(re.search(r"\d … \d", row)) == written
    assert ("too few rounds" in row) == (not written)


def test_the_spread_between_starts_is_listed_with_how_it_is_known(tmp_path: Path, page: str) -> None:
    assert spreads(page) == ["local 1.5 % assumed 0 6.00", "json 1.5 % assumed 0 6.00"]
    seen = SeenSpread(subject="go", squares=6 * 0.045**2, degrees=6.0, starts=7)
    known = write_report(write_synthetic(tmp_path, Shape(loads=(10,), repeats=3, rounds=3, seen=(seen,))))
    row = "3.4 % from this machine's ledger 7 12.0"
    assert spreads(known.read_text("utf-8")) == [f"local {row}", f"json {row}"]


def spreads(page: str) -> list[str]:
    """Return the rows of the table of spreads without its head."""
    rows = [words(row) for row in parsed(page).iter(f"{HTML}tr")]
    return [row for row in rows if re.fullmatch(r"\S+ [0-9.]+ % (assumed|from this machine's ledger) [0-9. ]+", row)]


def test_the_strips_of_a_combination_have_its_colour_and_its_name(page: str) -> None:
    strips = [figure for figure in parsed(page).iter(f"{HTML}figure") if figure.get("class") == "time"]
    colours = {"local": "s0", "json": "s1"}
    assert len(strips) == 8
    for figure in strips:
        name = words(next(figure.iter(f"{HTML}strong"))).split(",")[0]
        drawn = {e.get("class") for e in figure.iter() if "strip" in (e.get("class") or "").split()}
        assert drawn == {f"line strip {colours[name]}"}


def test_each_throughput_strip_shows_the_drift_inside_the_window(page: str) -> None:
    strips = [words(figure) for figure in parsed(page).iter(f"{HTML}figure") if figure.get("class") == "time"]
    rates = [text for text in strips if "transactions per second" in text]
    drift = r"throughput drift: [+-]\d+\.\d % over the window \(± \d+\.\d %\)"
    assert len(rates) == 4
    assert all(re.search(drift, text) for text in rates)
    assert all(re.search(drift.replace("throughput", "CPU-cost"), text) for text in rates)


def test_one_user_is_no_plural(tmp_path: Path) -> None:
    tree = parsed(write_report(write_synthetic(tmp_path, Shape(loads=(1,), repeats=1))).read_text("utf-8"))
    assert "Throughput and CPU use over time, at 1 user" in [words(heading) for heading in tree.iter(f"{HTML}h2")]
    assert not [text for text in tree.itertext() if re.search(r"\b1 (users|rounds|points)\b", text)]


def test_six_combinations_of_long_names_have_a_report_too(tmp_path: Path) -> None:
    many = tuple(
        Combination(subject=s, modes={"binding": b}, label=f"{s} {b}", path=f"{s}/binding={b}")
        for s in ("go", "jakarta@liberty", "jakarta@wildfly")
        for b in ("local", "json")
    )
    page = write_report(write_synthetic(tmp_path, Shape(combinations=many, loads=(10,), repeats=1)))
    tree = parsed(page.read_text(encoding="utf-8"))
    assert "jakarta@wildfly json" in words(tree)


def test_the_report_is_the_same_when_it_is_made_again(folder: Path, page: str) -> None:
    assert write_report(folder).read_text(encoding="utf-8") == page


def test_where_a_tier_ended_while_it_was_watched_no_cpu_use_is_made_up(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    file = point_folder(tmp_path, COMBINATIONS[0], 10, 0) / "monitor.ndjson"
    sample = '{{"v":1,"t_ns":{},"tiers":{{"web":{{"cpu_s":{},"rss_mib":9}},"driver":{{"cpu_s":{},"rss_mib":9}}}}}}\n'
    clocks = [(0, 0.0, 0.0), (1, 0.25, 0.1), (2, 0.5, 0.2), (3, 0.75, 0.0)]
    lines = [sample.format(second * 10**9, web, driver) for second, web, driver in clocks]
    file.write_text("".join(lines), encoding="utf-8")
    point = read_result(tmp_path).points[0]
    course = timeline(point)
    assert course is not None
    assert [s.start_s for s in course.cpu] == [0.0, 1.0]
    assert [s.rate for s in course.cpu] == pytest.approx([35.0, 35.0])


def test_memory_comes_with_the_heap_that_was_set(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    assert heaps(result) == []
    heap = {"what": "Java heap, -Xmx", "value": "512m", "why": "elsewhere the default is another"}
    write_json(result.folder / "run.json", result.run.model_copy(update={"not_default": [heap]}))
    assert "the disclosure has it: Java heap, -Xmx 512m (the run)." in words(parsed(write_report(tmp_path).read_text()))


def test_start_up_time_is_the_median_of_every_process_with_its_spread(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=3)))
    local, over_json = (c.path for c in COMBINATIONS)
    starts = [
        *(Start(combination=local, start=n, seconds={"web": s}) for n, s in enumerate((8.5, 9.5, 8.75))),
        *(Start(combination=over_json, start=n, seconds={"services": 2.0, "web": 1.0 + n}) for n in range(2)),
    ]
    write_json(result.folder / "run.json", result.run.model_copy(update={"starts": starts}))

    tree = parsed(write_report(result.folder).read_text(encoding="utf-8"))

    section = next(e for e in tree.iter(f"{HTML}section") if e.get("id") == "platforms")
    assert "Each is a first start on an empty folder" in words(section)
    rows = [["".join(one.itertext()).strip() for one in row] for row in section.iter(f"{HTML}tr")]
    assert rows[1:] == [
        ["local", "web", "3", "8.75", "8.50", "9.50"],
        ["json", "services", "2", "2.00", "2.00", "2.00"],
        ["json", "web", "2", "1.50", "1.00", "2.00"],
        ["json", "all, one after the other", "2", "3.50", "3.00", "4.00"],
    ]


def test_with_stamps_of_the_kernel_the_drivers_part_of_the_times_is_shown(tmp_path: Path, page: str) -> None:
    assert "driver's own part" not in page
    folder = write_synthetic(
        tmp_path / "stamped", Shape(loads=(10,), receive_lag_us=2_000, error_points=frozenset({1}))
    )
    lags = [point.verdict.receive_lag for point in read_result(folder).points if point.verdict]
    means = [point.verdict.total.mean_ms for point in read_result(folder).points if point.verdict]
    assert [lag.mean_ms for lag in lags if lag] == [pytest.approx(2, abs=0.01)] * len(lags)
    splits = [lag.server_mean_ms for lag in lags if lag]
    assert splits[0] == pytest.approx(means[0] - 2, abs=0.01)
    assert splits[1] is None, "a failed transaction has a lag and no time"
    stamped = write_report(folder).read_text(encoding="utf-8")
    section = stamped.partition("The driver's own part of the times")[2]
    rows = section.partition("<table")[2].partition("</table>")[0]
    assert rows.count("<tr") == 1 + len(lags)
    assert rows.count("not split") == 1
