"""`middlemark audit` on a database and on a result."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from synthetic_result import Shape, _findings, write_synthetic

from middlemark.databases.database import Database
from middlemark.load.loading import reset_database
from middlemark.records.point import Audit

ROOT = Path(__file__).parents[2]
NAME = "middlemark_audit_command"


def _middlemark(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "middlemark", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a result folder of two points."""
    return write_synthetic(tmp_path_factory.mktemp("result"), Shape(loads=(10,), repeats=1))


def plain(text: str) -> str:
    """Return a text with one blank wherever a table has several."""
    return " ".join(text.split())


def _damage(result: Path, content: str | None) -> Path:
    """Replace the first point's audit, or remove it."""
    stored = sorted(result.glob("points/*/*/*/*/audit.json"))[0]
    if content is None:
        stored.unlink()
    else:
        stored.write_text(content, encoding="utf-8")
    return stored


def test_a_clean_database_passes(database_cluster: Database, tiny_template: str) -> None:
    done = _middlemark("audit", "--spec", "brokerage", "--database", database_cluster.url(tiny_template))

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "Audit passed: 25 rules hold, 6 not checked."
    assert "not checked Buys placed in the database are those of the responses to buy." in plain(done.stdout)


def test_a_damaged_database_fails_and_the_rows_are_shown(database_cluster: Database, tiny_template: str) -> None:
    reset_database(database_cluster, tiny_template, NAME)
    with database_cluster.connected(NAME) as connection:
        connection.execute("UPDATE accounts SET balance = balance + 0.01 WHERE account_id = 7")

    done = _middlemark("audit", "--database", database_cluster.url(NAME), "--spec", "brokerage")

    assert done.returncode == 1
    assert "FAILED Every balance is the opening balance" in plain(done.stdout)
    assert "account_id 7, user_id uid:6" in done.stdout
    assert done.stdout.splitlines()[-1] == "Audit failed: 1 of 25 rules are broken, 6 not checked."


def test_a_database_of_something_else_is_wrong_input_and_no_broken_rule(database_cluster: Database) -> None:
    done = _middlemark("audit", "--spec", "brokerage", "--database", database_cluster.url("postgres"))

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("middlemark: database postgres: the rule ")
    assert "Is this a database of that specification" in done.stderr


def test_a_database_that_does_not_answer_is_one_message() -> None:
    done = _middlemark("audit", "--spec", "brokerage", "--database", "postgresql://me:secret@127.0.0.1:1/x")

    assert done.returncode == 2
    assert done.stderr.startswith("middlemark: 127.0.0.1:1: no PostgreSQL answers")
    assert done.stderr.count("\n") == 1
    assert "secret" not in done.stderr


@pytest.mark.parametrize("words", [(), ("some/result", "--database", "postgresql://me@here/x")])
def test_either_a_result_or_a_database_has_to_be_named(words: tuple[str, ...]) -> None:
    done = _middlemark("audit", *words)

    assert done.returncode == 2
    assert "Give either a RESULT or --database URL" in done.stderr


def test_the_stored_audits_of_a_result_are_printed_and_pass(result: Path) -> None:
    done = _middlemark("audit", str(result))

    assert done.returncode == 0, done.stderr
    assert "go/binding=local/10/0" in done.stdout
    assert done.stdout.splitlines()[-2:] == [str(result), "Audit passed: 4 rules hold, 2 not checked."]


def test_rules_are_a_table_whose_lines_are_not_broken_in_a_pipe(result: Path) -> None:
    point, header, *rows = _middlemark("audit", str(result)).stdout.splitlines()[:5]

    assert (point, header.split()) == ("go/binding=json/10/0", ["outcome", "rule", "found"])
    rules = [finding.rule for finding in _findings()]
    assert [row[header.index("rule") : header.index("found")].rstrip() for row in rows] == rules


def test_the_audits_of_a_result_are_one_json_object_and_judged_again(tmp_path: Path) -> None:
    result = write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    finding = {"rule": "Money is kept.", "outcome": "failed", "message": "a cent is gone", "count": 1, "rows": []}
    _damage(result, json.dumps({"v": 1, "passed": True, "findings": [finding]}))

    done = _middlemark("audit", str(result), "--json")

    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert {path: audit["passed"] for path, audit in found.items()} == {
        "go/binding=local/10/0": True,
        "go/binding=json/10/0": False,
    }
    assert found["go/binding=json/10/0"]["findings"][0]["message"] == "a cent is gone"


def test_an_audit_of_a_database_is_the_json_of_the_file(database_cluster: Database, tiny_template: str) -> None:
    done = _middlemark("audit", "--spec", "brokerage", "--database", database_cluster.url(tiny_template), "--json")

    found = Audit.model_validate_json(done.stdout)
    assert (done.returncode, found.passed, len(found.findings)) == (0, True, 31)


def test_a_stored_audit_is_judged_again_whatever_it_says_of_itself(tmp_path: Path) -> None:
    result = write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    finding = {"rule": "Money is kept.", "outcome": "failed", "message": "a cent is gone", "count": 1, "rows": []}
    _damage(result, json.dumps({"v": 1, "passed": True, "findings": [finding]}))

    done = _middlemark("audit", str(result))

    assert done.returncode == 1
    assert "FAILED Money is kept. a cent is gone" in plain(done.stdout)
    assert done.stdout.splitlines()[-1].startswith("Audit failed: 1 of ")


def test_a_point_without_an_audit_fails(tmp_path: Path) -> None:
    result = write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    _damage(result, None)

    done = _middlemark("audit", str(result))

    assert done.returncode == 1
    assert "Every point was audited." in done.stdout


def test_a_folder_that_is_not_a_result_is_wrong_input(tmp_path: Path) -> None:
    assert _middlemark("audit", str(tmp_path)).returncode == 2


@pytest.mark.parametrize(
    ("holds", "reason"),
    [("drive.json", "a drive stores no audit"), ("conformance/go.json", "a verification stores no")],
)
def test_a_folder_of_another_command_is_told_apart_with_what_can_be_audited(
    tmp_path: Path, holds: str, reason: str
) -> None:
    file = tmp_path / holds
    file.parent.mkdir(exist_ok=True)
    file.write_text("{}", encoding="utf-8")

    done = _middlemark("audit", str(tmp_path))

    assert done.returncode == 2
    assert done.stderr.startswith(f"middlemark: {tmp_path}: {reason}")
    assert "a folder that `middlemark run` printed, or with --database URL" in done.stderr
