"""Which combinations may be ranked against each other: only those that promise the same under the same conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from middlemark.records.choices import CPUS, NO_PROXY, OF_THE_DRIVER, REVERSE_PROXY, SCALE, SESSION, is_mode, is_setting
from middlemark.records.folder import Result
from middlemark.records.run import Combination, Run
from middlemark.records.specification import SpecificationRecord
from middlemark.verdict.equality import side, unequal
from middlemark.verdict.naming import in_words, short_names


def reason_not_to_rank(result: Result, a: Combination, b: Combination) -> str:
    """Return why the two are shown and not ranked; empty when they may be ranked.

    Besides what they choose that is everything in which they were not equal at the load at which they are compared.
    """
    if (a.is_control or b.is_control) and a.subject == b.subject and a.modes == b.modes:
        return "a control: one combination twice"
    chosen = different_choices(result.run.specification, a, b)
    return ", ".join([*chosen, *unequal(side(result, a), side(result, b))])


def comparability_groups(result: Result) -> list[list[Combination]]:
    """Return the combinations in groups within which each may be ranked with each, in the run's order."""
    groups: list[list[Combination]] = []
    for combination in result.run.combinations:
        same = next((group for group in groups if _fits(result, group, combination)), None)
        if same is None:
            groups.append([combination])
        else:
            same.append(combination)
    return groups


def group_name(result: Result, first: Combination) -> str:
    """Return what the combinations of a group, by its first, have in common and others of the run have not.

    It is in words: `behind PROXY, 2 CPUs`.
    """
    run = result.run
    choices = [
        choice for choice in dict.fromkeys(c for one in run.combinations for c in one.modes) if _groups(run, choice)
    ]
    differing = [one for one in choices if len({combination.modes.get(one) for combination in run.combinations}) > 1]
    named = [_in_words(choice, first.modes[choice]) for choice in differing if choice in first.modes]
    return ", ".join(named) or f"comparable with {short_names(run.combinations)[first.path]}"


def _fits(result: Result, group: Sequence[Combination], combination: Combination) -> bool:
    """Say whether a combination may be ranked with all of a group: two that may be with a third may not be together."""
    return not any(reason_not_to_rank(result, one, combination) for one in group)


def _groups(run: Run, choice: str) -> bool:
    """Say whether different values of a choice are never ranked."""
    if is_mode(choice):
        return choice in run.specification.never_ranked_together
    return choice in {REVERSE_PROXY, CPUS, SCALE, SESSION, *OF_THE_DRIVER} or is_setting(choice)


def _in_words(choice: str, value: str) -> str:
    return f"{choice} {value}" if is_mode(choice) else in_words(choice, value)


def different_choices(specification: SpecificationRecord, a: Combination, b: Combination) -> Iterator[str]:
    """Yield a reason for each choice that keeps two combinations apart; scale and session are among the inputs."""
    for mode, rules in specification.never_ranked_together.items():
        values = {a.modes.get(mode), b.modes.get(mode)}
        yield from (rule.why for rule in rules if len(values) > 1 and values - {None} <= {*rule.values})
    proxies = {one.modes.get(REVERSE_PROXY, NO_PROXY) for one in (a, b)}
    if len(proxies) > 1:
        yield "a reverse proxy on one side only" if NO_PROXY in proxies else "different reverse proxies"
    if a.modes.get(CPUS) != b.modes.get(CPUS):
        yield "different numbers of CPUs"
    for choice in sorted({*a.settings, *b.settings}) + list(OF_THE_DRIVER):
        one, other = (each.modes.get(choice, "the default") for each in (a, b))
        if one != other:
            where = "" if is_setting(choice) else " of the driver"
            yield f"different {choice}{where} ({one}, {other})"
