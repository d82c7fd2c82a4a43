"""What the report says of CPUs that roles shared, and by which words."""

from __future__ import annotations

from pathlib import Path

from synthetic_result import APART, COMBINATIONS, Shape, write_synthetic

from middlemark.report.page import write_report


def test_without_shared_cpus_the_mark_is_gone(tmp_path: Path) -> None:
    shape = Shape(placement=APART, loads=(10,), repeats=1)
    page = write_report(write_synthetic(tmp_path, shape)).read_text(encoding="utf-8")
    assert "shared CPUs" not in page
    assert "not ranked" not in page
    for fact in ("driver, lab", "CPU 0", "CPU 2-3"):
        assert fact in page


def test_a_driver_that_shares_the_databases_cpus_is_marked_and_its_percentiles_are_not_ranked(
    tmp_path: Path,
) -> None:
    sharing = APART.model_copy(update={"driver_shares": True})
    page = write_report(write_synthetic(tmp_path, Shape(placement=sharing))).read_text(encoding="utf-8")
    assert '<span class="mark">driver shares CPUs with the database</span>' in page
    assert "latency percentiles are shown and not ranked" in page
    assert "Shown, not ranked (driver shares CPUs with the database)." in page


def test_one_combination_is_marked_by_the_same_words_everywhere_with_the_note(tmp_path: Path) -> None:
    note = "CPU 0-1 are threads of the same cores: what runs on one slows the other"
    sharing = APART.model_copy(update={"driver_shares": True, "note": note})
    page = write_report(write_synthetic(tmp_path, Shape(COMBINATIONS[:1], placement=sharing))).read_text("utf-8")
    assert "driver shares CPUs with the database: shown, not ranked" in page
    assert f"latency percentiles are shown and not ranked. {note}." in page
    assert "shared CPUs" not in page


def test_cores_shared_with_what_is_measured_are_marked_though_the_driver_has_its_own(tmp_path: Path) -> None:
    note = "CPU 1-2 are threads of the same cores: what runs on one slows the other"
    cores = APART.model_copy(update={"shared_cores": True, "note": note})
    page = write_report(write_synthetic(tmp_path, Shape(placement=cores))).read_text(encoding="utf-8")
    assert '<span class="mark">shared cores</span>' in page
    assert f"Driver or database ran on cores of what was measured. {note}." in page
    assert "not ranked" not in page
