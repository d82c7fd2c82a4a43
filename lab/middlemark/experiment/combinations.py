"""Computes the combinations of an experiment; those that a subject cannot do are left out with the reason."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from urllib.parse import quote

from middlemark.errors import InputError
from middlemark.experiment.driver_choices import HTTP_1_0
from middlemark.experiment.listeners import check_open, opening_modes
from middlemark.experiment.requested_deployment import (
    carried_tiers,
    planned_programs,
    requested_deployment,
    tier_subjects,
    tiers_with_processes,
)
from middlemark.records.choices import CONNECTIONS, HTTP, OWN, TLS, is_mode, tier_of, tier_run
from middlemark.records.naming import label
from middlemark.records.run import CONTROL, Combination, LeftOut
from middlemark.specification.tiers import Protocol
from middlemark.subject.subject import Subject
from middlemark.topology.request import DeploymentRequest

MAX_NAME_BYTES = 200
"""Longer names of folders are cut: file systems allow 255 bytes."""


@dataclass(frozen=True)
class Subjects:
    """The subjects of an experiment in a checkout, by name: those that are `compared`, and those `of_tiers`."""

    home: Path
    compared: Mapping[str, Subject]
    of_tiers: Mapping[str, Subject]

    @property
    def all(self) -> dict[str, Subject]:
        """Return every subject of which something is started, each once."""
        return {**self.compared, **self.of_tiers}


Listeners = Callable[[Mapping[str, str]], Sequence[str]]
"""Returns the listeners of the entry that the session of these choices names."""


def _no_listeners(_: Mapping[str, str]) -> Sequence[str]:
    return ()


def with_control(combinations: list[Combination]) -> list[Combination]:
    """Return the combinations, the first of them twice: under a path and a label of its own."""
    first, *others = combinations
    again = first.model_copy(update={"label": f"{first.label} again", "path": f"{first.path}{CONTROL}"})
    return [first, again, *others]


def combinations(
    subjects: Subjects, choices: Mapping[str, Sequence[str]], listeners: Listeners = _no_listeners
) -> tuple[list[Combination], list[LeftOut]]:
    """Return every subject with every value of every choice, in the order written, and what is left out.

    What makes no difference in a combination is none of its choices: the number of processes of a tier that has none
    of its own, the subject of a tier that does not run, the connections of HTTP/1.0, which keeps none. A mode that
    nobody chose and that opens a listener to which the session goes has a value that does, and is one of the choices.
    """
    possible: dict[str, Combination] = {}
    left_out: list[LeftOut] = []
    for subject in subjects.compared:
        for values in product(*choices.values()):
            chosen = dict(zip(choices, values, strict=True))
            named = listeners(chosen)
            chosen |= opening_modes(subjects.compared[subject].specification, chosen, named)
            made = _possible(subjects, subject, chosen, named)
            if isinstance(made, Combination):
                possible.setdefault(made.path, made)
            elif made not in left_out:
                left_out.append(made)
    return list(possible.values()), left_out


def without_features(
    subjects: Subjects, possible: Sequence[Combination], needs: Callable[[Combination], Sequence[str]]
) -> tuple[list[Combination], list[LeftOut]]:
    """Return the combinations whose subject has the features that their session needs, and the others with the reason.

    `needs` are the features that the session of a combination needs.
    """
    able: list[Combination] = []
    left_out: list[LeftOut] = []
    for one in possible:
        missing = [
            (name, feature)
            for feature in needs(one)
            for name in one.subjects
            if feature not in subjects.all[name].features
        ]
        if missing:
            reason = f"{missing[0][0]} has no feature '{missing[0][1]}', which the session needs"
            left_out.append(LeftOut(label=one.label, reason=reason, subject=one.subject, modes=one.modes))
        else:
            able.append(one)
    return able, left_out


def _possible(subjects: Subjects, name: str, chosen: dict[str, str], listeners: Sequence[str]) -> Combination | LeftOut:
    subject = subjects.compared[name]
    chosen |= {choice: name for choice, value in chosen.items() if tier_run(choice) and value == OWN}
    if chosen.get(HTTP) == HTTP_1_0:
        chosen.pop(CONNECTIONS, None)
    reason = _reason_against(subject, chosen, listeners)
    if not reason:
        try:
            chosen = _that_make_a_difference(subjects, name, chosen)
            request = _request(subjects, name, chosen)
            tiers = _checked_tiers(request)
            check_open(request, listeners)
        except InputError as error:
            reason = error.what
    if not reason:
        return _combination(name, chosen).model_copy(update={"tiers": tiers})
    return LeftOut(label=label(name, chosen), reason=reason, subject=name, modes=dict(chosen))


def _reason_against(subject: Subject, chosen: Mapping[str, str], listeners: Sequence[str]) -> str:
    for mode, value in chosen.items():
        offered = subject.offers(mode) if is_mode(mode) else (value,)
        if value not in offered:
            return f"{subject.name} does not offer {mode}={value} (it offers {', '.join(offered) or 'no such mode'})"
    if TLS in chosen and Protocol.HTTPS not in listeners:
        return f"no step goes to a listener over https, so that tls={chosen[TLS]} changes nothing"
    return ""


def _that_make_a_difference(subjects: Subjects, name: str, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the choices without numbers of processes for tiers that have none, and without subjects of such tiers.

    Raises InputError for a deployment that is not possible.
    """
    alone = {choice: value for choice, value in chosen.items() if tier_of(choice) is None}
    request = _request(subjects, name, alone)
    counted, run = tiers_with_processes(request), carried_tiers(request)
    return {
        choice: value
        for choice, value in chosen.items()
        if tier_of(choice) in (None, *counted) and tier_run(choice) in (None, *run)
    }


def _request(subjects: Subjects, name: str, chosen: Mapping[str, str]) -> DeploymentRequest:
    return requested_deployment(subjects.home, planned_programs(subjects.all), _combination(name, chosen))


def _checked_tiers(request: DeploymentRequest) -> dict[str, str]:
    """Return the subject that runs each tier.

    Raises InputError for processes that cannot be started so, for modes that one of the subjects does not offer, and
    where others run every tier.
    """
    for program in request.programs:
        request.modes_of(program)
    tiers = tier_subjects(request)
    if request.subject.name not in tiers.values():
        raise InputError(f"{request.subject.name} runs no tier: {' and '.join(tiers)} are of others")
    return tiers


def _combination(subject: str, chosen: Mapping[str, str]) -> Combination:
    path = f"{subject}/{_folder(chosen)}"
    return Combination(subject=subject, modes=dict(chosen), label=label(subject, chosen), path=path)


def _folder(chosen: Mapping[str, str]) -> str:
    """Return the name of the folder of these choices: no value makes a folder inside it, or a name that is too long."""
    name = ",".join(f"{choice}={quote(value, safe=' ,=:@+')}" for choice, value in chosen.items()) or "default"
    if len(name) <= MAX_NAME_BYTES:
        return name
    return f"{name[:MAX_NAME_BYTES]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
