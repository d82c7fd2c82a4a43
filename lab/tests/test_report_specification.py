"""What of a report depends on the specification: its metrics, its databases, whose CPU time is added, references."""

from __future__ import annotations

from pathlib import Path

from report_html import HTML, parsed, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import read_result, write_json
from middlemark.records.run import Combination, LoadLimits, Searched
from middlemark.report.key_figures import key_figures
from middlemark.report.page import write_report
from middlemark.verdict.metrics import cpu_ms_per_transaction


def test_a_run_without_databases_has_no_audit_section_and_the_report_names_the_reason(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    none = result.run.specification.model_copy(update={"databases": ()})
    write_json(result.folder / "run.json", result.run.model_copy(update={"specification": none, "databases": {}}))

    tree = parsed(write_report(tmp_path).read_text(encoding="utf-8"))

    assert "No database: nothing to audit." in words(tree)
    assert "audit" not in {section.get("id") for section in tree.iter(f"{HTML}section")}
    assert "#audit" not in {anchor.get("href") for anchor in tree.iter(f"{HTML}a")}


def test_the_key_figures_are_those_with_which_the_specification_leads(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    led = result.run.specification.model_copy(update={"leads_with": ("response_time", "throughput")})
    limits = LoadLimits(mean_ms=3000, p90_ms=500, errors=0.0001)
    assert limits.text == "mean ≥ 3 s, p90 ≥ 0.5 s, errors ≥ 0.01 %"
    searched = {c.path: Searched(
        limits=limits, peak=10 * (n + 1), throughput_tps=1.0, peak_known=True, inside=None, outside=None,
        limit_known=False, points=[],
    ) for n, c in enumerate(COMBINATIONS)}  # fmt: skip
    write_json(result.folder / "run.json", result.run.model_copy(update={"specification": led}))
    assert labels(tmp_path) == [
        "throughput, json ÷ local", "mean response time in ms", "transactions per second", "points count",
    ]  # fmt: skip

    peak = led.model_copy(update={"leads_with": ("users_at_peak",), "unit": "page"})
    changed = {"specification": peak, "searched": searched, "chosen": {c.path: [10] for c in COMBINATIONS}}
    write_json(result.folder / "run.json", result.run.model_copy(update=changed))
    assert labels(tmp_path) == ["CPU time per page, json ÷ local", "users at the highest throughput", "points count"]
    assert key_figures(read_result(result.folder))[1].note == "as the search found it"
    first = COMBINATIONS[0].path
    changed["searched"] = {**searched, first: searched[first].model_copy(update={"at_edge": True})}
    write_json(result.folder / "run.json", result.run.model_copy(update=changed))
    note = key_figures(read_result(result.folder))[1].note
    assert note == "as the search found it; 1 of 2 not known to be the peak"


def labels(folder: Path) -> list[str]:
    """Return the labels of the figures in large type."""
    tree = parsed(write_report(folder).read_text(encoding="utf-8"))
    return [words(e) for e in tree.iter(f"{HTML}div") if e.get("class") == "what"]


def test_the_cost_of_a_reverse_proxy_is_shown_and_not_added(tmp_path: Path) -> None:
    proxied = tuple(
        Combination(
            subject="go",
            modes={"binding": binding, "reverse_proxy": "nginx"},
            label=f"go {binding}, behind nginx",
            path=f"go/binding={binding},reverse_proxy=nginx",
        )
        for binding in ("local", "json")
    )
    write_synthetic(tmp_path, Shape(combinations=proxied, loads=(10,), repeats=1))
    for point in read_result(tmp_path).points:
        assert point.verdict
        tiers = {**point.verdict.tiers, "reverse-proxy": point.verdict.tiers["database"]}
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update={"tiers": tiers}))

    tree = parsed(write_report(tmp_path).read_text(encoding="utf-8"))

    rows = [words(row) for row in tree.iter(f"{HTML}tr")]
    assert any(row.startswith("json ÷ local: reverse proxy CPU per transaction") for row in rows)
    ranked = next(row for row in rows if row.startswith("combination CPU ms per transaction"))
    assert ranked.endswith("web + services database reverse-proxy driver")
    point = read_result(tmp_path).points[0]
    assert point.verdict
    platform = point.verdict.tiers["web+services"].cpu_ms_per_transaction
    assert cpu_ms_per_transaction(point.verdict) == platform


def test_the_disclosure_names_the_reference_of_each_combination(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    local, over_json = (one.path for one in COMBINATIONS)
    references = {local: over_json, over_json: over_json}
    write_json(result.folder / "run.json", result.run.model_copy(update={"references": references}))

    rows = [words(row) for row in parsed(write_report(tmp_path).read_text(encoding="utf-8")).iter(f"{HTML}tr")]

    assert "shown relative to local: json" in rows
    assert not any("without a reference" in row for row in rows)


def test_the_disclosure_names_combinations_that_are_compared_with_none(tmp_path: Path) -> None:
    soap = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")
    result = read_result(write_synthetic(tmp_path, Shape((*COMBINATIONS, soap), loads=(10,), repeats=1)))
    local, over_json = (one.path for one in COMBINATIONS)
    write_json(result.folder / "run.json", result.run.model_copy(update={"references": {over_json: local}}))

    rows = [words(row) for row in parsed(write_report(tmp_path).read_text(encoding="utf-8")).iter(f"{HTML}tr")]

    assert "without a reference, compared with none soap" in rows
