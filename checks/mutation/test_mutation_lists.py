"""The lists of mutants are about the present sources and the present rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY
from checks.mutation.mutant import Mutant
from checks.mutation.named import NAMED, NamedMutations, named
from checks.mutation.survivors import survivors
from middlemark.documents import read_toml
from middlemark.errors import InputError

GO = REPOSITORY / "platforms" / "go"
RULES = (REPOSITORY / "specs" / "README.md", REPOSITORY / "specs" / "brokerage" / "README.md")
NO_RULES = {"Words", "What is compared", "Rules", "The measured session"}
_RULE = re.compile(r"^## (.+)$|^\*\*([^*]+)\*\*|\. \*\*([^*]+)\*\*", re.MULTILINE)


def rules_of_the_specification() -> set[str]:
    """Return the headings and the bold words that begin a rule."""
    found = (match for path in RULES for match in _RULE.finditer(path.read_text(encoding="utf-8")))
    return {" ".join((match[1] or match[2] or match[3]).split()) for match in found} - NO_RULES


def test_every_text_of_a_named_mutation_is_found_once_in_the_source() -> None:
    assert len(named(GO, "brokerage")) >= 25


def test_every_named_mutation_breaks_a_rule_and_every_rule_is_broken_by_one() -> None:
    assert {entry.rule for entry in read_toml(NAMED, NamedMutations).mutation} == rules_of_the_specification()


def test_every_survivor_has_a_reason_and_is_about_a_file_that_is_there() -> None:
    for name in survivors():
        assert (GO / name.partition(": ")[0]).is_file(), name


def test_a_mutant_changes_its_place_and_nothing_else(plant: Plant) -> None:
    root = plant({"a.go": "x := 1 + 1\n"})
    Mutant("a", "r", "a.go", 7, "+", "-", 1, 8).apply(root)
    assert (root / "a.go").read_text(encoding="utf-8") == "x := 1 - 1\n"


def test_a_mutant_of_another_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text("x := 1 * 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="is not at byte 7"):
        Mutant("a", "r", "a.go", 7, "+", "-", 1, 8).apply(tmp_path)


def test_a_mutant_knows_where_its_text_begins_and_ends() -> None:
    assert Mutant("a", "r", "a.go", 0, "\n\tx := 1\n\ty := 2\n", "", 7, 3).span == ((8, 2), (9, 8))
    assert Mutant("a", "r", "a.go", 0, "  >= ", ">", 7, 3).span == ((7, 5), (7, 7))
