"""An interrupted run of mutants is resumed with what counts, and never with what belongs to something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.mutation.results_log import Heading, Judgement, Outcome, ResultsLog, digest
from middlemark.errors import InputError

HEADING = Heading(mutants="named", digest="0123", seed=1)


def killed(name: str) -> Judgement:
    """Return a killed mutant."""
    return Judgement(name=name, rule="r", file="a.go", line=1, column=1, outcome=Outcome.KILLED, execution="p")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give the results log of a run that has judged three mutants, of which one counts and one is taken back."""
    log = ResultsLog(tmp_path / "results.ndjson", HEADING)
    for name in ("counts", "taken back", "not checked"):
        log.add(killed(name))
    log.take_back(killed("taken back"))
    log.check(["counts", "taken back"])
    return log.path


def test_what_was_judged_counts_when_the_unchanged_application_has_passed_after_it(path: Path) -> None:
    again = ResultsLog(path, HEADING.model_copy(update={"seed": 2}))
    assert again.judgements.keys() == {"counts", "not checked"}
    assert again.checked == {"counts"}


def test_a_mutant_that_is_judged_again_counts_no_more_until_it_is_checked(path: Path) -> None:
    ResultsLog(path, HEADING).add(killed("counts"))
    assert ResultsLog(path, HEADING).checked == set()


def test_half_a_line_of_a_crash_is_dropped(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write('{"type":"mutant","name":"ha')
    ResultsLog(path, HEADING).add(killed("next"))
    assert ResultsLog(path, HEADING).judgements.keys() == {"counts", "not checked", "next"}


@pytest.mark.parametrize(
    "other", [{"mutants": "made"}, {"subject": "java"}, {"digest": "4567"}, {"cases": ("buy",)}, {"once": True}]
)
def test_a_results_log_about_something_else_is_refused(path: Path, other: dict[str, object]) -> None:
    with pytest.raises(InputError, match="other sources, cases or executions"):
        ResultsLog(path, HEADING.model_copy(update=other))


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a results log"):
        ResultsLog(tmp_path / "a.txt", HEADING)


def test_the_digest_depends_on_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1", encoding="utf-8")
    before = digest(tmp_path)
    (tmp_path / "a").write_text("2", encoding="utf-8")
    changed = digest(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert len({before, changed, digest(tmp_path)}) == 3
