"""Makes the driver's steps, groups and mix of a session's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from middlemark.errors import InputError
from middlemark.workload.authentication import Authentication
from middlemark.workload.part import Group, Part
from middlemark.workload.plan import (
    BasicAuthentication,
    BearerAuthentication,
    BetweenCapture,
    ConstantThink,
    CookieCapture,
    ExponentialThink,
    FileBody,
    HeaderCapture,
    JsonCapture,
    PlanAuthentication,
    PlanCalls,
    PlanCapture,
    PlanExpect,
    PlanGroup,
    PlanPart,
    PlanScript,
    PlanStep,
    PlanThink,
    RegexCapture,
    UniformThink,
)
from middlemark.workload.session import Script
from middlemark.workload.step import Capture, Expect, Step
from middlemark.workload.think import Think


def plan_think(think: Think) -> PlanThink:
    """Return a think time as the driver reads it."""
    if think.uniform is not None:
        return UniformThink(uniform_ms=(think.uniform[0].ms, think.uniform[1].ms))
    if think.exponential is not None:
        return ExponentialThink(exponential_ms=think.exponential.ms)
    return ConstantThink(constant_ms=think.mean_s * 1000)


def plan_authentication(authentication: Authentication | None) -> PlanAuthentication | None:
    """Return an authentication as the driver reads it."""
    if authentication is None:
        return None
    if authentication.basic is not None:
        return BasicAuthentication(basic=authentication.basic)
    return BearerAuthentication(bearer=authentication.bearer or "")


def plan_scripts(scripts: tuple[Script, ...], folder: Path, *, own_thinks: bool) -> list[PlanScript]:
    """Return the sessions of a mix as the driver reads them; without `own_thinks` none has a think time of its own.

    Files that steps send lie in `folder`.
    """
    return [
        PlanScript(
            name=script.name,
            weight=script.weight,
            think=plan_think(script.think) if script.think and own_thinks else None,
            steps=plan_parts(script.steps, folder, own_thinks=own_thinks),
        )
        for script in scripts
    ]


def plan_parts(parts: tuple[Part, ...], folder: Path, *, own_thinks: bool) -> list[PlanPart]:
    """Return steps and groups as the driver reads them; without `own_thinks` none has a think time of its own.

    Files that steps send lie in `folder`; InputError when one is not there.
    """
    return [
        PlanGroup(
            group=plan_parts(part.group, folder, own_thinks=own_thinks),
            probability=part.probability,
            repeat=part.repeat,
        )
        if isinstance(part, Group)
        else _step(part, folder, part.think if own_thinks else None)
        for part in parts
    ]


def _step(step: Step, folder: Path, think: Think | None) -> PlanStep:
    return PlanStep(
        id=step.id,
        transaction=step.transaction,
        method=step.method,
        target=step.target,
        path=step.path,
        form=None if step.fields is None else list(step.fields),
        body=step.body if step.body_file is None else _file(step.id, folder / step.body_file),
        headers=list(step.headers.items()),
        authentication=plan_authentication(step.authentication),
        expect=_expect(step.expect),
        capture=_captures(step.capture),
        think=None if think is None else plan_think(think),
        probability=step.probability,
        repeat=step.repeat,
        abandon=step.abandon or None,
        identify=list(step.identify),
        calls=None
        if step.calls is None
        else PlanCalls(outcomes=list(step.calls.outcomes), identify=step.calls.identify),
    )


def _expect(expect: Expect) -> PlanExpect:
    return PlanExpect(status=expect.status, marker=expect.marker, path=expect.path, length=expect.length)


def _file(step: str, path: Path) -> FileBody:
    if not path.is_file():
        raise InputError(f"step '{step}' sends a file that does not exist", where=str(path))
    return FileBody(file=str(path))


def _captures(captures: Mapping[str, Capture]) -> list[PlanCapture]:
    plan: list[PlanCapture] = []
    for name, capture in captures.items():
        if capture.regex is not None:
            plan.append(RegexCapture(name=name, regex=capture.regex))
        elif capture.between is not None:
            plan.append(BetweenCapture(name=name, between=capture.between))
        elif capture.header is not None:
            plan.append(HeaderCapture(name=name, header=capture.header))
        elif capture.cookie is not None:
            plan.append(CookieCapture(name=name, cookie=capture.cookie))
        else:
            plan.append(JsonCapture(name=name, json=capture.json_pointer or ""))
    return plan
