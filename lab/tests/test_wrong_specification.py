"""A mistake in one specification: it is named with its file, and nothing else breaks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from own_checkout import checkout_at

from middlemark.conformance.execution.request import study_specification
from middlemark.specification.specification import only_specification, read_specification
from middlemark.subject.subject import find_subject


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give the checkout of two specifications; that of `supply` is wrong."""
    home = tmp_path / "checkout"
    checkout_at(home)
    changed(home / "specs" / "supply" / "spec.toml", "version = 1", 'version = "one"')
    return home


def changed(file: Path, before: str, after: str) -> None:
    """Replace a text in a file."""
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


def middlemark(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "middlemark", *words]
    return subprocess.run(command, cwd=home, env={**os.environ}, capture_output=True, text=True, check=False)


def test_a_wrong_specification_is_listed_with_its_mistake_among_the_others(home: Path) -> None:
    done = middlemark(home, "list")
    assert done.returncode == 0, done.stderr
    assert "  SPEC    TITLE; DATABASES; SCALES\n  sums    Sums; databases none\n" in done.stdout
    wrong = f"{home}/specs/supply/spec.toml: version: expected a whole number, found 'one'"
    assert f"  supply  cannot be used: {wrong}\n" in done.stdout


def test_a_wrong_platform_and_server_and_experiment_are_listed_with_their_mistakes(home: Path) -> None:
    (home / "platforms" / "half").mkdir()
    (home / "platforms" / "half" / "platform.toml").write_text('name = "half"\n')
    (home / "servers" / "some").mkdir(parents=True)
    (home / "servers" / "some" / "server.toml").write_text("name = 1\n")
    (home / "experiments" / "odd.yaml").write_text("spec: sums\n")
    done = middlemark(home, "list")
    assert done.returncode == 0, done.stderr
    for name in ("half", "some", "odd"):
        assert f"  {name}" in done.stdout
        assert f"{name}{'.yaml' if name == 'odd' else ''}" in done.stdout
    assert done.stdout.count("cannot be used: ") == 5  # a server stands in two lists
    assert find_subject(home, "plain", "sums").name == "plain"


def test_the_cases_of_every_specification_are_checked_and_the_mistake_is_of_one(home: Path) -> None:
    done = middlemark(home, "verify", "--check-cases")
    assert done.returncode == 2
    assert done.stdout == "1 mistake in supply.\n"
    assert "specs/supply/spec.toml: version: expected a whole number" in done.stderr
    assert middlemark(home, "verify", "--check-cases", "--spec", "sums").returncode == 0
    assert only_specification(home, with_databases=True) == "supply"


@pytest.mark.parametrize(
    ("file", "before", "after", "mistake"),
    [
        ("spec.toml", '["sell"]', '["sel"]', "spec.toml: effects: sale counts the transaction 'sel', which is not in"),
        ("audit/confirmed.toml", '"sales"\n', '"sale"\n', "confirmed.toml: transactions.sell.database: supply has no"),
        ("sales/audit/amounts.sql", "-- ", "", "amounts.sql:1: the first line must be a comment"),
        ("audit/across/shipped.toml", '"stock"', '"stocks"', "shipped.toml: 'stocks' is not a database of supply"),
    ],
)
def test_a_mistake_in_what_an_audit_reads_is_named_before_anything_runs(
    home: Path, file: str, before: str, after: str, mistake: str
) -> None:
    spec = home / "specs" / "supply"
    changed(spec / "spec.toml", 'version = "one"', "version = 1")
    assert study_specification("supply", home).mistakes == ()
    read_specification.cache_clear()
    changed(spec / file, before, after)
    (found,) = study_specification("supply", home).mistakes
    assert mistake in str(found)
    run = middlemark(home, "run", "supply", "--dry-run")
    assert run.returncode == 2
    assert mistake in run.stderr


@pytest.mark.parametrize("rule", ["A sum is exact.", "a sum is exact", "No number is too large"])
def test_the_name_of_a_rule_may_end_with_a_full_stop(home: Path, rule: str) -> None:
    spec = home / "specs" / "sums"
    with (spec / "README.md").open("a") as readme:
        readme.write("\n**A sum is exact.** Always.\n\n## No number is too large.\n")
    case = f"  - name: A sum can be read.\n    rule: {rule}\n    steps: [{{get: /}}]\n"
    (spec / "cases" / "more.yaml").write_text(f"version: 1\ncases:\n{case}")
    assert study_specification("sums", home).mistakes == ()
