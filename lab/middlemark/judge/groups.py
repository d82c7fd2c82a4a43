"""Which combinations may be ranked against each other: those that promise the same and did it alike."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from middlemark.records.choices import CPUS, NO_PROXY, OF_THE_DRIVER, REVERSE_PROXY, SCALE, SESSION, is_mode, is_setting
from middlemark.records.findings import Measured
from middlemark.records.naming import choice_text, short_names
from middlemark.records.run import Combination, Run
from middlemark.records.run_parts import SpecificationRecord

# What decides what a commit means.
DURABILITY = ("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "data_checksums")
# The canonical pages hold bodies to 5 %; headers are each server's own, and in small responses weigh as much again.
MAX_SIZE_DEVIATION = 0.10
# Chance draws a few more of the pages that have more images.
MAX_RESPONSES_DEVIATION = 0.05


@dataclass(frozen=True)
class Circumstances:
    """What must be equal of a combination of a run.

    `settings` are those of its processes, of several values all, without those of no process; `bytes_per_response` is
    the mean of what the driver received for a transaction, None where responses report calls; `responses_each` how many
    they were where pages are fetched with their sub-resources. Both are None without a window that counts.
    """

    run: Run
    combination: Combination
    specification: str
    settings: Mapping[str, str]
    bytes_per_response: float | None
    responses_each: float | None


def circumstances(measured: Measured, combination: Combination) -> Circumstances:
    """A combination by the windows at which it is compared.

    Settings may differ that the lab chooses by itself, that are compared, or that the combination chooses.
    """
    run, windows = measured.run, measured.compared(combination)
    abouts = [about for window in windows for about in window.about.values()]
    names = {f"{about.get('specification')} {about.get('specification_version')}" for about in abouts}
    chosen = {name.removeprefix("MM_").lower() for name in combination.settings}
    found: dict[str, set[str]] = {}
    for about in abouts:
        settings = about.get("settings")
        for name, value in settings.items() if isinstance(settings, Mapping) else ():
            if value and name not in chosen.union(run.specification.given_settings):
                found.setdefault(str(name), set()).add(str(value))
    valid = [one for one in windows if one.valid and one.total.count]
    tried = sum(one.total.count + one.total.errors for one in valid)
    sized = tried and not any(one.reports_calls for one in valid)
    fetched = sum(one.responses for one in valid if one.sub_resources)
    return Circumstances(
        run=run,
        combination=combination,
        specification=" and ".join(sorted(names)) or f"{run.spec} {run.spec_version}",
        settings={name: " and ".join(sorted(values)) for name, values in found.items()},
        bytes_per_response=sum(v.bytes_per_s * v.window_s for v in valid) / tried if sized else None,
        responses_each=fetched / tried if fetched else None,
    )


class Comparability:
    """Who may be ranked with whom in a run; reasons are found once for each pair."""

    def __init__(self, measured: Measured) -> None:
        self._run = measured.run
        self._circumstances = {one.path: circumstances(measured, one) for one in measured.run.combinations}
        self._reasons: dict[tuple[str, str, frozenset[str]], str] = {}
        self.groups = self._grouped()

    def reason_against(self, a: Combination, b: Combination, set_apart: AbstractSet[str] = frozenset()) -> str:
        """Why the two are shown and not ranked; empty when they may be ranked.

        `set_apart` are choices in which they differ on purpose: these are no reason.
        """
        key = a.path, b.path, frozenset(set_apart)
        if key not in self._reasons:
            self._reasons[key] = self._found(a, b, set_apart)
        return self._reasons[key]

    def name_of(self, group: Sequence[Combination]) -> str:
        """What a group has in common and others have not, in words; empty where there is one group only."""
        if len(self.groups) == 1:
            return ""
        run, first = self._run, group[0]
        every = dict.fromkeys(choice for one in run.combinations for choice in one.modes if _groups(run, choice))
        differing = [one for one in every if len({other.modes.get(one) for other in run.combinations}) > 1]
        named = [choice_text(choice, first.modes[choice]) for choice in differing if choice in first.modes]
        return ", ".join(named) or f"comparable with {short_names(run.combinations)[first.path]}"

    def _found(self, a: Combination, b: Combination, set_apart: AbstractSet[str]) -> str:
        if (a.is_control or b.is_control) and a.subject == b.subject and a.modes == b.modes:
            return "a control: one combination twice"
        chosen = different_choices(self._run.specification, a, b, set_apart)
        sides = self._circumstances[a.path], self._circumstances[b.path]
        return ", ".join([*chosen, *unequal(*sides, set_apart)])

    def _grouped(self) -> list[list[Combination]]:
        """Groups within which each may be ranked with each: two that may be with a third may not be together."""
        groups: list[list[Combination]] = []
        for one in self._run.combinations:
            fitting = (group for group in groups if not any(self.reason_against(other, one) for other in group))
            same = next(fitting, None)
            if same is None:
                groups.append([one])
            else:
                same.append(one)
        return groups


def different_choices(
    specification: SpecificationRecord, a: Combination, b: Combination, set_apart: AbstractSet[str] = frozenset()
) -> Iterator[str]:
    """Yield a reason for each choice that keeps two combinations apart; scale and session are among the inputs."""
    for mode, rules in specification.never_ranked_together.items():
        if mode in set_apart:
            continue
        values = {a.modes.get(mode), b.modes.get(mode)}
        yield from (rule.why for rule in rules if len(values) > 1 and values - {None} <= {*rule.values})
    proxies = {one.modes.get(REVERSE_PROXY, NO_PROXY) for one in (a, b)}
    if len(proxies) > 1 and REVERSE_PROXY not in set_apart:
        yield "a reverse proxy on one side only" if NO_PROXY in proxies else "different reverse proxies"
    if a.modes.get(CPUS) != b.modes.get(CPUS):
        yield "different numbers of CPUs"
    for choice in sorted({*a.settings, *b.settings} - set_apart) + list(OF_THE_DRIVER):
        one, other = (each.modes.get(choice, "the default") for each in (a, b))
        if one != other:
            where = "" if is_setting(choice) else " of the driver"
            yield f"different {choice}{where} ({one}, {other})"


def unequal(a: Circumstances, b: Circumstances, set_apart: AbstractSet[str] = frozenset()) -> tuple[str, ...]:
    """Everything in words for which the figures of the two cannot be compared; none when they can."""
    return tuple(_differences(a, b, set_apart))


def _differences(a: Circumstances, b: Circumstances, set_apart: AbstractSet[str]) -> Iterator[str]:
    scales = tuple(each.run.scale_of(each.combination) for each in (a, b))
    inputs = {
        "specifications": (a.specification, b.specification),
        "scales": scales,
        "sessions": tuple(each.run.session_of(each.combination) for each in (a, b)),
        "think times": (a.run.think, b.run.think),
    }
    if SESSION in set_apart:
        del inputs["sessions"]
    yield from (f"different {what} ({one}, {other})" for what, (one, other) in inputs.items() if one != other)
    # A scale is a data set of its own, and people know it by its name.
    if scales[0] == scales[1] and a.run.fingerprints.get(scales[0]) != b.run.fingerprints.get(scales[1]):
        yield "different data sets"
    servers = list(dict.fromkeys([*a.run.databases, *b.run.databases]))
    for server, name in itertools.product(servers, DURABILITY):
        one, other = (each.run.databases.get(server, {}).get(name, "unknown") for each in (a, b))
        if one != other:
            of = f" of {server}" if len(servers) > 1 else ""
            yield f"different durability{of} ({name} {one}, {other})"
    for name in sorted(a.settings.keys() & b.settings.keys()):
        if a.settings[name] != b.settings[name]:
            yield f"different {name.replace('_', ' ')} ({a.settings[name]}, {b.settings[name]})"
    sizes = [each.bytes_per_response for each in (a, b) if each.bytes_per_response]
    if len(sizes) > 1 and max(sizes) / min(sizes) - 1 > MAX_SIZE_DEVIATION:
        yield f"different response sizes ({sizes[0]:,.0f}, {sizes[1]:,.0f} bytes)"
    numbers = [each.responses_each for each in (a, b) if each.responses_each]
    if len(numbers) > 1 and max(numbers) / min(numbers) - 1 > MAX_RESPONSES_DEVIATION:
        yield f"different responses per {a.run.specification.timed} ({numbers[0]:.2f}, {numbers[1]:.2f})"


def _groups(run: Run, choice: str) -> bool:
    """Whether different values of a choice are never ranked."""
    if is_mode(choice):
        return choice in run.specification.never_ranked_together
    return choice in {REVERSE_PROXY, CPUS, SCALE, SESSION, *OF_THE_DRIVER} or is_setting(choice)
