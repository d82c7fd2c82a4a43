"""Operations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from middlemark.conformance.cases.names import filled_value
from middlemark.conformance.cases.step import Call
from middlemark.conformance.comparison.match import difference, shown
from middlemark.conformance.execution.calling import ContractBroken, Performed, Refused
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.failure import StepFailed

_INDEX = re.compile(r"\d+\Z")


def call(step: Call, actor: Actor, where: str) -> None:
    """Call the operation and hold the result against the case."""
    request = {key: filled_value(value, actor.captured) for key, value in step.with_.items()}
    try:
        result = actor.caller().call(step.call, request)
    except ContractBroken as broken:
        raise StepFailed(f"outside the contract: {broken}") from broken
    if isinstance(result, Refused):
        actor.notes.text(where, f"refused {result.code}: {result.message}")
    else:
        actor.notes.value(where, result.value)
    if actor.outcomes is not None:
        actor.outcomes[f"refused {result.code}" if isinstance(result, Refused) else "performed"] += 1
    if isinstance(result, Refused):
        _hold_refusal(step, result, actor)
    elif step.refused is not None:
        raise StepFailed(f"expected the refusal {step.refused.code}, found the response {shown(dict(result.value))}")
    else:
        fault = (
            None if step.response is None else difference(step.response, result.value, "response", actor.surroundings())
        )
        if fault:
            raise StepFailed(fault)
        _capture(step, result, actor)


def _hold_refusal(step: Call, result: Refused, actor: Actor) -> None:
    if step.refused is None:
        if step.response is None and actor.outcomes is not None:
            return
        raise StepFailed(f"expected a response, found the refusal {result.code}: {result.message}")
    if result.code != step.refused.code:
        raise StepFailed(f"expected the refusal {step.refused.code}, found {result.code}: {result.message}")
    if step.refused.message is not None:
        fault = difference(step.refused.message, result.message, "message", actor.surroundings())
        if fault:
            raise StepFailed(fault)


def _capture(step: Call, result: Performed, actor: Actor) -> None:
    for name, path in step.capture.items():
        value: object = result.value
        for part in path.split("."):
            value = _part(value, part)
            if value is None:
                raise StepFailed(f"capture {name}: expected a value at {path}, found {shown(dict(result.value))}")
        actor.captured[name] = value


def _part(value: object, part: str) -> object:
    if isinstance(value, Mapping):
        return value.get(part)
    if isinstance(value, list | tuple) and _INDEX.match(part) and int(part) < len(value):
        return value[int(part)]
    return None
