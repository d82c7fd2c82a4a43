"""Compares subjects and their data accesses, pair by pair: outcomes, answers, sizes of pages, end states of plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from middlemark.conformance.result import Difference, Play, Played, PlayOutcome, variants

_LARGEST_DEVIATION = 0.05


def differences(names: Sequence[str], done: Sequence[Sequence[Played]]) -> Iterator[Difference]:
    """Yield where two variants differ in plays that both have; a cell only one of them offers is no difference.

    A variant is a subject with one of its data accesses.
    """
    by_key = [
        (variant, {played.play.key: played for played in plays if played.play.data_access == access})
        for name, plays in zip(names, done, strict=True)
        for access, variant in variants(name, [played.play for played in plays]).items()
    ]
    for (one, first), (other, second) in combinations(by_key, 2):
        for key in first.keys() & second.keys():
            for what, text in _between(first[key], second[key]):
                yield Difference(one=one, other=other, play=first[key].play.label, what=what, text=text)


def _between(first: Played, second: Played) -> Iterator[tuple[str, str]]:
    one, other = first.play, second.play
    if PlayOutcome.NOT_CHECKED in {one.outcome, other.outcome}:
        return
    if one.outcome is not other.outcome or _texts(one) != _texts(other):
        yield "outcome", f"{one.outcome}{_texts(one)} / {other.outcome}{_texts(other)}"
    # Empty where nothing was looked at: by chance, or without the database of an address.
    if one.answers and other.answers and one.answers != other.answers:
        yield "answers", _parting(first.notes, second.notes)
    if one.end_state and other.end_state and one.end_state != other.end_state:
        yield "end state", _parting(first.end_state, second.end_state)
    for where in one.sizes.keys() & other.sizes.keys():
        if abs(one.sizes[where] / other.sizes[where] - 1) > _LARGEST_DEVIATION:
            yield "size", f"{where}: {one.sizes[where]} / {other.sizes[where]} bytes"


def _texts(play: Play) -> str:
    return "".join(f"; {failure.step or 'afterwards'}: {failure.text}" for failure in play.failures)


def _parting(first: Sequence[str], second: Sequence[str]) -> str:
    """Return the first line in which two texts part."""
    ours, theirs = "\n".join(first).splitlines(), "\n".join(second).splitlines()
    for index in range(max(len(ours), len(theirs))):
        one = ours[index] if index < len(ours) else "(nothing)"
        other = theirs[index] if index < len(theirs) else "(nothing)"
        if one != other:
            return f"{one} / {other}"
    return "(the same text)"
