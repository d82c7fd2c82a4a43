"""What of a report depends on the specification: its words, its databases, whose CPU time is added, references."""

from __future__ import annotations

from pathlib import Path

from rejudged_result import page_of, with_run, with_windows
from report_html import HTML, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge_folder
from middlemark.records.figures import CPU_TIME
from middlemark.records.findings import Findings
from middlemark.records.folder import read_run
from middlemark.records.run import Combination
from middlemark.records.window import Window

SMALL = Shape(loads=(10,), repeats=1)


def rows_of(findings: Findings) -> list[str]:
    return [words(row) for row in page_of(findings).iter(f"{HTML}tr")]


def test_a_run_without_databases_has_no_audit_section(tmp_path: Path) -> None:
    specification = read_run(write_synthetic(tmp_path, SMALL)).specification
    none = specification.model_copy(update={"databases": ()})
    for spec, audited in ((none, False), (specification, True)):
        tree = page_of(with_run(tmp_path, specification=spec))
        assert ("audit" in {section.get("id") for section in tree.iter(f"{HTML}section")}) == audited
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

    def behind(window: Window) -> Window:
        return window.model_copy(update={"tiers": {**window.tiers, "reverse-proxy": window.tiers["database"]}})

    findings = with_windows(tmp_path, behind)

    rows = rows_of(findings)
    assert any(row.startswith("json ÷ local: reverse proxy CPU per transaction") for row in rows)
    ranked = next(row for row in rows if row.startswith("rank combination CPU ms per transaction"))
    assert ranked.endswith("web + services database reverse-proxy driver")
    window = findings.rounds[0]
    assert CPU_TIME.of(window) == window.tiers["web+services"].cpu_ms_per_transaction


def test_the_disclosure_names_the_reference_of_each_combination(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    local, over_json = (one.path for one in COMBINATIONS)
    rows = rows_of(with_run(tmp_path, references={local: over_json, over_json: over_json}))

    assert "shown relative to local: json" in rows
    assert not any("without a reference" in row for row in rows)


def test_the_disclosure_names_combinations_that_are_compared_with_none(tmp_path: Path) -> None:
    soap = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")
    write_synthetic(tmp_path, Shape((*COMBINATIONS, soap), loads=(10,), repeats=1))
    local, over_json = (one.path for one in COMBINATIONS)

    assert "without a reference, compared with none soap" in rows_of(with_run(tmp_path, references={over_json: local}))
    assert not any(
        "without a reference" in row for row in rows_of(judge_folder(write_synthetic(tmp_path / "b", SMALL)))
    )
