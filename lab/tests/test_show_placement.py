"""What the report says of CPUs that roles shared, and by which words."""

from __future__ import annotations

from pathlib import Path

from synthetic_result import APART, COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge_folder
from middlemark.show.page import report_page


def page_of(folder: Path, shape: Shape) -> str:
    return report_page(judge_folder(write_synthetic(folder, shape)))


def test_without_shared_cpus_the_mark_is_gone(tmp_path: Path) -> None:
    page = page_of(tmp_path, Shape(placement=APART, loads=(10,), repeats=1))
    assert "shared CPUs" not in page
    assert "not ranked" not in page
    for fact in ("driver, lab", "CPU 0", "CPU 2-3"):
        assert fact in page


def test_a_driver_that_shares_the_databases_cpus_has_its_percentiles_shown_and_not_ranked(tmp_path: Path) -> None:
    note = "CPU 0-1 are threads of the same cores: what runs on one slows the other"
    sharing = APART.model_copy(update={"driver_shares": True, "note": note})
    page = page_of(tmp_path, Shape(placement=sharing))
    assert f"latency percentiles are shown and not ranked. {note}." in page
    assert "Shown, not ranked (driver shares CPUs with the database)." in page
    assert "(shown, not ranked: driver shares CPUs with the database)" in page
    assert "shared CPUs" not in page


def test_one_combination_is_marked_by_the_same_words(tmp_path: Path) -> None:
    page = page_of(tmp_path, Shape(COMBINATIONS[:1], placement=APART.model_copy(update={"driver_shares": True})))
    assert "(shown, not ranked: driver shares CPUs with the database)" in page


def test_shared_cpus_are_marked_beside_the_answer(tmp_path: Path) -> None:
    page = page_of(tmp_path, Shape(loads=(10,), repeats=1))
    assert 'title="shared CPUs">shared CPUs</a>' in page
    assert "Driver or database ran on CPUs of what was measured, or might have: " in page


def test_cores_shared_with_what_is_measured_are_marked_though_the_driver_has_its_own(tmp_path: Path) -> None:
    note = "CPU 1-2 are threads of the same cores: what runs on one slows the other"
    page = page_of(tmp_path, Shape(placement=APART.model_copy(update={"shared_cores": True, "note": note})))
    assert 'title="shared cores">shared cores</a>' in page
    assert f"Driver or database ran on cores of what was measured. {note}." in page
    assert "not ranked" not in page
