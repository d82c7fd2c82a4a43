"""Computes the combinations of an experiment; those that a subject cannot do are left out with the reason."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from middlemark.errors import InputError
from middlemark.experiment.choice_values import HTTP_1_0
from middlemark.records.choices import CONNECTIONS, HTTP, OF_REQUESTS, OWN, TLS, is_mode, tier_of, tier_run
from middlemark.records.naming import label
from middlemark.records.run import CONTROL, Combination, LeftOut
from middlemark.specification.tiers import OF_VIRTUAL_USERS, Protocol
from middlemark.subject.subject import Subject
from middlemark.topology.choices import NOT_YET, planned_deployment
from middlemark.topology.plan import PlannedProcess, plan
from middlemark.topology.request import DeploymentRequest, Program

SUBJECT = "subject"
"""In `reference`: the subject, which is no choice."""
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
        """Every subject of which something is started, each once."""
        return {**self.compared, **self.of_tiers}

    def planned(self, combination: Combination) -> DeploymentRequest:
        """The deployment of a combination before anything is built; InputError for a choice that is wrong."""
        programs = {name: Program(subject, NOT_YET) for name, subject in self.all.items()}
        return requested_deployment(self.home, programs, combination)


def requested_deployment(home: Path, programs: Mapping[str, Program], combination: Combination) -> DeploymentRequest:
    """Deployment of a combination, without databases, logs and CPUs; InputError for a wrong choice."""
    planned = planned_deployment(home, programs[combination.subject].subject, combination.modes)
    runs = {tier: value for choice, value in combination.modes.items() if (tier := tier_run(choice))}
    tiers = {tier: programs[subject] for tier, subject in runs.items() if subject != combination.subject}
    return replace(planned, program=programs[combination.subject], tiers=tiers)


def applications(request: DeploymentRequest) -> list[PlannedProcess]:
    """The processes of a deployment that are no proxies; InputError as `plan` raises."""
    return [process for process in plan(request) if not process.is_proxy]


def tier_subjects(request: DeploymentRequest) -> dict[str, str]:
    """The subject that runs each tier, of those that run at all, in the order of the specification."""
    carried = {tier: request.program_of(one.tiers).subject.name for one in applications(request) for tier in one.tiers}
    return {tier: carried[tier] for tier in request.specification.description.tiers if tier in carried}


def with_shared_processes(subjects: Subjects, combinations: Sequence[Combination]) -> list[Combination]:
    """The combinations; of those whose processes would be the same all run on those of the first."""
    firsts: list[tuple[object, str]] = []
    found: list[Combination] = []
    for one in combinations:
        request = subjects.planned(one)
        of_requests = (*OF_REQUESTS, *request.specification.description.carried_modes)
        fixed = {choice: value for choice, value in one.modes.items() if choice not in of_requests}
        processes = (one.subject, fixed, plan(request))
        path = next((path for known, path in firsts if known == processes), "")
        if not path:
            firsts.append((processes, one.path))
        found.append(one.model_copy(update={"runs_on": path}))
    return found


def with_control(combinations: list[Combination]) -> list[Combination]:
    """The combinations, the first of them twice: under a path and a label of its own, on processes of its own."""
    first, *others = combinations
    again = first.model_copy(update={"label": f"{first.label} again", "path": f"{first.path}{CONTROL}"})
    return [first, again, *others]


class Sent(NamedTuple):
    """What virtual users send: `targets`, listeners of the entry and other tiers, and `names` in their requests."""

    targets: Sequence[str] = ()
    names: Collection[str] = ()


SentOf = Callable[[Mapping[str, str]], Sent]
"""What the session of these choices sends."""


def combinations(
    subjects: Subjects, choices: Mapping[str, Sequence[str]], sent_of: SentOf = lambda _: Sent()
) -> tuple[list[Combination], list[LeftOut]]:
    """Every subject with every value of every choice, in the order written, and what is left out.

    What makes no difference in a combination is none of its choices: the number of processes of a tier that has none
    of its own, the subject of a tier that does not run, the connections of HTTP/1.0, which keeps none, a mode that
    requests carry where the session does not hold it. A mode that nobody chose and that opens a listener to which the
    session goes has a value that does, and is one of the choices.
    """
    possible: dict[str, Combination] = {}
    left_out: list[LeftOut] = []
    for subject in subjects.compared:
        for values in product(*choices.values()):
            chosen = dict(zip(choices, values, strict=True))
            sent, description = sent_of(chosen), subjects.compared[subject].specification.description
            tls = description.tls
            if tls is not None and Protocol.HTTPS in sent.targets:
                chosen = {**chosen, **{mode: values[0] for mode, values in tls.when.items() if mode not in chosen}}
            idle = {*description.carried_modes} - {*sent.names, *description.values_in_process}
            chosen = {choice: value for choice, value in chosen.items() if choice not in idle}
            made = _possible(subjects, subject, chosen, sent)
            if isinstance(made, Combination):
                possible.setdefault(made.path, made)
            elif made not in left_out:
                left_out.append(made)
    return list(possible.values()), left_out


def without_features(
    subjects: Subjects, possible: Sequence[Combination], needs: Callable[[Combination], Sequence[str]]
) -> tuple[list[Combination], list[LeftOut]]:
    """The combinations whose subjects have the features that their session `needs`, and the others with the reason."""
    able: list[Combination] = []
    left_out: list[LeftOut] = []
    for one in possible:
        lacking = ((name, it) for it in needs(one) for name in one.subjects if it not in subjects.all[name].features)
        name, feature = next(lacking, ("", ""))
        if name:
            reason = f"{name} has no feature '{feature}', which the session needs"
            left_out.append(LeftOut(label=one.label, reason=reason, subject=one.subject, modes=one.modes))
        else:
            able.append(one)
    return able, left_out


def references(combinations: Sequence[Combination], reference: Mapping[str, str]) -> dict[str, str]:
    """The path of each combination's reference, by its own: the first with the named values that shares the others."""
    if not reference:
        return {}

    def agree(one: Combination, other: Combination) -> bool:
        shared = {SUBJECT, *(one.modes.keys() & other.modes.keys())} - reference.keys()
        return all(_value(one, choice) == _value(other, choice) for choice in shared)

    named = [one for one in combinations if all(_has(one, choice, value) for choice, value in reference.items())]
    found = {
        one.path: next((other.path for other in named if agree(one, other)), None)
        for one in combinations
        if one not in named
    }
    return {path: other for path, other in found.items() if other is not None}


def missing_references(
    combinations: Sequence[Combination], reference: Mapping[str, str], found: Mapping[str, str]
) -> list[Combination]:
    """The combinations without a reference in `found` (`references`) that are none themselves."""
    others = (one for one in combinations if one.path not in found)
    return [one for one in others if not all(_has(one, choice, value) for choice, value in reference.items())]


def _possible(subjects: Subjects, name: str, chosen: dict[str, str], sent: Sent) -> Combination | LeftOut:
    chosen |= {choice: name for choice, value in chosen.items() if tier_run(choice) and value == OWN}
    if chosen.get(HTTP) == HTTP_1_0:
        chosen.pop(CONNECTIONS, None)
    try:
        _check_offered(subjects.compared[name], chosen, sent)
        chosen = _that_make_a_difference(subjects, name, chosen)
        combination = _combination(name, chosen)
        tiers = _checked_tiers(subjects.planned(combination), sent.targets)
    except InputError as error:
        return LeftOut(label=label(name, chosen), reason=error.what, subject=name, modes=dict(chosen))
    return combination.model_copy(update={"tiers": tiers})


def _check_offered(subject: Subject, chosen: Mapping[str, str], sent: Sent) -> None:
    carried = subject.specification.description.carried_modes
    for mode, value in chosen.items():
        offered = subject.offers(mode) if is_mode(mode) else (value,)
        if value not in offered:
            its = ", ".join(offered) or "no such mode"
            raise InputError(f"{subject.name} does not offer {mode}={value} (it offers {its})")
        if mode in carried and mode not in sent.names:
            raise InputError(f"no step of the session holds ${{{mode}}}, so that requests carry no {mode}={value}")
    if TLS in chosen and Protocol.HTTPS not in sent.targets:
        raise InputError(f"no step goes to a listener over https, so that tls={chosen[TLS]} changes nothing")


def _that_make_a_difference(subjects: Subjects, name: str, chosen: Mapping[str, str]) -> dict[str, str]:
    """Choices without numbers and subjects of tiers that have no processes; InputError for what is not possible."""
    alone = {choice: value for choice, value in chosen.items() if tier_of(choice) is None}
    request = subjects.planned(_combination(name, alone))
    entry, run = request.specification.description.entry, tier_subjects(request)
    # Other tiers run inside one of these, or not at all.
    counted = {entry if entry in one.offers else one.offers[0] for one in applications(request)}
    return {
        choice: value
        for choice, value in chosen.items()
        if tier_of(choice) in (None, *counted) and tier_run(choice) in (None, *run)
    }


def _checked_tiers(request: DeploymentRequest, listeners: Sequence[str]) -> dict[str, str]:
    """The subject of each tier; InputError where one cannot run so, others run all, or a listener is not opened."""
    for program in request.programs:
        request.modes_of(program)
    tiers, entry = tier_subjects(request), request.specification.description.entry
    if request.subject.name not in tiers.values():
        raise InputError(f"{request.subject.name} runs no tier: {' and '.join(tiers)} are of others")
    for name in listeners:
        if name not in OF_VIRTUAL_USERS:
            if not any(name in one.offers for one in applications(request)):
                raise InputError(f"no process offers {name} in these modes, and the session calls it")
        elif not all(name in one.listens for one in applications(request) if entry in one.offers):
            raise InputError(f"{entry} does not listen on {name} in these modes, and the session goes there")
    return tiers


def _combination(subject: str, chosen: Mapping[str, str]) -> Combination:
    path = f"{subject}/{_folder(chosen)}"
    return Combination(subject=subject, modes=dict(chosen), label=label(subject, chosen), path=path)


def _folder(chosen: Mapping[str, str]) -> str:
    """The name of the folder of these choices: no value makes a folder inside it, or a name that is too long."""
    name = ",".join(f"{choice}={quote(value, safe=' ,=:@+')}" for choice, value in chosen.items()) or "default"
    if len(name) <= MAX_NAME_BYTES:
        return name
    return f"{name[:MAX_NAME_BYTES]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _has(combination: Combination, choice: str, value: str) -> bool:
    """Say whether a combination has a value; `own` is the subject of the other tiers."""
    is_own = tier_run(choice) is not None and value == OWN
    return _value(combination, choice) == (combination.subject if is_own else value)


def _value(combination: Combination, choice: str) -> str | None:
    return combination.subject if choice == SUBJECT else combination.modes.get(choice)
