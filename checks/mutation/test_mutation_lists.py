"""The lists of mutants are about the present sources and the present rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY
from checks.mutation.mutant import Mutant
from checks.mutation.named import NamedMutation, NamedMutations, list_of, named
from checks.mutation.survivors import survivors
from middlemark.conformance.execution.configuration import configurations
from middlemark.conformance.execution.request import every_case
from middlemark.documents import read_toml
from middlemark.errors import InputError
from middlemark.specification.specification import read_specification
from middlemark.subject.subject import find_subject

GO, JAKARTA = (REPOSITORY / "platforms" / name for name in ("go", "jakarta"))
SPEC = read_specification(REPOSITORY / "specs" / "brokerage")
LISTS = sorted(list_of("go", "brokerage").parent.glob("named-*.toml"))
NO_RULES = {"What is specified.", "Words", "What is compared", "Rules", "The measured session"}
_RULE = re.compile(r"^## (.+)$|^\*\*([^*]+)\*\*|\. \*\*([^*]+)\*\*", re.MULTILINE)


def rules_of(spec: str) -> set[str]:
    """Return the headings and the bold words that begin a rule."""
    own = [REPOSITORY / "specs" / spec / name for name in ("README.md", "transactions.md")]
    pages = [REPOSITORY / "specs" / "README.md", *filter(Path.is_file, own)]
    found = (match for path in pages for match in _RULE.finditer(path.read_text(encoding="utf-8")))
    return {" ".join((match[1] or match[2] or match[3]).split()) for match in found} - NO_RULES


def entries(platform: str, spec: str) -> list[NamedMutation]:
    return read_toml(list_of(platform, spec), NamedMutations).mutation


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_text_of_a_named_mutation_is_found_once_in_the_source_and_breaks_a_rule(path: Path) -> None:
    platform, spec = path.stem.removeprefix("named-").rsplit("-", 1)
    mutants = named(path, REPOSITORY / "platforms" / platform, spec)
    assert len(mutants) >= 10
    assert {mutant.rule for mutant in mutants} <= rules_of(spec)


def test_every_rule_of_the_brokerage_is_broken_by_a_mutation() -> None:
    broken = {name: {entry.rule for entry in entries(name, "brokerage")} for name in ("go", "jakarta")}
    rules = rules_of("brokerage")
    assert broken["go"] == rules - {"Two-phase commit"}, "Go offers no orders over a queue of a server"
    assert "Two-phase commit" in broken["jakarta"]


def test_a_mutation_that_names_cases_names_those_that_are_run_in_its_configuration() -> None:
    cases = every_case(SPEC)
    run = {
        (placed.case.name, configuration.name)
        for configuration in configurations(find_subject(REPOSITORY, "jakarta@liberty", "brokerage"))
        for placed, *_ in configuration.executions(cases)
    }
    for mutant in named(list_of("jakarta", "brokerage"), JAKARTA, "brokerage"):
        assert mutant.cases
        assert {(case, mutant.configuration) for case in mutant.cases} <= run, mutant.name


def test_a_mutation_with_cases_is_tried_with_these_in_its_configuration_over_every_interface() -> None:
    mutant = Mutant("a", "r", "a.java", 0, "+", "-", 1, 1, cases=("Sold [once]",), configuration="orders=sync")
    assert mutant.is_tried_with("Sold [once] [orders=sync]")
    assert mutant.is_tried_with("Sold [once] [orders=sync, over json]")
    assert not mutant.is_tried_with("Sold [once] [orders=sync, binding=json]")
    assert not mutant.is_tried_with("Sold twice [orders=sync]")
    assert Mutant("a", "r", "a.go", 0, "+", "-", 1, 1).is_tried_with("Sold twice [orders=sync]")


def test_cases_without_a_configuration_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "named.toml"
    entry = 'name = "a"\nrule = "r"\nfile = "a.java"\ntext = "+"\nreplacement = "-"\ncases = ["Sold once"]\n'
    source.write_text(f"version = 1\n[[mutation]]\n{entry}", encoding="utf-8")
    with pytest.raises(InputError, match="belong together"):
        named(source, tmp_path, "brokerage")


def test_a_platform_without_a_list_is_refused() -> None:
    with pytest.raises(InputError, match="nobody has written down mutations of cobol's brokerage"):
        list_of("cobol", "brokerage")


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
