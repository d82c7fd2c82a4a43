"""Short names of combinations: only what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.records.run import CPUS, FRONT, LAYOUT, NO_FRONT, PROCESSORS, WEB_SERVERS, Combination

_SUBJECT = "(subject)"
_COUNTED = {WEB_SERVERS: "web server", PROCESSORS: "processor", CPUS: "CPU"}


def short_names(combinations: Sequence[Combination]) -> dict[str, str]:
    """Return a name for each combination's path: the values in which the combinations differ, or the whole label."""
    choices = {c.path: _choices(c) for c in combinations}
    keys = list(dict.fromkeys(key for values in choices.values() for key in values))
    telling = [key for key in keys if len({values.get(key) for values in choices.values()}) > 1]
    names = {path: _joined({key: values[key] for key in telling if key in values}) for path, values in choices.items()}
    if len(set(names.values())) < len(combinations) or not all(names.values()):
        return {c.path: c.label for c in combinations}
    return names


def label(subject: str, modes: Mapping[str, str]) -> str:
    """Return the whole name of a combination: `go json, behind nginx, 3 web servers`."""
    return _joined({_SUBJECT: subject, **modes})


def _joined(choices: Mapping[str, str]) -> str:
    """Return the values of modes one after the other, then how the processes are laid out, in words."""
    modes = " ".join(value for key, value in choices.items() if key not in LAYOUT)
    laid_out = (in_words(key, value) for key, value in choices.items() if key in LAYOUT)
    return ", ".join(part for part in (modes, *laid_out) if part)


def in_words(key: str, value: str) -> str:
    """Return a choice of the layout in words: `behind nginx`, `3 web servers`."""
    if key == FRONT:
        return "direct" if value == NO_FRONT else f"behind {value}"
    return f"{value} {_COUNTED[key]}" + ("" if value == "1" else "s")


def _choices(combination: Combination) -> dict[str, str]:
    """Return what a combination chose, its subject by a key no mode can have."""
    return {_SUBJECT: combination.subject, **combination.modes}
