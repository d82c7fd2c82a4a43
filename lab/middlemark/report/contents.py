"""Where the combinations of a run stand in its matrices: rows by the choices of efficiencies, columns by subject."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from middlemark.records.choices import SESSION, is_mode
from middlemark.records.run import Combination, LeftOut, Run
from middlemark.verdict.efficiency import value_of
from middlemark.verdict.naming import in_words

Row = tuple[str, ...]
"""Values of the choices that make rows."""


@dataclass(frozen=True)
class Layout:
    """One matrix: what all in it chose, and its combinations by row and subject; `marks` has what a row implies."""

    title: str
    rows: tuple[Row, ...]
    subjects: tuple[str, ...]
    places: Mapping[tuple[Row, str], Combination]
    missing: Mapping[tuple[Row, str], str]
    marks: Mapping[Row, str]


def layouts(run: Run) -> list[Layout]:
    """Return a matrix for each set of the other choices; none without an efficiency in the specification.

    A choice that a row or a subject always makes alike, as a session that needs a mode, makes no matrix of its own.
    """
    if run.specification.efficiency is None or not run.combinations:
        return []
    keys = tuple(run.specification.efficiency.reference)
    others = [choice for choice in _choices(run) if choice not in keys]
    differing = [choice for choice in others if _differs(run, choice)]
    of_rows = [one for one in differing if _follows(run, one, lambda c: _row(run, keys, c))]
    apart = [one for one in differing if one not in of_rows and not _follows(run, one, lambda c: c.subject)]
    groups = dict.fromkeys(tuple(c.modes.get(choice) for choice in apart) for c in run.combinations)
    marks = {_row(run, keys, c): _words(of_rows, [c.modes.get(choice) for choice in of_rows]) for c in run.combinations}
    return [_layout(run, keys, dict(zip(apart, group, strict=True)), marks) for group in groups]


def _layout(run: Run, keys: Sequence[str], apart: Mapping[str, str | None], marks: Mapping[Row, str]) -> Layout:
    here = [c for c in run.combinations if all(c.modes.get(choice) == value for choice, value in apart.items())]
    out = [(_row_left_out(run, keys, one), one) for one in run.left_out if one.subject]
    # What was left out may lack a choice that was never made for it.
    out = [(row, one) for row, one in out if all(one.modes.get(k, v) == v for k, v in apart.items())]
    rows = dict.fromkeys([*(_row(run, keys, c) for c in run.combinations), *(row for row, _ in out)])
    return Layout(
        title=_words(list(apart), list(apart.values())),
        rows=tuple(sorted(rows, key=lambda row: _place(run, row))),
        subjects=tuple(dict.fromkeys([*(c.subject for c in run.combinations), *(one.subject for _, one in out)])),
        places={(_row(run, keys, c), c.subject): c for c in here},
        missing={(row, one.subject): one.reason for row, one in reversed(out)},
        marks=marks,
    )


def _place(run: Run, row: Row) -> tuple[int, ...]:
    """Return where a row stands: sessions in the order of the run, everything else as it comes."""
    return tuple(run.sessions.index(value) if value in run.sessions else -1 for value in row)


def _row(run: Run, keys: Sequence[str], combination: Combination) -> Row:
    return tuple(value_of(run, combination, key) or "default" for key in keys)


def _row_left_out(run: Run, keys: Sequence[str], one: LeftOut) -> Row:
    values = {SESSION: run.session, **one.modes}
    return tuple(values.get(key, "default") for key in keys)


def _choices(run: Run) -> list[str]:
    return list(dict.fromkeys(choice for c in run.combinations for choice in c.modes))


def _differs(run: Run, choice: str) -> bool:
    return len({c.modes.get(choice) for c in run.combinations}) > 1


def _follows(run: Run, choice: str, of: Callable[[Combination], Hashable]) -> bool:
    """Say whether what a combination chose follows from another property of it."""
    seen: dict[Hashable, str | None] = {}
    return all(seen.setdefault(of(c), c.modes.get(choice)) == c.modes.get(choice) for c in run.combinations)


def _words(choices: Sequence[str], values: Sequence[str | None]) -> str:
    """Return what was chosen in words, without what was not: `HTTP/1.0, 1 CPU`."""
    chosen = [(choice, value) for choice, value in zip(choices, values, strict=True) if value is not None]
    return ", ".join(f"{choice} {value}" if is_mode(choice) else in_words(choice, value) for choice, value in chosen)
