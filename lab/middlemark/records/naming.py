"""Names of combinations: short ones with only what differs, and choices in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.records.choices import (
    CONNECTIONS,
    CPUS,
    HTTP,
    NO_PROXY,
    REVERSE_PROXY,
    SCALE,
    SESSION,
    THREADS,
    TLS,
    is_mode,
    is_setting,
    tier_of,
    tier_run,
)
from middlemark.records.run import Combination
from middlemark.wording import TIMES

_SUBJECT = "(subject)"
_PREFIXES = {SCALE: "scale ", SESSION: "session ", HTTP: "HTTP/", CONNECTIONS: "connections ", TLS: "TLS "}
_COUNTED = {CPUS: "CPU", THREADS: "driver thread"}


def short_names(combinations: Sequence[Combination]) -> dict[str, str]:
    """A name for each combination's path: the values in which the combinations differ, or the whole label."""
    choices = {c.path: {_SUBJECT: c.subject, **c.modes} for c in combinations}
    keys = list(dict.fromkeys(key for values in choices.values() for key in values))
    differing = [key for key in keys if len({values.get(key) for values in choices.values()}) > 1]
    names = {
        path: _joined({key: values[key] for key in differing if key in values}) for path, values in choices.items()
    }
    if len(set(names.values())) < len(combinations) or not all(names.values()):
        return {c.path: c.label for c in combinations}
    return names


def label(subject: str, modes: Mapping[str, str]) -> str:
    """The whole name of a combination: the subject and its modes, then `behind PROXY, 2 CPUs`."""
    return _joined({_SUBJECT: subject, **modes})


def choices_in_words(combination: Combination) -> str:
    """What a combination chose without its subject: `session shop, HTTP/1.0`."""
    return _joined(combination.modes)


def in_words(choice: str, value: str) -> str:
    """A choice in words: the value of a mode as it is, else `behind PROXY`, `2 CPUs`, `session x`."""
    tier = tier_of(choice)
    if tier is not None:
        return f"{value} {TIMES} {tier}"
    if run := tier_run(choice):
        return f"{run} of {value}"
    if is_setting(choice):
        return f"{choice}={value}"
    if choice == REVERSE_PROXY:
        return "direct" if value == NO_PROXY else f"behind {value}"
    if choice in _COUNTED:
        return f"{value} {_COUNTED[choice]}" + ("" if value == "1" else "s")
    return f"{_PREFIXES.get(choice, '')}{value}"


def choice_text(choice: str, value: str) -> str:
    """A choice in words, a mode with its name: `binding json`, `2 CPUs`."""
    return f"{choice} {value}" if is_mode(choice) else in_words(choice, value)


def _joined(choices: Mapping[str, str]) -> str:
    modes = " ".join(value for choice, value in choices.items() if is_mode(choice))
    others = (in_words(choice, value) for choice, value in choices.items() if not is_mode(choice))
    return ", ".join(part for part in (modes, *others) if part)
