"""A run of mutants fails for an unlisted survivor, for a listed one that is killed, and for too few kills."""

from __future__ import annotations

from checks.mutation.results_log import Judgement, Outcome
from checks.mutation.summary import not_met, refusals, verdict
from checks.mutation.survivors import Survivor, Why


def mutant(name: str, outcome: Outcome) -> Judgement:
    """Return a judged mutant."""
    return Judgement(name=name, rule="r", file="a/b.go", line=1, column=1, outcome=outcome, case="A case")


KILLED = [mutant(f"k{number}", Outcome.KILLED) for number in range(17)]
LISTED = {"s": Survivor(mutant="s", why=Why.EQUIVALENT, reason="it does the same")}


def test_a_listed_survivor_is_accepted() -> None:
    assert refusals([*KILLED, mutant("s", Outcome.SURVIVED)], LISTED, every_one=False) == []


def test_an_unlisted_survivor_is_refused() -> None:
    [found] = refusals([*KILLED, mutant("t", Outcome.SURVIVED)], LISTED, every_one=False)
    assert found == "survived and is not in survivors.toml: t"


def test_a_listed_survivor_that_is_killed_is_refused() -> None:
    [found] = refusals([*KILLED, mutant("s", Outcome.TIME_OUT)], LISTED, every_one=False)
    assert found == "is in survivors.toml and killed by 'A case': s"


def test_every_named_mutation_must_be_killed() -> None:
    assert len(refusals([*KILLED, mutant("s", Outcome.SURVIVED)], LISTED, every_one=True)) == 1


def test_a_named_mutation_must_compile() -> None:
    assert refusals([*KILLED, mutant("n", Outcome.NOT_COMPILING)], {}, every_one=True) == ["does not compile: n"]


def test_too_few_kills_are_refused_and_what_does_not_compile_does_not_count() -> None:
    broken = [mutant(f"n{number}", Outcome.NOT_COMPILING) for number in range(9)]
    listed = {name: Survivor(mutant=name, why=Why.UNSEEN, reason="nobody looks there") for name in "abcd"}
    survived = [mutant(name, Outcome.SURVIVED) for name in listed]
    assert refusals([*KILLED, *broken, *survived[:3]], listed, every_one=False) == []
    assert refusals([*KILLED, *broken, *survived], listed, every_one=False) == [
        "81.0% of the compiling mutants are killed; expected at least 85%"
    ]
    assert verdict([*KILLED, *broken, *survived], ["x"]) == "17 of 21 compiling mutants are killed (81.0%); 1 is wrong"


def test_a_listed_survivor_without_mutant_is_stale() -> None:
    assert not_met(["k1"], LISTED) == ["is in survivors.toml, and no mutant has this name: s"]
