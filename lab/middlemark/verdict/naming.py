"""Short names of combinations: only what tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.results.run import Combination


def short_names(combinations: Sequence[Combination]) -> dict[str, str]:
    """Return a name for each combination's path: the values in which the combinations differ, or the whole label."""
    choices = {c.path: _choices(c) for c in combinations}
    keys = list(dict.fromkeys(key for values in choices.values() for key in values))
    telling = [key for key in keys if len({values.get(key) for values in choices.values()}) > 1]
    names = {path: " ".join(values[key] for key in telling if values.get(key)) for path, values in choices.items()}
    if len(set(names.values())) < len(combinations) or not all(names.values()):
        return {c.path: c.label for c in combinations}
    return names


def _choices(combination: Combination) -> dict[str, str]:
    """Return what a combination chose, its subject by a key no mode can have."""
    return {"(subject)": combination.subject, **combination.modes}
