"""Operations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from middlemark.conformance.cases.names import filled_value
from middlemark.conformance.cases.step import Call
from middlemark.conformance.comparison.match import difference, shown
from middlemark.conformance.execution.calling import Answered, ContractBroken, Refused
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.database import ask
from middlemark.conformance.failure import StepFailed

_INDEX = re.compile(r"\d+\Z")


def call(step: Call, actor: Actor, where: str) -> None:
    """Call the operation and hold what comes against the case."""
    request = {key: filled_value(value, actor.captured) for key, value in step.with_.items()}
    try:
        came = actor.caller().call(step.call, request)
    except ContractBroken as broken:
        raise StepFailed(f"outside the contract: {broken}") from broken
    if isinstance(came, Refused):
        actor.notes.said(where, f"refused {came.code}: {came.message}")
    else:
        actor.notes.answered(where, came.value)
    if actor.outcomes is not None:
        actor.outcomes[f"refused {came.code}" if isinstance(came, Refused) else "answered"] += 1
    around = actor.surroundings(lambda query: ask(actor, query))
    if isinstance(came, Refused):
        _hold_refusal(step, came, actor)
    elif step.refused is not None:
        raise StepFailed(f"expected the refusal {step.refused.code}, came the answer {shown(dict(came.value))}")
    else:
        fault = None if step.answer is None else difference(step.answer, came.value, "answer", around)
        if fault:
            raise StepFailed(fault)
        _capture(step, came, actor)


def _hold_refusal(step: Call, came: Refused, actor: Actor) -> None:
    if step.refused is None:
        if step.answer is None and actor.outcomes is not None:
            return
        raise StepFailed(f"expected an answer, came the refusal {came.code}: {came.message}")
    if came.code != step.refused.code:
        raise StepFailed(f"expected the refusal {step.refused.code}, came {came.code}: {came.message}")
    if step.refused.message is not None:
        around = actor.surroundings(lambda query: ask(actor, query))
        fault = difference(step.refused.message, came.message, "message", around)
        if fault:
            raise StepFailed(fault)


def _capture(step: Call, came: Answered, actor: Actor) -> None:
    for name, path in step.capture.items():
        value: object = came.value
        for part in path.split("."):
            value = _part(value, part)
            if value is None:
                raise StepFailed(f"capture {name}: expected a value at {path}, came {shown(dict(came.value))}")
        actor.captured[name] = value


def _part(value: object, part: str) -> object:
    if isinstance(value, Mapping):
        return value.get(part)
    if isinstance(value, list | tuple) and _INDEX.match(part) and int(part) < len(value):
        return value[int(part)]
    return None
