"""What a run of mutants prints at the end, and what it refuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from checks.mutation.results_log import KILLS, Judgement, Outcome
from checks.mutation.survivors import Survivor, Why

MIN_KILLED = 0.85


def summary(judgements: Collection[Judgement]) -> list[str]:
    """Return the table of a run: for each folder how many mutants there are and what became of them."""
    rows: dict[str, Counter[Outcome]] = {}
    for one in judgements:
        rows.setdefault(one.file.rpartition("/")[0], Counter())[one.outcome] += 1
    total: Counter[Outcome] = sum(rows.values(), Counter())
    lines = [_row("", [outcome.value for outcome in Outcome], "of compiling")]
    lines += [_counted(folder, counts) for folder, counts in sorted(rows.items())]
    return [*lines, _counted("all", total)] if len(rows) > 1 else lines


def refusals(judgements: Collection[Judgement], listed: Mapping[str, Survivor], *, every_one: bool) -> list[str]:
    """Return why the run fails: survivors not listed, listed ones that are killed, too few killed.

    `every_one` asks for all mutants to compile and to be killed, listed or not.
    """
    survived = [one for one in judgements if one.outcome is Outcome.SURVIVED]
    found = [
        f"survived and is not in survivors.toml: {one.name}" for one in survived if every_one or one.name not in listed
    ]
    found += [
        f"is in survivors.toml and {_end_of(one)}: {one.name}"
        for one in judgements
        if one.outcome is not Outcome.SURVIVED and one.name in listed
    ]
    found += [f"does not compile: {one.name}" for one in judgements if every_one and not _compiles(one)]
    if _share(judgements) < MIN_KILLED:
        found.append(
            f"{_share(judgements):.1%} of the compiling mutants are killed; expected at least {MIN_KILLED:.0%}"
        )
    return found


def not_met(names: Iterable[str], listed: Mapping[str, Survivor]) -> list[str]:
    """Return the listed survivors of which no mutant has the name: the source has changed."""
    known = set(names)
    return [f"is in survivors.toml, and no mutant has this name: {name}" for name in listed if name not in known]


def reasons(judgements: Collection[Judgement], listed: Mapping[str, Survivor]) -> list[str]:
    """Return how many survivors have which reason."""
    counts = Counter(
        listed[one.name].why for one in judgements if one.outcome is Outcome.SURVIVED and one.name in listed
    )
    return [f"{counts[why]} survivors are {why.value}" for why in Why if counts[why]]


def verdict(judgements: Collection[Judgement], refused: Collection[str]) -> str:
    """Return the last line: the run in one sentence."""
    killed = sum(one.outcome in KILLS for one in judgements)
    text = f"{killed} of {sum(map(_compiles, judgements))} compiling mutants are killed ({_share(judgements):.1%})"
    if not refused:
        return text
    return f"{text}; {len(refused)} {'is' if len(refused) == 1 else 'are'} wrong"


def _compiles(judgement: Judgement) -> bool:
    return judgement.outcome is not Outcome.NOT_COMPILING


def _share(judgements: Collection[Judgement]) -> float:
    compiling = sum(map(_compiles, judgements))
    return sum(one.outcome in KILLS for one in judgements) / compiling if compiling else 1.0


def _end_of(judgement: Judgement) -> str:
    return f"killed by '{judgement.case}'" if judgement.outcome in KILLS else "does not compile"


def _counted(name: str, counts: Counter[Outcome]) -> str:
    compiling = sum(counts.values()) - counts[Outcome.NOT_COMPILING]
    killed = sum(counts[outcome] for outcome in KILLS)
    share = f"{killed / compiling:.1%}" if compiling else "none"
    return _row(name, [str(counts[outcome]) for outcome in Outcome], share)


def _row(name: str, columns: list[str], share: str) -> str:
    return f"{name:<24}" + "".join(f"{column:>15}" for column in columns) + f"{share:>15}"
