"""The report is one file that needs nothing, is valid HTML, and shows the figures of the findings."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from made_result import combination
from rejudged_result import page_of, with_run, with_windows
from report_html import HTML, parsed, rows_of, section, words
from synthetic_result import APART, COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge_folder
from middlemark.processes.ending import Part
from middlemark.processes.watchdog import Stopped, StoppedProcess
from middlemark.records.figures import CPU_TIME
from middlemark.records.findings import Findings
from middlemark.records.folder import point_folder, read_run, write_json
from middlemark.records.run import RunStatus, Start
from middlemark.records.run_parts import CodeLines
from middlemark.records.side_files import SeenSpread
from middlemark.records.window import Window
from middlemark.show.disclosure import heaps
from middlemark.show.page import report_page

# Attributes by which a document fetches something.
FETCHING = {"src", "srcset", "href", "poster", "action", "formaction", "background", "manifest", "ping", "xlink:href"}
SMALL = Shape(loads=(10,), repeats=1)


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return judge_folder(write_synthetic(tmp_path_factory.mktemp("result"), Shape(repeats=3)))


@pytest.fixture(scope="module")
def page(findings: Findings) -> str:
    return report_page(findings)


@pytest.fixture(scope="module")
def tree(page: str) -> ET.Element:
    return parsed(page)


def table_below(tree: ET.Element, heading: str) -> dict[str, tuple[float, ...]]:
    """Return the first table below a heading: the first text of each row to the exact values of the others."""
    elements = list(tree.iter())
    start = next(i for i, e in enumerate(elements) if e.tag == f"{HTML}h3" and words(e) == heading)
    table = next(e for e in elements[start:] if e.tag == f"{HTML}table")
    rows = [list(row) for row in table.iter(f"{HTML}tr") if row[0].tag == f"{HTML}td"]
    return {
        words(row[0]): tuple(float(data.get("value", "nan")) for each in row[1:] for data in each.iter(f"{HTML}data"))
        for row in rows
    }


def test_nothing_is_fetched_from_anywhere(page: str, tree: ET.Element) -> None:
    for element in tree.iter():
        for name, value in element.attrib.items():
            if name in FETCHING:
                assert value.startswith("#"), f"{element.tag} {name}={value}"
    assert not re.search(r"https?://", page)
    assert not re.search(r"url\(|@import|<script|<link|<iframe", page)


def test_the_policy_allows_nothing_but_its_own_styles(tree: ET.Element) -> None:
    (policy,) = [meta.get("content", "") for meta in tree.iter(f"{HTML}meta") if meta.get("http-equiv")]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_every_anchor_leads_to_a_section_and_every_section_has_one(tree: ET.Element) -> None:
    ids = [name for element in tree.iter() if (name := element.get("id"))]
    anchors = {anchor.get("href", "")[1:] for anchor in tree.iter(f"{HTML}a")}
    assert sorted(ids) == sorted(set(ids))
    assert anchors <= set(ids)
    assert anchors == {each.get("id") for each in tree.iter(f"{HTML}section")}
    assert {"answer", "load", "conditions", "audit", "disclosure"} <= anchors


def test_the_answer_is_the_headline_and_below_it_is_what_it_rests_on(findings: Findings, tree: ET.Element) -> None:
    (headline,) = tree.iter(f"{HTML}h1")
    assert words(headline) == findings.answer
    assert re.match(r"Calling the services over JSON costs 1\.\d+ to 1\.\d+ times the CPU time of ", findings.answer)
    basis = next(each for each in tree.iter(f"{HTML}p") if each.get("class") == "basis")
    assert words(basis) == f"{findings.basis} Go in process <and> over JSON"


def test_a_run_without_a_description_has_a_report(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    assert 'class="description"' not in report_page(with_run(tmp_path, description=""))


def test_it_leads_with_ranking_cost_throughput_times_memory_start_up_and_lines(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    starts = [Start(combination=one.path, start=0, seconds={"web": 1.5}) for one in COMBINATIONS]
    paths = [one.path for one in COMBINATIONS]
    code = [CodeLines(platform="go", modes={}, combinations=paths, tiers={"middle": 900})]
    tree = page_of(with_run(tmp_path, starts=starts, code=code))
    titles = [words(each) for each in section(tree, "answer").iter(f"{HTML}strong")]
    assert [title for title in titles if title != "Users"] == [
        "CPU time per transaction, lowest first", "CPU-ms per transaction, platform's tiers",
        "Transactions per second", "Mean response time in ms", "Memory in MiB, platform's tiers",
        "Start-up time in s", "Lines of code",
    ]  # fmt: skip


def test_conditions_audit_and_disclosure_are_folded_and_the_words_explained(tree: ET.Element) -> None:
    folded = [
        each.get("id") for each in tree.iter(f"{HTML}section") if any(d.get("class") == "section" for d in list(each))
    ]
    assert folded == ["conditions", "audit", "sequence", "disclosure", "words"]
    assert [row.split()[0] for row in rows_of(section(tree, "words"))] == [
        "word", "combination", "window", "round", "start", "95", "spread", "disturbed", "tier", "platform's",
    ]  # fmt: skip


def test_the_figures_of_each_transaction_are_those_of_the_windows(findings: Findings, tree: ET.Element) -> None:
    windows = findings.of(COMBINATIONS[1], 60)
    rows = table_below(section(tree, "transactions"), "json")
    for name in [*windows[0].transactions, "all transactions"]:
        every = [window.transactions.get(name, window.total) for window in windows]
        count, errors, tps, mean, *percentiles = rows[name]
        assert (count, errors) == (sum(one.count for one in every), 0)
        assert tps == pytest.approx(sum(one.tps for one in every) / 3)
        assert mean == pytest.approx(sum(one.mean_ms for one in every) / 3)
        assert percentiles[-1] == pytest.approx(sum(one.max_ms for one in every) / 3)


def test_every_chart_has_a_name_for_those_who_do_not_see_it(page: str) -> None:
    charts = re.findall(r'<svg [^>]*role="img"[^>]*>', page)
    assert len(charts) > 20
    assert all(re.search(r'aria-label="[^"]{10,}"', chart) for chart in charts)


def test_each_round_is_a_dot_with_its_value(findings: Findings, page: str) -> None:
    window = findings.of(COMBINATIONS[0], 30)[0]
    label = f"local, 30 users, round 1: {window.throughput_tps:,.0f} transactions per second"
    assert page.count(f"<title>{label}</title>") == 2  # once for screens, once for phones


def test_the_disclosure_holds_what_a_reader_needs(tree: ET.Element) -> None:
    text = words(section(tree, "disclosure"))
    for fact in (
        "6.1.0", "Some CPU at 2.8 GHz", "7,960 MiB", "1,024", "1.90 ms", "0123456789ab, with changes", "ab" * 32,
        "synchronous_commit", "GOMAXPROCS", "200 ms", "does not offer binding=soap", "9f" * 32,
        "middlemark run demo --out 'my results'",
    ):  # fmt: skip
        assert fact in text, fact
    assert "shared CPUs" in words(section(tree, "answer"))


def test_the_report_of_a_killed_run_begins_with_that_and_shows_what_there_is(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, stop_after=1, status=RunStatus.RUNNING))
    begun = point_folder(tmp_path, COMBINATIONS[1], 10, 0)
    begun.mkdir(parents=True)
    (begun / "intervals.ndjson").write_text('{"v":1,"t_n', encoding="utf-8")
    tree = page_of(judge_folder(tmp_path))
    banner = next(each for each in tree.iter() if each.get("class") == "banner")
    assert words(banner).startswith("This run has not finished: it is still running, or it was killed.")
    assert table_below(section(tree, "transactions"), "local")
    unfinished = "go/binding=json/10/0 not finished: the run ended while it was measured: "
    assert any(row.startswith(unfinished) for row in rows_of(section(tree, "sequence")))


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
    tree = page_of(judge_folder(tmp_path))
    stop = "orphaned processes were stopped: driver, application; still running: database"
    banner = words(next(each for each in tree.iter() if each.get("class") == "banner"))
    assert banner.startswith(
        f"This run has not finished. The lab was killed at 2026-11-20 08:05:00Z; {stop}. What was measured"
    )
    assert words(next(tree.iter(f"{HTML}h1"))).startswith(
        f"Not finished: the lab was killed at 2026-11-20 08:05:00Z, after 1 of 2 windows ({stop})."
    )
    assert "still running, or" not in words(tree)


def test_a_failed_run_without_any_window_has_a_readable_report(tmp_path: Path) -> None:
    shape = Shape(stop_after=0, status=RunStatus.FAILED, message="the build failed")
    text = words(page_of(judge_folder(write_synthetic(tmp_path, shape))))
    for sentence in ("This run failed.", "the build failed", "No window was finished.", "No tier was measured."):
        assert sentence in text


def test_invalid_windows_are_named_with_the_word_and_the_reason(tmp_path: Path) -> None:
    tree = page_of(judge_folder(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, error_points=frozenset({0})))))
    failed = [row for row in rows_of(section(tree, "conditions")) if "failed" in row.split()]
    assert any("errors" in row and "closed 8, status 40" in row for row in failed)
    chips = next(each for each in tree.iter() if each.get("class") == "chips")
    assert words(chips).startswith("1 of 2 windows count 1 of 2 INVALID")


def test_settings_in_which_the_combinations_differ_are_listed(tree: ET.Element) -> None:
    assert rows_of(section(tree, "differences")) == ["what local json", "settings binding local json"]


def test_of_three_combinations_the_two_that_were_started_are_compared(tmp_path: Path) -> None:
    shape = Shape(combinations=(*COMBINATIONS, combination("go", binding="soap")), loads=(10,), repeats=1, stop_after=2)
    part = section(page_of(judge_folder(write_synthetic(tmp_path / "two", shape))), "differences")
    assert rows_of(part) == ["what local json", "settings binding local json"]
    assert "soap was not started and cannot be compared." in words(part)
    shape = Shape(loads=(10,), repeats=1, stop_after=1, status=RunStatus.FAILED)
    part = section(page_of(judge_folder(write_synthetic(tmp_path / "one", shape))), "differences")
    assert "json was not started; nothing to compare." in words(part)


def test_the_spread_between_starts_is_listed_with_how_it_is_known(tmp_path: Path, tree: ET.Element) -> None:
    assert spreads(tree) == ["local 1.5 % assumed 0 6.00", "json 1.5 % assumed 0 6.00"]
    seen = SeenSpread(subject="go", squares=6 * 0.045**2, degrees=6.0, starts=7)
    known = judge_folder(write_synthetic(tmp_path, Shape(loads=(10,), repeats=3, rounds=3, seen=(seen,))))
    row = "3.4 % from this machine's ledger 7 12.0"
    assert spreads(page_of(known)) == [f"local {row}", f"json {row}"]


def spreads(tree: ET.Element) -> list[str]:
    """Return the rows of the table of spreads without its head."""
    pattern = r"\S+ [0-9.]+ % (assumed|from this machine's ledger) [0-9. ]+"
    return [row for row in rows_of(tree) if re.fullmatch(pattern, row)]


def test_one_user_is_no_plural(tmp_path: Path) -> None:
    tree = page_of(judge_folder(write_synthetic(tmp_path, Shape(loads=(1,), repeats=1))))
    assert "Throughput and CPU use over time, at 1 user" in [words(heading) for heading in tree.iter(f"{HTML}h2")]
    assert not [text for text in tree.itertext() if re.search(r"\b1 (users|rounds|windows|starts)\b", text)]


def test_the_report_is_the_same_when_it_is_made_again(findings: Findings, page: str) -> None:
    again = Findings.model_validate_json(findings.model_dump_json())
    assert report_page(again) == page


def test_memory_comes_with_the_heap_that_was_set(tmp_path: Path) -> None:
    assert heaps(judge_folder(write_synthetic(tmp_path, SMALL))) == ""
    heap = {"what": "Java heap, -Xmx", "value": "512m", "why": "elsewhere the default is another"}
    tree = page_of(with_run(tmp_path, not_default=[heap]))
    assert "the disclosure has it: Java heap, -Xmx 512m (the run)." in words(section(tree, "resources"))


def test_start_up_time_is_the_median_of_every_process_with_its_spread(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=3))
    local, over_json = (one.path for one in COMBINATIONS)
    starts = [
        *(Start(combination=local, start=n, seconds={"web": s}) for n, s in enumerate((8.5, 9.5, 8.75))),
        *(Start(combination=over_json, start=n, seconds={"services": 2.0, "web": 1.0 + n}) for n in range(2)),
    ]

    part = section(page_of(with_run(tmp_path, starts=starts)), "platforms")

    assert "Each is a first start on an empty folder" in words(part)
    assert rows_of(part)[1:] == [
        "local web 3 8.75 8.50 9.50",
        "json services 2 2.00 2.00 2.00",
        "json web 2 1.50 1.00 2.00",
        "json all, one after the other 2 3.50 3.00 4.00",
    ]


def test_combinations_on_the_same_processes_have_one_row_of_start_up_times(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=3))
    local, over_json = COMBINATIONS
    starts = [Start(combination=local.path, start=n, seconds={"web": 8.5}) for n in range(2)]
    combinations = [local, over_json.model_copy(update={"runs_on": local.path})]

    part = section(page_of(with_run(tmp_path, starts=starts, combinations=combinations)), "platforms")

    assert rows_of(part)[1:] == ["local, json web 2 8.50 8.50 8.50"]
    assert "Combinations of one row ran on the same processes." in words(part)


def test_with_stamps_of_the_kernel_the_drivers_part_of_the_times_is_shown(tmp_path: Path, page: str) -> None:
    assert "driver's own part" not in page
    shape = Shape(loads=(10,), repeats=1, receive_lag_us=2_000, error_points=frozenset({1}))
    found = judge_folder(write_synthetic(tmp_path, shape))
    lags = [window.receive_lag for window in found.rounds]
    assert [lag.mean_ms for lag in lags if lag] == [pytest.approx(2, abs=0.01)] * 2
    splits = [lag.server_mean_ms for lag in lags if lag]
    assert splits[0] == pytest.approx(found.rounds[0].total.mean_ms - 2, abs=0.01)
    assert splits[1] is None, "a failed transaction has a lag and no time"
    part = words(section(page_of(found), "transactions")).partition("The driver's own part of the times")[2]
    shown = re.search(r"local ([0-9.]+) 2\.0\d .* json \(INVALID\) n/a 2\.0\d", part)
    assert shown
    assert float(shown[1]) == pytest.approx(splits[0] or 0, abs=0.01)


def page_with(folder: Path, shape: Shape) -> str:
    return report_page(judge_folder(write_synthetic(folder, shape)))


def test_a_run_without_databases_has_no_audit_section(tmp_path: Path) -> None:
    specification = read_run(write_synthetic(tmp_path, SMALL)).specification
    none = specification.model_copy(update={"databases": ()})
    for spec, audited in ((none, False), (specification, True)):
        tree = page_of(with_run(tmp_path, specification=spec))
        assert ("audit" in {each.get("id") for each in tree.iter(f"{HTML}section")}) == audited
        assert ("#audit" in {anchor.get("href") for anchor in tree.iter(f"{HTML}a")}) == audited


def test_what_the_driver_counts_has_the_word_of_the_specification(tmp_path: Path) -> None:
    specification = read_run(write_synthetic(tmp_path, SMALL)).specification
    text = words(page_of(with_run(tmp_path, specification=specification.model_copy(update={"unit": "page"}))))
    for words_of_unit in ("CPU time per page", "Pages per second", "Response times by page", "all pages"):
        assert words_of_unit in text
    assert "per transaction" not in text


def test_the_figure_with_which_the_specification_leads_ranks(tmp_path: Path) -> None:
    specification = read_run(write_synthetic(tmp_path, SMALL)).specification
    led = specification.model_copy(update={"leads_with": ("response_time", "throughput")})
    findings = with_run(tmp_path, specification=led)
    assert findings.metric == "throughput"
    titles = [words(title) for title in page_of(findings).iter(f"{HTML}strong")]
    assert titles[0] == "Throughput, highest first"


def test_the_cost_of_a_reverse_proxy_is_shown_and_not_added(tmp_path: Path) -> None:
    proxied = tuple(combination("go", binding=binding, reverse_proxy="nginx") for binding in ("local", "json"))
    write_synthetic(tmp_path, Shape(combinations=proxied, loads=(10,), repeats=1))

    def behind(window: Window) -> Window:
        return window.model_copy(update={"tiers": {**window.tiers, "reverse-proxy": window.tiers["database"]}})

    findings = with_windows(tmp_path, behind)

    rows = rows_of(page_of(findings))
    assert any(row.startswith("json ÷ local: reverse proxy CPU per transaction") for row in rows)
    ranked = next(row for row in rows if row.startswith("rank combination CPU ms per transaction"))
    assert ranked.endswith("web + services database reverse-proxy driver")
    window = findings.rounds[0]
    assert CPU_TIME.of(window) == window.tiers["web+services"].cpu_ms_per_transaction


def test_the_disclosure_names_the_reference_of_each_combination(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    local, over_json = (one.path for one in COMBINATIONS)
    rows = rows_of(page_of(with_run(tmp_path, references={local: over_json, over_json: over_json})))

    assert "shown relative to local: json" in rows
    assert not any("without a reference" in row for row in rows)


def test_the_disclosure_names_combinations_that_are_compared_with_none(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape((*COMBINATIONS, combination("go", binding="soap")), loads=(10,), repeats=1))
    local, over_json = (one.path for one in COMBINATIONS)

    rows = rows_of(page_of(with_run(tmp_path, references={over_json: local})))
    assert "without a reference, compared with none soap" in rows
    assert "without a reference" not in page_with(tmp_path / "b", SMALL)


def test_without_shared_cpus_the_mark_is_gone(tmp_path: Path) -> None:
    page = page_with(tmp_path, Shape(placement=APART, loads=(10,), repeats=1))
    assert "shared CPUs" not in page
    assert "not ranked" not in page
    for fact in ("driver, lab", "CPU 0", "CPU 2-3"):
        assert fact in page


def test_a_driver_that_shares_the_databases_cpus_has_its_percentiles_shown_and_not_ranked(tmp_path: Path) -> None:
    note = "CPU 0-1 are threads of the same cores: what runs on one slows the other"
    sharing = APART.model_copy(update={"driver_shares": True, "note": note})
    page = page_with(tmp_path, Shape(placement=sharing))
    assert f"{note}." in page
    assert "Driver shares CPUs with the database; response times are shown, not ranked." in page
    assert "Shown, not ranked (driver shares CPUs with the database)." in page
    assert "(shown, not ranked: driver shares CPUs with the database)" in page
    assert "shared CPUs" not in page


def test_one_combination_is_marked_by_the_same_words(tmp_path: Path) -> None:
    page = page_with(tmp_path, Shape(COMBINATIONS[:1], placement=APART.model_copy(update={"driver_shares": True})))
    assert "(shown, not ranked: driver shares CPUs with the database)" in page


def test_shared_cpus_are_marked_beside_the_answer(tmp_path: Path) -> None:
    page = page_with(tmp_path, Shape(loads=(10,), repeats=1))
    assert ">shared CPUs</a>" in page
    assert "Driver or database ran where the application ran (shared CPUs); response times are shown, not rank" in page


def test_cores_shared_with_what_is_measured_are_marked_though_the_driver_has_its_own(tmp_path: Path) -> None:
    note = "CPU 1-2 are threads of the same cores: what runs on one slows the other"
    page = page_with(tmp_path, Shape(placement=APART.model_copy(update={"shared_cores": True, "note": note})))
    assert ">shared cores</a>" in page
    assert "Driver or database ran where the application ran (shared cores)." in page
    assert f"{note}." in page
    assert "not ranked" not in page
