"""Counts the lines of code of platforms: of those in the checkout, and of what a run compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from middlemark.records.run import Combination
from middlemark.records.run_parts import CodeLines
from middlemark.subject.code import CodeTier, counted_parts, lines_by_tier, telling_modes, variants
from middlemark.subject.platform import platforms
from middlemark.subject.subject import Subject


@dataclass(frozen=True)
class CodeSize:
    """Lines of code by tier of one specification on one platform, with the modes on which they depend."""

    platform: str
    spec: str
    modes: dict[str, str]
    tiers: dict[CodeTier, int]


def code_of_checkout(home: Path) -> Iterator[CodeSize]:
    """Yield the lines of every platform of the checkout whose file names the tier of each of its files.

    Raises InputError for one that is wrong.
    """
    for platform in platforms(home):
        for spec, implementation in platform.description.specs.items():
            if implementation.code:
                parts = counted_parts(platform.folder, implementation.code)
                for modes in variants(parts):
                    yield CodeSize(platform.name, spec, modes, lines_by_tier(parts, modes))


def code_of_run(subjects: Mapping[str, Subject], combinations: Iterable[Combination]) -> list[CodeLines]:
    """Return the lines of every platform by tier, once for each choice of modes on which they depend.

    A platform whose file does not name the tiers of its files is left out. Raises InputError for one that is wrong.
    """
    parts = {
        subject.platform.name: counted_parts(subject.platform.folder, code)
        for subject in subjects.values()
        if (code := subject.implementation.code)
    }
    found: dict[tuple[str, ...], CodeLines] = {}
    for combination, subject in ((one, subjects[name]) for one in combinations for name in one.subjects):
        platform = subject.platform.name
        if platform not in parts:
            continue
        # A subject that runs single tiers need not offer what platforms name.
        known = {mode: value for mode, value in combination.own_modes.items() if value in subject.offers(mode)}
        chosen = subject.chosen(known)
        modes = {mode: chosen[mode] for mode in telling_modes(parts[platform])}
        key = (platform, *modes.values())
        before = found[key].combinations if key in found else []
        paths = list(dict.fromkeys([*before, combination.path]))
        tiers = {str(tier): lines for tier, lines in lines_by_tier(parts[platform], chosen).items()}
        found[key] = CodeLines(platform=platform, modes=modes, combinations=paths, tiers=tiers)
    return list(found.values())
